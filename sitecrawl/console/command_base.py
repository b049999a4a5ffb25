"""Base classes of the commands that crawl, or read a crawl database."""

from __future__ import annotations

import argparse
import sys
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from io import TextIOWrapper
from typing import Any, ClassVar

from scrapy import Spider
from scrapy.commands import BaseRunSpiderCommand
from scrapy.crawler import Crawler
from scrapy.utils.conf import arglist_to_dict

from sitecrawl import program_name
from sitecrawl.config.config_errors import ConfigError, unknown_words
from sitecrawl.config.configuration import Configuration
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.options.mode import not_a_url
from sitecrawl.console.crawl_sources import COMPLETE
from sitecrawl.console.option_flags import add_option_flags
from sitecrawl.console.page_fetcher import FetchedPages, fetch
from sitecrawl.console.scrapy_commands import (
    DescribedCommand,
    MisuseError,
    StartedCommand,
    is_site_spider,
    spider_loader,
)
from sitecrawl.console.setting_problems import setting_problems
from sitecrawl.console.terminal import print_errors
from sitecrawl.defaults import SITECRAWL_DATABASE
from sitecrawl.frontier.base import DatabaseUrlError, FrontierError
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.statuses import BAD_USAGE, DATABASE_ERROR, DONE, INTERRUPTED, STARTS_FAILED
from sitecrawl.web.urls.url import normalize

WITHOUT_ARGUMENTS = "[options]"  # the syntax of such a command


class AnsweringCommand(DescribedCommand):
    """Base of the commands that print an answer; each problem is printed on one line.

    Exit statuses: 0 done, 1 nothing found or not allowed, 2 wrong usage or configuration, 3 no
    usable crawl database.
    """

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {
        "LOG_ENABLED": False,
        "SITECRAWL_DATABASE": SITECRAWL_DATABASE,
    }

    @abstractmethod
    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Do the command's work; return its exit status."""

    def select(self, opts: argparse.Namespace) -> None:
        """Select what the options name."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command; print each error on one line and set the exit status."""
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # like the feeds, in any locale
        try:
            self.select(opts)
            self.exitcode = self.answer(args, opts)
        except (ConfigError, FrontierError) as error:
            is_misuse = isinstance(error, ConfigError | DatabaseUrlError)
            print_errors([str(error)])
            self.exitcode = BAD_USAGE if is_misuse else DATABASE_ERROR
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            print_errors([f"{where}{error.strerror or error}."])
            self.exitcode = BAD_USAGE
        except KeyboardInterrupt:
            print_errors(["Interrupted."])
            self.exitcode = INTERRUPTED


class StoredCommand(AnsweringCommand):
    """Base of the commands that read the crawl database and the configuration, without fetching."""

    _spider: str

    def add_shared_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the crawl, and the output format."""
        parser.add_argument(
            "-a",
            dest="spargs",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an option of the crawl, as given to scrapy crawl (may be repeated); "
            "without start and crawl_name, the newest crawl database is used, "
            "with the options of its last run",
        )
        parser.add_argument(
            "--spider",
            metavar="NAME",
            default="site",
            help="the spider whose rules apply, if the project has more than site",
        )
        add_option_flags(parser, described=False)
        parser.add_argument("--json", action="store_true", help="print JSON for programs to read")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options; raises UsageError."""
        if unknown := unknown_words(args):
            raise MisuseError(unknown[0])
        if args and self.syntax() == WITHOUT_ARGUMENTS:
            raise MisuseError(f"there is nothing to do with {args[0]!r}")
        if problems := list(repeated(opts.spargs)):
            raise MisuseError(problems[0])
        super().process_options(args, opts)
        if problems := list(setting_problems(self.settings)):
            raise MisuseError("\n".join(problems))
        self._spider = opts.spider
        try:
            opts.spargs = arglist_to_dict(opts.spargs)
        except ValueError:
            raise MisuseError("write -a NAME=VALUE") from None

    def select(self, opts: argparse.Namespace) -> None:
        """Select the crawl of a spider with its own settings, arguments and database."""
        if self._spider == "site":
            return
        spider, given = self.spider(), opts.spargs
        spider.update_settings(self.settings)
        if COMPLETE & given.keys():
            given["crawl_name"] = spider.configuration_from_arguments(given).params.crawl_name
        for name in spider.own_arguments() & given.keys():
            del given[name]

    def rules(self, configuration: Configuration) -> Rules:
        """Return the rules of the selected spider; raises UsageError if it has none."""
        rules: Rules = self.spider().build_rules(configuration)
        return rules

    def spider(self) -> Any:
        """Return the class of the selected spider; raises UsageError if it has no rules."""
        loader = spider_loader(self.settings)
        spider: Any = loader.load(self._spider) if self._spider in loader.list() else None
        if not hasattr(spider, "build_rules"):
            raise MisuseError(f"there is no spider {self._spider!r} with rules")
        return spider


class FetchingCommand(StoredCommand):
    """Base of the commands that fetch a few pages without storing anything."""

    requires_crawler_process = True

    def fetch(
        self, params: CrawlParams, urls: Sequence[str], **options: Any
    ) -> AbstractContextManager[FetchedPages]:
        """Fetch pages by the selected spider; the options are those of ``page_fetcher.fetch``."""
        return fetch(self.crawler_process, self.settings, self.spider(), params, urls, **options)


class CrawlingCommand(StartedCommand, BaseRunSpiderCommand):
    """Base of the commands that crawl, with the exit status that the crawl has set."""

    crawler: Crawler | None = None

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, and set the exit status."""
        super().run(args, opts)  # type: ignore[safe-super]
        status = exit_status(self.crawler)
        self.exitcode = self.exitcode if status is None else status

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        self.crawler = super()._create_crawler(spidercls)
        return self.crawler


def exit_status(crawler: Crawler | None) -> int | None:
    """Return the exit status that the crawl set; None if it set none or never began.

    A signal that ended the crawl counts unless something failed as well. A second signal ends it
    before it has set a status.
    """
    try:
        stats = crawler.stats if crawler is not None else None
    except RuntimeError:
        return None
    if crawler is None or stats is None or not is_site_spider(crawler.spidercls):
        return None
    status, reason = stats.get_value("sitecrawl/exit_status"), stats.get_value("finish_reason")
    began = stats.get_value("start_time") is not None
    if began and reason in (None, "shutdown") and status in (None, DONE, STARTS_FAILED):
        return INTERRUPTED
    return int(status) if status is not None else None


def repeated(arguments: Sequence[str]) -> Iterator[str]:
    """Yield a problem for each repeated name; Scrapy would keep only its last value."""
    counts = Counter(argument.partition("=")[0] for argument in arguments)
    for name, count in counts.items():
        if count > 1:
            yield f"-a {name}: given {count} times; put all its values into one."


def read_url(args: Sequence[str], command: str) -> str:
    """Return the one URL that a command takes, normalized; raises UsageError."""
    if len(args) != 1:
        raise MisuseError(f"give one URL: {program_name()} {command} https://example.org/")
    if "://" not in args[0]:
        raise MisuseError(not_a_url(args[0]))
    return normalize(args[0]) or args[0]
