"""Search of an index: hits with the best section of each page and a snippet with marked words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sitecrawl import install_command
from sitecrawl.policy.documents.usage_permissions import permits_models
from sitecrawl.search.analysis import (
    PART,
    TITLE_PARTS,
    bare_name,
    entries,
    language_part,
    matching_places,
    name_key,
)
from sitecrawl.search.search_index import IndexedPage, IndexFileError, PagePlace, SearchIndex
from sitecrawl.search.search_query import (
    MAX_PAGES,
    MIN_PREFIX,
    Expressions,
    SearchQuery,
    parse_query,
)
from sitecrawl.web.languages import primary_language
from sitecrawl.web.urls.url import with_fragment

SNIPPET_LENGTH = 220  # characters
MAX_SCANNED = 100_000  # characters of a body searched for a snippet
MAX_SECTIONED = 20_000  # characters of a body whose sections are compared
COMPARED = 4  # letters by which the words of a passage are told apart
PART_LENGTH = 10_000  # characters that are searched at once
MAX_HITS, MAX_OFFSET = 50, 500  # of one answer; ranking deeper costs time, and nobody reads on
DEPTH = MAX_OFFSET + MAX_HITS  # pages that are ranked
NEAREST, RANK_CONSTANT = 100, 60  # pages by vectors; the constant of reciprocal rank fusion
COUNTED = {"host": "site", "folder": "folder", "language": "language", "type": "type"}
MAX_COUNTED = 20  # values of each
ALIKE, COVERED = 0.4, 4  # a section's name is so like the query; its words weigh so many times
OTHER_LANGUAGE = 0.7  # of the points of pages that are not in the reader's language
EXCLUDED = "page.number NOT IN (SELECT rowid FROM words WHERE words MATCH ?)"
IN_A_ROW = 0.5  # of the BM25 score again, for pages with the words in a row


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Conditions on the pages besides the words; empty ones are not applied.

    ``host`` is a host name, ``under`` a path or an absolute URL prefix, ``language`` a BCP 47 tag,
    compared by its primary language, ``type`` the field ``page_type``,
    ``version`` a folder anywhere in the path.
    """

    host: str = ""
    under: str = ""
    language: str = ""
    type: str = ""
    realm: str = ""
    version: str = ""

    def conditions(self) -> dict[str, str]:
        """Return SQL conditions on the table ``page``, each with its value."""
        found = {
            "page.host = ?": self.host.lower(),
            "page.language = ?": primary_language(self.language),
            "page.type = ?": self.type,
            "page.realm = ?": self.realm,
            "instr(page.path, ?) > 0": f"/{self.version}/" if self.version else "",
        }
        column = "url" if "://" in self.under else "path"
        found[f"substr(page.{column}, 1, {len(self.under)}) = ?"] = self.under
        return {condition: value for condition, value in found.items() if value}


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of a page; ``marks`` are the positions of the query's words in ``text``."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def parts(self) -> Iterator[tuple[str, bool]]:
        """Yield the text in parts, each with True if it is marked."""
        end = 0
        for start, stop in self.marks:
            if start > end:
                yield self.text[end:start], False
            yield self.text[start:stop], True
            end = stop
        if end < len(self.text):
            yield self.text[end:], False


class HitSection(NamedTuple):
    """A section of a matching page: its address, heading or term, and a snippet of it.

    ``title`` is empty for a part of the page without an anchor, or if it is the page's.
    """

    target: str
    title: str
    snippet: Snippet

    def record(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "target": self.target,
            "section": self.title or None,
            "snippet": self.snippet.text,
            "marks": [list(mark) for mark in self.snippet.marks],
        }


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A matching page; ``sections`` are those with most of the words, the best first.

    ``site`` is the name of the site, else its host. ``score`` is the BM25 score, higher is better.
    ``for_models`` is set if the page's text may be given to language models.
    """

    url: str
    id: str
    title: str
    sections: tuple[HitSection, ...]
    score: float
    language: str
    modified_at: str | None
    site: str = ""
    for_models: bool = True

    @property
    def best(self) -> HitSection:
        """The best section, whose target is the page's URL if it has no anchor."""
        return self.sections[0]

    def record(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "url": self.url,
            "id": self.id,
            "title": self.title,
            "site": self.site,
            **self.best.record(),
            "sections": [each.record() for each in self.sections],
            "score": round(self.score, 4),
            "language": self.language or None,
            "modified_at": self.modified_at,
        }


@dataclass(frozen=True, slots=True)
class SearchResults:
    """Hits on one page of results; ``total`` counts all pages with any of the words,
    translations of a page once.

    ``any_word`` is set if no page has all words. ``correction`` is the query that was searched for
    in place of the typed one, empty if they are equal. ``counts`` has the numbers of the ranked pages
    by site, folder, language and type, most first. ``suggestions`` are words of the index that
    resemble the query's if nothing was found, ``excluded`` those by which pages were left out.
    """

    total: int
    hits: tuple[SearchHit, ...]
    any_word: bool = False
    correction: str = ""
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    suggestions: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


