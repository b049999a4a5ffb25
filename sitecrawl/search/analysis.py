"""Text analysis, applied to words both when they are indexed and when they are looked up.

It has two steps. This module separates Chinese, Japanese and Korean characters, so that each is a
word, and stems words by the page's language if Snowball knows it. Then FTS5's own tokenizer
(``tokenize`` in search_index.sql) folds case, removes diacritics and stems English. Any change of
this must change ``ANALYSIS_VERSION``: the index is then rebuilt.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sitecrawl.web.languages import primary_language

if TYPE_CHECKING:
    from Stemmer import Stemmer

ANALYSIS_VERSION = 3
WORD = re.compile(r"\w+")
PART = re.compile(r"[^\W_]+")
SIGNED = re.compile(
    r"(?<!\w)(?:--?|\.|_+)?\w+(?:[._:/-]+\w+)+|(?<!\w)(?:--|\.)\w+|(?<!\w)\w(?:\+\+|#)(?!\w)"
)
"""Names that their signs distinguish: ``asyncio.gather``, ``--no-ff``, ``.htaccess``, ``C++``."""
CAMEL = re.compile(r"[A-Z][a-z0-9]+|[A-Z]+(?![a-z])|\b[a-z0-9]+(?=[A-Z])")
CAMEL_NAME = re.compile(r"\b\w*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2})\w*")
NUMBERING = re.compile(
    r"^\W*(?:(?:chapter|appendix)\s+)?(?:\d+|[A-Z])(?:\.\d+)*\.\s+", re.IGNORECASE
)
SIGNS = str.maketrans({sign: chr(0xE000 + ord(sign)) for sign in "._:/-+#"})
"""Signs within a name become characters for private use, which FTS5 counts as letters."""
CJK_SIGNS = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
CJK = re.compile(f"[{CJK_SIGNS}]")
CJK_WORD = re.compile(f"[{CJK_SIGNS}]+")
SPACED_PART = re.compile(f"[^\\W_{CJK_SIGNS}]+")
ASCII = bytes(range(128))
CUTS_BEGINNINGS = frozenset({"ar", "ga", "hi", "id", "ne", "ta"})  # stemmers that change beginnings
_SNOWBALL = """
    ar=arabic ca=catalan cs=czech da=danish de=german el=greek eo=esperanto es=spanish
    et=estonian eu=basque fa=persian fi=finnish fr=french ga=irish hi=hindi hu=hungarian
    hy=armenian id=indonesian it=italian lt=lithuanian nb=norwegian ne=nepali nl=dutch
    nn=norwegian no=norwegian pl=polish pt=portuguese ro=romanian ru=russian sr=serbian
    sv=swedish ta=tamil tr=turkish yi=yiddish
"""
SNOWBALL = dict(each.split("=") for each in _SNOWBALL.split())
"""Snowball's name of the stemmer for each primary language; FTS5 itself stems English."""
MAX_NAMES = 2000  # of the headings of a page, and of its definitions
TITLE_PARTS = re.compile(r"\s+[—–|·»-]\s+|\s::\s")
EXTENSION = re.compile(r"\.\w+$")
NAME = re.compile(r"\w[\w.]*")


def analyze(text: str, language: str | None) -> str:
    """Prepare a text for FTS5: stem the words of languages other than English, and separate CJK.

    Names with signs or capitals within follow at the end, so that phrases are not interrupted.
    """
    extra = " ".join(sorted(set(whole_names(text))))
    return f"{_stemmed(text, language)} {extra}" if extra else _stemmed(text, language)


def whole_names(text: str) -> Iterator[str]:
    """Yield the names with signs, each as one word, and the parts of names in camel case."""
    for word in set(text.split()):
        bare = word.strip("(),;:!?\"'").rstrip(".")
        if bare.isalnum() and (bare[1:].islower() or bare.isupper() or bare.isdecimal()):
            continue  # most words
        for found in SIGNED.finditer(word):
            yield signed(found[0])
        for found in CAMEL_NAME.finditer(word):
            yield from CAMEL.findall(found[0])


