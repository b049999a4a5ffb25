"""`scrapy list`: the spiders of the project and of its add-ons, which Scrapyd schedules."""

from __future__ import annotations

import argparse

from scrapy.commands import list as scrapy_list

from sitecrawl.console.scrapy_commands import StartedCommand, spider_loader
from sitecrawl.console.terminal import print_lines


class Command(StartedCommand, scrapy_list.Command):
    """List spiders; Scrapy's own runs no add-on."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Print the names of the spiders."""
        print_lines(sorted(spider_loader(self.settings).list()))
