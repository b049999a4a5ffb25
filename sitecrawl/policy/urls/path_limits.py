"""Limits that count while a crawl runs: links of a page, pages of a directory, redirects in a row."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Self

from sitecrawl.policy.decision import ALLOWED, Decision, OptionValues, RefusalReason
from sitecrawl.policy.urls.url_rules import LinkRule, read_target

LINKS_PER_PAGE = RefusalReason(
    "links_per_page",
    "too many links on its page (`max_links_per_page`)",
    options=("max_links_per_page",),
)
DIRECTORY_FULL = RefusalReason(
    "directory_full",
    "too many pages below a directory (`max_pages_per_directory`)",
    options=("max_pages_per_directory",),
)


@dataclass(slots=True)
class PathLimits:
    """The maximum numbers of links followed from one page, and of pages fetched below each top directory
    (the first of the path); 0 for no limit.
    """

    max_links: int
    max_pages: int
    links_setting: str
    pages_setting: str
    _fetched: Counter[str] = field(default_factory=Counter, init=False)

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the configured limits."""
        return cls(
            options.value(LINKS_PER_PAGE.options[0]),
            options.value(DIRECTORY_FULL.options[0]),
            LINKS_PER_PAGE.setting(options),
            DIRECTORY_FULL.setting(options),
        )

    def admit_link(self, followed: set[str], url: str) -> Decision:
        """Decide on a link of a page; add an admitted one to those ``followed`` from it."""
        if not self.max_links:
            return ALLOWED
        if url not in followed and len(followed) >= self.max_links:
            return LINKS_PER_PAGE.refuse(self.links_setting)
        followed.add(url)
        return ALLOWED

    def begin_pass(self) -> None:
        """Reset the counts, as a new run does."""
        self._fetched.clear()

    def admit_fetch(self, url: str, *, new: bool) -> Decision:
        """Count a page that is about to be fetched, or refuse it.

        A page that is not ``new`` is never refused: its document would be deleted without a reason.
        """
        if not self.max_pages:
            return ALLOWED
        page = read_target(url)
        first, slash, _ = page.parts.path[1:].partition("/")
        top = f"{page.origin}/{first}/" if slash else f"{page.origin}/"  # of files of the root
        if new and self._fetched[top] >= self.max_pages:
            return DIRECTORY_FULL.refuse(f"{self.pages_setting}: {top}")
        self._fetched[top] += 1
        return ALLOWED


@dataclass(slots=True)
class RedirectChains(LinkRule):
    """Number of redirects that led to each URL in this run; URLs are fingerprints.

    Targets are visited later and one by one, so the length has to be remembered: one entry for
    each redirect followed. The next run starts at 0.
    """

    _lengths: dict[int, int] = field(default_factory=dict)
    reason = RefusalReason(
        "redirect_chain",
        "too many redirects in a row (`max_redirects`)",
        options=("max_redirects",),
    )

    def follow(self, source: int, target: int) -> Decision:
        """Decide about following the redirect from ``source`` to ``target``."""
        length = self._lengths.get(source, 0) + 1
        if length > self.value:
            return self.reason.refuse(self.setting)
        self._lengths[target] = length
        return ALLOWED
