"""The collector's thresholds hold while the engine runs; messages are made where logged."""

from __future__ import annotations

import gc
import logging

import pytest
from scrapy import Spider
from scrapy.exceptions import DropItem
from scrapy.http import Request, Response
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from sitecrawl.extensions.garbage import THRESHOLDS, Garbage
from sitecrawl.extensions.log_messages import LogFormatter


def test_the_collector_is_left_as_it_was() -> None:
    """Frozen and rare while the engine runs, as before afterwards."""
    before = gc.get_threshold()
    garbage = build_from_crawler(Garbage, get_crawler())
    garbage.engine_started()
    try:
        assert gc.get_threshold() == THRESHOLDS
        assert gc.get_freeze_count() > 0
    finally:
        garbage.engine_stopped()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


@pytest.mark.parametrize(
    ("level", "pages"), [("DEBUG", True), ("INFO", False), (logging.WARNING, False)]
)
def test_messages_below_the_level_are_not_made(level: str | int, pages: bool) -> None:
    """Pages and items are told of at DEBUG only, what was dropped at its own level."""
    crawler = get_crawler(settings_dict={"LOG_LEVEL": level})
    crawler.spider = spider = Spider.from_crawler(crawler, "any")
    formatter = build_from_crawler(LogFormatter, crawler)
    response = Response("http://127.0.0.1/")
    drop = DropItem("equal", log_level="DEBUG")
    made = (
        formatter.crawled(Request(response.url), response, spider),
        formatter.scraped({}, response, spider),
        formatter.dropped({}, drop, response, spider),
    )
    assert [each is not None for each in made] == [pages] * 3
    dropped = formatter.dropped({}, DropItem("odd", log_level="WARNING"), response, spider)
    assert dropped is not None
