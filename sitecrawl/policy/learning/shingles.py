"""Shingles of texts, and texts that are compared by them.

A text is contained in another one if nearly all of its shingles are in that (Broder, On the
resemblance and containment of documents, 1997); shingles begin at long words, as the signatures of
SpotSigs begin at chosen ones (Theobald, Siddharth and Paepcke, SIGIR 2008). None are made where titles
or a sample tell two texts apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote_plus

MIN_CONTAINMENT = 0.8
"""Share of a page's shingles that another page has, from which it is a near copy."""
MIN_SHINGLES = 12
"""Number of shingles below which a text is no evidence."""
MIN_NUMBERS, NUMBERS_SHARE, MIN_COMMON_NUMBERS = 6, 0.1, 0.5
"""Number of different numbers, absolute and for each shingle, from which they count, and share of them
that the other page must have: a table of another year has the same words."""
MIN_LINES = 5
"""Length of a run of numbers, each one more than the one before, from which they count lines."""
MIN_TITLE_WORD = 3
"""Letters of a word of a title that counts, if the text has it too: "file at version"."""
MIN_ANCHOR = 7
"""Letters of a word at which a shingle begins: every fourth or fifth word of English."""
MAX_SHORT = 500
"""Number of words of a text, up to which a shingle begins at each of them."""
MAX_TEXT = 64_000
"""Number of characters of a text that are compared."""
SAMPLE = 8
"""Number of the first pages of a template, of which more than half have its boilerplate."""
PARTS, PART, MIN_SAMPLED = 5, 300, 0.6
"""Number of parts of a text that are its sample, and of their characters; and share of the sample that
another text must have to be compared with the whole."""
MAX_BEGINNING, MAX_END = 3_000, 1_000
"""Number of characters at the beginning and end of a page that may be boilerplate."""

_WORD = re.compile(r"(?<![0-9A-Za-z])[^\W\d_]{2,}(?![0-9])")  # no part of a hash, such as 3fbea91
_NUMBER = re.compile(r"[0-9](?<![0-9a-zA-Z].)[0-9]{1,8}(?![0-9a-zA-Z])", re.ASCII)
_START = re.compile(r"[A-Za-z]{2,}(?=[A-Za-z][0-9])")
_MARKS_TO_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}


Run = tuple[str, str, str]


class Shingles(NamedTuple):
    """Hashes of the runs of three words of a text, and its numbers but those of lines.

    ``anchored`` are those that begin with a long word, ``first`` all of the beginning, which is
    the whole of a text that ``is_short``. Numbers are apart, as they stand between the words of one
    view and not of another. ``words`` are hashes of all words.
    """

    anchored: frozenset[int]
    first: frozenset[int]
    is_short: bool
    numbers: frozenset[int]
    words: frozenset[int] = frozenset()
    title: frozenset[int] = frozenset()

    @classmethod
    def of(cls, text: str, url: str = "", title: str = "") -> Shingles:
        """Return the shingles of a text, without those with words of its URL."""
        return cls.both(text, url, title)[1]

    @classmethod
    def both(cls, text: str, url: str, title: str = "") -> tuple[Shingles, Shingles]:
        """Return all shingles of a text, and those without words of its URL.

        ``title`` counts as words: one that the text has as well must be in another text that has it.
        """
        text = text[:MAX_TEXT]
        words, title_words = words_of(text), words_of(title)
        known = hashes_of(words)
        whole = cls(
            *_shingles(words),
            len(words) <= MAX_SHORT,
            _without_lines(set(map(int, _NUMBER.findall(text)))),
            known | hashes_of(title_words),
            known & hashes_of(each for each in title_words if len(each) >= MIN_TITLE_WORD),
        )
        return whole, whole.without(_runs_with(words, _words_in(url)))

    @property
    def all(self) -> frozenset[int]:
        """Those that represent the whole text."""
        return self.first if self.is_short else self.anchored

    @property
    def size(self) -> int:
        """Number of hashes and numbers."""
        return len(self.first) + len(self.anchored) + len(self.numbers) + len(self.words)

    def without(self, common: frozenset[int]) -> Shingles:
        """Return the others than those of ``common``."""
        if not common:
            return self
        return self._replace(anchored=self.anchored - common, first=self.first - common)

    def is_contained_in(
        self,
        other: Shingles,
        share: float = MIN_CONTAINMENT,
        numbers: float = MIN_COMMON_NUMBERS,
        at_least: int = MIN_SHINGLES,
    ) -> bool:
        """Return True if another text has nearly all of this one; False if this one says too little.

        ``share`` and ``numbers`` are the parts of its shingles and numbers that the other must have. It
        must also have all words of the title, otherwise this is a variant of it.
        """
        if not self.title <= other.words:
            return False
        common = len(self.numbers & other.numbers)
        few = max(MIN_NUMBERS, NUMBERS_SHARE * len(self.all))
        if len(self.numbers) >= few and common < numbers * len(self.numbers):
            return False
        if self.is_short and _has_most(other.first, self.first, share, at_least):
            return True
        return _has_most(other.anchored, self.anchored, share, at_least)


