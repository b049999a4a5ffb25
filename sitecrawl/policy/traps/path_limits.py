"""Limits on a page's links, on paths that grow, on copied pages, and on full directories.

The depth of a path is not limited, only the growth of paths below the page that links to them.
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
    """The maximum number of different links followed from one page; 0 for no limit."""

    limit: int
    setting: str
    reasons = (LINKS_PER_PAGE,)

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the configured limit."""
        return cls(options.value("max_links_per_page"), LINKS_PER_PAGE.setting(options))

    def admit_link(self, followed: set[str], url: str) -> Decision:
        """Decide on a link of a page; add an admitted one to those ``followed`` from it."""
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
    """The maximum number of directories of a path found on a page above it; 0 for no limit."""

    limit: int
    setting: str
    reasons = (GROWING_PATH,)

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the configured limit."""
        return cls(options.value("max_growing_path"), GROWING_PATH.setting(options))

    def admit_link(self, page: Target, link: Target) -> Decision:
        """Decide on a new link of ``page``."""
        directories = link.parts.path.count("/") - 1
        if not self.limit or directories <= self.limit or not leads_deeper(page, link):
            return ALLOWED
        return GROWING_PATH.refuse(f"{self.setting}: {directories} directories")


def directory(target: Target) -> str:
    """Return the path up to its last slash."""
    path = target.parts.path
    return path[: path.rfind("/") + 1]


def leads_deeper(page: Target, link: Target) -> bool:
    """Return True if a link leads to a directory below that of its page."""
    folder, target = directory(page), directory(link)
    return page.origin == link.origin and target != folder and target.startswith(folder)


_DIGIT = re.compile(r"\d")
REMEMBERED_TEXTS = 50_000
MIN_COPIES_DEEPER = 3
"""Number of copies of a page after which links to directories below its own are refused."""
MIN_COPIES_BESIDE = 10
"""Number of copies of a page after which links to its own directory are refused too."""
COPIES = RefusalReason(
    "copies",
    "a path that grows out of pages that are copies of each other",
    premise="copies of one page",
)


@dataclass(slots=True)
class PageCopies(TrapLimit):
    """Counts of pages with the same text, by origin."""

    setting: str = COPIES.premise
    reasons = (COPIES,)
    _times: dict[int, int] = field(default_factory=dict, init=False)

    def record_page(self, page: Target, title: str, text: str) -> int:
        """Record a page's text, and return the number of earlier pages with the same text.

        The page's own path is ignored in its text, and so are digits (clocks, counters), unless its
        URL has digits too. Then the title counts as well: often it alone distinguishes the pages of
        an archive.
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
        """Decide on a new link of a page of which ``copies`` were read before."""
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
    """Number of pages fetched below each top directory (the first of the path); 0 for no limit."""

    limit: int
    setting: str
    _fetched: Counter[str] = field(default_factory=Counter, init=False)
    reasons = (DIRECTORY_FULL,)

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the configured limit."""
        return cls(options.value("max_pages_per_directory"), DIRECTORY_FULL.setting(options))

    def restore(self, fetched: Mapping[str, int]) -> None:
        """Restore the counts of an earlier run, by top directory."""
        self._fetched.update(fetched)

    def begin_round(self) -> None:
        """Reset the counts, as a new run does."""
        self._fetched.clear()

    def fetch(self, page: Target, *, new: bool) -> Decision:
        """Count a page that is about to be fetched, or refuse it.

        A page that is not ``new`` is never refused: its document would be deleted without a reason.
        """
        if not self.limit:
            return ALLOWED
        top = top_directory(page)
        if new and self._fetched[top] >= self.limit:
            return DIRECTORY_FULL.refuse(f"{self.setting}: {top}")
        self._fetched[top] += 1
        return ALLOWED


def top_directory(page: Target) -> str:
    """Return origin and first directory of a URL; files of the root are in ``/``."""
    first, slash, _ = page.parts.path[1:].partition("/")
    return f"{page.origin}/{first}/" if slash else f"{page.origin}/"
