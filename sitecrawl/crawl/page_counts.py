"""Counts of pages by name, with an example of each, that several workers can add up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sitecrawl.frontier.runs import EXAMPLE, better_example

PAGES = "pages"


class PageCounts:
    """Counts of pages, for example by reason.

    The example is the shortest URL, so that it does not depend on the order of the visits.
    """

    def __init__(self) -> None:
        self._counts: dict[str, dict[str, Any]] = {}

    def add(self, name: str, example: str) -> None:
        """Count a page."""
        entry = self._counts.setdefault(name, {PAGES: 0, EXAMPLE: example})
        entry[PAGES] += 1
        entry[EXAMPLE] = better_example(entry[EXAMPLE], example)

    def as_stored(self) -> dict[str, dict[str, Any]]:
        """Return number and example by name, as plain values."""
        return {name: dict(entry) for name, entry in self._counts.items()}


def most_common(stored: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, int, str]]:
    """Yield name, number and example of stored counts, the largest first."""
    for name, entry in sorted(stored.items(), key=lambda each: (-each[1][PAGES], each[0])):
        yield name, entry[PAGES], entry[EXAMPLE]


def total(stored: Mapping[str, Mapping[str, Any]]) -> int:
    """Return the number of pages in stored counts."""
    return sum(entry[PAGES] for entry in stored.values())
