"""docs/configuration.md says what the model of the options says."""

from __future__ import annotations

from pydantic import TypeAdapter

from scripts.configuration import PAGE, page
from sitecrawl.config import types as base
from sitecrawl.config.option_texts import one
from sitecrawl.config.options.crawl_options import CrawlParams


def test_page_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m scripts.configuration"


def test_amounts_are_written_as_they_are_read():
    read = TypeAdapter(base.Duration).validate_python
    for seconds in (0.5, 1.0, 90.0, 600.0, 172800.0, 2592000.0):
        assert read(one(seconds, CrawlParams.model_fields["delay"])) == seconds
    size = TypeAdapter(base.ByteSize).validate_python
    for count in (0, 512, 1000, 65536, 10_000_000):
        assert size(one(count, CrawlParams.model_fields["max_body_size"])) == count
