"""Keeps out of the log what Scrapy says of itself at the start of every crawl."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from scrapy import Spider
from scrapy.addons import AddonManager
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoader, SpiderLoaderProtocol, get_spider_loader
from scrapy.utils.misc import load_object

from sitecrawl import __version__
from sitecrawl.config.config_errors import nearest
from sitecrawl.policy.http.request_headers import user_agent

TALKATIVE = ("scrapy.addons", "scrapy.crawler", "scrapy.middleware", "scrapy.utils.log")
"""Loggers that list versions, overridden settings and enabled components."""


def calm(level: str) -> None:
    """Let these loggers only warn, unless the log is to have everything.

    Filters, because Scrapy resets the levels of its loggers when it configures them.
    """
    for name in TALKATIVE:
        logger = logging.getLogger(name)
        logger.removeFilter(is_warning)
        if level != "DEBUG":
            logger.addFilter(is_warning)


def is_warning(record: logging.LogRecord) -> bool:
    """Whether a person should know."""
    return record.levelno >= logging.WARNING


NEEDED = {
    "EXTENSIONS": ("sitecrawl.extensions.crawl.Crawl",),
    "DOWNLOADER_MIDDLEWARES": (
        "sitecrawl.downloadermiddlewares.meta_robots.MetaRobotsMiddleware",
        "sitecrawl.downloadermiddlewares.outcome.OutcomeMiddleware",
        "sitecrawl.downloadermiddlewares.turn.TurnMiddleware",
    ),
    "SPIDER_MIDDLEWARES": ("sitecrawl.spidermiddlewares.start.StartMiddleware",),
    "ITEM_PIPELINES": (
        "sitecrawl.pipelines.mapping.MappingPipeline",
        "sitecrawl.pipelines.change.ChangePipeline",
        "sitecrawl.pipelines.output.OutputPipeline",
    ),
}
SPIDER = "sitecrawl.spiders.site.SiteSpider"
CLASSES = {
    "SCHEDULER": "sitecrawl.scheduler.OriginScheduler",
    "ITEM_PROCESSOR": "sitecrawl.pipelines.processor.DocumentProcessor",
}
REMEDY = "the crawl cannot do without it"


def missing_parts(spider: object, settings: BaseSettings) -> Iterator[str]:
    """A line for each part that a SiteSpider is without: some let a crawl never end."""
    if not _is_among(SPIDER, [spider]):
        return
    for table, needed in NEEDED.items():
        named = [*settings.get_component_priority_dict_with_base(table)]
        for part in needed:
            if not _is_among(part, named):
                yield f"{table} lacks {part}: {REMEDY}"
    for name, part in CLASSES.items():
        if not _is_among(part, [settings[name]]):
            yield f"{name} is not {part}, nor made of it: {REMEDY}"


def _is_among(part: str, named: Sequence[Any]) -> bool:
    """Whether a part is named, or one that is derived from it.

    Not ``issubclass``: whatever has its methods is a subclass of a scheduler of Scrapy's.
    """
    if part in named:
        return True
    wanted = load_object(part)
    return any(wanted in getattr(load_object(name), "__mro__", ()) for name in named)


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
