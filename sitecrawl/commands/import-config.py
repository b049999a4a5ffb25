"""`scrapy import-config FILE`: the configuration of another crawler as a ``site.toml``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, ClassVar

from scrapy.utils.misc import load_object

from sitecrawl.config.foreign.draft import ForeignConfigError
from sitecrawl.console.scrapy_commands import DescribedCommand, MisuseError
from sitecrawl.console.terminal import print_errors, print_lines
from sitecrawl.statuses import BAD_USAGE, DONE

READERS = {
    ".yml": "sitecrawl.config.foreign.elastic.read_elastic",
    ".yaml": "sitecrawl.config.foreign.elastic.read_elastic",
    ".json": "sitecrawl.config.foreign.docsearch.read_docsearch",
    ".txt": "sitecrawl.config.foreign.nutch.read_nutch",
}
"""Readers by extension, loaded at need: Scrapy imports every command at each start."""


class Command(DescribedCommand):
    """Print TOML: the options of another crawler's file, and what has no counterpart."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Print the configuration, and set the exit status."""
        if len(args) != 1:
            raise MisuseError("name one file")
        self.exitcode = self.answer(Path(args[0]))

    @staticmethod
    def answer(path: Path) -> int:
        """Print the configuration; return the exit status."""
        reader = READERS.get(path.suffix.lower())
        try:
            if reader is None:
                raise ForeignConfigError(f"ends with none of {', '.join(READERS)}")
            draft = load_object(reader)(path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            print_errors([f"{path}: {error.strerror}."])
            return BAD_USAGE
        except (ForeignConfigError, UnicodeDecodeError) as error:
            print_errors([f"{path} {error}."])
            return BAD_USAGE
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            print_errors([f"{path} has a value of another kind than expected: {error}."])
            return BAD_USAGE
        print_lines(line for text in draft.lines() for line in text.split("\n"))
        print_errors(f"Without counterpart: {each}." for each in draft.left_out)
        return DONE
