"""Which spiders have a crawl, and Scrapy's own commands for one page, which have none."""

from __future__ import annotations

import argparse
from typing import Any

from scrapy.addons import AddonManager
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoaderProtocol, get_spider_loader

from sitecrawl import __version__
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


class PlainCommand(ScrapyCommand):
    """Stands before a command of Scrapy's for one page, which no crawl takes part in."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Ask as the crawl does by default; raises UsageError for a spider with a crawl."""
        assert self.settings is not None
        self.settings.set("USER_AGENT", user_agent(__version__), priority="command")
        super().process_options(args, opts)
        name = getattr(opts, "spider", None)
        loader = spider_loader(self.settings)
        if name is not None and (name not in loader.list() or is_ours(loader.load(name))):
            raise UsageError(
                f"--spider {name}: this command has no crawl for it. Leave it out, or see "
                "scrapy explain -h, scrapy links -h",
                print_help=False,
            )
