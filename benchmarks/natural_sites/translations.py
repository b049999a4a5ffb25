"""Sites in several languages, some of them translated in part or late."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from benchmarks.natural_sites.editions import Truth, number, query, standing, version
from benchmarks.natural_sites.layouts import (
    boxes,
    items,
    landmarks,
    link,
    paragraphs,
    plain,
    tables,
)
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.natural_sites.vocabulary import dice

_LEXICON = {
    "en": "the server|a file|the user|each folder|the key|this button|the list|a password"
    "|opens|checks|saves|deletes|finds|sends|and|before|when|only with|installation|settings|backup|help",
    "de": "der Server|eine Datei|der Benutzer|jeder Ordner|der Schlüssel|diese Taste|die Liste|ein Kennwort"
    "|öffnet|prüft|sichert|löscht|findet|sendet|und|bevor|wenn|nur mit|Einrichtung|Einstellungen|Sicherung|Hilfe",
    "fr": "le serveur|un fichier|l'utilisateur|chaque dossier|la clé|ce bouton|la liste|un mot de passe"
    "|ouvre|vérifie|enregistre|supprime|trouve|envoie|et|avant|quand|seulement avec|installation du logiciel"
    "|réglages|sauvegarde|aide",
    "es": "el servidor|un archivo|el usuario|cada carpeta|la clave|este botón|la lista|una contraseña"
    "|abre|comprueba|guarda|borra|encuentra|envía|y|antes|cuando|solo con|instalación|ajustes|copia|ayuda",
    "it": "il server|un documento|l'utente|ogni cartella|la chiave|questo pulsante|l'elenco|una parola"
    "|apre|controlla|salva|cancella|trova|invia|e|prima|quando|solo con|installazione|impostazioni|copia|aiuto",
    "nl": "de server|een bestand|de gebruiker|elke map|de sleutel|deze knop|de lijst|een wachtwoord"
    "|opent|controleert|bewaart|wist|vindt|stuurt|en|voordat|wanneer|alleen met|installatie|instellingen|kopie|hulp",
    "sv": "servern|en fil|användaren|varje mapp|nyckeln|denna knapp|listan|ett lösenord"
    "|öppnar|kontrollerar|sparar|raderar|hittar|skickar|och|innan|när|bara med|installation av|inställningar|kopia|hjälp",
    "pl": "serwer|plik|użytkownik|każdy folder|klucz|ten przycisk|lista|hasło"
    "|otwiera|sprawdza|zapisuje|usuwa|znajduje|wysyła|i|zanim|kiedy|tylko|instalacja|ustawienia|kopia|pomoc",
}
LANGUAGES = tuple(_LEXICON)


@cache
def text(language: str, sentences: int, *seed: object) -> str:
    """Sentences in a language; those of one seed mean the same in each."""
    words = _LEXICON[language].split("|")
    chance = dice("translated", *seed)
    found = []
    for _ in range(sentences):
        one, two, three = (words[n] for n in chance.sample(range(8), 3))
        first, second = (words[n] for n in chance.sample(range(8, 14), 2))
        joint = words[chance.randrange(14, 18)]
        found.append(
            f"{one.capitalize()} {first} {two} ({chance.randrange(2, 99)}) {joint} {three} {second}."
        )
    return " ".join(found)


@cache
def title(language: str, *seed: object) -> str:
    """The title of a page in a language."""
    chance = dice("title", *seed)
    return f"{_LEXICON[language].split('|')[chance.randrange(18, 22)].capitalize()} {chance.randrange(100, 1000)}"


def _lines(language: str, run: int, site: str, page: int) -> list[str]:
    edited = version(run, site, page, one_in=15)
    length = dice(site, "length", page).choice((1, 2, 3, 6))
    return [
        title(language, site, page),
        text(language, length, site, page, edited),
        text(language, 1, site, page, "end"),
    ]


def _named(language: str, page: int) -> str:
    return f"{page}" if language == "en" else f"{page} {language}"


# A content management system by numbers: index.php?id=&L=

_NUMBERED = ("en", "de", "fr", "pl")


def _typo(visit: Visit) -> Reply:
    given, pages = query(visit), standing(visit.run, 40, "typo")
    page, place = number(given.get("id", "1")), number(given.get("L", "0"))
    if (
        visit.path not in ("/", "/index.php")
        or page not in pages
        or not 0 <= place < len(_NUMBERED)
    ):
        return MISSING
    language = _NUMBERED[place]
    near = [n for n in pages if n // 8 == page // 8 or n % 8 < 2]
    side = f"<ul>{items([(f'index.php?id={n}&L={place}', title(language, 'typo', n)) for n in near])}</ul>"
    flags = [
        (f"index.php?id={page}&L={n}", name.upper())
        for n, name in enumerate(_NUMBERED)
        if n != place
    ]
    head, *lines = _lines(language, visit.run, "typo", page)
    return Reply(
        boxes(head, paragraphs(lines), flags, side, "Example GmbH"), _named(language, page)
    )


def _typo_truth(run: int) -> Truth:
    return {
        _named(x, n): _lines(x, run, "typo", n)
        for n in standing(run, 40, "typo")
        for x in _NUMBERED
    }


# A manual in a folder for each language; Swedish is in English until the last run

_CHAPTERS = (
    "index",
    "install",
    "setup",
    "users",
    "files",
    "network",
    "mail",
    "print",
    "backup",
    "restore",
    "logs",
    "errors",
    "security",
    "scripts",
    "api",
    "faq",
    "upgrade",
    "license",
    "history",
    "glossary",
)


def _shown(run: int, language: str, chapter: int) -> str:
    """The language of the text at a page; a half of the Swedish ones come in each later run."""
    return "en" if language == "sv" and chapter >= (0, 10, 20)[run] else language


def _folders(visit: Visit) -> Reply:
    if visit.path == "/":
        return Reply(status=302, headers={"Location": "/en/index.html"})
    match = re.fullmatch(r"/(\w\w)/(\w+)\.html", visit.path)
    if not match or match[1] not in LANGUAGES or match[2] not in _CHAPTERS:
        return MISSING
    language, chapter = match[1], _CHAPTERS.index(match[2])
    shown = _shown(visit.run, language, chapter)
    alternates = "".join(
        f'<link rel="alternate" hreflang="{each}" href="/{each}/{match[2]}.html">'
        for each in LANGUAGES
    )
    menu = [(f"/{each}/{match[2]}.html", each) for each in LANGUAGES]
    side = f"<ol>{items([(f'{name}.html', title(shown, 'folders', n)) for n, name in enumerate(_CHAPTERS)])}</ol>"
    head, *lines = _lines(shown, visit.run, "folders", chapter)
    return Reply(landmarks(head, paragraphs(lines), menu, side, alternates), _named(shown, chapter))


def _folders_truth(run: int) -> Truth:
    return {
        _named(shown, n): _lines(shown, run, "folders", n)
        for n in range(len(_CHAPTERS))
        for shown in {_shown(run, each, n) for each in LANGUAGES}
    }


# The language as a parameter, without hreflang; pages without a translation show the English text


def _is_translated(language: str, page: int, run: int) -> bool:
    share = {"en": 1.0, "de": 0.8, "fr": 0.5, "es": 0.3, "it": 0.15}[language]
    return dice("is translated", language, page).random() < share + 0.05 * run


_OFFERED = ("en", "de", "fr", "es", "it")


def _parameter(visit: Visit) -> Reply:
    given, pages = query(visit), standing(visit.run, 60, "parameter")
    language, page = given.get("lang", "en"), number(given.get("page", "1"))
    if visit.path not in ("/", "/doc") or page not in pages or language not in _OFFERED:
        return MISSING
    shown = language if _is_translated(language, page, visit.run) else "en"
    suffix = "" if language == "en" else f"&lang={language}"
    menu = [(f"/doc?page={page}&lang={each}", each) for each in _OFFERED]
    rows = [
        (f"/doc?page={n}{suffix}", f"{n}. {title(shown, 'parameter', n)}")
        for n in pages
        if n % 6 == page % 6 or n < 7
    ]
    head, *lines = _lines(shown, visit.run, "parameter", page)
    content = f"{paragraphs(lines)}<h4>...</h4><ul>{items(rows)}</ul>"
    return Reply(plain(head, content, menu), _named(shown, page))


def _parameter_truth(run: int) -> Truth:
    return {
        _named(each, n): _lines(each, run, "parameter", n)
        for n in standing(run, 60, "parameter")
        for each in _OFFERED
        if _is_translated(each, n, run)
    }


# A manual whose server negotiates: /page.html, /de/page.html, /page.html.de, /fr/page.html.de

_NEGOTIATED = re.compile(r"(?:/(de|fr|es))?/(?:topic-(\d+)\.html(?:\.(en|de|fr|es))?)?")


def _languages_of(page: int, run: int) -> list[str]:
    return [each for each in ("en", "de", "fr", "es") if _is_translated(each, page, run)]


def _negotiated(visit: Visit) -> Reply:
    match, pages = _NEGOTIATED.fullmatch(visit.path), standing(visit.run, 60, "negotiated")
    page = number(match[2] or "1") if match else 0
    if not match or page not in pages:
        return MISSING
    offered = _languages_of(page, visit.run)
    if match[3] and match[3] not in offered:
        return MISSING
    shown = next(each for each in (match[3], match[1], "en") if each in offered)
    other = [each for each in offered if each != shown]
    menu = "".join(
        f'<a rel="alternate" hreflang="{each}" href="{address}">{each}</a> '
        for each in other
        for address in (f"/{each}/topic-{page}.html", f"topic-{page}.html.{each}")
    )
    near = [n for n in pages if n % 7 == page % 7 or n < 8]
    side = items([(f"topic-{n}.html", title(shown, "negotiated", n)) for n in near])
    head, *lines = _lines(shown, visit.run, "negotiated", page)
    content = f"<p>{menu}</p>{paragraphs(lines)}<hr><ul>{side}</ul>"
    return Reply(plain(head, content, [("./", "Index")]), _named(shown, page))


def _negotiated_truth(run: int) -> Truth:
    return {
        _named(each, n): _lines(each, run, "negotiated", n)
        for n in standing(run, 60, "negotiated")
        for each in _languages_of(n, run)
    }


# A list whose first half is not translated, and whose second half is


def _late(visit: Visit) -> Reply:
    given, pages = query(visit), standing(visit.run, 60, "late")
    language = given.get("lang", "en")
    suffix = "&lang=de" if language == "de" else ""
    menu = (("/", "English"), ("/?lang=de", "Deutsch"), ("/login.php", "Login"))
    if visit.path == "/login.php":
        return Reply(tables("Login", "<form><input name=u></form>", menu), "")
    if visit.path == "/":
        rows = [(f"page.php?p={n}{suffix}", f"{title(language, 'late', n)} ({n})") for n in pages]
        return Reply(tables("Handbook", f"<ol>{items(rows)}</ol>", menu), NEUTRAL)
    page = number(given.get("p"))
    if visit.path != "/page.php" or page not in pages or language not in ("en", "de"):
        return MISSING
    shown = language if page > 30 - 2 * visit.run else "en"
    head, *lines = _lines(shown, visit.run, "late", page)
    flags = ((f"page.php?p={page}", "English"), (f"page.php?p={page}&lang=de", "Deutsch"))
    return Reply(tables(head, paragraphs(lines), (*menu, *flags)), _named(shown, page))


def _late_truth(run: int) -> Truth:
    found: Truth = {f"{n}": _lines("en", run, "late", n) for n in standing(run, 60, "late")}
    late = [n for n in standing(run, 60, "late") if n > 30 - 2 * run]
    return found | {_named("de", n): _lines("de", run, "late", n) for n in late}


# Translations on hosts of their own


def _hosts(visit: Visit) -> Reply:
    pages = standing(visit.run, 50, "hosts")
    language = visit.host or "en"
    page = 1 if visit.path == "/" else number(visit.path.removeprefix("/guide/").rstrip("/"))
    if page not in pages:
        return MISSING
    shown = "en" if _is_english_only(language, page) else language
    menu = [(f"{visit.origins[each]}/guide/{page}/", each or "en") for each in ("", "de", "fr")]
    around = [(f"/guide/{n}/", title(shown, "hosts", n)) for n in _around(page, pages)]
    head, *lines = _lines(shown, visit.run, "hosts", page)
    return Reply(
        landmarks(head, paragraphs(lines), menu, f"<ul>{items(around)}</ul>"), _named(shown, page)
    )


def _is_english_only(language: str, page: int) -> bool:
    return (language == "fr" and page % 3 == 0) or (language == "de" and page % 11 == 0)


def _around(page: int, pages: Sequence[int]) -> list[int]:
    place = pages.index(page)
    return list(dict.fromkeys((*pages[:3], *pages[max(0, place - 2) : place + 3])))


def _hosts_truth(run: int) -> Truth:
    return {
        _named(each, n): _lines(each, run, "hosts", n)
        for n in standing(run, 50, "hosts")
        for each in ("en", "de", "fr")
        if not _is_english_only(each, n)
    }


# A shop in two languages that grows from run to run


def _growing(visit: Visit) -> Reply:
    given, count = query(visit), 40 * (visit.run + 1)
    language = given.get("l", "en")
    if language not in ("en", "fr"):
        return MISSING
    other = "fr" if language == "en" else "en"
    page = max(1, number(given.get("page", "1")))
    if visit.path == "/":
        shown = range(20 * page - 19, min(count, 20 * page) + 1)
        rows = [(f"/product?id={n}&l={language}", title(language, "growing", n)) for n in shown]
        more = link(f"/?l={language}&page={page + 1}", ">>") if count > 20 * page else ""
        flags = ((f"/?l={other}", other), ("/basket", "Basket"))
        return Reply(boxes("Shop", items(rows, "div") + more, flags, site="Dépôt"), NEUTRAL)
    product = number(given.get("id"))
    if visit.path != "/product" or not 1 <= product <= count:
        return Reply("<title>Basket</title>Empty", "") if visit.path == "/basket" else MISSING
    head, *lines = _lines(language, visit.run, "growing", product)
    menu = (
        (f"/?l={language}", "Shop"),
        (f"/product?l={other}&id={product}", other),
        ("/basket", "Basket"),
    )
    return Reply(boxes(head, paragraphs(lines), menu, site="Dépôt"), _named(language, product))


def _growing_truth(run: int) -> Truth:
    products = range(1, 40 * (run + 1) + 1)
    return {_named(x, n): _lines(x, run, "growing", n) for n in products for x in ("en", "fr")}


SITES = (
    NaturalSite("typo3-languages", _typo, _typo_truth, start="/index.php?id=1"),
    NaturalSite("manual-folders", _folders, _folders_truth, start="/en/index.html"),
    NaturalSite("manual-parameter", _parameter, _parameter_truth),
    NaturalSite("manual-negotiated", _negotiated, _negotiated_truth),
    NaturalSite("translations-late", _late, _late_truth),
    NaturalSite("translations-hosts", _hosts, _hosts_truth, hosts=("de", "fr")),
    NaturalSite("shop-two-languages", _growing, _growing_truth),
)
