"""A command that answers from a crawl database and the configuration, without fetching."""

from __future__ import annotations

import argparse
import sys
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.utils.conf import arglist_to_dict

from sitecrawl.frontier.base import FrontierError
from sitecrawl.params.problems import ConfigError

DONE, NOTHING, BAD_USAGE, DATABASE_ERROR = 0, 1, 2, 3


class StoredCommand(ScrapyCommand):
    """Says on one line each what is wrong, and ends with an exit status that tells.

    0 done, 1 nothing found or not allowed, 2 wrong usage or configuration, 3 no usable
    crawl database.
    """

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    @abstractmethod
    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Do the command's work; its exit status."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's options, the crawl's, and how to print."""
        super().add_options(parser)
        parser.add_argument(
            "-a",
            dest="spargs",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an option of the crawl, as given to scrapy crawl (may be repeated); "
            "without start and name the newest crawl database in question is taken, "
            "and the options it was last crawled with",
        )
        parser.add_argument("--json", action="store_true", help="print JSON for programs to read")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options; raises UsageError."""
        unknown = [word for word in args if word.startswith("-") and word != "-"]
        if unknown:
            raise UsageError(f"there is no option {unknown[0]}", print_help=False)
        names = Counter(word.partition("=")[0] for word in opts.spargs)
        for name, count in names.items():
            if count > 1:
                raise UsageError(f"-a {name} is given {count} times", print_help=False)
        super().process_options(args, opts)
        try:
            opts.spargs = arglist_to_dict(opts.spargs)
        except ValueError:
            raise UsageError("write -a NAME=VALUE", print_help=False) from None

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Answer, and turn what cannot be answered into a line and an exit status."""
        try:
            self.exitcode = self.answer(args, opts)
        except ConfigError as error:
            self.exitcode = self._fail(error.problems, BAD_USAGE)
        except FrontierError as error:
            self.exitcode = self._fail([str(error)], DATABASE_ERROR)

    @staticmethod
    def _fail(problems: Iterable[str], status: int) -> int:
        for problem in problems:
            print(problem, file=sys.stderr)
        return status


def only(args: Sequence[str], what: str) -> str:
    """The one argument that a command takes; raises UsageError."""
    if len(args) != 1:
        raise UsageError(f"give one {what}", print_help=False)
    return args[0]