def _has_most(text: frozenset[int], of: frozenset[int], share: float, at_least: int) -> bool:
    return len(of) >= at_least and len(of & text) >= share * len(of)


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are compared, in their order."""
    if not text.isascii():
        return _WORD.findall(text)
    parts = text.translate(_MARKS_TO_SPACES).split()  # the same, in half the time
    return [word for each in parts if len(word := each if each.isalpha() else _start(each)) > 1]


def _start(part: str) -> str:
    """Return the word that letters and digits begin with: the first letters but the last of them."""
    found = _START.match(part) if part[:2].isalpha() else None
    return found[0] if found is not None else ""


def _words_in(url: str) -> frozenset[str]:
    return frozenset(words_of(unquote_plus(url) if "%" in url else url))


def _runs(words: list[str]) -> Iterable[Run]:
    """Return the runs of three words, with empty ones after the end."""
    return zip(words, [*words[1:], ""], [*words[2:], "", ""], strict=False)


def _shingles(words: list[str]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the shingles that begin with a long word, and all of the beginning."""
    anchored = [hash(run) for run in _runs(words) if len(run[0]) >= MIN_ANCHOR]
    return frozenset(anchored), frozenset(map(hash, islice(_runs(words), MAX_SHORT)))


def _runs_with(words: list[str], named: frozenset[str]) -> frozenset[int]:
    """Return hashes of the runs that have one of the words of ``named``."""
    if named.isdisjoint(words):
        return frozenset()
    places = [place for place, word in enumerate(words) if word in named]
    starts = {*places, *(place - 1 for place in places), *(place - 2 for place in places)}
    ended = [*words, "", ""]
    return frozenset([hash(tuple(ended[each : each + 3])) for each in starts if each >= 0])


def hashes_of(words: Iterable[str]) -> frozenset[int]:
    """Return hashes of words in lower case, which are valid in this process only."""
    return frozenset(map(hash, " ".join(set(words)).lower().split()))


def _without_lines(numbers: set[int]) -> frozenset[int]:
    """Return the numbers without the runs that count lines: 10, 11, 12 and so on."""
    found: set[int] = set()
    for first in numbers:
        if first - 1 not in numbers:
            end = first + 1
            while end in numbers:
                end += 1
            if end - first < MIN_LINES:
                found.update(range(first, end))
    return frozenset(found)


