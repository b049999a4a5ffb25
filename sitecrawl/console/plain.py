"""Which spiders have a crawl, and Scrapy's own commands for one page, which have none."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from scrapy import Spider
from scrapy.addons import AddonManager
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoader, SpiderLoaderProtocol, get_spider_loader

from sitecrawl import __version__
from sitecrawl.params.problems import nearest
from sitecrawl.policy.headers import user_agent


def is_ours(spider: Any) -> bool:
    """Whether a spider's class is a SiteSpider, whose crawl has a configuration."""
    return hasattr(spider, "configuration_from_arguments")


def crawl_settings(spider: Any, settings: BaseSettings) -> BaseSettings:
    """The settings of a spider's crawl: the project's, and those that its class brings along."""
    own = settings.copy()
    spider.update_settings(own)
    return own


def spider_loader(settings: BaseSettings) -> SpiderLoaderProtocol:
    """The spiders of the project and of its add-ons, before Scrapy has asked those."""
    own = settings.copy()
    AddonManager.load_pre_crawler_settings(own)
    return get_spider_loader(own)


class OutsideLoader(SpiderLoader):
    """Loads SiteSpiders as ordinary ones: their callbacks, without a crawl around them."""

    def load(self, spider_name: str) -> type[Spider]:
        """The spider's class, or one derived from it."""
        spider = super().load(spider_name)
        if not is_ours(spider):
            return spider
        make: Callable[..., type[Spider]] = type
        names = {"in_crawl": False, "__module__": spider.__module__}
        return make(spider.__name__, (spider,), names)


class PlainCommand(ScrapyCommand):
    """Stands before a command of Scrapy's for one page, which Scrapy's own parts fetch."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Ask as the crawl does by default; raises UsageError for an unknown spider."""
        assert self.settings is not None
        self.settings.set("USER_AGENT", user_agent(__version__), priority="command")
        self.settings.set("SPIDER_LOADER_CLASS", OutsideLoader, priority="command")
        super().process_options(args, opts)
        name = getattr(opts, "spider", None)
        known = spider_loader(self.settings).list()
        if name is not None and name not in known:
            raise UsageError(
                f"--spider {name}: there is no such spider.{nearest(name, known)}", print_help=False
            )
