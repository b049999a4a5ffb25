"""`scrapy runspider`: Scrapy's own, with a check of a SiteSpider's arguments."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from scrapy import Spider
from scrapy.commands import runspider
from scrapy.crawler import Crawler

from sitecrawl.commands.crawl import problems_of
from sitecrawl.config.config_errors import unknown_words
from sitecrawl.console.command_base import CrawlingCommand
from sitecrawl.console.scrapy_commands import MisuseError, crawl_settings, is_site_spider
from sitecrawl.console.setting_problems import setting_problems


class Command(CrawlingCommand, runspider.Command):
    """Run a spider from a file; a SiteSpider has the exit statuses of `scrapy crawl`."""

    _arguments: Mapping[str, str]

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options; raise UsageError for unusable settings."""
        if unknown := unknown_words(args):
            raise MisuseError("\n".join(unknown))
        super().process_options(args, opts)
        self._arguments = opts.spargs
        if problems := list(setting_problems(self.settings)):
            raise MisuseError("\n".join(problems))

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        if is_site_spider(spidercls):
            settings = crawl_settings(spidercls, self.settings)
            if problems := list(problems_of(spidercls, self._arguments, settings)):
                raise MisuseError("\n".join(problems))
        return super()._create_crawler(spidercls)
