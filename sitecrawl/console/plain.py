"""Scrapy's own commands in this project: with Scrapy's own parts, and without a crawl."""

from __future__ import annotations

import argparse
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from sitecrawl import __version__
from sitecrawl.policy.headers import user_agent

PARTS = (
    "SCHEDULER",
    "DOWNLOADER",
    "STATS_CLASS",
    "EXTENSIONS_BASE",
    "EXTENSIONS",
    "DOWNLOAD_HANDLERS",
    "DOWNLOADER_MIDDLEWARES_BASE",
    "DOWNLOADER_MIDDLEWARES",
    "SPIDER_MIDDLEWARES_BASE",
    "SPIDER_MIDDLEWARES",
    "ITEM_PIPELINES",
    "LOG_FORMATTER",
)
NOT_OURS = "it is no SiteSpider, which all parts of this project need; docs/as-a-library.md"


def plain_settings() -> dict[str, Any]:
    """Scrapy's parts in place of the project's, and the User-Agent that the project has."""
    defaults = Settings()
    return {**{name: defaults[name] for name in PARTS}, "USER_AGENT": user_agent(__version__)}


def is_ours(spider: Any) -> bool:
    """Whether a spider has a configuration, which this project's parts ask it for."""
    return hasattr(spider, "configuration_from_arguments")


class PlainCommand(ScrapyCommand):
    """Stands before a command of Scrapy's that has no spider of ours: what ``-s`` says counts."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Put Scrapy's parts in their places; raises UsageError for a spider with a crawl."""
        assert self.settings is not None
        self.settings.setdict(plain_settings(), priority="cmdline")
        super().process_options(args, opts)
        name = getattr(opts, "spider", None)
        loader = get_spider_loader(self.settings)
        if name is not None and (name not in loader.list() or is_ours(loader.load(name))):
            raise UsageError(
                f"--spider {name}: this command has no crawl for it. Leave it out, or see "
                "scrapy explain -h, scrapy links -h",
                print_help=False,
            )
