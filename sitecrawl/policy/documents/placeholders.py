"""Placeholder pages: responses with status 200 that have no content of the site.

A placeholder is recognised by its lacks: text of its own, and links to other pages of its site.
Words only name its kind, and never decide against a text: a page that is mistaken for a placeholder
is lost, a placeholder that is mistaken for a page is one thin document. A soft 404 is judged by the
site's response for a URL that does not exist.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.rendering import needs_scripts
from sitecrawl.web.html.script_shells import read_shell
from sitecrawl.web.media_type import is_html
from sitecrawl.web.urls.url import origin, split

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitecrawl.web.html.page import Page

MAX_NOTICE_TEXT = 300  # characters; a text that is longer is worth a document
MAX_TITLE = 1_000  # characters of a title that are compared
MAX_GENERATED_TEXT = 4000  # of a page written by a server or a domain's seller, not by the site
MAX_SHELL_TEXT = 100  # characters of a title, a spinner and a footer
MAX_FORM_LINKS = 2  # of a form without content: a lost password, an imprint
MAX_OWN_WORDS, MAX_LOGIN_WORDS = 3, 8  # of a notice: the name of a firm; of a login: its labels
_PASSWORD = re.compile(rb"""\btype\s*=\s*["']?password\b""", re.IGNORECASE)
_CONTROL = re.compile(rb"<(?:button|input|form)\b", re.IGNORECASE)
_SCRIPT = re.compile(rb"<script\b", re.IGNORECASE)
_TEXTS = tomllib.loads(files(__package__).joinpath("placeholders.toml").read_text("utf-8"))
_PATTERNS = {name: "".join(lines) for name, lines in _TEXTS["patterns"].items()}
_FOR_SALE = _PATTERNS["for_sale"]
_LOGIN = re.compile(_PATTERNS["login"], re.IGNORECASE)
_CONSENT = re.compile(_PATTERNS["consent"], re.IGNORECASE)
_PARKED = re.compile(_PATTERNS["parked"].replace("{for_sale}", _FOR_SALE), re.IGNORECASE)
_SERVER_PAGE = re.compile(_PATTERNS["server_page"], re.IGNORECASE)
_EMPTY = re.compile(_PATTERNS["empty"], re.IGNORECASE)
_ERROR = re.compile(_PATTERNS["error"], re.IGNORECASE)
_DOWN = re.compile(_PATTERNS["down"], re.IGNORECASE)
_FATAL = re.compile(_PATTERNS["fatal"], re.IGNORECASE | re.DOTALL)
_MISSING = re.compile(_PATTERNS["missing"])
_DATES = frozenset(_TEXTS["words"]["dates"].split())
_STOCK = frozenset(_TEXTS["words"]["stock"].split())
_WORD = re.compile(r"\w+")
MAX_BARE_MISSING_TEXT = 500  # characters of an error page that says so in its text alone
MAX_MISSING_TEXT = 8_000  # characters of an error page with the site's whole menu
MIN_SKETCH_WORDS = 5
MAX_DIFFERENT_WORDS = 1  # on either side: a number in words, a greeting by time of day


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder page: the outcome of its visit, and the evidence."""

    outcome: Outcome
    detail: str

    @property
    def kind(self) -> str:
        """The name of the outcome, which is also the reason."""
        return self.outcome.name.lower()


def judge_page(page: Page, body: bytes, kinds: frozenset[Outcome]) -> Placeholder | None:
    """Judge a page by itself, for the given kinds only."""
    if not is_html(page.content_type) or len(page.whole_text) > MAX_GENERATED_TEXT:
        return None
    for outcome, judge in _JUDGES.items():
        if outcome in kinds:
            detail = judge(page, body)
            if detail:
                return Placeholder(outcome, detail)
    return None


def _title(page: Page) -> str:
    """Return the beginning of a title: the patterns take 8 s for one of 10 MB."""
    return page.title[:MAX_TITLE]


def _names(page: Page) -> list[str]:
    """Return a page's names for itself: title, title without the site's name, first heading."""
    title = _title(page).strip()
    heading = page.headings[0].text.strip() if page.headings else ""
    return [title, re.split(r"\s+[|·–—-]\s+", title)[0], heading]


def _links(page: Page) -> set[str]:
    """Return the paths of other pages of its site that a page links to."""
    site = origin(page.url)
    paths = {split(link.url).path for link in page.links if origin(link.url) == site}
    return paths - {split(page.url).path}


def _is_notice(page: Page) -> bool:
    """Return True for a page with hardly any text of its own, and no link to a page of its site."""
    return _own_words(page) <= MAX_OWN_WORDS and not _links(page)


def _is_form(page: Page, named: re.Pattern[str], own_words: int) -> bool:
    """Return True for a page named as a form, with hardly any text of its own and few links."""
    short = _own_words(page) <= own_words and any(map(named.search, _names(page)))
    return short and len(_links(page)) <= MAX_FORM_LINKS


def _own_words(page: Page) -> int:
    """Return the number of words that no notice would have; a long text has more than any limit."""
    if len(page.whole_text) > MAX_NOTICE_TEXT:
        return MAX_NOTICE_TEXT
    found = {
        word for word in _WORD.findall(page.whole_text.lower()) if len(word) > 2 and word.isalpha()
    }
    return len(found - _STOCK - set(_WORD.findall(page.url.lower())))


def _is_login(page: Page, body: bytes) -> str:
    found = _is_form(page, _LOGIN, MAX_LOGIN_WORDS) and _PASSWORD.search(body)
    return "a password field, its title, and no content" if found else ""


def _is_consent(page: Page, body: bytes) -> str:
    found = _is_form(page, _CONSENT, MAX_OWN_WORDS) and _CONTROL.search(body)
    return "a form, its title, and no content" if found else ""


def _is_shell(page: Page, body: bytes) -> str:
    if len(page.whole_text) > MAX_NOTICE_TEXT or not _SCRIPT.search(body):
        return ""
    shell = read_shell(body)
    if shell.text > MAX_SHELL_TEXT or shell.links > MAX_FORM_LINKS:
        return ""
    verdict = needs_scripts(shell)
    if verdict.reason == "app_shell" and not shell.root_text:
        return f"{shell.root} is empty without scripts"
    if verdict.reason == "noscript":
        return "it asks for JavaScript"
    if not shell.text and not shell.links and not page.whole_text:
        return "an empty page with scripts"
    return ""


def _is_parked(page: Page, body: bytes) -> str:  # noqa: ARG001 -- the judges' signature
    links = _links(page)
    if page.title.startswith("Index of /"):
        below = any(path.startswith(split(page.url).path) for path in links)
        return "" if below else "a folder without files"
    if len(links) > MAX_FORM_LINKS:
        return ""
    beginning = f"{_title(page)} {page.whole_text[:MAX_NOTICE_TEXT]}"
    own = re.escape(split(page.url).host.removeprefix("www."))
    sold = re.search(rf"\b{own}\W+{_FOR_SALE}", beginning, re.IGNORECASE)
    said = _SERVER_PAGE.search(beginning) or sold
    if said is None and _is_notice(page):
        said = _PARKED.search(beginning) or _named(page, _EMPTY)
    return f"no link to a page of the site, and it says: {said[0]}" if said else ""


def _is_error(page: Page, body: bytes) -> str:  # noqa: ARG001 -- the judges' signature
    said = None
    if _is_notice(page):
        said = _named(page, _ERROR) or _DOWN.search(f"{_title(page)} {page.whole_text}")
    if said is None and not page.title and not _links(page):
        said = _FATAL.match(page.whole_text)
    return f"no link to a page of the site, and it says: {said[0][:80]}" if said else ""


def _named(page: Page, pattern: re.Pattern[str]) -> re.Match[str] | None:
    return next(filter(None, map(pattern.fullmatch, _names(page))), None)


_JUDGES: dict[Outcome, Callable[[Page, bytes], str]] = {
    Outcome.SCRIPT_SHELL: _is_shell,
    Outcome.LOGIN_WALL: _is_login,
    Outcome.CONSENT_WALL: _is_consent,
    Outcome.PARKED: _is_parked,
    Outcome.ERROR_PAGE: _is_error,
}


@dataclass(frozen=True, slots=True)
class Sketch:
    """Words of a page with their counts, to compare two pages regardless of echoed words.

    ``echo`` are the words of the page's own URL, which it may repeat.
    """

    words: tuple[tuple[str, int], ...]
    echo: frozenset[str]


def names_itself_missing(page: Page) -> bool:
    """Return True if title, first headings or a short text say that the page does not exist."""
    headings = " ".join(heading.text for heading in page.headings[:2])
    said = f"{page.title[:300]} {headings[:300]}"
    if len(page.whole_text) < MAX_BARE_MISSING_TEXT:
        said = f"{said} {page.whole_text}"
    return _MISSING.search(said.lower()) is not None


def sketch(page: Page, url: str) -> Sketch | None:
    """Sketch a page; None if it is too long for an error page, or has too few words."""
    if len(page.whole_text) > MAX_MISSING_TEXT:
        return None
    found = Counter(_WORD.findall(f"{_title(page)} {page.whole_text}".lower()))
    counts = sorted((word, count) for word, count in found.items() if _is_lasting(word))
    if sum(count for _, count in counts) < MIN_SKETCH_WORDS:
        return None
    return Sketch(tuple(counts), _url_words(url))


def _is_lasting(word: str) -> bool:
    """Return False for dates and numbers."""
    return word not in _DATES and (word.isalpha() or not any(map(str.isdigit, word)))


@lru_cache(maxsize=256)
def _url_words(url: str) -> frozenset[str]:
    return frozenset(_WORD.findall(unquote(url).lower()))


def is_same_page(one: Sketch, other: Sketch) -> bool:
    """Return True if two pages are equal except for dates, numbers and words of their URLs."""
    echo = one.echo | other.echo
    first, second = (
        Counter({word: count for word, count in each.words if word not in echo})
        for each in (one, other)
    )
    more, less = (first - second).total(), (second - first).total()
    return bool(first or second) and max(more, less) <= MAX_DIFFERENT_WORDS
