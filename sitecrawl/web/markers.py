"""Comments that mark sections of a page as not to be indexed or followed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MAX_LENGTH = 200


class Mark(NamedTuple):
    """One end of a marked section: its form's name, which end, and what it forbids."""

    form: str
    opens: bool
    noindex: bool = True
    nofollow: bool = False

    def joined(self, other: Mark) -> Mark:
        """A mark of the same form that forbids what either of the two does."""
        noindex, nofollow = self.noindex or other.noindex, self.nofollow or other.nofollow
        return self._replace(noindex=noindex, nofollow=nofollow)

    def beyond(self, other: Mark) -> Mark:
        """A mark of the same form that forbids what the other does not yet."""
        noindex = self.noindex and not other.noindex
        return self._replace(noindex=noindex, nofollow=self.nofollow and not other.nofollow)


# Opening and closing comment of each form that search engines have taught authors, in small
# letters with single spaces; googleoff and robots have their own grammar below.
FORMS = (
    ("noindex", "/noindex"),
    ("start noindex", "end noindex"),
    ("begin noindex", "end noindex"),
    ("noindex start", "noindex end"),
    ("noindex_start", "noindex_end"),
    ("htdig_noindex", "/htdig_noindex"),
    ("sphider_noindex", "/sphider_noindex"),
    ("udmcomment", "/udmcomment"),
    ("stopindex", "startindex"),
    ("eri-no-index", "/eri-no-index"),
    ("freefind begin no index", "freefind end no index"),
    ("zoomstop", "zoomrestart"),
)
NOFOLLOW_FORMS = (("zoomstopfollow", "zoomrestartfollow"), ("nofollow", "/nofollow"))
_ROBOTS = re.compile(r"(/?)\s*robots\b[\s:]*(?:content\s*=\s*)?[\"']?([a-z, ]*)[\"']?\s*/?")
_GOOGLE = re.compile(r"google(on|off)\s*:\s*(\w+)")


@lru_cache(maxsize=16)
def marker_table(added: tuple[str, ...]) -> dict[str, Mark]:
    """Marks by comment text; ``added`` holds further forms as ``opening|closing``."""
    table: dict[str, Mark] = {}
    pairs = [(normal(opening), normal(closing)) for opening, _, closing in map(_parted, added)]
    for opening, closing in (*FORMS, *pairs):
        table[opening] = Mark(closing, opens=True)
        table[closing] = Mark(closing, opens=False)
    for opening, closing in NOFOLLOW_FORMS:
        table[opening] = Mark(closing, opens=True, noindex=False, nofollow=True)
        table[closing] = Mark(closing, opens=False, noindex=False, nofollow=True)
    return table


def _parted(marker: str) -> tuple[str, str, str]:
    return marker.partition("|")


def normal(comment: str) -> str:
    """A comment in the form of the tables."""
    return " ".join(comment.lower().split()).replace("/ ", "/")


def read_marker(comment: str, table: dict[str, Mark]) -> Mark | None:
    """What a comment marks, None for ordinary comments."""
    if len(comment) > MAX_LENGTH:
        return None
    text = normal(comment)
    return table.get(text) or _google(text) or _robots(text)


def _google(text: str) -> Mark | None:
    """``googleoff: index`` and ``all``; the forms ``anchor`` and ``snippet`` forbid neither."""
    matched = _GOOGLE.fullmatch(text)
    if matched is None or matched[2] not in {"index", "all"}:
        return None
    return Mark("google", opens=matched[1] == "off")


def _robots(text: str) -> Mark | None:
    """``robots content="noindex"`` ... ``/robots``, as FDSE reads sections."""
    matched = _ROBOTS.fullmatch(text)
    if matched is None:
        return None
    values = set(re.split(r"[\s,]+", matched[2]))
    if matched[1]:
        return Mark("robots", opens=False)
    noindex = bool(values & {"noindex", "none"})
    nofollow = bool(values & {"nofollow", "none"})
    return (
        Mark("robots", opens=True, noindex=noindex, nofollow=nofollow)
        if noindex or nofollow
        else None
    )
