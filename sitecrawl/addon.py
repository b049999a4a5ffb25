"""Brings the crawl to any Scrapy project, by one line in its settings."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SPIDERS = "sitecrawl.spiders"
OF_THE_PROCESS = ("TWISTED_DNS_RESOLVER", "REACTOR_THREADPOOL_MAXSIZE")
"""Settings that Scrapy reads once, for all crawls of a process."""


class Addon:
    """Adds the spider ``site`` to those of the project; its other spiders stay as they are.

    Spiders derived from SiteSpider work without it. They bring the settings of their crawl along.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Name the module of the spider, and what is set up before any crawl."""
        defaults = import_module("sitecrawl.defaults")  # not before it is needed
        modules = settings.getlist("SPIDER_MODULES")
        if SPIDERS not in modules:
            priority = settings.getpriority("SPIDER_MODULES") or 0  # added to, not replaced
            settings.set("SPIDER_MODULES", [*modules, SPIDERS], priority)
        for name in OF_THE_PROCESS:
            settings.set(name, getattr(defaults, name), "addon")
