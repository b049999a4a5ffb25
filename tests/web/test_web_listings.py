"""The registry of listing formats: each is a mode, is documented, and survives any input."""

from __future__ import annotations

from typing import get_args

import pytest

from sitecrawl.config.option_texts import descriptions
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.options.mode import ModeParams
from sitecrawl.web.feeds import listings
from sitecrawl.web.feeds.listings import ListingFormat

FORMATS = pytest.mark.parametrize("listing", listings.FORMATS.values(), ids=listings.FORMATS)


@FORMATS
def test_a_format_is_a_mode_with_its_words(listing: ListingFormat) -> None:
    mode = CrawlParams.model_fields["mode"]
    assert listing.name in get_args(mode.annotation)
    assert listing.name in descriptions(ModeParams)["mode"]
    params = CrawlParams(start="http://a.test/", mode=listing.name)
    assert params.lists_pages == listing.name


@FORMATS
@pytest.mark.parametrize("body", [b"", b"\0\xff<", b"\x1f\x8bno gzip", b"<a><b>", b"text\n"])
def test_a_reader_raises_nothing(listing: ListingFormat, body: bytes) -> None:
    assert list(listing.read(body, "http://a.test/list", [])) == []
