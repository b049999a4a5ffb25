"""Which URLs look like members of one series that a program could continue for ever."""

from __future__ import annotations

import re

from sitecrawl.policy.target import Target

NUMBER, TOKEN = "#", "*"
MAX_DIGITS = 9

_DIGITS = re.compile(r"\d+")
# Where nothing of this stands, no shape below is a number's or a token's.
_COUNTABLE = re.compile(r"[\d#*]|[a-fA-F]{16}")
# Numbers alone, with what stands between them in dates, offsets and versions.
_NUMERIC = re.compile(r"[-+.,_:TZW]*\d[-+.,_:\dTZW]*")
# No person typed it: long, with letters and digits by turns, or a very long number.
_LONG = re.compile(r"[\w~-]{12,}")
_LONG_NUMBER = re.compile(r"[0-9a-fA-F]{16,}|\d{10,}")
_TURN = re.compile(r"[a-zA-Z](?=\d)|\d(?=[a-zA-Z])")
_TURNS = 3
# Months as calendars write them between numbers: 20-november-2026. A path of its own
# (2026/november) may be an archive's.
_NAMES = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "januar februar maerz mai juni juli oktober dezember "
    "janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre "
    "januari februari maart mei augustus "
    "janeiro fevereiro junho julho setembro outubro novembro dezembro"
)
_MONTHS = frozenset(_NAMES.split())
_YEAR_AND_MONTH = re.compile(
    r"(?<!\d)(?:19|2[0-2])\d\d(?:[-/._](?:0?[1-9]|1[0-2])(?:[-/._]\d\d?)?|"
    r"(?:0[1-9]|1[0-2])(?:[0-3]\d)?)(?:\.\w+)?/?(?:[?&]|$)"
)
_DATE_NAME = re.compile(
    r"[?&](?:\w*[_-])?(?:year|month|day|date|week|jahr|monat|tag|datum|annee|mois|ano|mes|dia)"
    r"(?:[_-]\w*)?=\d",
    re.IGNORECASE,
)


def is_opaque(value: str) -> bool:
    """Whether a value looks like an id that a machine made up."""
    if _LONG_NUMBER.fullmatch(value):
        return True
    return _LONG.fullmatch(value) is not None and len(_TURN.findall(value)) >= _TURNS


def is_dated(target: Target) -> bool:
    """Whether the URL ends in a day or a month, as the pages of calendars do.

    What stands below a date (``/2026/11/the-title``) is an article, not a calendar.
    """
    place = target.url[len(target.origin) :]
    return _YEAR_AND_MONTH.search(place) is not None or _DATE_NAME.search(place) is not None


def precision(target: Target) -> int:
    """How many numbers a URL has that ends in a day or a month, 0 for others.

    A day has more than its month, whatever stands before and between.
    """
    return len(_DIGITS.findall(target.url, len(target.origin))) if is_dated(target) else 0


def only_number(target: Target) -> int | None:
    """The number in a URL that has a single one, of at most nine digits."""
    found = _DIGITS.findall(target.url, len(target.origin))
    return int(found[0]) if len(found) == 1 and len(found[0]) <= MAX_DIGITS else None


def family(target: Target) -> str:
    """What the URLs of one series have in common; "" if nothing in the URL counts.

    Numbers and opaque tokens are taken out, neighbouring segments of numbers become one
    (years, months and days of a calendar are one family), and so do parameters with
    numbers, whatever their names.
    """
    if not _COUNTABLE.search(target.url, len(target.origin)):
        return ""
    path = _path_family(target.parts.path)
    query = _query_family(target.parts.query) if target.parts.query else ""
    if NUMBER not in path + query and TOKEN not in path + query:
        return ""
    return f"{target.origin}{path}?{query}"


def _path_family(path: str) -> str:
    segments: list[str] = []
    for segment in path.split("/"):
        shape = _shape(segment)
        if shape != NUMBER or segments[-1:] != [NUMBER]:
            segments.append(shape)
    return "/".join(segments).rstrip("/")


def _shape(text: str) -> str:
    if not text or text.isalpha():
        return text
    if _NUMERIC.fullmatch(text) or _names_a_month(text):
        return NUMBER
    return TOKEN if is_opaque(text) else _DIGITS.sub(NUMBER, text)


def _names_a_month(text: str) -> bool:
    return all(part.isdecimal() or part.lower() in _MONTHS for part in text.split("-"))


def _query_family(query: str) -> str:
    shapes = set()
    for parameter in query.split("&"):
        name, _, value = parameter.partition("=")
        shape = _shape(value)
        shapes.add(shape if shape in {NUMBER, TOKEN} else f"{name}={shape}")
    return "&".join(sorted(shapes))
