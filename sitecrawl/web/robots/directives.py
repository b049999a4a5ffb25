"""Robots directives: meta elements and X-Robots-Tag headers; the most restrictive wins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache

from sitecrawl.web.dates import read_date
from sitecrawl.web.html.page import Directives

VALUES = {
    "noindex": ("noindex",),
    "nofollow": ("nofollow",),
    "none": ("noindex", "nofollow"),
    "noarchive": ("noarchive",),
    "nocache": ("noarchive",),
    "nosnippet": ("nosnippet",),
}
NAMES = frozenset(
    {
        *VALUES,
        *("all", "index", "follow", "noimageindex", "notranslate", "indexifembedded", "noodp"),
        *("noydir", "max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"),
        *("noai", "noimageai", "archive", "snippet"),
    }
)
_AGENT = re.compile(r"(?:^|,)\s*([A-Za-z0-9_*][A-Za-z0-9_.*-]*)\s*:")
_DATED = re.compile(r"unavailable_after\s*:\s*(.*)", re.IGNORECASE | re.DOTALL)
_ZERO_SNIPPET = re.compile(r"max-snippet\s*:\s*0\b", re.IGNORECASE)


def read_directives(contents: Iterable[str], headers: Iterable[str], agent: str) -> Directives:
    """Return the restrictions of all meta contents and X-Robots-Tag values for ``agent``."""
    values = [*contents, *(value for header in headers for value in for_agent(header, agent))]
    if not values:
        return _NONE
    found: set[str] = set()
    dates: list[datetime] = []
    for value in values:
        found |= read_values(value)
        dates += _dates(value)
    return Directives(
        noindex="noindex" in found,
        nofollow="nofollow" in found,
        noarchive="noarchive" in found,
        nosnippet="nosnippet" in found,
        unavailable_after=min(dates, default=None),
    )


_NONE = Directives()


@lru_cache(maxsize=256)
def read_values(content: str) -> frozenset[str]:
    """Return the restrictions in one list of values, regardless of case, order and spacing."""
    words = re.split(r"[\s,;]+", content.lower())
    found = {name for word in words for name in VALUES.get(word, ())}
    if _ZERO_SNIPPET.search(content):
        found.add("nosnippet")
    return frozenset(found)


def _dates(content: str) -> Iterator[datetime]:
    """Yield the date after which a page must not be shown; the date may contain a comma."""
    matched = _DATED.search(content)
    if matched is None:
        return
    parts = matched[1].split(",")
    for length in (1, 2):
        date = read_date(",".join(parts[:length]))
        if date is not None:
            yield date
            return


def for_agent(header: str, agent: str) -> Iterator[str]:
    """Yield the parts of an X-Robots-Tag value that apply to ``agent``.

    ``name:`` begins the part of one crawler, which lasts until the next such name or the end of the
    header; values before any name apply to all.
    """
    begin, holds, agent = 0, True, agent.lower()
    for matched in _AGENT.finditer(header):
        name = matched[1].lower()
        if name in NAMES or (name.isdigit() and name != agent):  # part of a date: "..., 15:00"
            continue
        if holds:
            yield header[begin : matched.start()]
        begin, holds = matched.end(), name in {agent, "*"}
    if holds:
        yield header[begin:]
