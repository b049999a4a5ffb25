"""`scrapy runspider`: Scrapy's own, for spiders that this project's parts can serve."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from scrapy import Spider
from scrapy.commands import runspider
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError

from sitecrawl.commands.crawl import exit_status, problems_of
from sitecrawl.console.misspelt import misspelt_settings
from sitecrawl.console.parts import missing_parts


class Command(runspider.Command):
    """Run a SiteSpider from a file, with the exit statuses of `scrapy crawl`."""

    crawler: Crawler | None = None

    _arguments: Mapping[str, str]

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, and take over the exit status that the crawl set."""
        self._arguments = opts.spargs
        super().run(args, opts)
        status = exit_status(self.crawler)
        self.exitcode = self.exitcode if status is None else status

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        assert self.settings is not None
        problems = [
            *misspelt_settings(self.settings),
            *problems_of(spidercls, self._arguments),
            *missing_parts(spidercls, self.settings),
        ]
        if problems:
            raise UsageError("\n".join(problems), print_help=False)
        self.crawler = super()._create_crawler(spidercls)
        return self.crawler
