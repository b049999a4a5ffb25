"""Ends paths that grow out of pages which are copies of each other.

A server that answers any path with the same page, whose relative links make ever longer
paths, has no end. The links of the first copies are followed; later ones' are not where
they lead deeper than the page, or on in the same directory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sitecrawl.policy.decision import ALLOWED, Decision, refuse
from sitecrawl.policy.limits.growth import directory, leads_deeper
from sitecrawl.policy.limits.texts import as_bytes, without_digits
from sitecrawl.policy.target import Target

_DIGIT = re.compile(r"\d")
SETTING = "copies of one page"
REMEMBERED_TEXTS = 50_000
DEEPER, BESIDE = 3, 10


@dataclass(slots=True)
class Copies:
    """How often each text was met on its origin."""

    setting: str = SETTING
    _times: dict[int, int] = field(default_factory=dict, init=False)

    def visited(self, page: Target, title: str, text: str) -> int:
        """Note a page's text; how many pages had the same before.

        The page's own address in its text makes no difference; nor do digits (clocks,
        counters), unless its URL has some too. Then the title counts as well: often it alone
        tells the pages of an archive apart.
        """
        if not text:
            return 0
        key = hash((page.origin, _essence(page, title, text)))
        times = self._times.pop(key, 0)
        if len(self._times) >= REMEMBERED_TEXTS:
            del self._times[next(iter(self._times))]
        self._times[key] = times + 1
        return times

    def offered(self, page: Target, copies: int, link: Target) -> Decision:
        """Whether a new link of a page with ``copies`` before it may be followed."""
        if copies < DEEPER or link.origin != page.origin:
            return ALLOWED
        beside = copies >= BESIDE and directory(link) == directory(page)
        if not beside and not leads_deeper(page, link):
            return ALLOWED
        return refuse("copies", f"{self.setting}: {page.url} has the text of {copies} other pages")


def _essence(page: Target, title: str, text: str) -> bytes:
    path = page.parts.path
    numbered = _DIGIT.search(path) or _DIGIT.search(page.parts.query)
    if numbered:
        text = f"{title}\n{text}"
    essence = as_bytes(text.replace(path, "") if len(path) > 1 else text)
    return essence if numbered else without_digits(essence)
