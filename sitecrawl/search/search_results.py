"""Search of an index: hits with the best section of each page and a snippet with marked words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sitecrawl.policy.documents.model_use import permits_models
from sitecrawl.search.analysis import matching_places
from sitecrawl.search.names import entries, language_part
from sitecrawl.search.search_index import IndexedPage, SearchIndex
from sitecrawl.search.search_query import MIN_PREFIX, Expressions, SearchQuery, parse_query
from sitecrawl.web.languages import primary_language
from sitecrawl.web.urls.url import with_fragment

SNIPPET_LENGTH = 220  # characters
MAX_SCANNED = 200_000  # characters of a body searched for a snippet
PART_LENGTH = 10_000  # characters that are searched at once
DEPTH = 1_100  # pages that are ranked; browsers may ask for the first 1,050
OTHER_LANGUAGE = 0.7  # of the points of pages that are not in the reader's language
ALL_WORDS, IN_A_ROW = 0.5, 0.3  # of the BM25 score again, for pages with all words or a phrase


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Conditions on the pages besides the words; empty ones are not applied.

    ``host`` is a host name, ``under`` a path or an absolute URL prefix, ``language`` a BCP 47 tag,
    compared by its primary language.
    """

    host: str = ""
    under: str = ""
    language: str = ""
    realm: str = ""

    def conditions(self) -> dict[str, str]:
        """Return SQL conditions on the table ``page``, each with its value."""
        found = {
            "page.host = ?": self.host.lower(),
            "page.language = ?": primary_language(self.language),
            "page.realm = ?": self.realm,
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


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A matching page; ``section`` is the heading above the snippet, if it has an anchor.

    ``score`` is the BM25 score, higher is better. ``target`` is the URL of the section, else of
    the page. ``for_models`` is set if the page's text may be given to language models.
    """

    url: str
    target: str
    id: str
    title: str
    section: str
    snippet: Snippet
    score: float
    language: str
    modified_at: str | None
    for_models: bool = True

    def record(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "url": self.url,
            "target": self.target,
            "id": self.id,
            "title": self.title,
            "section": self.section or None,
            "snippet": self.snippet.text,
            "marks": [list(mark) for mark in self.snippet.marks],
            "score": round(self.score, 4),
            "language": self.language or None,
            "modified_at": self.modified_at,
        }


@dataclass(frozen=True, slots=True)
class SearchResults:
    """Hits on one page of results; ``total`` counts all pages with any of the words,
    translations of a page once.

    ``any_word`` is set if no page has all words. ``correction`` is the query that was searched for
    in place of the typed one, empty if they are equal.
    """

    total: int
    hits: tuple[SearchHit, ...]
    any_word: bool = False
    correction: str = ""


def search(
    index: SearchIndex,
    text: str,
    filters: SearchFilters | None = None,
    *,
    reader: str = "",
    limit: int = 10,
    offset: int = 0,
) -> SearchResults:
    """Search the index for a query as typed by a person; see ``parse_query``.

    Pages in the language ``reader`` come first, also of translations of a page; else the best ones.
    """
    typed = parse_query(text)
    query = typed.corrected(index)
    filters = filters or SearchFilters()
    expressions = query.expressions(index, primary_language(filters.language))
    if expressions is None:
        return SearchResults(0, ())
    conditions = filters.conditions()
    found = _ranked(index, query, expressions, conditions)
    ranked = _for_reader(index, found.pages, primary_language(reader))
    total = len(found.pages)
    if total == DEPTH:
        total = index.total(expressions.some, conditions)
    hits = tuple(
        _hit(index.page(number), expressions.words, score, anchor)
        for number, score, anchor in ranked[offset : offset + limit]
    )
    return SearchResults(
        total - len(found.pages) + len(ranked),
        hits,
        any_word=bool(hits) and len(query.wanted) > 1 and not found.has_every,
        correction=query.text() if query != typed else "",
    )


class _Ranked(NamedTuple):
    """Number, points and anchor of the best pages, best first; ``has_every`` if any has all words."""

    pages: list[tuple[int, float, str]]
    has_every: bool


def _for_reader(
    index: SearchIndex, ranked: Sequence[tuple[int, float, str]], reader: str
) -> list[tuple[int, float, str]]:
    """Rank pages in other languages lower, and keep one of the translations of each page."""
    languages = frozenset(index.languages())
    if len(languages) < 2:
        return list(ranked)
    part = language_part(languages)
    places = index.places([number for number, _, _ in ranked])
    found: dict[str, tuple[int, float, str]] = {}
    readable: set[str] = set()
    for number, points, anchor in ranked:
        url, language = places[number]
        key, named = part.sub("*", url), part.search(url)
        language = named[1].lower() if named else language
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
    """Rank by BM25 of any words; more for all words, for a phrase, and for a name equal to the
    query or begun by it. Where enough pages have all words, only those are ranked.
    """
    every = index.ranked(expressions.every, conditions, DEPTH)
    is_enough = len(every) == DEPTH or expressions.every == expressions.some
    some = every if is_enough else index.ranked(expressions.some, conditions, DEPTH)
    points = {number: -score for number, score in some}
    phrase = index.ranked(expressions.phrase, conditions, DEPTH) if expressions.phrase else []
    for found, factor in ((every, ALL_WORDS), (phrase, IN_A_ROW)):
        for number, score in found:
            points[number] = points.get(number, -score) + factor * -score
    anchors: dict[int, str] = {}
    exact = index.named(query.key)
    begun = index.named(query.key, prefix=True) if len(query.key) >= MIN_PREFIX else {}
    for number, (bonus, anchor) in {**begun, **exact}.items():
        if number in points:
            points[number] += bonus
            anchors[number] = anchor
    best = sorted(points, key=lambda number: (-points[number], number))[:DEPTH]
    pages = [(number, points[number], anchors.get(number, "")) for number in best]
    return _Ranked(pages, has_every=bool(every))


def _hit(page: IndexedPage, words: Sequence[str], score: float, named: str) -> SearchHit:
    snippet, place = best_snippet(page.body, words, page.language)
    if not snippet.marks and page.content.get("description"):
        snippet, _ = best_snippet(str(page.content["description"]), words, page.language)
    section, anchor = section_at(page, place)
    if named:
        section, anchor = page.named_by(named), named
    return SearchHit(
        url=page.url,
        target=with_fragment(page.url, anchor) if anchor else page.url,
        id=page.id,
        title=page.title,
        section=section,
        snippet=snippet,
        score=score,
        language=page.language,
        modified_at=page.modified_at,
        for_models=permits_models(page.content),
    )


def best_snippet(body: str, words: Sequence[str], language: str) -> tuple[Snippet, int]:
    """Return the passage with most of the words, and its position in the body.

    The first of equal passages is used; without a match, the beginning of the body. A long body is
    read only up to a passage with as many matches as there are words.
    """
    places = _passage_places(body, words, language)
    start, place = 0, 0
    if places:
        first, _ = _densest(places)
        place = places[first][0]
        start = _word_start(body, max(0, place - SNIPPET_LENGTH // 4))
    stop = _word_end(body, start + SNIPPET_LENGTH)
    passage = body[start:stop]
    kept = [
        (left - start, right - start) for left, right in places if left >= start and right <= stop
    ]
    return _as_one_line(passage, kept, cut=(start > 0, stop < len(body))), place


def section_at(page: IndexedPage, place: int) -> tuple[str, str]:
    """Return text and anchor of the last heading or definition with an anchor before a position.

    A heading is a line of its own, a definition begins a line.
    """
    body = f"\n{page.body}\n"
    headings = ((str(each.get("text") or ""), each.get("anchor")) for each in page.headings)
    terms = (
        (str(each.get("term") or ""), each.get("anchor"))
        for each in entries(page.content, "definitions")
    )
    _, text, anchor = max(
        _last_before(place, body, headings, "\n"), _last_before(place, body, terms, "")
    )
    return text, anchor


def _last_before(
    place: int, body: str, names: Iterable[tuple[str, Any]], end: str
) -> tuple[int, str, str]:
    """Return position, text and anchor of the last name that begins a line before a place."""
    found, position = (-1, "", ""), 0
    for text, anchor in names:
        at = body.find(f"\n{text}{end}", position) if text else -1
        if at > place:
            break
        if at >= 0:
            position = at + len(text)
            if anchor:
                found = (at, text, str(anchor))
    return found


def _passage_places(body: str, words: Sequence[str], language: str) -> list[tuple[int, int]]:
    """Return the matches in that part of a body which has the best passage."""
    best: list[tuple[int, int]] = []
    most = 0
    for start in range(0, min(len(body), MAX_SCANNED), PART_LENGTH):
        begin = _word_start(body, start)
        part = body[begin : start + PART_LENGTH + SNIPPET_LENGTH]
        places = matching_places(part, words, language)
        count = _densest(places)[1] if places else 0
        if count > most:
            best, most = [(left + begin, right + begin) for left, right in places], count
        if most >= len(words):
            break
    return best


def _densest(places: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the index of the match that starts the passage with most matches, and their number."""
    ends = [right for _, right in places]
    counts = [
        bisect_right(ends, left + SNIPPET_LENGTH * 3 // 4) - number
        for number, (left, _) in enumerate(places)
    ]
    most = max(counts)
    return counts.index(most), most


def _word_start(text: str, place: int) -> int:
    """Return the beginning of the next word, near a position."""
    blank = re.compile(r"\s").search(text, place, place + 30) if place else None
    return blank.end() if blank else place


def _word_end(text: str, place: int) -> int:
    """Return the end of the last word before a position."""
    if place >= len(text):
        return len(text)
    blank = max(text.rfind(" ", place - 30, place), text.rfind("\n", place - 30, place))
    return blank if blank > 0 else place


def _as_one_line(
    passage: str, places: Sequence[tuple[int, int]], cut: tuple[bool, bool]
) -> Snippet:
    """Return a snippet with white space collapsed to single blanks, and its marks moved along."""
    moved: list[int] = []  # the new position of each character
    signs: list[str] = ["… "] if cut[0] else []
    length = len(signs[0]) if signs else 0
    for sign in passage:
        moved.append(length)
        if sign.isspace():
            if length and signs[-1] != " " and not signs[-1].endswith(" "):
                signs.append(" ")
                length += 1
        else:
            signs.append(sign)
            length += 1
    moved.append(length)
    text = "".join(signs) + (" …" if cut[1] else "")
    return Snippet(text, tuple((moved[left], moved[right]) for left, right in places))
