"""`scrapy version`: the versions of sitecrawl and of Scrapy."""

from __future__ import annotations

import argparse

from scrapy.commands import version as scrapy_version

from sitecrawl import __version__
from sitecrawl.console.terminal import print_lines


class Command(scrapy_version.Command):
    """Print the version of sitecrawl, then what Scrapy's own command prints."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the versions."""
        print_lines([f"sitecrawl {__version__}"])
        super().run(args, opts)
