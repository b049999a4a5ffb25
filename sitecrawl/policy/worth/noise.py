"""Noise of a site: what its pages say anew at each request, such as counters, clocks and quotations.

It would make every page a new one, and every calendar, counter and mix of facets a site without end. It is
what differs between two readings of one page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Self

READ_AGAIN = 12
"""Which of the documents of an origin that may be views of others is read a second time."""
MAX_CHANGED = 12
"""Lines that may differ between two readings; more are another page, as of a random article."""
MAX_LINES = 5_000
"""Lines of a page that are compared."""
MAX_PLACES = 200
END = "\n"
"""Stands for the place after the last line."""

_SHIFTS = sorted(product(range(MAX_CHANGED + 1), repeat=2), key=sum)[1:]
"""Numbers of lines after which two readings may agree again, the smallest first."""
_DIGITS = re.compile(r"[\d\W_]+")


@dataclass(slots=True)
class Noise:
    """Lines of a site that say nothing, by their words or by the lines around them.

    ``words`` are those of lines that differ in digits and signs only. ``after`` and ``before`` have lines
    beside which others change, with the number of these.
    """

    words: set[str] = field(default_factory=set)
    after: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)

    def learn(self, first: str, second: str) -> None:
        """Compare two texts of one page, without its title."""
        one, other = first.split("\n")[:MAX_LINES], second.split("\n")[:MAX_LINES]
        for begin, end, lines in _changes(one, other):
            was = one[begin:end]
            words = [*map(words_in, was)]
            if all(words) and words == [*map(words_in, lines)]:
                self.words.update(each for each in words if len(self.words) < MAX_PLACES)
                continue
            count = max(len(was), len(lines))
            if begin and len(self.after) < MAX_PLACES:
                self.after[one[begin - 1]] = count
            if len(self.before) < MAX_PLACES:
                self.before[one[end] if end < len(one) else END] = count

    def as_stored(self) -> dict[str, Any]:
        """Return what is known as plain values."""
        return {"words": sorted(self.words), "after": self.after, "before": self.before}

    @classmethod
    def restored(cls, values: Mapping[str, Any]) -> Self:
        """Return what ``as_stored`` gave."""
        return cls(set(values["words"]), dict(values["after"]), dict(values["before"]))

    def without(self, text: str) -> str:
        """Return a text without its noise; its first line, the title, stays."""
        if not (self.words or self.after or self.before):
            return text
        lines = text.split("\n")
        left_out: set[int] = set()
        for place, line in enumerate([*lines, END]):
            if count := self.after.get(line):
                left_out.update(range(place + 1, place + 1 + count))
            if count := self.before.get(line):
                left_out.update(range(place - count, place))
            if self.words and words_in(line) in self.words and not line.isalpha():
                left_out.add(place)
        left_out.discard(0)
        return "\n".join(line for place, line in enumerate(lines) if place not in left_out)


def words_in(line: str) -> str:
    """Return a line without digits and signs."""
    return _DIGITS.sub(" ", line).strip()


def _changes(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int, Sequence[str]]]:
    """Return begin and end of the lines that changed, and what stands there now; none if too many did."""
    found: list[tuple[int, int, Sequence[str]]] = []
    here = there = changed = 0
    while here < len(one) or there < len(other):
        if one[here : here + 1] == other[there : there + 1]:
            here, there = here + 1, there + 1
            continue
        ends = ((here + i, there + j) for i, j in _SHIFTS)
        end = next((each for each in ends if _agree(one, other, *each)), None)
        if end is None:
            return []
        found.append((here, end[0], other[there : end[1]]))
        changed += max(end[0] - here, end[1] - there)
        here, there = end
    return found if changed <= min(MAX_CHANGED, len(one) - changed) else []


def _agree(one: Sequence[str], other: Sequence[str], here: int, there: int) -> bool:
    """Return True if two texts have the same line at these places, or both end there."""
    if here >= len(one) or there >= len(other):
        return here == len(one) and there == len(other)
    return one[here] == other[there]
