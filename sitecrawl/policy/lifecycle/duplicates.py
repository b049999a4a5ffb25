"""The choice of the URL to keep among those with the same content."""

from __future__ import annotations


def site_rank(
    url: str, via: str, listed: int, depth: int, found: int
) -> tuple[bool, bool, int, bool, int]:
    """Return the sort key of equal pages in the order of their site; the lowest one is kept.

    Starts come first, then pages of a sitemap, then those that the fewest links lead to from a
    start, then URLs without a query, then the order of discovery.
    """
    return via != "seed", not listed, depth, "?" in url, found


def rank(url: str) -> tuple[bool, int, str]:
    """Return the sort key of URLs of which nothing else is known: the shortest without a query."""
    return "?" in url, len(url), url
