"""`scrapy import-config FILE`: the configuration of another crawler as a ``site.toml``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from scrapy.utils.misc import load_object

from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.foreign.draft import ForeignConfigError
from sitecrawl.console.command_base import AnsweringCommand
from sitecrawl.console.scrapy_commands import MisuseError
from sitecrawl.console.terminal import print_errors, print_lines
from sitecrawl.statuses import DONE

READERS = {
    ".yml": "sitecrawl.config.foreign.elastic.read_elastic",
    ".yaml": "sitecrawl.config.foreign.elastic.read_elastic",
    ".json": "sitecrawl.config.foreign.docsearch.read_docsearch",
    ".txt": "sitecrawl.config.foreign.nutch.read_nutch",
}
"""Readers by extension, loaded at need: Scrapy imports every command at each start."""


class Command(AnsweringCommand):
    """Print TOML: the options of another crawler's file, and what has no counterpart."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:  # noqa: ARG002
        """Print the configuration; return the exit status."""
        if len(args) != 1:
            raise MisuseError("name one file")
        path = Path(args[0])
        reader = READERS.get(path.suffix.lower())
        try:
            if reader is None:
                raise ForeignConfigError(f"ends with none of {', '.join(READERS)}")
            draft = load_object(reader)(path.read_text(encoding="utf-8-sig"))
        except (ForeignConfigError, UnicodeDecodeError) as error:
            raise ConfigError([f"{path} {error}."]) from error
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            fault = f"{path} has a value of another kind than expected: {error}."
            raise ConfigError([fault]) from error
        print_lines(line for text in draft.lines() for line in text.split("\n"))
        print_errors(f"Without counterpart: {each}." for each in draft.left_out)
        return DONE