class Boilerplate:
    """Text that most of the first pages of a template share at their beginnings and ends."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def add(self, text: str) -> bool:
        """Take the text of a page, until there were enough; return True if it is the last one."""
        if self.is_known:
            return False
        if len(text) > MAX_BEGINNING + MAX_END:
            text = f"{text[:MAX_BEGINNING]}\n{text[-MAX_END:]}"
        self.texts.append(text)
        return self.is_known

    @property
    def is_known(self) -> bool:
        """True if there were enough pages."""
        return len(self.texts) == SAMPLE

    @property
    def words(self) -> frozenset[str]:
        """Words, among them all those of the shingles."""
        return self._smallest if self.is_known else frozenset()

    @property
    def shingles(self) -> frozenset[int]:
        """The shingles that more than half of the pages have."""
        return self._common if self.is_known else frozenset()

    @cached_property
    def _smallest(self) -> frozenset[str]:
        """The words of half of the texts: what more than half of them have is in one of these."""
        smallest = sorted(self.texts, key=len)[: SAMPLE // 2]
        return frozenset(word for text in smallest for word in words_of(text))

    @cached_property
    def _common(self) -> frozenset[int]:
        counts: Counter[int] = Counter()
        for text in self.texts:
            anchored, first = _shingles(words_of(text))
            counts.update(anchored | first)
        return frozenset(each for each, count in counts.items() if 2 * count > SAMPLE)


class ComparedText:
    """A text whose shingles are made when a comparison cannot be decided without them.

    Most are decided by the title, which has a word that is in the one text and not in the other, or by
    a sample. ``text`` is "" if it has been compared and remembered.
    """

    def __init__(self, url: str, text: str, title: str, boilerplate: Boilerplate) -> None:
        self._url = url
        self.text = text[:MAX_TEXT]
        self._title = title
        self._boilerplate = boilerplate
        self._is_at_rest = False
        self.size = len(self.text)

    @cached_property
    def _both(self) -> tuple[Shingles, Shingles]:
        made = Shingles.both(self.text, self._url, self._title)
        if self._is_at_rest:
            self.text = self._title = ""
        return made

    @property
    def shingles(self) -> Shingles:
        """All shingles of the text."""
        return self._both[0]

    @cached_property
    def own(self) -> Shingles:
        """The shingles without words of the URL and boilerplate."""
        return self._both[1].without(self._boilerplate.shingles)

    def rest(self) -> None:
        """Keep only what later texts are compared with: the shingles, or the text to make them of."""
        self._is_at_rest, self._url, self._boilerplate = True, "", NO_BOILERPLATE
        if self.is_made:
            self._both = self.shingles, self.shingles
            self.text = self._title = ""
        for each in ("own", "_named", "_sample"):
            self.__dict__.pop(each, None)

    def says_enough(self) -> bool:
        """Return True if parts of the text are evidence enough; if not, the whole may be."""
        shortest = MIN_ANCHOR if self.size > PARTS * PART else 0
        found: set[Run] = set()
        for part in self._parts():
            runs = _runs(words_of(part)[1:-1])
            found.update(self._own_runs(run for run in runs if len(run[0]) >= shortest))
            if len(found) >= MIN_SHINGLES:
                return True
        return False

    def may_be_in(self, other: ComparedText) -> bool:
        """Return False if the other text lacks a word of the title, or most of a sample."""
        if self.is_made and other.is_made:
            return True
        words = {each.lower() for each in words_of(self._title) if len(each) >= MIN_TITLE_WORD}
        if other.is_made:
            known = other.shingles
            lacking = [each for each in words if hash(each) not in known.words]
        else:
            folded = other.folded if words else ""
            lacking = [each for each in words if each not in folded]
        if lacking and any(_has_word(self.folded, each) for each in lacking):
            return False
        if other.is_made:
            common = len(self._sample.keys() & other.shingles.anchored)
        else:
            common = sum(part in other.text for part in self._sample.values())
        return len(self._sample) < MIN_SHINGLES or common >= MIN_SAMPLED * len(self._sample)

    @property
    def is_made(self) -> bool:
        """True if there are shingles already."""
        return "_both" in self.__dict__

    def _parts(self) -> Iterator[str]:
        step = max(PART, (self.size - PART) // (PARTS - 1))
        for start in range(0, PARTS * step, step):
            yield self.text[start : start + PART]

    @cached_property
    def _sample(self) -> dict[int, str]:
        """Some shingles of the text, and where they are from."""
        found: dict[int, str] = {}
        for part in self._parts():
            end = 0
            runs = (run for run in _runs(words_of(part)[1:-1]) if len(run[0]) >= MIN_ANCHOR)
            for run in self._own_runs(runs):
                start = end = part.find(run[0], end)
                for word in run:
                    end = part.find(word, end) + len(word)
                found[hash(run)] = part[start:end]
                end = start
        return found

    def _own_runs(self, runs: Iterable[Run]) -> Iterator[Run]:
        """Yield the runs that have no words of the URL, and others than those of the boilerplate."""
        named, known = self._named, self._boilerplate.words
        for run in runs:
            if run[2] and named.isdisjoint(run) and not known.issuperset(run):
                yield run

    @cached_property
    def _named(self) -> frozenset[str]:
        return _words_in(self._url)

    @property
    def folded(self) -> str:
        """Text and title in lower case."""
        return f"{self.text}\n{self._title}".lower()


def _has_word(text: str, word: str) -> bool:
    """Return True if a text surely has a word, and not only a longer one with the same letters."""
    end = 0
    while (start := text.find(word, end)) >= 0:
        end = start + len(word)
        if not (text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum()):
            return True
    return False


NO_BOILERPLATE = Boilerplate()
