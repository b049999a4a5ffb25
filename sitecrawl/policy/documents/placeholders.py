"""Placeholder pages: responses with status 200 that have no content of the site.

Login and consent walls, script shells, parked domains and error pages are judged by the page alone.
All bounds are strict, because a page that is mistaken for one of them is lost. A soft 404 is judged
by the site's response for a URL that does not exist.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.rendering import needs_scripts
from sitecrawl.web.html.script_shells import read_shell
from sitecrawl.web.media_type import is_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitecrawl.web.html.page import Page


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder page: the outcome of its visit, and the evidence."""

    outcome: Outcome
    detail: str

    @property
    def kind(self) -> str:
        """The name of the outcome, which is also the reason."""
        return self.outcome.name.lower()


ADVICE = {
    Outcome.SOFT_404: "the site answers 200 for pages that do not exist",
    Outcome.LOGIN_WALL: "give -a auth=ORIGIN=user:password, or a session's cookie with -a headers=",
    Outcome.CONSENT_WALL: "give the cookie that stores consent with -a headers=, or -a render=auto",
    Outcome.SCRIPT_SHELL: "give -a render=auto",
    Outcome.PARKED: "the domain or the server has no site of its own",
    Outcome.ERROR_PAGE: "the site fails with status 200: crawl it later, or ask its owner",
}
"""Advice to the user for each kind."""

KINDS = {outcome.name.lower(): outcome for outcome in ADVICE}
"""Values of the option ``placeholder_pages``."""

MAX_WALL_TEXT = 1500  # characters of a login, consent or parking page with all its furniture
MAX_ERROR_TEXT = 600
MAX_BARE_TEXT = 200  # of a login form without a title that names it
MAX_SHELL_TEXT = 200  # a title, a spinner and a footer
MAX_BARE_LINKS = 5
MIN_CONSENT_WORDS = 3

