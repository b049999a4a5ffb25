"""Near copies: pages whose text another page with a related URL has already.

Programs show one thing in many ways: a file as it is, with line numbers, with the author of each
line, and all of that at each of its versions. Each view has a URL and a text of its own, but the
URLs share the name of the thing. The text of a page is compared with those of pages that share
such a name, by the containment of its shingles (Broder, On the resemblance and containment of
documents, 1997), with shingles that begin at long words as the signatures of SpotSigs begin at
chosen ones (Theobald, Siddharth and Paepcke, SIGIR 2008). Nothing is compared on sites whose pages
rarely share names, and no shingles are made where titles or a sample tell two texts apart.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote_plus

from sitecrawl.policy.documents.text_fields import title_from_url
from sitecrawl.policy.urls.templates import DEFAULT_NAMES

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
EARLY, EARLY_TEXT, EARLY_SHARE = 128, 8_000, 0.05
"""Number of pages, the latest ones, whose texts are kept until texts are compared, of characters of
each, and share of pages that share a name, below which no more are kept."""
MIN_SHARING, MIN_SHARE = 16, 0.25
"""Number and share of pages that share a name with an earlier one, from which texts are compared."""
MIN_VERSIONS, MIN_VERSIONS_OF_PATHS = 6, 16
"""Near copies of one name, after which the pages of a further version of the site count as such, unless
its directory is named like a release; and where no URL of a near copy had a query, as those of old
versions of a file have."""
MAX_ORIGINALS = 12
"""Maximum number of texts remembered for each name; a constant has more pages."""
SAMPLE = 8
"""Number of the first pages of a template, of which more than half have its boilerplate."""
MAX_NAMES = 20_000
MAX_TEMPLATES = 500
MAX_SIZE = 4_000_000
"""Number of characters of the texts remembered, once for each name of a text; about 30 MB, as a shingle
is made for every tenth."""
PARTS, PART, MIN_SAMPLED = 5, 300, 0.6
"""Number of parts of a text that are its sample, and of their characters; and share of the sample that
another text must have to be compared with the whole."""
MIN_FREQUENT, MAX_SAMPLED = 0.2, 4
"""Share of pages with a near copy, and number of texts of one name, from which the shingles of each page
are made at once."""
MAX_BEGINNING, MAX_END = 3_000, 1_000
"""Number of characters at the beginning and end of a page that may be boilerplate."""
MIN_NAME, MAX_NAME = 3, 80
"""Length of a name, in characters; longer ones are cut."""

_EDITION = re.compile(
    r"(?:[a-z]+[-_.])?[vr]?\d{1,4}(?:[-_.]\d{1,4}){0,4}(?:[-_.]?(?:x|a|b|rc|alpha|beta|dev|lts)\d{0,3})?"
    r"|latest|stable|current|next|main|master|dev|devel|development|nightly|edge|old|lts|testing"
    r"|unstable|[a-z]{2}(?:[-_][a-z]{2,4})?",
    re.ASCII | re.IGNORECASE,
)
_WORD = re.compile(r"(?<![0-9A-Za-z])[^\W\d_]{2,}(?![0-9])")  # no part of a hash, such as 3fbea91
_NUMBER = re.compile(r"[0-9](?<![0-9a-zA-Z].)[0-9]{1,8}(?![0-9a-zA-Z])", re.ASCII)
_START = re.compile(r"[A-Za-z]{2,}(?=[A-Za-z][0-9])")
_MARKS_TO_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}


class Novelty(Enum):
    """Result of the comparison of a page with those read before."""

    NEW = "new"
    NEAR_COPY = "near copy"
    UNKNOWN = "unknown"


Run = tuple[str, str, str]


class TextComparison(NamedTuple):
    """Result for a page; ``original`` is the page that it repeats, ``superseded`` those that repeat it."""

    novelty: Novelty
    original: str = ""
    superseded: Sequence[str] = ()


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


def own_title(url: str, title: str) -> str:
    """Return a title, "" for one that was made of the URL."""
    return "" if title == title_from_url(url) else title


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


def names_of(url: str) -> list[str]:
    """Return the parts of a URL that may name a thing: its last segment, and parameter values."""
    path, _, query = url.partition("?")
    segments = [each for each in path.split("/")[3:] if each]
    found = segments[-1:]
    for each in query.replace(";", "&").split("&") if query else ():
        found.append(each.partition("=")[2].rpartition("%2F")[2].rpartition("/")[2])
    return [
        name[:MAX_NAME]
        for each in dict.fromkeys(found)
        if len(name := unquote_plus(each)) >= MIN_NAME
        if name.partition(".")[0] not in DEFAULT_NAMES
    ]


def segments_of(path: str) -> frozenset[str]:
    """Return the segments of the path of an absolute URL without a query."""
    return frozenset(path.split("/")[3:])


def are_editions(url: str, other: str) -> bool:
    """Return True for URLs that differ only in what is named like releases, dates or languages.

    ``/v2.0/guide`` and ``/stable/guide``, ``/guide`` and ``/guide?view=net-8.0``: no text of the one
    stands for that of the other, however little they differ.
    """
    (path, _, query), (other_path, _, other_query) = url.partition("?"), other.partition("?")
    if path.rpartition("/")[2] != other_path.rpartition("/")[2]:
        return False
    apart = segments_of(path) ^ segments_of(other_path)
    differing = _parameters(query) ^ _parameters(other_query)
    values = [each.partition("=")[2] for each in differing if each]
    return (
        bool(apart or values)
        and all(_EDITION.fullmatch(each) for each in (*apart, *values))
        and all("." in each for each in values)  # numbers and words choose pages and views
    )


def says_where_it_is(url: str, text: Shingles, other: str, other_text: Shingles) -> bool:
    """Return True for a text with the name of a directory that the other URL and its text lack.

    The class in ``/api/RedSet/equals.html``. Names have capitals, as views (``/blame/``) have not.
    """
    directories = url.partition("?")[0].split("/")[3:-1]
    apart = set(directories) - segments_of(other.partition("?")[0])
    if not apart:
        return False
    words = (word for each in apart for word in _WORD.findall(unquote_plus(each)))
    named = hashes_of(word for word in words if not word.islower())
    return not (named & text.words) <= other_text.words


def _parameters(query: str) -> frozenset[str]:
    return frozenset(query.replace(";", "&").split("&"))


def _parts(url: str) -> frozenset[str]:
    path, _, query = url.partition("?")
    return segments_of(path) | _parameters(query)


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


def _smallest(texts: Mapping[str, ComparedText]) -> str:
    """Return the key of the text with the fewest shingles, or characters if no shingles are known."""
    if any(each.is_made for each in texts.values()):
        return min(texts, key=lambda each: texts[each].shingles.size)
    return min(texts, key=lambda each: texts[each].size)


@dataclass(slots=True)
class NearCopies:
    """Texts of the pages of one origin, by the names in their URLs; in memory for one run.

    ``is_comparing`` is True from the page on at which enough pages share names.
    """

    is_comparing: bool = False
    _pages: int = 0
    _sharing: int = 0
    _early: deque[tuple[str, list[str], str, str]] = field(
        default_factory=lambda: deque(maxlen=EARLY)
    )
    _seen: Counter[str] = field(default_factory=Counter)
    _copies: Counter[str] = field(default_factory=Counter)
    _of_queries: set[str] = field(default_factory=set)
    _size: int = 0
    _compared: int = 0
    _repeated: int = 0
    _originals: dict[str, dict[str, ComparedText]] = field(default_factory=dict)
    _templates: dict[str, Boilerplate] = field(default_factory=dict)

    def observe(
        self,
        url: str,
        referrer: str | None,
        text: str,
        template: str = "",
        *,
        title: str = "",
        links: Iterable[str] = (),
    ) -> TextComparison:
        """Compare a new page, with its links, with those read before."""
        names = names_of(url)
        known = any(self._seen[each] for each in names)
        self._count(names, known=known)
        if names and self.is_comparing:
            return self._compare(
                url, referrer, text, template, names, title=title, links=links, known=known
            )
        if self._pages > EARLY and self._sharing < EARLY_SHARE * self._pages:
            self._early.clear()
        elif names:
            self._early.append((url, names, text[:EARLY_TEXT], own_title(url, title)))
        return TextComparison(Novelty.NEW)

    def _compare(
        self,
        url: str,
        referrer: str | None,
        text: str,
        template: str,
        names: list[str],
        *,
        title: str,
        links: Iterable[str],
        known: bool,
    ) -> TextComparison:
        self._recall_early()
        boilerplate = self._boilerplate(template)
        page = ComparedText(url, text, own_title(url, title), boilerplate)
        self._compared += 1
        is_sampled = self._repeated < MIN_FREQUENT * self._compared and all(
            len(self._originals.get(each, ())) < MAX_SAMPLED for each in names
        )
        says_enough = is_sampled and page.says_enough()
        if not says_enough and len(page.shingles.all) < MIN_SHINGLES:
            return TextComparison(Novelty.UNKNOWN)
        if boilerplate.add(text):
            says_enough = is_sampled and page.says_enough()
        original, is_compared = self._find(url, names, page)
        if original is None:
            superseded = self._supersede(url, names, page)
            is_hollow = not says_enough and len(page.own.all) < MIN_SHINGLES
            self._remember(url, names, page)
            if is_hollow or (known and not is_compared):
                return TextComparison(Novelty.UNKNOWN, "", superseded)
            return TextComparison(Novelty.NEW, "", superseded)
        self._repeated += 1
        if len(self._copies) < MAX_NAMES:
            self._copies.update(names)
            if "?" in url:
                self._of_queries.update(names)
        if self._is_of_version(url, original, referrer, names, links):
            return TextComparison(Novelty.UNKNOWN, original)
        return TextComparison(Novelty.NEAR_COPY, original)

    def original_of(self, url: str, text: str, template: str, title: str) -> str | None:
        """Return the page that has nearly all of the text of a page; remember nothing."""
        if not self.is_comparing:
            return None
        known = self._templates.get(template, NO_BOILERPLATE)
        page = ComparedText(url, text, own_title(url, title), known)
        if len(page.shingles.all) < MIN_SHINGLES:
            return None
        return self._find(url, names_of(url), page)[0]

    def common_of(self, template: str) -> frozenset[int]:
        """Return the shingles of most of the first pages of a template."""
        return self._templates.get(template, NO_BOILERPLATE).shingles

    def _recall_early(self) -> None:
        while self._early:
            url, names, text, title = self._early.popleft()
            page = ComparedText("", text, title, NO_BOILERPLATE)
            if self._find(url, names, page)[0] is None:
                self._remember(url, names, page)

    def _boilerplate(self, template: str) -> Boilerplate:
        boilerplate = self._templates.setdefault(template, Boilerplate())
        if len(self._templates) > MAX_TEMPLATES:
            del self._templates[next(iter(self._templates))]
        return boilerplate

    def _count(self, names: list[str], *, known: bool) -> None:
        if len(self._seen) < MAX_NAMES:
            self._seen.update(names)
        self._pages += 1
        self._sharing += known
        if self._sharing >= MIN_SHARING and self._sharing >= MIN_SHARE * self._pages:
            self.is_comparing = True

    def _find(self, url: str, names: list[str], page: ComparedText) -> tuple[str | None, bool]:
        """Return the page that contains a text, and True if there was one to compare with.

        A page without a query is no copy of one that has one, and none of another edition.
        """
        is_compared = False
        for name in names:
            for other, text in self._originals.get(name, {}).items():
                if ("?" in other and "?" not in url) or are_editions(url, other):
                    continue
                is_compared = True
                if not page.may_be_in(text):
                    continue
                contained = next(
                    (
                        each
                        for each in (page.own, page.shingles)
                        if each.is_contained_in(text.shingles)
                    ),
                    None,
                )
                if contained is not None and not says_where_it_is(
                    url, contained, other, text.shingles
                ):
                    return other, True
        return None, is_compared

    def _supersede(self, url: str, names: list[str], page: ComparedText) -> list[str]:
        """Forget the earlier states of a page that it contains, such as older versions; return their URLs."""
        path = url.partition("?")[0]
        found: dict[str, None] = {}
        for name in names:
            originals = self._originals.get(name, {})
            for other in [each for each in originals if each.partition("?")[0] == path]:
                if "?" in url and "?" not in other:
                    continue
                text = originals[other]
                is_older = text.may_be_in(page) and text.shingles.is_contained_in(page.shingles)
                text.rest()
                if not is_older:
                    continue
                self._size -= originals.pop(other).size
                found[other] = None
        return list(found)

    def _remember(self, url: str, names: list[str], page: ComparedText) -> None:
        """Keep a text, the largest ones of each name: they contain others."""
        page.rest()
        for name in names:
            originals = self._originals.setdefault(name, {})
            originals[url] = page
            self._size += page.size
            if len(originals) > MAX_ORIGINALS:
                smallest = _smallest(originals)
                self._size -= originals.pop(smallest).size
        while self._size > MAX_SIZE:
            oldest = self._originals.pop(next(iter(self._originals)))
            self._size -= sum(each.size for each in oldest.values())

    def _is_of_version(
        self,
        url: str,
        original: str,
        referrer: str | None,
        names: list[str],
        links: Iterable[str],
    ) -> bool:
        """Return True for a page of one of few versions of a site, whose pages link to each other.

        A version of a manual is read as a whole; a site with a version for each change is not.
        """
        has_queries = not self._of_queries.isdisjoint(names)
        limit = MIN_VERSIONS if has_queries else MIN_VERSIONS_OF_PATHS
        if max(self._copies[each] for each in names) > limit:
            return False
        if referrer is not None and _parts(url) - _parts(original) <= _parts(referrer):
            return True
        path, other = url.partition("?")[0], original.partition("?")[0]
        apart = segments_of(path) - segments_of(other)
        return bool(apart) and any(
            apart <= segments_of(linked) and not path.startswith(linked)
            for linked in (each.partition("?")[0] for each in links)
        )
