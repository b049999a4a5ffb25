"""Parsing of queries as people type them, and their translation to FTS5.

A page must have all words; ``"several words"`` matches a phrase, ``-word`` excludes a word,
``begin*`` matches any ending. Everything else is read as words, so no query is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sitecrawl.search.analysis import WORD, matching_key, variants
from sitecrawl.search.search_index import SearchIndex

MAX_TERMS = 32
MAX_LANGUAGES = 8
COMMON = 0.5  # share of pages above which a word is left out if the query has rarer ones
TERM = re.compile(r'(?P<minus>(?<!\S)-)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of a query."""

    text: str
    excluded: bool = False
    prefix: bool = False

    @property
    def words(self) -> list[str]:
        """Words of the term."""
        return WORD.findall(self.text)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A query: its terms in their order."""

    terms: tuple[Term, ...]

    @property
    def wanted(self) -> list[Term]:
        """Terms that a page must have."""
        return [term for term in self.terms if not term.excluded]

    def words(self) -> list[str]:
        """Return the words to be marked in a result."""
        return [word for term in self.wanted for word in term.words]

    def match(self, index: SearchIndex, *, every: bool = True) -> str:
        """Return the FTS5 expression for pages with every term, or with any; empty without terms.

        Words on more than half of the pages are left out if the query has rarer ones.
        """
        languages = index.languages()[:MAX_LANGUAGES]
        wanted = [(term, _alternatives(term, languages)) for term in self.wanted]
        wanted = [each for each in wanted if each[1]]
        rare = [each for each in wanted if not _is_common(each[0], index)]
        parts = [each[1] for each in rare or wanted]
        if not parts:
            return ""
        excluded = [_alternatives(term, languages) for term in self.terms if term.excluded]
        matched = (" AND " if every else " OR ").join(parts)
        return " NOT ".join([f"({matched})", *filter(None, excluded)])


def parse_query(text: str) -> SearchQuery:
    """Read a query; the terms after the first ``MAX_TERMS`` are ignored."""
    terms = []
    for found in TERM.finditer(text):
        content = found["phrase"] if found["phrase"] is not None else found["word"]
        if WORD.search(content):
            prefix = found["phrase"] is None and content.endswith("*")
            terms.append(Term(content, bool(found["minus"]), prefix))
    return SearchQuery(tuple(terms[:MAX_TERMS]))


def _alternatives(term: Term, languages: Sequence[str]) -> str:
    """Return the forms of a term in the languages of the pages, as one expression."""
    if term.prefix:
        tokens = WORD.findall(term.text.lower())
        return f'("{" ".join(tokens)}"*)' if tokens else ""
    forms = [" ".join(WORD.findall(form)) for form in variants(term.text, languages)]
    quoted = [f'"{form}"' for form in dict.fromkeys(forms)]
    return f"({' OR '.join(quoted)})" if quoted else ""


def _is_common(term: Term, index: SearchIndex) -> bool:
    if len(term.words) != 1 or term.prefix:
        return False
    return index.document_frequency(matching_key(term.text)) > COMMON * index.count()