_PASSWORD = re.compile(rb"""\btype\s*=\s*["']?password\b""", re.IGNORECASE)
_CONTROL = re.compile(rb"<(?:button|input|form)\b", re.IGNORECASE)
_SCRIPT = re.compile(rb"<script\b", re.IGNORECASE)
_LOGIN_WORDS = (
    r"log[ -]?in|log[ -]?on|sign[ -]?in|authentication required|password required|restricted area"
    r"|members only|anmelden|anmeldung|einloggen|connexion|se connecter|identifiez-vous"
    r"|iniciar sesi[oó]n|inicio de sesi[oó]n|accedi|accesso|inloggen|aanmelden|zaloguj|logowanie"
    r"|entrar|logga in|log ind|logg inn|kirjaudu|bejelentkezés|přihlášení|вход|войти|авторизация"
    r"|ログイン|登录|登錄|로그인"
)
_LOGIN = re.compile(rf"(?:^|\W)(?:{_LOGIN_WORDS})(?:\W|$)", re.IGNORECASE)
_LOGIN_ASKED = re.compile(
    r"\b(?:please|you (?:must|need to|have to)|bitte|veuillez|por favor)\b.{0,30}"
    r"(?:log ?in|sign ?in|be (?:logged|signed) in|anmelden|einloggen|connecter|iniciar sesi)",
    re.IGNORECASE,
)
_CONSENT_TITLE = re.compile(
    r"before you (?:continue|proceed)|bevor sie (?:fortfahren|weitergehen)|avant de continuer"
    r"|antes de continuar|prima di continuare|voordat je verdergaat"
    r"|\b(?:cookie|privacy|your) consent\b|we value your privacy|your privacy (?:choices|matters)"
    r"|cookie-?(?:einstellungen|zustimmung|hinweis)|zustimmung erforderlich"
    r"|age verification|altersprüfung|verify your age|are you (?:over|at least) \d\d",
    re.IGNORECASE,
)
_CONSENT_WORD = re.compile(
    r"cookie|consent|privacy|personal data|gdpr|dsgvo|einwillig|zustimm|datenschutz|confidentialit"
    r"|privacidad|consentimiento|toestemming|\bage\b|years? old|über 18|over 18|accept|agree"
    r"|akzeptier|einverstanden|accepter|acept|accett|akkoord",
    re.IGNORECASE,
)
_SCRIPTS_ASKED = re.compile(
    r"(?:enable|activate|turn on|requires?|need|aktivier|activer|habilit|activ[ae])"
    r".{0,40}java\s?script"
    r"|java\s?script.{0,40}(?:enabled|disabled|required|aktiv|deaktiviert|activé|habilitad)",
    re.IGNORECASE,
)
_PARKED = re.compile(
    r"\b(?:this|the) domain(?: name)?(?: \S+)? (?:is|may be) (?:for sale|parked|available for"
    r" purchase)|\bdomain (?:is )?parked\b|\bbuy this domain\b|\bthis (?:web ?)?site is parked\b"
    r"|diese domain (?:steht zum verkauf|ist geparkt|kaufen)|ce (?:nom de )?domaine est (?:à vendre"
    r"|en vente)|este dominio est[aá] (?:en venta|aparcado)|questo dominio è in vendita"
    r"|deze domeinnaam is te koop",
    re.IGNORECASE,
)
_DEFAULT_PAGE = re.compile(
    r"welcome to (?:nginx|openresty|caddy)!?(?: on .+)?|apache2? .{0,20}default page: it works"
    r"|iis windows(?: server)?|test page for the .{0,30}http server.*|http server test page.*"
    r"|default (?:web site|plesk|cpanel).{0,20}page|.{0,20}default plesk page",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"(?:(?:http )?(?:error|fehler|erreur)\s*:?\s*)?5[02]\d(?:\W.{0,60})?"
    r"|(?:5\d\d\s*[:|-]?\s*)?(?:internal server error|bad gateway|service (?:temporarily )?"
    r"unavailable|gateway time-?out)(?:\W.{0,40})?"
    r"|(?:403\s*[:|-]?\s*)?(?:access denied|forbidden)(?:\W.{0,40})?"
    r"|just a moment\s?(?:\.\.\.|…)|attention required! \| cloudflare|ddos-guard"
    r"|(?:wordpress › |database )error|error establishing a database connection"
    r"|(?:site|website|down|under|scheduled|server)[ -](?:for |is |under )?maintenance(?:\W.{0,40})?"
    r"|maintenance(?: mode)?|wartungs(?:arbeiten|modus)|site en maintenance|en mantenimiento",
    re.IGNORECASE,
)
_FATAL = re.compile(
    r"(?:php )?(?:fatal|parse) error: .{0,300} on line \d+|error establishing a database connection"
    r"|could not connect to (?:the )?database|traceback \(most recent call last\)",
    re.IGNORECASE | re.DOTALL,
)
_STATUS = re.compile(r"\b404\b")
_MISSING = (
    "not found",
    "no such page",
    "no such file",
    "no longer exist",
    "no longer available",
    "not exist",
    "n't exist",
    "n’t exist",
    "not be found",
    "not find",
    "n't find",
    "n’t find",
    "nothing found",
    "nothing was found",
    "nicht gefunden",
    "existiert nicht",
    "introuvable",
    "existe pas",
    "existe plus",
    "no encontrad",
    "no existe",
    "non trovat",
    "non esiste",
    "niet gevonden",
    "bestaat niet",
    "não encontrad",
    "não foi encontrad",
    "não existe",
    "nie znaleziono",
    "nie istnieje",
    "nenalezena",
    "hittades inte",
    "ikke fundet",
    "не найден",
    "не существует",
    "不存在",
    "未找到",
    "找不到",
    "見つかりません",
    "찾을 수 없",
)
_ABOUT_DOMAINS = ("domain", "domein", "dominio", "parked")
_WORD = re.compile(r"\w+")
_DATES = frozenset(
    (  # noqa: SIM905 -- a list would be as long as a page
        "january february march april may june july august september october november december jan feb"
        " mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday"
        " sunday mon tue wed thu fri sat sun am pm utc gmt cet cest"
    ).split()
)


def judge_page(page: Page, body: bytes, kinds: frozenset[Outcome]) -> Placeholder | None:
    """Judge a page by itself, for the given kinds only."""
    if not is_html(page.content_type) or len(page.text) > MAX_WALL_TEXT:
        return None
    for outcome, judge in _JUDGES.items():
        if outcome in kinds:
            detail = judge(page, body)
            if detail:
                return Placeholder(outcome, detail)
    return None


def _names(page: Page) -> tuple[str, ...]:
    """Return a page's names for itself: title, title without the site's name, first heading."""
    title = page.title.strip()
    parts = re.split(r"\s+[|·–—-]\s+", title)
    heading = page.headings[0].text.strip() if page.headings else ""
    return tuple(name for name in dict.fromkeys((title, parts[0], heading)) if name)


