"""Registry of the formats of listings.

A new format is a module with its ``ListingFormat``, its entry here, and a test; the documentation
is made by ``python -m scripts.configuration`` and ``python -m scripts.output_fields``.
"""

from __future__ import annotations

from sitecrawl.web.feeds.news_feeds import FEED
from sitecrawl.web.feeds.sitemaps import SITEMAP

FORMATS = {each.name: each for each in (SITEMAP, FEED)}
NAMES = tuple(FORMATS)
LISTING_XML = frozenset(each.name for each in FORMATS.values() if each.lists_xml)
"""The formats that may list XML documents."""
