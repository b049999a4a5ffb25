"""Search of an index: hits with the best section of each page and a snippet with marked words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sitecrawl.policy.documents.model_use import permits_models
from sitecrawl.search.analysis import matching_words
from sitecrawl.search.names import entries, translation_key
from sitecrawl.search.search_index import IndexedPage, SearchIndex
from sitecrawl.search.search_query import MIN_PREFIX, Expressions, SearchQuery, parse_query
from sitecrawl.web.languages import primary_language
from sitecrawl.web.urls.url import with_fragment

SNIPPET_LENGTH = 220  # characters
MAX_SCANNED = 200_000  # characters of a body searched for a snippet
PART_LENGTH = 10_000  # characters that are searched at once
MAX_PLACES = 2000  # matches considered for one snippet
DEPTH = 1_100  # pages that are ranked; browsers may ask for the first 1,050
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
    limit: int = 10,
    offset: int = 0,
) -> SearchResults:
    """Search the index for a query as typed by a person; see ``parse_query``."""
    typed = parse_query(text)
    query = typed.corrected(index)
    conditions = (filters or SearchFilters()).conditions()
    expressions = query.expressions(index)
    if expressions is None:
        return SearchResults(0, ())
    total = index.total(expressions.some, conditions)
    any_word = bool(total) and len(query.wanted) > 1
    any_word = any_word and not index.total(expressions.every, conditions)
    found = _ranked(index, query, expressions, conditions)
    ranked = _without_translations(index, found)
    hits = tuple(
        _hit(index.page(number), query, score, anchor)
        for number, score, anchor in ranked[offset : offset + limit]
    )
    correction = query.text() if query != typed else ""
    return SearchResults(total - len(found) + len(ranked), hits, any_word, correction)


def _without_translations(
    index: SearchIndex, ranked: Sequence[tuple[int, float, str]]
) -> list[tuple[int, float, str]]:
    """Keep the best of the translations of each page."""
    languages = frozenset(index.languages())
    urls = index.urls([number for number, _, _ in ranked]) if len(languages) > 1 else {}
    found: dict[int | str, tuple[int, float, str]] = {}
    for each in ranked:
        url = urls.get(each[0])
        found.setdefault(translation_key(url, languages) if url else each[0], each)
    return list(found.values())


def _ranked(
    index: SearchIndex, query: SearchQuery, expressions: Expressions, conditions: dict[str, str]
) -> list[tuple[int, float, str]]:
    """Return number, points and anchor of the best pages, best first.

    BM25 of any words; more for all words, for a phrase, and for a name equal to the query or
    begun by it.
    """
    points = {
        number: -score for number, score in index.ranked(expressions.some, conditions, DEPTH, 0)
    }
    for match, factor in ((expressions.every, ALL_WORDS), (expressions.phrase, IN_A_ROW)):
        found = index.ranked(match, conditions, DEPTH, 0) if match else []
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
    return [(number, points[number], anchors.get(number, "")) for number in best]


def _hit(page: IndexedPage, query: SearchQuery, score: float, named: str) -> SearchHit:
    snippet, place = best_snippet(page.body, query.words(), page.language)
    if not snippet.marks and page.content.get("description"):
        snippet, _ = best_snippet(str(page.content["description"]), query.words(), page.language)
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


def _places(text: str, forms: set[str]) -> list[tuple[int, int]]:
    if not forms:
        return []
    longest_first = sorted(forms, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    found: list[tuple[int, int]] = []
    for match in pattern.finditer(text):
        if _is_whole(text, match.start(), match.end()):
            found.append(match.span())
            if len(found) == MAX_PLACES:
                break
    return found


def _is_whole(text: str, start: int, stop: int) -> bool:
    """Return True if a match is a whole word; CJK has no word boundaries."""
    before = start > 0 and text[start - 1].isascii() and text[start - 1].isalnum()
    after = stop < len(text) and text[stop].isascii() and text[stop].isalnum()
    inside = text[start].isascii() or text[stop - 1].isascii()
    return not (inside and (before or after))


def _passage_places(body: str, words: Sequence[str], language: str) -> list[tuple[int, int]]:
    """Return the matches in that part of a body which has the best passage."""
    best: list[tuple[int, int]] = []
    most = 0
    for start in range(0, min(len(body), MAX_SCANNED), PART_LENGTH):
        begin = _word_start(body, start)
        part = body[begin : start + PART_LENGTH + SNIPPET_LENGTH]
        places = _places(part, matching_words(part, words, language))
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
