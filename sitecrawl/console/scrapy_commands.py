"""Adaptation of Scrapy's commands: start-up logs, required components, spider loading."""

from __future__ import annotations

import argparse
import logging
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any

from scrapy import Spider
from scrapy.addons import AddonManager
from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.crawler import CrawlerProcessBase
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, Settings
from scrapy.spiderloader import SpiderLoader, SpiderLoaderProtocol, get_spider_loader
from scrapy.utils.misc import load_object

from sitecrawl import __version__, program_name
from sitecrawl.config.config_errors import nearest
from sitecrawl.policy.http.request_headers import user_agent

STARTUP_LOGGERS = ("scrapy.addons", "scrapy.crawler", "scrapy.middleware", "scrapy.utils.log")
"""Loggers that list versions, overridden settings and enabled components."""


def quiet_startup_logs(level: str) -> None:
    """Drop informational start-up logs of Scrapy, unless the level is DEBUG.

    Uses filters, because Scrapy resets the levels of its loggers when it configures them.
    """
    for name in STARTUP_LOGGERS:
        logger = logging.getLogger(name)
        logger.removeFilter(is_warning)
        if level != "DEBUG":
            logger.addFilter(is_warning)


def is_warning(record: logging.LogRecord) -> bool:
    """Return True for warnings and errors."""
    return record.levelno >= logging.WARNING


REQUIRED_COMPONENTS = {
    "EXTENSIONS": (
        "sitecrawl.extensions.crawl.Crawl",
        "sitecrawl.extensions.crawl_ending.CrawlEnding",
    ),
    "DOWNLOADER_MIDDLEWARES": (
        "sitecrawl.downloadermiddlewares.meta_robots.MetaRobotsMiddleware",
        "sitecrawl.downloadermiddlewares.outcome.OutcomeMiddleware",
        "sitecrawl.downloadermiddlewares.turn.TurnMiddleware",
    ),
    "SPIDER_MIDDLEWARES": ("sitecrawl.spidermiddlewares.StartMiddleware",),
    "ITEM_PIPELINES": (
        "sitecrawl.pipelines.MappingPipeline",
        "sitecrawl.pipelines.ChangePipeline",
        "sitecrawl.pipelines.OutputPipeline",
    ),
}
SPIDER = "sitecrawl.spiders.site.SiteSpider"
REQUIRED_CLASSES = {
    "SCHEDULER": "sitecrawl.scheduler.OriginScheduler",
    "ITEM_PROCESSOR": "sitecrawl.pipelines.DocumentProcessor",
}
REMEDY = "the crawl cannot do without it"


def missing_components(spider: object, settings: BaseSettings) -> Iterator[str]:
    """Yield a problem for each missing component without which a crawl might never end."""
    if not _is_configured(SPIDER, [spider]):
        return
    for table, required in REQUIRED_COMPONENTS.items():
        named = [*settings.get_component_priority_dict_with_base(table)]
        for component in required:
            if not _is_configured(component, named):
                yield f"{table} lacks {component}: {REMEDY}"
    for name, component in REQUIRED_CLASSES.items():
        if not _is_configured(component, [settings[name]]):
            yield f"{name} is not {component}, nor a subclass of it: {REMEDY}"


def _is_configured(component: str, named: Sequence[Any]) -> bool:
    """Return True if a component or a subclass of it is configured.

    The method resolution order is checked because ``issubclass`` accepts anything with the
    methods of Scrapy's scheduler.
    """
    if component in named:
        return True
    wanted = load_object(component)
    return any(wanted in getattr(load_object(name), "__mro__", ()) for name in named)


def is_site_spider(spider: Any) -> bool:
    """Return True for a SiteSpider, whose crawl has a configuration."""
    return hasattr(spider, "configuration_from_arguments")


def crawl_settings(spider: Any, settings: BaseSettings) -> BaseSettings:
    """Return the settings of a spider's crawl: those of the project, overridden by its class."""
    own = settings.copy()
    spider.update_settings(own)
    return own


