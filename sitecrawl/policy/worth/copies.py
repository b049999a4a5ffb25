"""Copies: addresses of one page that differ by a host, a folder or an ending throughout a site.

Two pages with the same text show a rewriting, which is what their addresses do not share. One that
several pairs of pages show splits kinds: the URLs whose other address was read already are a kind of
their own. So a mirror, the folder of the newest release, or ``page.html.en`` beside ``/en/page.html`` costs
the samples of one kind, and the pages that only one side has are not judged by the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import takewhile
from typing import NamedTuple, Self
from zlib import crc32

MIN_PAIRS = 3
"""Number of pairs of pages that show a rewriting, from which it counts."""
MAX_REWRITINGS, MAX_SHOWN = 24, 500
"""Number of rewritings that count, and of those that pairs of pages have shown."""
MAX_TEXTS = 250_000
"""Number of texts, and of addresses, that are remembered."""
_TOKEN = re.compile(r"[^/?&=.;]+|[/?&=.;]")


class Rewriting(NamedTuple):
    """Replacement of the start and of the end of a URL."""

    start: str
    end: str
    new_start: str
    new_end: str

    @classmethod
    def between(cls, url: str, other: str) -> Self:
        """Return what makes one URL the other, but for the part that they share.

        That is their last names, with whatever they have in common before; or all before a
        different ending; or the longest part after what begins both.
        """
        ours, theirs = _TOKEN.findall(url), _TOKEN.findall(other)
        same = _shared(reversed(ours), reversed(theirs))
        if "/" in ours[len(ours) - same :]:
            place = len(ours) - same, len(theirs) - same, same
        else:
            before = _shared(ours, theirs)
            match = SequenceMatcher(None, ours, theirs, autojunk=False).find_longest_match(
                before, len(ours), before, len(theirs)
            )
            place = (match.a, match.b, match.size) if match.size > 1 else (0, 0, before)
        at, beside, size = place
        parts = ours[:at], ours[at + size :], theirs[:beside], theirs[beside + size :]
        return cls(*("".join(each) for each in parts))

    @property
    def reverse(self) -> Rewriting:
        """The rewriting back."""
        return Rewriting(self.new_start, self.new_end, self.start, self.end)

    def of(self, url: str) -> str | None:
        """Return the rewritten URL, None if it has another start or end."""
        start, end, new_start, new_end = self
        if not (url.startswith(start) and url.endswith(end)) or len(url) < len(start) + len(end):
            return None
        return f"{new_start}{url[len(start) : len(url) - len(end)]}{new_end}"

    def __str__(self) -> str:
        """Return the name of the rewriting."""
        return f"{self.start}*{self.end} for {self.new_start}*{self.new_end}"


def _shared(ours: Iterable[str], theirs: Iterable[str]) -> int:
    """Return the number of tokens with which both begin."""
    pairs = zip(ours, theirs, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


@dataclass(slots=True)
class Copies:
    """The rewritings of one origin; ``read_urls`` are the CRC-32 hashes of the URLs of its documents."""

    read_urls: set[int] = field(default_factory=set)
    rewritings: dict[Rewriting, None] = field(default_factory=dict)
    _texts: dict[int, str] = field(default_factory=dict)
    _shown: Counter[Rewriting] = field(default_factory=Counter)

    def read(self, url: str, text: int) -> None:
        """Learn from a document with the hash of its text."""
        if len(self.read_urls) >= MAX_TEXTS:
            return
        self.read_urls.add(crc32(url.encode()))
        other = self._texts.setdefault(text, url)
        if other == url:
            return
        if len(self._shown) >= MAX_SHOWN:  # most are those of two pages alone
            self._shown = Counter({each: n for each, n in self._shown.items() if n > 1})
        rewriting = Rewriting.between(url, other)
        for each in (rewriting, rewriting.reverse):
            self._shown[each] += 1
            if self._shown[each] >= MIN_PAIRS and len(self.rewritings) < MAX_REWRITINGS:
                self.rewritings[each] = None

    def of(self, url: str) -> Rewriting | None:
        """Return the rewriting by which a URL is that of a document that was read."""
        for each in self.rewritings:
            other = each.of(url)
            if other is not None and other != url and crc32(other.encode()) in self.read_urls:
                return each
        return None

    def as_stored(self) -> Iterator[tuple[str, ...]]:
        """Yield the parts of each rewriting."""
        return map(tuple, self.rewritings)

    def restore(self, stored: Iterable[Iterable[str]]) -> None:
        """Restore what ``as_stored`` gave."""
        self.rewritings = {Rewriting(*each): None for each in stored}
