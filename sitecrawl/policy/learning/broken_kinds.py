"""Kinds of pages that fail one and all, while other pages of their origin are answered.

Programs have views that fail on every page, such as lists of a length that nobody asked for. Such a
kind must not end the crawl of its origin, as an outage does. A kind is the template of a URL, or the
name of a parameter on any path. Pages of a kind that was answered once are charged like any others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sitecrawl.policy.urls.templates import url_template

BROKEN_AFTER = 5
"""Pages of a kind that failed, and none that did not, after which no further ones are requested."""
MIN_ANSWERS = 10
"""Pages that the origin has answered, below which one must be answered between two failures of a kind;
otherwise the origin may as well be down."""
STATUSES = frozenset({500, 501})
"""Status codes by which a program fails on a page; others say that a server is busy or away."""
MAX_KINDS = 4000
MAX_PARAMETERS = 3
"""Number of parameters of a URL, the first ones, that are kinds."""


@dataclass(slots=True)
class KindFailures:
    """The pages of a kind that failed, by fingerprint; ``answers`` counts the pages of the origin that
    were answered before the last one. ``was_broken``: the kind was broken after an earlier run.
    """

    pages: set[int] = field(default_factory=set)
    answers: int = -1
    was_broken: bool = False

    @property
    def is_broken(self) -> bool:
        """True if no further pages are requested."""
        return len(self.pages) >= (1 if self.was_broken else BROKEN_AFTER)

    def add(self, fingerprint: int, answers: int) -> None:
        """Count a page."""
        self.answers = answers
        if not self.is_broken:
            self.pages.add(fingerprint)


@dataclass(slots=True)
class BrokenKinds:
    """Kinds of pages of one origin that have failed, and those that were answered, in this run.

    ``revived`` is True if a kind that had failed was answered, until the caller has queued again what
    was left out. Kinds that were broken after an earlier run are so after one more failure.
    """

    revived: bool = False
    _answers: int = 0
    _answered: set[str] = field(default_factory=set)
    _failed: dict[str, KindFailures] = field(default_factory=dict)
    _mended: set[str] = field(default_factory=set)

    def answer(self, url: str) -> None:
        """Count a page that did not fail."""
        self._answers += 1
        kinds = _kinds_of(url)
        for kind in kinds if self._failed else ():
            failures = self._failed.pop(kind, None)
            if failures is not None and (failures.is_broken or failures.was_broken):
                self.revived = True
                self._mended.add(kind)
        if len(self._answered) < MAX_KINDS:
            self._answered.update(kinds)

    def fail(self, url: str, fingerprint: int) -> bool:
        """Count a page that failed; return True if its kind is known to fail, and the origin to be up."""
        is_excused = False
        for kind in _kinds_of(url):
            if kind in self._answered or len(self._answered) >= MAX_KINDS:
                continue
            failures = self._failed.get(kind)
            if failures is not None:
                is_excused |= self._answers >= MIN_ANSWERS or self._answers > failures.answers
            elif len(self._failed) < MAX_KINDS:
                failures = self._failed[kind] = KindFailures()
            if failures is not None:
                failures.add(fingerprint, self._answers)
        return is_excused

    def verdict(self, url: str, fingerprint: int) -> tuple[str, str] | None:
        """Return the broken kind of a URL with the evidence in readable form, None if it may be
        requested, as a page that has failed itself may be again.
        """
        kinds = _kinds_of(url) if self._failed else []
        found = {kind: self._failed[kind] for kind in kinds if kind in self._failed}
        if any(fingerprint in each.pages for each in found.values()):
            return None
        for kind, each in found.items():
            if each.is_broken:
                before = " as in an earlier run" if each.was_broken else ""
                return kind, f"all {len(each.pages)} pages of {kind} failed{before}"
        return None

    def as_stored(self) -> Iterable[tuple[str, str, dict[str, Any]]]:
        """Yield name and state of each broken kind, and of those that are none any more."""
        yield from ((kind, "answered", {}) for kind in self._mended - self._failed.keys())
        for kind, each in self._failed.items():
            if each.is_broken or each.was_broken:
                yield kind, "broken", {}

    def restore(self, stored: Iterable[tuple[str, str]]) -> None:
        """Restore the kinds that were broken after an earlier run, by name and state."""
        for kind, state in stored:
            if state == "broken":
                self._failed[kind] = KindFailures(was_broken=True)


def _kinds_of(url: str) -> list[str]:
    template = url_template(url)
    return [str(template), *(f"/**?{name}" for name in template.parameters[:MAX_PARAMETERS])]
