"""Notice of configuration changes since the last run, and of their consequences."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from sitecrawl import typed_program
from sitecrawl.components import Component
from sitecrawl.config.assembly import database_url
from sitecrawl.config.configuration import Configuration, changed_options
from sitecrawl.config.options.crawl_options import NAMING, READING
from sitecrawl.extensions.crawl import crawl_of
from sitecrawl.frontier.opening import open_records

KEEPS_ITS_LIST = (
    "The crawl keeps the list of extensions it began with; ignore_extensions changes it."
)

logger = logging.getLogger(__name__)


class ConfigurationChanges(Component):
    """Comparison of a run's configuration with that of the run before it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        spider: Any = crawler.spider
        self._configuration: Configuration = spider.configuration
        params = self._configuration.params
        self._url = database_url(crawler.settings["SITECRAWL_DATABASE"], params)
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    async def spider_opened(self) -> None:
        """Log one line if options that affect documents have changed."""
        crawl = crawl_of(self._crawler)
        if crawl.owner.failure is not None:
            return
        with crawl.owner.failures_end_crawl():
            if notice := await asyncio.to_thread(self._notice, crawl.owner.run_id):
                logger.info("%s", notice)

    def _notice(self, run: int) -> str:
        params = self._configuration.params
        with open_records(self._url) as records:
            before = records.last_run(params.realm, before=run)
            if before is None:
                return ""
            options = changed_options(before.configuration, self._configuration.stored())
            rereads = params.considers in {"all", "refresh"}
            count = records.read_otherwise(params.realm, params.reading) if rereads else 0
        told = f"The configuration has changed since run {before.id}: {', '.join(options)}."
        said = [told, *consequences(options, count)]
        if params.keep_extensions and "default_ignored_extensions" in options:
            said.append(KEEPS_ITS_LIST)
        return " ".join(said) if options else ""


def consequences(options: Sequence[str], documents: int) -> Iterator[str]:
    """Yield the consequences for stored documents; ``documents`` were read with other options."""
    reindex = f"{typed_program()} reindex"
    if set(options) - READING - NAMING:
        yield f"Documents that the rules now refuse are deleted when due, or at once by: {reindex}."
        yield "Links that they now admit are found when their pages are due, or at once: -a force=yes."
    if NAMING.intersection(options):
        yield f"Documents get their new names when they change, or at once by: {reindex}."
    if documents:
        yield f"{documents} documents are read again."
