"""Titles, names of sites, descriptions and keywords, cut between words as each language requires."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sitecrawl.web.languages import primary_language
from sitecrawl.web.urls.url import split

if TYPE_CHECKING:
    from sitecrawl.policy.documents.document_options import DocumentOptions
    from sitecrawl.web.html.page import Page

ELLIPSIS = "..."
_SPACES = re.compile(r"\s+")
_ANYWHERE = re.compile(r"")
# Patterns of word breaks for languages without spaces; add to a copy to extend.
WORD_BREAKS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    dict.fromkeys(("zh", "ja", "th", "lo", "km", "my"), _ANYWHERE)
)
SITE_NAME_METAS = ("og:site_name", "application-name", "apple-mobile-web-app-title")
TITLE_METAS = ("og:title", "dc.title", "dcterms.title", "twitter:title")
SUBDOMAINS = frozenset(
    {"blog", "blogs", "docs", "forum", "help", "news", "shop", "store", "support", "wiki"}
)
MAX_TITLE = 1_000  # characters; longer titles are not split
MAX_PARTS = 20
MAX_HEADINGS = 50  # headings of a page that are compared with its title
# Separators of title and site name: a sign between spaces, or one that no word contains.
_SIGNS = r"|\-–—―‒·•∙»«›‹~/<>→←⋆★♥*"
_SEPARATOR = re.compile(rf"\s+[{_SIGNS}]+\s+|\s*[|»«│｜]+\s*|\s*::+\s*")
# These and further separators, for a name that is known.
_NAME_SEPARATOR = re.compile(
    rf"\s+[{_SIGNS}]+\s+|\s*[|»«│｜_]+\s*|\s*:+\s+|\s*::+\s*|\s*[–—]\s*|\s+-\s*|\s*-\s+"
)
_NOT_LETTERS = re.compile(r"[\W_]+")


def is_spaceless(language: str) -> bool:
    """Return True for a language without spaces between words."""
    return primary_language(language) in WORD_BREAKS


_WORD = 30  # characters; a range of this length nearly always has a place to cut
_TRAILING = " \t\n,;:.-–—(/"


def cut_at_word(
    text: str, limit: int, language: str = "", breaks: Mapping[str, re.Pattern[str]] = WORD_BREAKS
) -> str:
    """Truncate ``text`` to at most ``limit`` characters; dots at the end mark missing words.

    ``breaks`` has the pattern of places to cut by language (the first subtag); the default is white
    space. A single word longer than the limit is cut within. 0 is no limit.
    """
    if not limit or len(text) <= limit:
        return text
    room = max(0, limit - len(ELLIPSIS))
    pattern = breaks.get(primary_language(language), _SPACES)
    end = _last(pattern, text, max(0, room - _WORD), room) or _last(pattern, text, 0, room) or room
    return text[:end].rstrip(_TRAILING) + ELLIPSIS


def _last(pattern: re.Pattern[str], text: str, after: int, until: int) -> int:
    """Return the last position in a range at which to cut, 0 if there is none."""
    matches = pattern.finditer(text, after, until + 1)
    return max((match.start() for match in matches if after < match.start() <= until), default=0)


MAX_CHARACTERS = 20_000
SENTENCES = 3
MIN_WORDS, MAX_WORDS = 5, 40
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n")
_ENDS = (".", "!", "?", "。", "！", "？")
_SUMMARY_WORD = re.compile(r"\w{4,}")


def summary(text: str) -> str:
    """Return up to three sentences of a text, in order.

    A sentence's score is the mean frequency in the text of its words of four letters and more;
    sentences of fewer than 5 or more than 40 words do not count.
    """
    text = text[:MAX_CHARACTERS]
    frequency = Counter(word.lower() for word in _SUMMARY_WORD.findall(text))
    scored = [
        (_score(sentence, frequency), -number, sentence)
        for number, sentence in enumerate(_SENTENCE_END.split(text))
        if sentence.endswith(_ENDS) and MIN_WORDS <= len(sentence.split()) <= MAX_WORDS
    ]
    best = sorted(scored, reverse=True)[:SENTENCES]
    return " ".join(sentence for _, _, sentence in sorted(best, key=lambda one: -one[1]))


def _score(sentence: str, frequency: Counter[str]) -> float:
    words = _SUMMARY_WORD.findall(sentence.lower())
    return sum(frequency[word] for word in words) / len(words) if words else 0.0


METAS = ("keywords", "news_keywords", "article:tag", "dc.subject", "dcterms.subject")
KEYWORDS_LENGTH = 256  # characters, of all keywords of a page together
MAX_KEYWORDS = 10_000  # no author writes a hundred; 1.2 million of 10 MB took 270 MB and 2 s
MAX_KEYWORD_TEXT = 500_000  # characters of one list
_COMMA = re.compile(r"[,;،、，；]")


def document_keywords(page: Page) -> tuple[list[str], dict[str, int]]:
    """Return the keywords of a page without duplicates, and the counts of repeated ones.

    At most ``MAX_KEYWORDS`` of a page are examined.
    """
    texts = [(name, text) for name in METAS for text in page.metas.get(name, ())]
    texts += [("", text) for text in page.json_ld.get("keywords", ())]
    words = (word for name, text in texts for word in _split(name, text[:MAX_KEYWORD_TEXT]))
    found = list(islice(words, MAX_KEYWORDS))
    if not found:
        return [], {}
    counts = Counter(word.casefold() for word in found)
    unique = {word.casefold(): word for word in reversed(found)}
    ordered = [unique[key] for key in counts]
    repeats = {unique[key]: count for key, count in counts.items() if count > 1}
    return _within(ordered), repeats


def _split(name: str, text: str) -> list[str]:
    """Split at commas; without any, ``keywords`` into words, while other metas are one phrase."""
    phrases = _COMMA.split(text)
    if len(phrases) == 1 and name == "keywords":
        phrases = text.split()
    return [" ".join(phrase.split()) for phrase in phrases if phrase.strip()]


def _within(words: list[str]) -> list[str]:
    """Return the first words that fit into the limit; separators count as two characters."""
    ends = accumulate(len(word) + 2 for word in words)
    return [word for word, end in zip(words, ends, strict=True) if end <= KEYWORDS_LENGTH + 2]


DESCRIPTION_METAS = {
    "meta": ("description",),
    "dublin_core": ("dcterms.description", "dc.description", "dcterms.abstract"),
    "opengraph": ("og:description", "twitter:description"),
}
TEXT_SOURCES = frozenset({"heading", "top", "summary"})
"""Sources of a description that are the page's own text."""
SOURCES = frozenset({*DESCRIPTION_METAS, "json_ld", *TEXT_SOURCES})
DESCRIPTION_LENGTH = 384  # characters, of a description that the page gives
EXTRACT_LENGTH = 150  # of one taken from the text
_TOP = 2_000  # characters of text that an extract may be taken from, white space included


