"""Limits by number: links followed from one page, pages fetched below one top directory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sitecrawl.policy.decision import ALLOWED, Decision, refuse
from sitecrawl.policy.target import Target


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
