"""Ends paths that grow by a directory on every page.

How deep a path may be is no question of its own; how deep a page may lead below itself is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sitecrawl.policy.decision import ALLOWED, Decision, refuse
from sitecrawl.policy.traps.series import as_bytes, without_digits
from sitecrawl.policy.urls.url_rules import Target


@dataclass(slots=True)
class Growth:
    """The most directories of a path that is found on a page it lies below; 0 for no limit."""

    limit: int
    setting: str

    def offered(self, page: Target, link: Target) -> Decision:
        """Whether a new link may be followed, seen from the page that it stands on."""
        directories = link.parts.path.count("/") - 1
        if not self.limit or directories <= self.limit or not leads_deeper(page, link):
            return ALLOWED
        return refuse("growing_path", f"{self.setting}: {directories} directories")


def directory(target: Target) -> str:
    """The path up to its last slash."""
    path = target.parts.path
    return path[: path.rfind("/") + 1]


def leads_deeper(page: Target, link: Target) -> bool:
    """Whether a link leads to a directory below its page's own."""
    home, there = directory(page), directory(link)
    return page.origin == link.origin and there != home and there.startswith(home)


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


@dataclass(slots=True)
class DirectoryCounts:
    """Pages fetched below each top directory (the first of the path); 0 for no limit."""

    limit: int
    setting: str
    _fetched: Counter[str] = field(default_factory=Counter, init=False)

    def restore(self, fetched: Mapping[str, int]) -> None:
        """Go on from the counts of an earlier run, by top directory."""
        self._fetched.update(fetched)

    def begin_round(self) -> None:
        """Count from the beginning, as a further run does."""
        self._fetched.clear()

    def fetch(self, page: Target, *, new: bool) -> Decision:
        """Count a page that is about to be fetched, or refuse it.

        One that is not ``new`` is not refused: its document would be deleted, for no fault of it.
        """
        if not self.limit:
            return ALLOWED
        top = top_directory(page)
        if new and self._fetched[top] >= self.limit:
            return refuse("directory_full", f"{self.setting}: {top}")
        self._fetched[top] += 1
        return ALLOWED


def top_directory(page: Target) -> str:
    """Origin and first directory of a URL; files of the root lie in ``/``."""
    first, slash, _ = page.parts.path[1:].partition("/")
    return f"{page.origin}/{first}/" if slash else f"{page.origin}/"
