"""A small Scrapy project that uses our crawl command, and a way to run it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from fixtures.command import run

SETTINGS = """
BOT_NAME = "small"
SPIDER_MODULES = ["small.spiders"]
COMMANDS_MODULE = "sitecrawl.commands"
TELNETCONSOLE_ENABLED = False
"""
SPIDERS = """
import scrapy
from sitecrawl.config.configuration import load


class Asking(scrapy.Spider):
    "Asks for its start, and ends with the status that it is told."

    name = "asking"
    configuration_from_arguments = staticmethod(load)
    may_make_starts = staticmethod(lambda: False)

    async def start(self):
        for url in load({"start": self.start_url}).params.start:
            yield scrapy.Request(url, callback=self.parse)

    @classmethod
    def from_crawler(cls, crawler, *args, **arguments):
        spider = super().from_crawler(crawler)
        spider.start_url = arguments["start"]
        return spider

    def parse(self, response):
        status = response.headers.get("Exit-Status")
        if status:
            self.crawler.stats.set_value("sitecrawl/exit_status", int(status))


class Subclassed(Asking):
    name = "subclassed"


class Plain(scrapy.Spider):
    "Knows nothing of the configuration."

    name = "plain"
    start_urls = []


class Broken(scrapy.Spider):
    name = "broken"

    def __init__(self, *args, **arguments):
        raise RuntimeError("cannot begin")
"""

Scrapy = Callable[..., CompletedProcess[str]]


@pytest.fixture
def scrapy(tmp_path: Path) -> Scrapy:
    """Run ``scrapy ARGUMENTS`` in a new project: its exit status, standard output and error."""
    package = tmp_path / "small"
    package.mkdir()
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = small.settings\n")
    (package / "__init__.py").touch()
    (package / "settings.py").write_text(SETTINGS)
    (package / "spiders.py").write_text(SPIDERS)

    return lambda *arguments: run(arguments, tmp_path, settings="")
