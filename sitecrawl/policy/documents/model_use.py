"""Use of documents by language models: the one decision about what may be given to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FORBIDDING = ("noarchive", "nosnippet")
"""Robots directives that search engines also apply to answers of their models (Google, Bing)."""


def permits_models(record: Mapping[str, Any]) -> bool:
    """Return True if the text of a document may be given to a language model.

    This is the only place that decides it, for `scrapy export --format llms` and for the tools of
    `scrapy mcp`. It knows the page's robots directives. The declared purpose of a crawl, and the
    signals of a site about the use of its content, belong here too.
    """
    robots = record.get("robots")
    return not (isinstance(robots, Mapping) and any(robots.get(name) for name in FORBIDDING))