def search(
    index: SearchIndex,
    text: str,
    filters: SearchFilters | None = None,
    *,
    reader: str = "",
    vector: Sequence[float] | None = None,
    sections: int = 1,
    limit: int = 10,
    offset: int = 0,
) -> SearchResults:
    """Search the index for a query as typed by a person; see ``parse_query``.

    Pages in the language ``reader`` come first, also of translations of a page; else the best ones.
    A hit has up to so many ``sections``. With the ``vector`` of the query, ranks by words and by the
    nearness of vectors are fused. Raises IndexFileError.
    """
    typed = parse_query(text).with_names(index)
    query = typed.corrected(index)
    filters = filters or SearchFilters()
    expressions = query.expressions(index, primary_language(filters.language))
    if expressions is None:
        return SearchResults(0, ())
    conditions = filters.conditions()
    found = _ranked(index, query, expressions, conditions)
    matching = len(found.pages)
    total = index.total(expressions.some, conditions) if matching == DEPTH else matching
    if vector is not None:
        if expressions.excluded:
            conditions[EXCLUDED] = expressions.excluded
        found = _fused(found, _nearest(index, vector, conditions))
    if not found.pages:
        near = tuple(typed.near_words(index))
        return SearchResults(0, (), suggestions=near, excluded=query.unwanted)
    places = index.places([number for number, _, _ in found.pages])
    ranked = _for_reader(index, found.pages, places, primary_language(reader))
    hits = tuple(
        _hit(page, expressions.words, score, anchor, sections)
        for number, score, anchor in ranked[offset : offset + limit]
        for page in index.pages([number])
    )
    return SearchResults(
        total - matching + len(ranked),
        hits,
        any_word=len(query.wanted) > 1 and not found.has_every,
        correction=query.text() if query.text() != typed.text() else "",
        counts=_counts(places[number] for number, _, _ in ranked),
        excluded=query.unwanted,
    )


def _counts(places: Iterable[PagePlace]) -> dict[str, dict[str, int]]:
    counters: dict[str, Counter[str]] = {name: Counter() for name in COUNTED}
    for each in places:
        for name, counter in counters.items():
            counter[getattr(each, name)] += 1
    return {
        label: dict([pair for pair in counters[name].most_common() if pair[0]][:MAX_COUNTED])
        for name, label in COUNTED.items()
    }


class _Ranked(NamedTuple):
    """Number, points and anchor of the best pages, best first; ``has_every`` if any has all words.

    ``named`` has the points for the names of pages that are or begin so.
    """

    pages: list[tuple[int, float, str]]
    has_every: bool
    named: Mapping[int, float]


def _for_reader(
    index: SearchIndex,
    ranked: Sequence[tuple[int, float, str]],
    places: Mapping[int, PagePlace],
    reader: str,
) -> list[tuple[int, float, str]]:
    """Rank pages in other languages lower, and keep one of the translations of each page."""
    languages = frozenset(index.languages())
    if len(languages) < 2:
        return list(ranked)
    part = language_part(languages)
    found: dict[str, tuple[int, float, str]] = {}
    readable: set[str] = set()
    for number, points, anchor in ranked:
        place = places[number]
        named = part.search(place.url)
        key = part.sub("*", place.url) if named else place.url
        language = named[1].lower() if named else place.language
        is_foreign = bool(reader) and language not in (reader, "")
        kept = found.get(key, (number, points * (OTHER_LANGUAGE if is_foreign else 1.0), anchor))
        if reader and language == reader and key not in readable:
            readable.add(key)
            kept = (number, max(points, kept[1]), anchor)
        found[key] = kept
    return sorted(found.values(), key=lambda each: -each[1])


def _ranked(
    index: SearchIndex, query: SearchQuery, expressions: Expressions, conditions: dict[str, str]
) -> _Ranked:
    """Rank by BM25 of any words; more for a phrase, and for a name equal to the query or begun by
    it. Where enough pages have all words, only those are ranked.
    """
    every, some = expressions.every, expressions.some
    count = DEPTH if every == some else index.total(every, conditions, DEPTH)
    match = every if count == DEPTH else some
    points = {number: -score for number, score in index.ranked(match, conditions, DEPTH)}
    count = min(count, len(points))
    if count and match != every and index.count() > MAX_PAGES:  # some words count for these only
        for number, score in index.ranked(every, conditions, DEPTH):
            points[number] = max(-score, points.get(number, 0.0))
    if count and expressions.phrase:
        for number, score in index.ranked(expressions.phrase, conditions, DEPTH):
            points[number] = points.get(number, 0.0) - IN_A_ROW * score
    begun = index.named(query.key, prefix=True) if len(query.key) >= MIN_PREFIX else {}
    named = begun | index.named(query.key)
    named = {number: name for number, name in named.items() if number in points}
    for number, (bonus, _) in named.items():
        points[number] += bonus
    best = sorted(points, key=lambda number: (-points[number], number))[:DEPTH]
    pages = [(number, points[number], named.get(number, (0, ""))[1]) for number in best]
    return _Ranked(pages, bool(count), {number: bonus for number, (bonus, _) in named.items()})


