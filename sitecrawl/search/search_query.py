"""Parsing of queries as people type them, and their translation to FTS5.

Pages with all words come first, those with some follow; ``"several words"`` matches a phrase,
``-word`` excludes a word, ``begin*`` matches any ending. Everything else is read as words, so no
query is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sitecrawl.search.analysis import (
    PART,
    WORD,
    edit_distance,
    matching_key,
    name_key,
    signed,
    variants,
    whole_names,
)
from sitecrawl.search.search_index import SearchIndex

MAX_TERMS = 32
MIN_PREFIX = 3  # letters of a last word that is completed
MIN_CORRECTED = 4  # letters of a word that is corrected
COMMON = 0.5  # share of pages above which a word is left out if the query has rarer ones
TERM = re.compile(r'(?P<minus>(?<!\S)-(?=["\w]{2}))?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of a query."""

    text: str
    excluded: bool = False
    prefix: bool = False
    is_phrase: bool = False

    @property
    def words(self) -> list[str]:
        """Words of the term."""
        return PART.findall(self.text)


@dataclass(frozen=True, slots=True)
class Expressions:
    """FTS5 expressions of a query: pages with every term, with any, and with its words in a row."""

    every: str
    some: str
    phrase: str


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A query: its terms in their order."""

    terms: tuple[Term, ...]

    @property
    def wanted(self) -> list[Term]:
        """Terms that a page should have."""
        return [term for term in self.terms if not term.excluded]

    @property
    def key(self) -> str:
        """The query as a name, to be compared with titles and headings."""
        return name_key(" ".join(term.text for term in self.wanted))

    def words(self) -> list[str]:
        """Return the words to be marked in a result."""
        return [word for term in self.wanted for word in term.words]

    def expressions(self, index: SearchIndex) -> Expressions | None:
        """Return the expressions for the index; None without terms.

        Words on more than half of the pages are left out if the query has rarer ones.
        """
        languages = index.languages()
        wanted = self.wanted
        wanted = [term for term in wanted if not _is_common(term, index)] or wanted
        each = [(_every(term, languages), _some(term, languages)) for term in wanted]
        each = [pair for pair in each if pair[0]]
        if not each:
            return None
        excluded = [_every(term, languages) for term in self.terms if term.excluded]

        def less(matched: str) -> str:
            return " NOT ".join([f"({matched})", *filter(None, excluded)])

        parts = [part for term in self.wanted for part in term.words]
        phrase = less(f'"{" ".join(parts)}"') if len(parts) > 1 else ""
        every = " AND ".join(one for one, _ in each)
        return Expressions(less(every), less(" OR ".join(some for _, some in each)), phrase)

    def corrected(self, index: SearchIndex) -> SearchQuery:
        """Complete or correct the words that no page has; the same query if there are none.

        The last word may be the beginning of one; others are replaced by the most similar word of
        the index.
        """
        last = self.wanted[-1] if self.wanted else None
        return SearchQuery(tuple(_mended(term, index, is_last=term is last) for term in self.terms))

    def text(self) -> str:
        """Return the query as typed."""
        signs = ("-" * term.excluded for term in self.terms)
        texts = (f'"{term.text}"' if term.is_phrase else term.text for term in self.terms)
        return " ".join(sign + text for sign, text in zip(signs, texts, strict=True))


def parse_query(text: str) -> SearchQuery:
    """Read a query; the terms after the first ``MAX_TERMS`` are ignored."""
    terms = []
    for found in TERM.finditer(text):
        is_phrase = found["phrase"] is not None
        content = found["phrase"] if is_phrase else found["word"]
        if PART.search(content):
            prefix = not is_phrase and content.endswith("*")
            terms.append(Term(content.rstrip("*"), bool(found["minus"]), prefix, is_phrase))
    return SearchQuery(tuple(terms[:MAX_TERMS]))


def _forms(word: str, languages: Sequence[str]) -> str:
    """Return the forms of a word in the languages of the pages, as one expression."""
    forms = (" ".join(WORD.findall(form)) for form in variants(word, languages))
    return " OR ".join(f'"{form}"' for form in dict.fromkeys(forms))


def _every(term: Term, languages: Sequence[str]) -> str:
    """Return the expression for a term as a whole: its name, its phrase, or all of its parts."""
    if term.is_phrase:
        return f"({_forms(term.text, languages)})"
    parts = _parts(term, languages)
    both = f"({' AND '.join(parts)})"
    names = {name for name in whole_names(term.text) if not name.isascii()}
    wholes = [f'"{name}"' for name in sorted(names)]
    if term.prefix and not signed(term.text).isascii():
        wholes = [f'"{signed(term.text)}"*']
    return f"({' OR '.join([*wholes, both])})"


def _parts(term: Term, languages: Sequence[str]) -> list[str]:
    """Return the expression for each word of a term; the last is open if the term is a prefix."""
    parts = [f"({_forms(word, languages)})" for word in term.words]
    return [*parts[:-1], f'("{term.words[-1].lower()}"*)'] if term.prefix else parts


def _some(term: Term, languages: Sequence[str]) -> str:
    """Return the expression for any part of a term."""
    if term.is_phrase or len(term.words) < 2:
        return _every(term, languages)
    parts = _parts(term, languages)
    return f"({' OR '.join([_every(term, languages), *parts])})"


def _mended(term: Term, index: SearchIndex, *, is_last: bool) -> Term:
    """Complete or correct the words of a term that no page has."""
    if term.excluded or term.prefix or term.is_phrase:
        return term
    text = term.text
    if is_last and _is_begun_name(text, index):
        return Term(text, prefix=True)
    languages = index.languages()
    unknown = [word for word in term.words if not index.occurs(_forms(word, languages))]
    for word in unknown:
        is_end = is_last and text.endswith(word) and len(word) >= MIN_PREFIX
        if is_end and index.occurs(f'"{word.lower()}"*'):
            return Term(text, prefix=True)
        text = text.replace(word, _nearest(word, index), 1)
    return Term(text)


def _is_begun_name(text: str, index: SearchIndex) -> bool:
    """Return True if a text with signs is no name in the index, but the beginning of one."""
    name = signed(text)
    return not name.isascii() and not index.occurs(f'"{name}"') and index.occurs(f'"{name}"*')


def _nearest(word: str, index: SearchIndex) -> str:
    """Return the most similar word of the index, the more frequent of equals; else the word."""
    if len(word) < MIN_CORRECTED:
        return word
    wanted, most = word.lower(), 1 if len(word) < 8 else 2
    scored = [
        (edit_distance(wanted, found, most), -count, found)
        for found, count in index.similar_words(wanted)
    ]
    best = min((each for each in scored if each[0] <= most), default=None)
    return best[2] if best else word


def _is_common(term: Term, index: SearchIndex) -> bool:
    if len(term.words) != 1 or term.prefix:
        return False
    return index.document_frequency(matching_key(term.text)) > COMMON * index.count()