def signed(name: str) -> str:
    """Return a name as one token, with its signs."""
    return name.lower().translate(SIGNS)


def _stemmed(text: str, language: str | None) -> str:
    stemmer = _stemmer(primary_language(language))
    if stemmer is not None:
        text = " ".join(stemmer.stemWords(WORD.findall(text.lower())))
    return text if text.isascii() else CJK.sub(r" \g<0> ", text)


def variants(word: str, languages: Iterable[str]) -> list[str]:
    """Return the forms that a query's word may have in an index of pages in these languages."""
    forms = dict.fromkeys([_stemmed(word, None)])
    forms.update(dict.fromkeys(_stemmed(word, language) for language in languages))
    return [form for form in forms if WORD.search(form)]


def matching_places(text: str, words: Collection[str], language: str) -> list[tuple[int, int]]:
    """Return the positions of the words in a text that match one of the query's words in the index.

    Chinese, Japanese and Korean words match by pairs of their characters.
    """
    wanted = {key for word in words for key in _keys(word, language) if not CJK.match(key)}
    lowered = text.lower()
    keeps = len(lowered) == len(text) and language not in CUTS_BEGINNINGS
    if not text.isascii():
        others = lowered.encode(errors="ignore").translate(None, ASCII).decode()
        for sign in _letters().keys() & set(others):
            lowered = lowered.replace(sign, _letters()[sign])
    begun = {
        key[:-1][:4] if len(key) > 2 else _folded(word)
        for word in words
        for key in _keys(word, language)
    }
    candidates = _begun_so(text, lowered, begun) if keeps else SPACED_PART.finditer(text)
    known: dict[str, bool] = {}
    found = []
    for each in candidates if wanted else ():
        word = each[0]
        if word not in known:
            known[word] = not wanted.isdisjoint(_keys(word, language))
        if known[word]:
            found.append(each.span())
    pairs = {
        run[start : start + 2]
        for word in words
        for run in CJK_WORD.findall(word)
        for start in range(max(1, len(run) - 1))
    }
    joined = _joined(text, pairs) if pairs and not text.isascii() else []
    return sorted({*found, *joined})


def _begun_so(text: str, lowered: str, beginnings: Collection[str]) -> Iterator[re.Match[str]]:
    """Yield the words of a text that begin so, of single letters those alone: they have no endings.

    Much quicker than a pattern for all words.
    """
    if letters := "".join(begun for begun in beginnings if len(begun) == 1):
        yield from re.finditer(rf"[{letters}{letters.upper()}](?![^\W_])(?<![^\W_].)", text)
    for begun in (each for each in beginnings if len(each) > 1):
        start = lowered.find(begun)
        while start >= 0:
            before = lowered[start - 1] if start else ""
            is_start = not before.isalnum() or CJK.match(before)
            if is_start and (word := SPACED_PART.match(text, start)):
                yield word
            start = lowered.find(begun, start + 1)


def _joined(text: str, pairs: Collection[str]) -> list[tuple[int, int]]:
    """Return the positions of pairs of characters, those that overlap as one."""
    found: list[tuple[int, int]] = []
    for each in re.finditer(f"(?=({'|'.join(map(re.escape, sorted(pairs)))}))", text):
        start, end = each.span(1)
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return found


def token(form: str) -> str:
    """Return the token that FTS5 makes of a word as analyzed; empty if it makes several."""
    tokens = PART.findall(form)
    return _porter().stemWord(_folded(tokens[0])) if len(tokens) == 1 else ""


@lru_cache(maxsize=50_000)
def _keys(word: str, language: str | None) -> tuple[str, ...]:
    """Return the tokens that FTS5 makes of a word of a page in a language."""
    tokens = PART.findall(_stemmed(word, language))
    return tuple(_porter().stemWord(_folded(each)) for each in tokens)