def document_description(page: Page, options: DocumentOptions) -> tuple[str, str]:
    """Return the first description in the order of the options, and its source's name.

    A page that asks for no snippet has none.
    """
    if page.directives.nosnippet:
        return "", ""
    for source in options.description_order:
        written = source in DESCRIPTION_METAS or source == "json_ld"
        limit = DESCRIPTION_LENGTH if written else EXTRACT_LENGTH
        text = description_from(source, page, limit)
        if text:
            return cut_at_word(text, limit, page.language), source
    return "", ""


def description_from(source: str, page: Page, limit: int) -> str:
    """Return the description from one source, uncut; from text, enough to cut at ``limit``.

    Advertisements are left out: with them, the description would change at each visit.
    """
    if source in DESCRIPTION_METAS:
        return next(
            (page.metas[name][0] for name in DESCRIPTION_METAS[source] if name in page.metas), ""
        )
    if source == "json_ld":
        return next(iter(page.json_ld.get("description", ())), "")
    text = page.stable_text or page.text
    if source == "heading":
        return _line(text, page.heading_at, limit) if page.heading_at >= 0 else ""
    return summary(text) if source == "summary" else _line(text, 0, limit)


def _line(text: str, start: int, limit: int) -> str:
    """Return the text from ``start`` in one line, longer than ``limit`` if possible."""
    line = " ".join(text[start : start + min(2 * limit, _TOP)].split())
    return line if len(line) > limit else " ".join(text[start : start + _TOP].split())


