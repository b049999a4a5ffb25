"""`scrapy archive`: the index and the package of a folder of WARC files."""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from sitecrawl import __version__, install_command
from sitecrawl.console.scrapy_commands import DescribedCommand, MisuseError
from sitecrawl.console.terminal import print_errors, print_lines
from sitecrawl.statuses import BAD_USAGE, DONE, NO_RESULT


class Command(DescribedCommand):
    """Write index.cdxj into a folder of WARC files, and a WACZ package of them."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the files, and set the exit status."""
        if len(args) != 1:
            raise MisuseError("name one folder of WARC files")
        self.exitcode = self.answer(args, opts)

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Write the files; return the exit status."""
        if find_spec("warcio") is None:
            print_errors([f"archive needs the package warcio: {install_command('warc')}."])
            return BAD_USAGE
        from sitecrawl.archive.captures import open_captures  # noqa: PLC0415 -- an extra
        from sitecrawl.archive.wacz import INDEX, write_index, write_wacz  # noqa: PLC0415

        folder = Path(args[0])
        try:
            with open_captures(folder) as captures:
                if opts.wacz:
                    software = f"sitecrawl {__version__}"
                    number = write_wacz(folder, captures, Path(opts.wacz), software)
                else:
                    number = write_index(captures, folder / INDEX)
        except (OSError, sqlite3.Error) as error:
            at = getattr(error, "filename", None) or folder
            print_errors([f"{at}: {getattr(error, 'strerror', None) or error}."])
            return BAD_USAGE
        print_lines([f"{number} captures: {opts.wacz or folder / INDEX}"])
        return DONE if number else NO_RESULT