def _nearest(
    index: SearchIndex, vector: Sequence[float], conditions: Mapping[str, str]
) -> list[tuple[int, str]]:
    try:
        return index.vectors.nearest(vector, conditions, NEAREST)
    except ModuleNotFoundError as error:
        text = f"A search by vectors needs {error.name}: {install_command('vectors')}."
        raise IndexFileError(text) from error


def _fused(found: _Ranked, nearest: Sequence[tuple[int, str]]) -> _Ranked:
    """Fuse two orders of pages by reciprocal rank (Cormack, Clarke, Büttcher 2009); pages with names
    that are or begin as the query stay first.
    """
    points = defaultdict[int, float](float, found.named)
    anchors = dict(nearest) | {number: anchor for number, _, anchor in found.pages}
    for order in ([page[0] for page in found.pages], [page[0] for page in nearest]):
        for rank, number in enumerate(order, 1):
            points[number] += 1 / (RANK_CONSTANT + rank)
    best = sorted(points, key=lambda number: (-points[number], number))[:DEPTH]
    pages = [(number, points[number], anchors[number]) for number in best]
    return found._replace(pages=pages)


def _hit(
    page: IndexedPage, words: Sequence[str], score: float, named: str, sections: int
) -> SearchHit:
    starts = _section_starts(page)
    if anchor := named or _likest(starts, words, page.language):
        section, text = page.named_by(anchor), _section_text(page, starts, anchor)
        snippet, _ = _best_snippet(text, words, page.language)
    else:
        snippet, place = _best_snippet(page.body, words, page.language)
        if not snippet.marks:
            others = filter(None, (str(page.content.get("description") or ""), page.comments))
            found = [_best_snippet(each, words, page.language)[0] for each in others]
            snippet = next((each for each in found if each.marks), [*found, snippet][0])
        above = bisect_right(starts, (place, "\uffff", "")) - 1
        _, section, anchor = starts[above] if above >= 0 else (0, "", "")
    target = with_fragment(page.url, anchor) if anchor else page.url
    more = _more_sections(page, words, starts, sections) if sections > 1 else ()
    own = {name_key(part) for part in ("", page.title, *TITLE_PARTS.split(page.title))}
    best: dict[str, HitSection] = {}
    for each in (HitSection(target, section, snippet), *more):
        title = "" if name_key(each.title) in own else each.title
        best.setdefault(title and each.target, each._replace(title=title))
    return SearchHit(
        url=page.url,
        id=page.id,
        title=page.title,
        sections=tuple(best.values())[:sections],
        score=score,
        language=page.language,
        modified_at=page.modified_at,
        site=str(page.content.get("site_name") or urlsplit(page.url).hostname or ""),
        for_models=permits_models(page.content),
    )


def _likest(starts: Sequence[tuple[int, str, str]], words: Sequence[str], language: str) -> str:
    """Return the anchor of the heading or definition that is most like the query, the first of
    equals: by the F-measure of their letters in common words, if that is ``ALIKE``.
    """
    names = [" ".join(PART.findall(bare_name(text))) for _, text, _ in starts]
    ends = list(accumulate(len(name) + 1 for name in names))
    common = Counter[int]()
    for left, right in matching_places("\n".join(names), words, language):
        common[bisect_right(ends, left)] += right - left
    length = COVERED * len(" ".join(words))
    alike = {
        number: (1 + COVERED) * count / (len(names[number]) + length)
        for number, count in common.items()
    }
    best = max(sorted(alike), key=alike.__getitem__, default=None)
    return starts[best][2] if best is not None and alike[best] >= ALIKE else ""


def _best_snippet(body: str, words: Sequence[str], language: str) -> tuple[Snippet, int]:
    """Return the passage with most of the words, and its position in the body.

    A long body is read only up to a passage with all words.
    """
    return _snippet(body, _passage_places(body, words, language))


