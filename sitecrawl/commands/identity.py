"""`scrapy identity`: the key with which a crawl signs its requests."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, ClassVar

from scrapy.exceptions import UsageError

from sitecrawl.console.scrapy_commands import StartedCommand
from sitecrawl.console.terminal import print_errors, print_lines
from sitecrawl.http.agent_identity import (
    UnusableKeyError,
    check_agent,
    make_key,
    read_identity,
)
from sitecrawl.statuses import BAD_USAGE, DONE


class Command(StartedCommand):
    """Make a key, and print the directory that its agent publishes."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return the command's syntax."""
        return "[options] KEYFILE"

    def short_desc(self) -> str:
        """Return the description that `scrapy` prints in its list of commands."""
        return "Make a key that signs requests, or print its directory (scrapy identity KEYFILE)"

    def long_desc(self) -> str:
        """Return the text of `scrapy identity -h`; argparse wraps it."""
        return (
            "Print the directory of the key that `-a identity=KEYFILE` signs requests with, to be "
            "published below the URL of the agent; with --make first make the key. Nothing is "
            "fetched. Exit status: 0 done; 2 wrong usage, or the file cannot be read or written."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the URL of the agent."""
        super().add_options(parser)
        parser.add_argument("--make", metavar="URL", help="make the key of the agent at URL")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Make or read the key, and set the exit status."""
        if len(args) != 1:
            raise UsageError("name one file of a key", print_help=False)
        self.exitcode = self.answer(Path(args[0]), opts)

    def answer(self, path: Path, opts: argparse.Namespace) -> int:
        """Print the directory; return the exit status."""
        try:
            if opts.make:
                make_key(path, check_agent(opts.make))
            identity = read_identity(path)
        except OSError as error:
            print_errors([f"{path} cannot be written: {error.strerror}."])
            return BAD_USAGE
        except (UnusableKeyError, ValueError) as error:
            print_errors([f"{error}."])
            return BAD_USAGE
        print_lines([identity.directory])
        return DONE
