"""Parsing of queries as people type them, and their translation to FTS5.

Pages with all words come first, those with some follow; ``"several words"`` matches a phrase,
``-word`` excludes a word, ``begin*`` matches any ending. Everything else is read as words, so no
query is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from sitecrawl.search.analysis import (
    PART,
    WORD,
    edit_distance,
    name_key,
    signed,
    token,
    variants,
    whole_names,
)
from sitecrawl.search.search_index import SearchIndex

MAX_WORDS = 32  # of a query; those that follow are ignored
MIN_PREFIX = 3  # letters of a last word that is completed
MIN_CORRECTED = 4  # letters of a word that is corrected
COMMON, MANY = 0.5, 30_000  # share and number of pages from which a word gives way to rarer ones
MAX_PAGES = 20_000  # pages with a word, above which it counts only for pages with all words
MAX_PHRASE = 8  # words that are searched for in a row
MOST_TERMS = 6  # of a query, the rarest; and parts of a name
MOST_OPEN = 2  # words of a query of which any ending counts: each is a search for many words
MOST_MENDED = 4  # words of a query for which similar ones are looked up
MAX_MARKED = 5  # words that are marked, the rarest
NEAR_WORDS = 6  # suggested when nothing is found
RARE = 10  # a form of a word that so many times more pages have in another form is left out
NAME = re.compile(r"[\w._:/+#-]+")  # one token of FTS5, with its signs
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
        """Words of the term, each once."""
        return list(dict.fromkeys(reversed(PART.findall(self.text))))[::-1]


@dataclass(frozen=True, slots=True)
class Expressions:
    """FTS5 expressions of a query: pages with every term, with any, with its words in a row, and
    those that it excludes.

    ``words`` are those to be marked in a result.
    """

    every: str
    some: str
    phrase: str
    excluded: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A query: its terms in their order."""

    terms: tuple[Term, ...]

    @property
    def wanted(self) -> list[Term]:
        """Terms that a page should have."""
        return [term for term in self.terms if not term.excluded]

    @property
    def unwanted(self) -> tuple[str, ...]:
        """The words by which pages are left out."""
        return tuple(term.text for term in self.terms if term.excluded)

    @property
    def key(self) -> str:
        """The query as a name, to be compared with titles and headings."""
        return name_key(" ".join(term.text for term in self.wanted))

    def expressions(self, index: SearchIndex, language: str = "") -> Expressions | None:
        """Return the expressions for the pages in a language, or all; None without terms.

        Words on most pages are left out if the query has rarer ones; those on very many pages
        count only for pages with all words.
        """
        forms = WordForms(index, [language] if language else index.languages())
        wanted = forms.rarer(self.wanted)
        if not wanted:
            return None
        most = max(MAX_PAGES, min(map(forms.frequency, wanted)))
        rarer = [term for term in wanted if forms.frequency(term) <= most]
        unwanted = [term for term in self.terms if term.excluded][:MOST_TERMS]
        excluded = [_every(term, forms) for term in unwanted]

        def less(matched: str) -> str:
            return " NOT ".join([f"({matched})", *excluded])

        parts = [part for term in self.wanted for part in PART.findall(term.text)][:MAX_PHRASE]
        is_one = len(wanted) == 1 and wanted[0].is_phrase
        marked = list(dict.fromkeys(word for term in wanted for word in term.words))
        longer = [word for word in marked if len(word) > 1 or not word.isascii()] or marked
        return Expressions(
            every=less(" AND ".join(_every(term, forms) for term in wanted)),
            some=less(" OR ".join(_some(term, forms, most) for term in rarer)),
            phrase=less(f'"{" ".join(parts)}"') if len(parts) > 1 and not is_one else "",
            excluded=" OR ".join(excluded),
            words=tuple(sorted(longer, key=forms.rarity)[:MAX_MARKED]),
        )

    def with_names(self, index: SearchIndex) -> SearchQuery:
        """Read ``-word`` as a name where the index has it as one, or if no word is wanted.

        Many programs have options with a single dash: ``java -classpath``.
        """
        return SearchQuery(
            tuple(
                Term(f"-{term.text}", is_phrase=term.is_phrase)
                if term.excluded and (not self.wanted or _is_name(f"-{term.text}", index))
                else term
                for term in self.terms
            )
        )

    def corrected(self, index: SearchIndex) -> SearchQuery:
        """Complete or correct the words that no page has; the same query if there are none.

        The last word may be the beginning of one; others are replaced by the most similar word of
        titles, headings and definitions, else of texts. Many unknown words stay as they are.
        """
        forms = WordForms(index, index.languages())
        words = {word for term in self.wanted for word in term.words}
        if sum(not forms.is_known(word) for word in words) > MOST_MENDED:
            return self
        last = self.wanted[-1] if self.wanted else None
        return SearchQuery(tuple(_mended(term, forms, is_last=term is last) for term in self.terms))

    def near_words(self, index: SearchIndex) -> list[str]:
        """Return words of titles and headings that resemble those of the query, nearest first."""
        words = [part.lower() for term in self.wanted for part in term.words]
        words = [word for word in words if len(word) >= MIN_CORRECTED]
        scored = {
            (edit_distance(word, found, len(word) // 2), -count, found)
            for word in words[:MOST_MENDED]
            for found, count in index.similar_names(word)
        }
        near = [found for edits, _, found in sorted(scored) if edits <= len(found) // 2]
        return list(dict.fromkeys(near))[:NEAR_WORDS]

    def text(self) -> str:
        """Return the query as typed."""
        signs = ("-" * term.excluded for term in self.terms)
        texts = (f'"{term.text}"' if term.is_phrase else term.text for term in self.terms)
        return " ".join(sign + text for sign, text in zip(signs, texts, strict=True))


def parse_query(text: str) -> SearchQuery:
    """Read a query; the words after the first ``MAX_WORDS`` are ignored."""
    terms = []
    for found in TERM.finditer(_first_words(text, MAX_WORDS)):
        is_phrase = found["phrase"] is not None
        content = _first_words(found["phrase"], MAX_PHRASE) if is_phrase else found["word"]
        if PART.search(content):
            begun = PART.findall(content)[-1]
            is_long = len(begun) > MIN_PREFIX or not begun.isascii()  # others begin most words
            prefix = not is_phrase and content.endswith("*") and is_long
            terms.append(Term(content.rstrip("*"), bool(found["minus"]), prefix, is_phrase))
    return SearchQuery(tuple(terms))


def _first_words(text: str, count: int) -> str:
    ends = [found.end() for found in islice(PART.finditer(text), count + 1)]
    return text[: ends[count - 1]] if len(ends) > count else text


class WordForms:
    """The forms that the words of a query have in an index, by the languages of its pages."""

    def __init__(self, index: SearchIndex, languages: Sequence[str]) -> None:
        self.index = index
        self.most = min(MANY, int(COMMON * index.count()))
        self._languages = languages
        self._found: dict[str, dict[str, int]] = {}

    def pages(self, word: str) -> dict[str, int]:
        """Return the forms of a word that occur, each with its number of pages.

        A stem in one language that is rare beside that in another is left out: its rarity would
        rank its few pages first.
        """
        if word not in self._found:
            counts = {
                form: self.index.document_frequency(f'"{form}"', self.most + 1)
                for form in self._forms(word)
            }
            least = max(counts.values(), default=0) / RARE
            self._found[word] = {
                form: count for form, count in counts.items() if count and count >= least
            }
        return self._found[word]

    def is_known(self, word: str) -> bool:
        """Return True if pages have a word, or its stem in a language of at least as many pages: a
        stem on more is another language's word, as French makes ``from`` of ``fromat``.
        """
        plain = set(map(token, variants(word, ())))
        for form, count in self.pages(word).items():
            makers = [name for name in self._languages if form in variants(word, [name])]
            if token(form) in plain or count <= sum(map(self.index.count, makers)):
                return True
        return False

    def expression(self, word: str) -> str:
        """Return the forms of a word or phrase as one expression; a single form is not counted."""
        forms = self._forms(word)
        forms = forms if len(forms) == 1 else list(self.pages(word)) or [word.lower()]
        return " OR ".join(f'"{form}"' for form in forms)

    def _forms(self, text: str) -> list[str]:
        forms = [WORD.findall(form) for form in variants(text, self._languages)]
        found = {tuple(token(word) or word for word in form): form for form in reversed(forms)}
        return list(map(" ".join, found.values()))

    def frequency(self, term: Term) -> int:
        """Return the number of pages with a word, of a phrase with its rarest; 1 for other terms."""
        if term.prefix or (len(term.words) > 1 and not term.is_phrase):
            return 1
        return min(max(self.pages(word).values(), default=0) for word in term.words)

    def rarity(self, word: str) -> tuple[int, int]:
        """Return the key that sorts words: rarer ones first, of equals the longer."""
        return self.frequency(Term(word)), -len(word)

    def rarer(self, terms: Sequence[Term]) -> list[Term]:
        """Return the rarest terms that are not common, and the rarest phrase of common words; if no
        page has one of the former, also the rarest of the common words.
        """
        left_out = [term for term in terms if term.prefix][MOST_OPEN:]
        rarer = [t for t in terms if self.frequency(t) <= self.most and t not in left_out]
        rarer = sorted(rarer, key=lambda term: self.frequency(term) or MANY)[:MOST_TERMS]
        common = [term for term in terms if self.frequency(term) > self.most]
        if any(map(self.frequency, rarer)):
            common = [term for term in common if term.is_phrase]
        common.sort(key=lambda term: (self.frequency(term), -len(term.text)))
        return [*rarer, *common[:1]]


def _every(term: Term, forms: WordForms) -> str:
    if term.is_phrase:
        return f"({forms.expression(term.text)})"
    both = f"({' AND '.join(part for _, part in _parts(term, forms))})"
    return f"({' OR '.join([*_wholes(term), both])})"


def _wholes(term: Term) -> list[str]:
    if term.prefix and not signed(term.text).isascii():
        return [f'"{signed(term.text)}"*']
    names = {name for name in whole_names(term.text) if not name.isascii()}
    return [f'"{name}"' for name in sorted(names)]


def _parts(term: Term, forms: WordForms) -> list[tuple[int, str]]:
    """Return number of pages and expression of each word of a term, but of those on most pages if
    it has rarer ones; the last is open if the term is a prefix.
    """
    words = [Term(word) for word in term.words]
    words = words if term.prefix else forms.rarer(words)
    parts = [(forms.frequency(word), f"({forms.expression(word.text)})") for word in words]
    if not term.prefix:
        return parts
    end = term.words[-1].lower()
    if len(end) < MIN_PREFIX and end.isascii():
        return parts[:-1] or parts
    return [*parts[:-1], (0, f'("{end}"*)')]


def _some(term: Term, forms: WordForms, most: float) -> str:
    """Return the expression for any part of a term on ``most`` pages at most, else the rarest."""
    if term.is_phrase or len(term.words) < 2:
        return _every(term, forms)
    parts = _parts(term, forms)
    most = max(most, min(parts)[0])
    some = [part for count, part in parts if count <= most]
    return f"({' OR '.join([*_wholes(term), *some])})"


def _mended(term: Term, forms: WordForms, *, is_last: bool) -> Term:
    """Complete or correct the words of a term that no page has."""
    if term.excluded or term.prefix or term.is_phrase:
        return term
    text, index = term.text, forms.index
    if is_last and _is_begun_name(text, index):
        return Term(text, prefix=True)
    for word in (each for each in term.words if not forms.is_known(each)):
        is_none = not forms.pages(word)
        is_end = is_none and is_last and text.endswith(word) and len(word) >= MIN_PREFIX
        if is_end and index.occurs(f'"{word.lower()}"*'):
            return Term(text, prefix=True)
        near = _nearest(word, index.similar_names)
        if is_none and not near:
            near = _finished(word, forms) if is_end else ""
            near = near or _nearest(word, index.similar_tokens)
        text = text.replace(word, near or word, 1)
    return Term(text)


def _is_name(text: str, index: SearchIndex) -> bool:
    return index.occurs(f'"{signed(text)}"') or bool(index.named(name_key(text)))


def _is_begun_name(text: str, index: SearchIndex) -> bool:
    name = signed(text) if NAME.fullmatch(text) else ""
    return not name.isascii() and not index.occurs(f'"{name}"') and index.occurs(f'"{name}"*')


def _finished(word: str, forms: WordForms) -> str:
    """Return the word that begins an unfinished one, up to three letters shorter; empty if none does."""
    begun = (word[:end] for end in range(len(word) - 1, max(MIN_PREFIX, len(word) - 4), -1))
    return next((each for each in begun if forms.pages(each)), "")


def _nearest(word: str, similar: Callable[[str], list[tuple[str, int]]]) -> str:
    if len(word) < MIN_CORRECTED:
        return ""
    wanted, most = word.lower(), 1 if len(word) < 8 else 2
    scored = [
        (edit_distance(wanted, found, most), -count, found) for found, count in similar(wanted)
    ]
    best = min((each for each in scored if each[0] <= most), default=None)
    return best[2] if best else ""
