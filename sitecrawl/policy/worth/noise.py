"""Noise of a site: what its pages say anew at each request, such as counters, clocks and quotations.

It would make every page a new one, and every calendar, counter and mix of facets a site without end. It is
what differs between two readings of one page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, Self

READ_AGAIN = 12
"""Which of the documents of an origin that may be views of others is read a second time."""
MAX_CHANGED = 12
"""Lines that may differ between two readings; more are another page, as of a random article."""
MAX_LINES = 5_000
"""Lines of a page that are compared."""
MAX_PLACES = 200
END = "\n"
"""What stands after the last line."""

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


def _changes(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Yield begin and end of the lines that changed, and what stands there now; none if most did."""
    matching = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    same = sum(block.size for block in matching)
    if max(len(one), len(other)) - same > min(MAX_CHANGED, same):
        return
    at = (0, 0)
    for block in matching:
        if (block.a, block.b) != at:
            yield at[0], block.a, other[at[1] : block.b]
        at = (block.a + block.size, block.b + block.size)