def spider_loader(settings: BaseSettings) -> SpiderLoaderProtocol:
    """Return the spider loader of the project and its add-ons, which Scrapy has not run yet."""
    own = settings.copy()
    AddonManager.load_pre_crawler_settings(own)
    return get_spider_loader(own)


OPTION_TYPES = {"int": int}
HANDLER = "sitecrawl.http.handler.SinglePageHandler"


class MisuseError(UsageError):
    """A wrong use of a command, which is told without its help."""

    def __init__(self, text: str) -> None:
        super().__init__(text, print_help=False)


class PlainSpiderLoader(SpiderLoader):
    """Spider loader that loads SiteSpiders as plain spiders: callbacks without a crawl."""

    def load(self, spider_name: str) -> type[Spider]:
        """Return the spider's class, or a plain subclass of it."""
        spider = super().load(spider_name)
        if not is_site_spider(spider):
            return spider
        make: Callable[..., type[Spider]] = type
        # Feeds read every attribute of a spider, and the crawl of this one cannot be had.
        names = {"in_crawl": False, "crawl": None, "__module__": spider.__module__}
        return make(spider.__name__, (spider,), names)


class HelpFormatter(ScrapyHelpFormatter):
    """Formatter of help texts, which name the program that was started."""

    def format_help(self) -> str:
        """Return the text of ``-h``."""
        return re.sub(r"\bscrapy (?=[a-z])", f"{program_name()} ", super().format_help())


class StartedCommand(ScrapyCommand):
    """Base of commands, with the attributes that ``scrapy`` sets before it calls any method."""

    settings: Settings
    crawler_process: CrawlerProcessBase

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options; help texts name the program that was started."""
        super().add_options(parser)
        parser.formatter_class = HelpFormatter


class DescribedCommand(StartedCommand):
    """Base of commands whose texts and options are in a TOML file of their name.

    An option has the arguments of ``argparse.ArgumentParser.add_argument``.
    """

    @cached_property
    def texts(self) -> dict[str, Any]:
        """The content of the file."""
        package = "sitecrawl.commands"
        modules = (each.__module__ for each in type(self).__mro__)
        name = next(each for each in modules if each.startswith(package)).rpartition(".")[2]
        return tomllib.loads((files(package) / f"{name}.toml").read_text("utf-8"))

    def syntax(self) -> str:
        """Return the command's syntax."""
        return str(self.texts["syntax"])

    def short_desc(self) -> str:
        """Return the description that `scrapy` prints in its list of commands."""
        return str(self.texts["summary"])

    def long_desc(self) -> str:
        """Return the text of the command's `-h`; argparse wraps it."""
        return str(self.texts["description"])

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options, those of several commands, and those of the file."""
        super().add_options(parser)
        self.add_shared_options(parser)
        for flags, given in self.texts.get("options", {}).items():
            read = {"type": OPTION_TYPES[given["type"]]} if "type" in given else {}
            parser.add_argument(*flags.split(), **{**given, **read})

    def add_shared_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options that several commands have; those of the file replace them."""


class SinglePageCommand(StartedCommand):
    """Mixin for Scrapy's single-page commands, which use Scrapy's own components.

    Their downloads pass the same check of addresses as those of a crawl.
    """

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Set the crawl's default User-Agent; raises UsageError for an unknown spider."""
        handlers = self.settings.getdict("DOWNLOAD_HANDLERS_BASE")
        handlers |= dict.fromkeys(("http", "https"), HANDLER)
        self.settings.set("DOWNLOAD_HANDLERS_BASE", handlers, priority="command")
        self.settings.set("USER_AGENT", user_agent(__version__), priority="command")
        self.settings.set("SPIDER_LOADER_CLASS", PlainSpiderLoader, priority="command")
        super().process_options(args, opts)
        name = getattr(opts, "spider", None)
        known = spider_loader(self.settings).list()
        if name is not None and name not in known:
            raise MisuseError(f"--spider {name}: there is no such spider.{nearest(name, known)}")