def _is_login(page: Page, body: bytes) -> str:
    asks = (b"assword" in body or b"ASSWORD" in body) and _PASSWORD.search(body) is not None
    if asks and any(_LOGIN.search(name) for name in _names(page)):
        return "a password field under a title that asks for it"
    if asks and len(page.text) < MAX_BARE_TEXT and len(page.links) <= MAX_BARE_LINKS:
        return f"a password field and {len(page.text)} characters of text"
    if len(page.text) >= MAX_BARE_TEXT * 2 or not any(map(_LOGIN.search, _names(page))):
        return ""
    asked = _LOGIN_ASKED.search(page.text)
    return f"it says: {asked[0][:80]}" if asked else ""


def _is_consent(page: Page, body: bytes) -> str:
    if not any(_CONSENT_TITLE.search(name) for name in _names(page)[:2]):
        return ""
    words = len(_CONSENT_WORD.findall(page.text))
    if words < MIN_CONSENT_WORDS or not _CONTROL.search(body):
        return ""
    return f"its title asks for consent, and {words} words of {len(page.text)} characters"


def _is_shell(page: Page, body: bytes) -> str:
    if len(page.text) >= MAX_SHELL_TEXT * 2 or not _SCRIPT.search(body):
        return ""
    shell = read_shell(body)
    if not shell.scripts or shell.text >= MAX_SHELL_TEXT or shell.links > MAX_BARE_LINKS:
        return ""
    verdict = needs_scripts(shell)
    if verdict.reason == "app_shell" and not shell.root_text:
        return f"{shell.root} is empty without scripts"
    if verdict.reason == "noscript" or _SCRIPTS_ASKED.search(page.text):
        return "it asks for JavaScript"
    if not shell.text and not shell.links and not page.text:
        return "an empty page with scripts"
    return ""


def _is_parked(page: Page, body: bytes) -> str:  # noqa: ARG001 -- the judges' signature
    for name in _names(page):
        if _DEFAULT_PAGE.fullmatch(name):
            return f"the default page of a server: {name}"
    beginning = f"{page.title} {page.text[:MAX_ERROR_TEXT]}".lower()
    if not any(word in beginning for word in _ABOUT_DOMAINS):
        return ""
    said = _PARKED.search(beginning)
    return f"it says: {said[0]}" if said else ""


def _is_error(page: Page, body: bytes) -> str:  # noqa: ARG001 -- the judges' signature
    if len(page.text) > MAX_ERROR_TEXT:
        return ""
    for name in _names(page):
        if _ERROR.fullmatch(name):
            return f"its title says: {name}"
    said = _FATAL.match(page.text)
    return f"it says: {said[0][:80]}" if said else ""


_JUDGES: dict[Outcome, Callable[[Page, bytes], str]] = {
    Outcome.SCRIPT_SHELL: _is_shell,
    Outcome.LOGIN_WALL: _is_login,
    Outcome.CONSENT_WALL: _is_consent,
    Outcome.PARKED: _is_parked,
    Outcome.ERROR_PAGE: _is_error,
}


# Soft 404

MAX_BARE_MISSING_TEXT = 500  # characters of an error page that says so in its text alone
MAX_MISSING_TEXT = 8_000  # characters of an error page with the site's whole menu
MIN_SKETCH_WORDS = 5
MAX_DIFFERENT_WORDS = 1  # on either side: a number in words, a greeting by time of day


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
    if len(page.text) < MAX_BARE_MISSING_TEXT:
        said = f"{said} {page.text}"
    said = said.lower()
    return any(words in said for words in _MISSING) or _STATUS.search(said) is not None


def sketch(page: Page, url: str) -> Sketch | None:
    """Sketch a page; None if it is too long for an error page, or has too few words."""
    if len(page.text) > MAX_MISSING_TEXT:
        return None
    found = Counter(_WORD.findall(f"{page.title} {page.text}".lower()))
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
    first, second = dict(one.words), dict(other.words)
    if not (first.keys() | second.keys()) - echo:
        return False
    more = sum(max(0, n - second.get(word, 0)) for word, n in first.items() if word not in echo)
    less = sum(max(0, n - first.get(word, 0)) for word, n in second.items() if word not in echo)
    return more <= MAX_DIFFERENT_WORDS and less <= MAX_DIFFERENT_WORDS
