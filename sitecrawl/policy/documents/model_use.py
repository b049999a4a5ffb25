"""Use of documents by language models: the one decision about what may be given to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FORBIDDING = ("noarchive", "nosnippet")
"""Robots directives that search engines also apply to answers of their models (Google, Bing)."""


def permits_models(record: Mapping[str, Any]) -> bool:
    """Return True if the text of a document may be given to a language model.

    This is the only place that decides it, for `scrapy export --format llms` and for the tools of
    `scrapy mcp`, by the page's robots directives and by what its site says about input to models.
    """
    robots, usage = record.get("robots"), record.get("usage")
    if isinstance(usage, Mapping) and usage.get("ai_input") is False:
        return False
    return not (isinstance(robots, Mapping) and any(robots.get(name) for name in FORBIDDING))
