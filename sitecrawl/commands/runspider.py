"""`scrapy runspider`: Scrapy's own, with the arguments of a SiteSpider checked first."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from scrapy import Spider
from scrapy.commands import runspider
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError

from sitecrawl.commands.crawl import exit_status, problems_of
from sitecrawl.console.misspelt import misspelt_settings
from sitecrawl.console.plain import crawl_settings, is_ours


class Command(runspider.Command):
    """Run a spider from a file, a SiteSpider with the exit statuses of `scrapy crawl`."""

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
        problems = list(misspelt_settings(self.settings))
        if is_ours(spidercls):
            settings = crawl_settings(spidercls, self.settings)
            problems += problems_of(spidercls, self._arguments, settings)
        if problems:
            raise UsageError("\n".join(problems), print_help=False)
        self.crawler = super()._create_crawler(spidercls)
        return self.crawler
