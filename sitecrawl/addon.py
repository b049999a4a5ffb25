"""Scrapy add-on that adds the crawl to any project, by one line in its settings."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SPIDERS = "sitecrawl.spiders"
OF_THE_PROCESS = ("TWISTED_DNS_RESOLVER", "REACTOR_THREADPOOL_MAXSIZE")
"""Settings that Scrapy reads once per process, for all crawls."""


class Addon:
    """Add the spider ``site`` to those of the project; its other spiders are not changed.

    Spiders derived from SiteSpider do not need it: they carry the settings of their crawl.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Add the spider's module, and the settings needed before any crawl."""
        defaults = import_module("sitecrawl.defaults")  # imported only when needed
        modules = settings.getlist("SPIDER_MODULES")
        if SPIDERS not in modules:
            priority = settings.getpriority("SPIDER_MODULES") or 0  # extended, not replaced
            settings.set("SPIDER_MODULES", [*modules, SPIDERS], priority)
        for name in OF_THE_PROCESS:
            settings.set(name, getattr(defaults, name), "addon")
