"""`scrapy archive`: the index and the package of a folder of WARC files."""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

from sitecrawl import __version__, install_command
from sitecrawl.config.config_errors import ConfigError
from sitecrawl.console.command_base import AnsweringCommand
from sitecrawl.console.scrapy_commands import MisuseError
from sitecrawl.console.terminal import print_lines
from sitecrawl.statuses import DONE, NO_RESULT


class Command(AnsweringCommand):
    """Write index.cdxj into a folder of WARC files, and a WACZ package of them."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Write the files; return the exit status."""
        if len(args) != 1:
            raise MisuseError("name one folder of WARC files")
        if find_spec("warcio") is None:
            raise ConfigError([f"archive needs the package warcio: {install_command('warc')}."])
        from sitecrawl.archive.captures import Captures  # noqa: PLC0415 -- an extra
        from sitecrawl.archive.wacz import INDEX, write_index, write_wacz  # noqa: PLC0415

        folder = Path(args[0])
        try:
            with closing(Captures(folder)) as captures:
                if opts.wacz:
                    software = f"sitecrawl {__version__}"
                    number = write_wacz(folder, captures, Path(opts.wacz), software)
                else:
                    number = write_index(captures, folder / INDEX)
        except sqlite3.Error as error:
            raise ConfigError([f"{folder}: {error}."]) from error
        print_lines([f"{number} captures: {opts.wacz or folder / INDEX}"])
        return DONE if number else NO_RESULT
