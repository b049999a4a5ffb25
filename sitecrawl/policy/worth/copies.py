"""Copies: addresses of one page that differ by a host, a folder or an ending throughout a site.

Two pages with the same text show an alias, which is what their addresses do not share. One that
several pairs of pages show splits kinds: the URLs whose other address was read already are a kind of
their own. So a mirror, the folder of the newest release, or ``page.html.en`` beside ``/en/page.html`` costs
the samples of one kind, and the pages that only one side has are not judged by the others. A page that is
new although its other address was read, as in two releases, is an exception: then both sides are read whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any, NamedTuple, Self
from zlib import crc32

MIN_PAIRS = 3
"""Number of pairs of pages that show an alias, from which it counts."""
MAX_ALIASES, MAX_SHOWN = 24, 500
"""Number of aliases that count, and of those that pairs of pages have shown."""
MAX_TEXTS = 250_000
"""Number of texts, and of addresses, that are remembered."""
MAX_LENGTH = 500
"""Length of two addresses that are compared, in characters."""
_VALUE = re.compile(r"=[^&;]*\d[^&;]*")
_TOKEN = re.compile(r"[^/?&=.;]+|[/?&=.;]")


class Alias(NamedTuple):
    """The start and the end of a URL, and those of the other address of its page."""

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
    def name(self) -> str:
        """The replaced parts and the new ones, readable in the name of a kind."""
        return f"{self.start}*{self.end} as copy of {self.new_start}*{self.new_end}"

    @property
    def is_of_parameters(self) -> bool:
        """True if the addresses differ in parameters, as those of a view do: all are one kind."""
        return not {"?", "&"}.isdisjoint(self.name)

    @property
    def reverse(self) -> Alias:
        """The same from the other address."""
        return Alias(self.new_start, self.new_end, self.start, self.end)

    def of(self, url: str) -> str | None:
        """Return the other address of a URL, None if the URL has another start or end."""
        start, end, new_start, new_end = self
        if not (url.startswith(start) and url.endswith(end)) or len(url) < len(start) + len(end):
            return None
        return f"{new_start}{url[len(start) : len(url) - len(end)]}{new_end}"

    def leads_elsewhere(self, url: str) -> bool:
        """Return True if the other address of a URL is on another host."""
        return (self.of(url) or "").split("/", 3)[2:3] != url.split("/", 3)[2:3]


def _without_numbers(url: str) -> str:
    """Return a URL without the numbers in its query: two that differ in these alone, as dates, show no alias."""
    return _VALUE.sub("=", url) if "?" in url else url


def _shared(ours: Iterable[str], theirs: Iterable[str]) -> int:
    """Return the number of tokens with which both begin."""
    pairs = zip(ours, theirs, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


@dataclass(slots=True)
class Copies:
    """The aliases of one origin, or of the hosts of one site.

    ``read_urls`` are the CRC-32 hashes of the URLs of its documents. The value of an alias is True if it has
    an exception.
    """

    read_urls: set[int] = field(default_factory=set)
    aliases: dict[Alias, bool] = field(default_factory=dict)
    _gone: set[int] = field(default_factory=set)
    _texts: dict[int, str] = field(default_factory=dict)
    _shown: Counter[Alias] = field(default_factory=Counter)

    def read(self, url: str, text: int) -> None:
        """Learn from a document with the hash of its text."""
        if len(self.read_urls) >= MAX_TEXTS:
            return
        self.read_urls.add(crc32(url.encode()))
        other = self._texts.setdefault(text, url)
        if len(other) + len(url) > MAX_LENGTH or _without_numbers(other) == _without_numbers(url):
            return
        if len(self._shown) >= MAX_SHOWN:  # most are those of two pages alone
            self._shown = Counter({each: n for each, n in self._shown.items() if n > 1})
        alias = Alias.between(url, other)
        for each in (alias, alias.reverse):
            self._shown[each] += 1
            if self._shown[each] >= MIN_PAIRS and len(self.aliases) < MAX_ALIASES:
                self.aliases.setdefault(each, False)

    def gone(self, url: str) -> None:
        """Record that a URL has no document any more, so that another host may have its page."""
        self._gone.add(crc32(url.encode()))

    def of(self, url: str) -> Alias | None:
        """Return the alias by which a URL is that of a document that was read, the one most shown."""
        return max(self._aliases_of(url), key=self._shown.__getitem__, default=None)

    def add_exception(self, url: str) -> None:
        """Record a new page whose other address was read before, by whichever alias."""
        for each in self._aliases_of(url):
            self.aliases[each] = self.aliases[each.reverse] = True

    def _aliases_of(self, url: str) -> list[Alias]:
        """Return all aliases by which a URL is that of a document that was read."""
        return [
            each
            for each in self.aliases
            if url.startswith(each.start)  # most end here
            and (other := each.of(url)) is not None
            and other != url
            and self._is_read(each, url, crc32(other.encode()))
        ]

    def _is_read(self, alias: Alias, url: str, other: int) -> bool:
        """Return True if the page of a URL was read under another one, and is not gone on another host."""
        is_gone = other in self._gone and alias.leads_elsewhere(url)
        return other in self.read_urls and not is_gone

    def as_stored(self) -> Iterator[tuple[str | bool, ...]]:
        """Yield the parts of each alias, and True if it has an exception."""
        return ((*each, has_exception) for each, has_exception in self.aliases.items())

    def restore(self, stored: Iterable[Sequence[Any]]) -> None:
        """Restore what ``as_stored`` gave."""
        self.aliases |= {Alias(*names): has_exception for *names, has_exception in stored}
