"""Which of several pages with the same content is kept."""

from __future__ import annotations

from collections.abc import Iterable


def rank(url: str) -> tuple[bool, int, str]:
    """Sorts the URLs of equal pages, the one to keep first.

    Without a query before with one, then the shortest, then the first of the alphabet:
    nothing that depends on the order of the crawl.
    """
    return "?" in url, len(url), url


def kept(urls: Iterable[str]) -> str:
    """The one URL under which equal pages are written."""
    return min(urls, key=rank)
