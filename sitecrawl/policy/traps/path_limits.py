"""Limits on a page's links, on paths that grow, on copied pages, and on full directories.

A path may be as deep as a site likes; how far a page may lead below itself is limited.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from sitecrawl.policy.decision import ALLOWED, Decision, OptionValues, RefusalReason
from sitecrawl.policy.traps.series import as_bytes, without_digits
from sitecrawl.policy.traps.trap_limit import TrapLimit
from sitecrawl.policy.urls.url_rules import Target

LINKS_PER_PAGE = RefusalReason(
    "links_per_page",
    "too many links on its page (`max_links_per_page`)",
    options=("max_links_per_page",),
)


@dataclass(slots=True)
class LinksPerPage(TrapLimit):
    """The most different links that are followed from one page; 0 for no limit."""

    limit: int
    setting: str
    reasons = (LINKS_PER_PAGE,)

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """The limit that is configured."""
        return cls(options.value("max_links_per_page"), LINKS_PER_PAGE.setting(options))

    def admit_link(self, followed: set[str], url: str) -> Decision:
        """The verdict on a link of a page, which is added to those ``followed`` from it."""
        if not self.limit:
            return ALLOWED
        if url not in followed and len(followed) >= self.limit:
            return LINKS_PER_PAGE.refuse(self.setting)
        followed.add(url)
        return ALLOWED


GROWING_PATH = RefusalReason(
    "growing_path",
    "relative links that lead deeper and deeper (`max_growing_path`)",
    options=("max_growing_path",),
)


@dataclass(slots=True)
class PathGrowth(TrapLimit):
    """The most directories of a path that is found on a page it lies below; 0 for no limit."""

    limit: int
    setting: str
    reasons = (GROWING_PATH,)

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """The limit that is configured."""
        return cls(options.value("max_growing_path"), GROWING_PATH.setting(options))

    def admit_link(self, page: Target, link: Target) -> Decision:
        """The verdict on a new link, seen from the page that it stands on."""
        directories = link.parts.path.count("/") - 1
        if not self.limit or directories <= self.limit or not leads_deeper(page, link):
            return ALLOWED
        return GROWING_PATH.refuse(f"{self.setting}: {directories} directories")


def directory(target: Target) -> str:
    """The path up to its last slash."""
    path = target.parts.path
    return path[: path.rfind("/") + 1]


def leads_deeper(page: Target, link: Target) -> bool:
    """True if a link leads to a directory below its page's own."""
    home, there = directory(page), directory(link)
    return page.origin == link.origin and there != home and there.startswith(home)


_DIGIT = re.compile(r"\d")
REMEMBERED_TEXTS = 50_000
MIN_COPIES_DEEPER = 3
"""Copies of a page after which links from it to directories below its own are refused."""
MIN_COPIES_BESIDE = 10
"""Copies of a page after which links from it to its own directory are refused too."""
COPIES = RefusalReason(
    "copies",
    "a path that grows out of pages that are copies of each other",
    premise="copies of one page",
)


@dataclass(slots=True)
class PageCopies(TrapLimit):
    """The number of pages with each text, by origin."""

    setting: str = COPIES.premise
    reasons = (COPIES,)
    _times: dict[int, int] = field(default_factory=dict, init=False)

    def record_page(self, page: Target, title: str, text: str) -> int:
        """Record a page's text, and return the number of pages that had the same before.

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

    def admit_link(self, page: Target, copies: int, link: Target) -> Decision:
        """The verdict on a new link of a page with ``copies`` before it."""
        if copies < MIN_COPIES_DEEPER or link.origin != page.origin:
            return ALLOWED
        beside = copies >= MIN_COPIES_BESIDE and directory(link) == directory(page)
        if not beside and not leads_deeper(page, link):
            return ALLOWED
        return COPIES.refuse(f"{self.setting}: {page.url} has the text of {copies} other pages")


def _essence(page: Target, title: str, text: str) -> bytes:
    path = page.parts.path
    numbered = _DIGIT.search(path) or _DIGIT.search(page.parts.query)
    if numbered:
        text = f"{title}\n{text}"
    essence = as_bytes(text.replace(path, "") if len(path) > 1 else text)
    return essence if numbered else without_digits(essence)


DIRECTORY_FULL = RefusalReason(
    "directory_full",
    "too many pages below a directory (`max_pages_per_directory`)",
    options=("max_pages_per_directory",),
)


@dataclass(slots=True)
class DirectoryCounts(TrapLimit):
    """Pages fetched below each top directory (the first of the path); 0 for no limit."""

    limit: int
    setting: str
    _fetched: Counter[str] = field(default_factory=Counter, init=False)
    reasons = (DIRECTORY_FULL,)

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """The limit that is configured."""
        return cls(options.value("max_pages_per_directory"), DIRECTORY_FULL.setting(options))

    def restore(self, fetched: Mapping[str, int]) -> None:
        """Continue from the counts of an earlier run, by top directory."""
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
            return DIRECTORY_FULL.refuse(f"{self.setting}: {top}")
        self._fetched[top] += 1
        return ALLOWED


def top_directory(page: Target) -> str:
    """Origin and first directory of a URL; files of the root lie in ``/``."""
    first, slash, _ = page.parts.path[1:].partition("/")
    return f"{page.origin}/{first}/" if slash else f"{page.origin}/"