@lru_cache
def _letters() -> dict[str, str]:
    """Return the letters with diacritics of European scripts, each with the letter without."""
    letters = (chr(code) for code in (*range(0xC0, 0x530), *range(0x1E00, 0x2000)))
    folded = {letter: _folded(letter) for letter in letters if letter.isalpha()}
    return {letter: base for letter, base in folded.items() if len(base) == 1 and base != letter}


def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFD", word.lower())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


@lru_cache
def _porter() -> Stemmer:
    return _snowball("porter")


@lru_cache
def _stemmer(language: str) -> Stemmer | None:
    name = SNOWBALL.get(language)
    return _snowball(name) if name else None


def _snowball(name: str) -> Stemmer:
    from Stemmer import Stemmer  # noqa: PLC0415 - a crawl imports all commands, but needs no stemmer

    return Stemmer(name)


def edit_distance(first: str, second: str, most: int) -> int:
    """Return the number of edits between two words, transpositions included; above ``most`` any."""
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for number, sign in enumerate(first, 1):
        last, before, row = before, row, [number]
        for place, other in enumerate(second, 1):
            cost = min(row[-1] + 1, before[place] + 1, before[place - 1] + (sign != other))
            is_swapped = number > 1 and place > 1 and sign == second[place - 2]
            if is_swapped and first[number - 2] == other:
                cost = min(cost, last[place - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def bare_name(text: str) -> str:
    """Return a title, heading or term without its number and arguments."""
    return NUMBERING.sub("", text).partition("(")[0]


def name_key(text: str) -> str:
    """Return a title, heading or name as it is compared: bare, without case and accents."""
    return " ".join(_folded(bare_name(text)).split())


class Name(NamedTuple):
    """A name as it is compared, and the anchor that it leads to."""

    key: str
    anchor: str


def page_names(url: str, content: Mapping[str, Any]) -> set[Name]:
    """Return the names of a page; the parts of its title and its file's name count as titles."""
    title = str(content.get("title") or "")
    stem = unquote(urlsplit(url).path).rstrip("/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    found = {Name(name_key(part), "") for part in [title, stem, *TITLE_PARTS.split(title)]}
    for each in entries(content, "headings"):
        key = name_key(str(each.get("text") or ""))
        found.add(Name(key, str(each.get("anchor") or "")))
    for each in entries(content, "definitions"):
        term, anchor = str(each.get("term") or ""), str(each.get("anchor") or "")
        keys = qualified_names(term, anchor) or [name_key(term)]
        found.update(Name(key, anchor) for key in keys)
    return {name for name in found if name.key}


def url_words(url: str) -> list[str]:
    """Return the words of a URL's path, without its file's extension."""
    path = unquote(urlsplit(url).path)
    return PART.findall(EXTENSION.sub("", path))


def qualified_names(term: str, anchor: str) -> list[str]:
    """Return the name that an anchor spells out, and its last parts; none if it is only an id.

    ``class Parser(file)`` with the anchor ``lib.config.Parser`` is also ``config.Parser``.
    """
    whole = anchor.lower()
    words = NAME.findall(term.lower())
    if not any(whole == word or whole.endswith(f".{word}") for word in words):
        return []
    parts = whole.split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]


@lru_cache(maxsize=8)
def language_part(languages: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of a part of a URL that names one of the languages: ``de``, ``pt-BR``.

    URLs that are equal without it are translations of one page.
    """
    names = "|".join(map(re.escape, sorted(languages)))
    return re.compile(
        rf"(?<=[/.])({names})(?:[-_][a-z]{{2,4}})?(?=[/.]|$)", re.IGNORECASE | re.ASCII
    )


def entries(content: Mapping[str, Any], field: str) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of a list field, of which a project's pipeline may have made anything."""
    listed = content.get(field)
    for each in (listed if isinstance(listed, list) else [])[:MAX_NAMES]:
        if isinstance(each, Mapping):
            yield each