def _snippet(body: str, places: Sequence[tuple[int, int]]) -> tuple[Snippet, int]:
    """Return the passage with most of the matches, and its position in the body.

    The first of equal passages is used; without a match, the beginning of the body.
    """
    start, place = 0, 0
    if places:
        first, _ = _densest(body, places)
        place = places[first][0]
        start = _word_start(body, max(0, place - SNIPPET_LENGTH // 4))
    stop = _word_end(body, start + SNIPPET_LENGTH)
    passage = body[start:stop]
    kept = [
        (left - start, right - start) for left, right in places if left >= start and right <= stop
    ]
    return _as_one_line(passage, kept, cut=(start > 0, stop < len(body))), place


def _section_starts(page: IndexedPage) -> list[tuple[int, str, str]]:
    """Return position, text and anchor of the headings and definitions with an anchor.

    A heading is a line of its own, the last with its text, as a table of contents may be before it;
    a definition begins a line.
    """
    body = f"\n{page.body[:MAX_SCANNED]}"
    lines: defaultdict[str, list[int]] = defaultdict(list)
    position = 0
    for line in body.split("\n")[1:]:
        lines[line].append(position)
        position += len(line) + 1
    found = []
    for each in reversed(page.headings):
        text, anchor = str(each.get("text") or ""), each.get("anchor")
        places = lines.get(text, ()) if text else ()
        if number := bisect_left(places, position):
            position = places[number - 1]
            if anchor:
                found.append((position, text, str(anchor)))
    position = 0
    for each in entries(page.content, "definitions"):
        text, anchor = str(each.get("term") or ""), each.get("anchor")
        at = body.find(f"\n{text}", position) if text else -1
        position = at + len(text) if at >= 0 else position
        if at >= 0 and anchor:
            found.append((at, text, str(anchor)))
    return sorted(found)


def _section_text(page: IndexedPage, starts: Sequence[tuple[int, str, str]], anchor: str) -> str:
    number = next((number for number, each in enumerate(starts) if each[2] == anchor), None)
    if number is None:
        return page.body
    at, text, _ = starts[number]
    end = starts[number + 1][0] if number + 1 < len(starts) else None
    return page.body[at + len(text) : end].strip() or text


def _more_sections(
    page: IndexedPage, words: Sequence[str], starts: Sequence[tuple[int, str, str]], count: int
) -> Iterator[HitSection]:
    body = page.body[:MAX_SECTIONED]
    grouped: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for place in matching_places(body, words, page.language):
        grouped[bisect_right(starts, (place[0], "\uffff", ""))].append(place)
    best = sorted(
        grouped, key=lambda each: -len({body[start:end].lower() for start, end in grouped[each]})
    )
    for number in best[:count]:
        _, title, anchor = starts[number - 1] if number else (0, "", "")
        snippet, _ = _snippet(page.body, grouped[number])
        yield HitSection(with_fragment(page.url, anchor) if anchor else page.url, title, snippet)


def _passage_places(body: str, words: Sequence[str], language: str) -> list[tuple[int, int]]:
    """Return the matches in that part of a body which has the best passage."""
    best: list[tuple[int, int]] = []
    most = (0, 0)
    for start in range(0, min(len(body), MAX_SCANNED), PART_LENGTH):
        begin = _word_start(body, start)
        part = body[begin : start + PART_LENGTH + SNIPPET_LENGTH]
        places = matching_places(part, words, language)
        count = _densest(part, places)[1] if places else (0, 0)
        if count > most:
            best, most = [(left + begin, right + begin) for left, right in places], count
        if most[0] >= len(words):
            break
    return best


def _densest(body: str, places: Sequence[tuple[int, int]]) -> tuple[int, tuple[int, int]]:
    """Return the index of the match that starts the passage with most different words, then most
    matches, and both numbers.
    """
    ends = [right for _, right in places]
    words = [body[left:right].lower()[:COMPARED] for left, right in places]
    counts = []
    for number, (left, _) in enumerate(places):
        within = words[number : bisect_right(ends, left + SNIPPET_LENGTH * 3 // 4)]
        counts.append((len(set(within)), len(within)))
    most = max(counts)
    return counts.index(most), most


def _word_start(text: str, place: int) -> int:
    blank = re.compile(r"\s").search(text, place, place + 30) if place else None
    return blank.end() if blank else place


def _word_end(text: str, place: int) -> int:
    if place >= len(text):
        return len(text)
    blank = max(text.rfind(" ", place - 30, place), text.rfind("\n", place - 30, place))
    return blank if blank > 0 else place


def _as_one_line(
    passage: str, places: Sequence[tuple[int, int]], cut: tuple[bool, bool]
) -> Snippet:
    """Return a snippet with white space collapsed to single blanks, and its marks moved along."""
    begin = "… " if cut[0] else ""
    marks = []
    for left, right in places:
        words = f"{passage[:left]}|".split()  # the sign stands for the match
        start = len(begin) + len(" ".join(words)) - 1
        marks.append((start, start + right - left))
    end = " …" if cut[1] else ""
    return Snippet(begin + " ".join(passage.split()) + end, tuple(marks))
