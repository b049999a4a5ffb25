"""Article text from a third-party extractor, for news and blogs."""

from __future__ import annotations

from functools import cache
from typing import Any

MAX_MARKUP = 1_000_000
"""Maximum bytes of a page given to an extractor, whose time is otherwise unbounded."""
MIN_TEXT = 100
"""Minimum characters of an article; below it, the page's own content is used."""


def article_text(markup: bytes, url: str, extractor: str) -> str:
    """Return the article of a page in UTF-8, line by line; empty if none is found."""
    if len(markup) > MAX_MARKUP:
        return ""
    text = markup.decode("utf-8", "replace")
    try:
        found = _EXTRACTORS[extractor](text, url)
    except Exception:  # noqa: BLE001 -- on any failure, the page's own content is used
        return ""
    lines = (" ".join(line.split()) for line in found.split("\n"))
    article = "\n".join(line for line in lines if line)
    return article if len(article) >= MIN_TEXT else ""


def _by_trafilatura(text: str, url: str) -> str:
    return _trafilatura()(text, url=url, include_comments=True) or ""


def _by_resiliparse(text: str, _url: str) -> str:
    return str(_resiliparse()(text, main_content=True, alt_texts=False))


_EXTRACTORS = {"trafilatura": _by_trafilatura, "resiliparse": _by_resiliparse}


@cache
def _trafilatura() -> Any:
    """Return trafilatura's extract function, imported on first use."""
    from trafilatura import extract  # noqa: PLC0415

    return extract


@cache
def _resiliparse() -> Any:
    """Return resiliparse's extract function, imported on first use."""
    from resiliparse.extract.html2text import extract_plain_text  # noqa: PLC0415

    return extract_plain_text