_EXTENSION = re.compile(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{0,4}$")
_SEPARATORS = re.compile(r"[-_+\s]+")
_TITLES_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def document_title(page: Page, options: DocumentOptions) -> str:
    """Return the first title in the order of the options that is not empty."""
    by = "site_name" in options.title_repairs
    found = (title_from(source, page, without_site_name=by) for source in options.title_order)
    title = next((title for title in found if title), "") or title_from_url(page.url)
    if "capitals" in options.title_repairs:
        title = recased(title)
    return cut_at_word(title, options.title_length, page.language)


def title_from(source: str, page: Page, *, without_site_name: bool = False) -> str:
    """Return the title from ``title``, ``json_ld``, ``heading``, ``url`` or a meta of that name."""
    if source == "title":
        return own_title(page) if without_site_name else page.title
    if source == "heading":
        return page.headings[0].text if page.headings else ""
    if source == "url":
        return title_from_url(page.url)
    if source == "json_ld":
        return next(iter(page.json_ld.get("headline", page.json_ld.get("name", ()))), "")
    return next(iter(page.metas.get(source.lower(), ())), "")


def title_from_url(url: str) -> str:
    """Return the last segment of a URL's path as words; the host if there is none."""
    parts = split(url)
    segment = parts.path.rstrip("/").rpartition("/")[2]
    text = _EXTENSION.sub("", unquote(segment, errors="replace"))
    return _SEPARATORS.sub(" ", text).strip() or parts.host


def recased(title: str) -> str:
    """Capitalize each word of a title that is all in capitals; return any other as it is."""
    if not title.isupper() or len(_TITLES_WORD.findall(title)) < 2:
        return title
    return _TITLES_WORD.sub(lambda word: word[0].capitalize(), title)


@lru_cache(maxsize=1_024)  # headings are compared with titles several times for each page
def comparable(text: str) -> str:
    """Return a name or title in the form for comparison: letters and digits, case-folded."""
    return _NOT_LETTERS.sub("", text[:MAX_TITLE]).casefold()


def site_name(page: Page) -> str:
    """Return the name of the site as stated by a page."""
    metas = (page.metas[name][0] for name in SITE_NAME_METAS if name in page.metas)
    texts = (*metas, *page.json_ld.get("WebSite", ()))
    return next((name for name in texts if name and "://" not in name), "")


def named_site(page: Page) -> str:
    """Return the name of the site as stated by a page, else the end of its title that names its
    host."""
    stated = site_name(page)
    matches = () if stated or len(page.title) > MAX_TITLE else _matches(_SEPARATOR, page.title)
    if not matches:
        return stated
    end = page.title[matches[-1].end() :].strip()
    key = comparable(end)
    return end if key in host_names(page.url) and key not in SUBDOMAINS else ""


def host_names(url: str) -> frozenset[str]:
    """Return the host of a URL and its parts, in the form for comparison with titles."""
    return _names_of_host(split(url).host)


@lru_cache(maxsize=1_024)  # several times for each page
def _names_of_host(host: str) -> frozenset[str]:
    labels = host.removeprefix("www.").split(".")
    if len(labels) < 2 or len(labels) > MAX_PARTS or labels[-1].isdigit():
        return frozenset()
    names = [".".join(labels[first:]) for first in range(len(labels) - 1)]
    names += [".".join(labels[first:-1]) for first in range(len(labels) - 1)] + labels[:-1]
    return frozenset(map(comparable, names)) - {""}


def alternative_titles(page: Page) -> tuple[list[str], list[str]]:
    """Return the other titles of a page: those of its metadata, and its first headings."""
    metas = (page.metas[name][0] for name in TITLE_METAS if name in page.metas)
    headings = [heading.text for heading in page.headings[:MAX_HEADINGS]]
    return [*metas, *page.json_ld.get("headline", ())[:1]], headings


def own_title(page: Page) -> str:
    """Return the title without the name of the site; empty only if the title element is.

    A beginning that occurs elsewhere on the page is the title, or an end that its metadata has:
    a heading at the end of a title is as often the site's name. Else the name of the site, as
    stated by the page or its host, is removed from either end.
    """
    title = page.title
    matches = _matches(_NAME_SEPARATOR, title) if len(title) <= MAX_TITLE else []
    if not matches:
        return title
    names = frozenset({comparable(site_name(page))}) | host_names(page.url)
    given, headings = alternative_titles(page)
    others = names | {"", comparable(title)}
    return (
        _first_found(_starts(title, matches), given, others)
        or _first_found((title[match.end() :].strip() for match in matches), given, others)
        or _first_found(_starts(title, _matches(_SEPARATOR, title)), headings, others)
        or _without_names(title, names - {""})
    )


def _starts(title: str, matches: Sequence[re.Match[str]]) -> Iterator[str]:
    """Yield the beginnings of a title before its separators, the longest first."""
    return (title[: match.start()].strip() for match in reversed(matches))


def _first_found(parts: Iterable[str], texts: Sequence[str], others: Collection[str]) -> str:
    """Return the first part that equals one of the texts, but none of ``others``.

    Texts are compared one by one: nearly always the first heading is the title.
    """
    for part in parts if texts else ():
        name = comparable(part)
        if name not in others and any(comparable(text) == name for text in texts):
            return part
    return ""


def _without_names(title: str, names: frozenset[str]) -> str:
    """Remove known names from the end and the beginning of a title, if something is left."""
    while shorter := _without_name(title, names):
        title = shorter
    return title


def _without_name(title: str, names: frozenset[str]) -> str:
    """Remove one known name from a title; empty if it has none or is nothing else."""
    parts = [
        (title[: each.start()], title[each.end() :]) for each in _matches(_NAME_SEPARATOR, title)
    ]
    for rest, name in (*parts, *(reversed(each) for each in parts)):
        if comparable(rest) and comparable(name) in names:
            return rest.strip()
    return ""


def _matches(separator: re.Pattern[str], title: str) -> list[re.Match[str]]:
    """Return a bounded number of separators, except those at the ends of a title."""
    found = islice(separator.finditer(title), MAX_PARTS)
    return [match for match in found if match.start() > 0 and match.end() < len(title)]
