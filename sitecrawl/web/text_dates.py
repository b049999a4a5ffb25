"""Dates in running text and in URLs, as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from itertools import islice

# Names and abbreviations of months in the languages of most pages.
_MONTHS = {
    1: "january januar jänner janvier enero gennaio janeiro januari styczeń stycznia января ocak jan",
    2: "february februar feber février febrero febbraio fevereiro februari luty lutego февраля şubat feb",
    3: "march märz maerz mars marzo março maart marca marzec марта mart mar mär",
    4: "april avril abril aprile kwietnia kwiecień апреля nisan apr avr",
    5: "may mai mayo maggio maio mei maja maj мая mayıs",
    6: "june juni juin junio giugno junho czerwca czerwiec июня haziran jun",
    7: "july juli juillet julio luglio julho lipca lipiec июля temmuz jul",
    8: "august août aout agosto augustus sierpnia sierpień августа ağustos aug ago",
    9: "september septembre septiembre settembre setembro września wrzesień сентября eylül sept sep set",
    10: "october oktober octobre octubre ottobre outubro października październik октября ekim oct okt",
    11: "november novembre noviembre novembro listopada listopad ноября kasım nov",
    12: "december dezember décembre diciembre dicembre dezembro grudnia grudzień декабря aralık dec dez",
}
MONTH_NUMBERS = {word: number for number, words in _MONTHS.items() for word in words.split()}
_NAMES = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
# Two patterns, because a search for a fixed prefix of two digits takes a fifth of the time.
_YEARS = (re.compile(r"20[0-4]\d(?!\d)"), re.compile(r"19[89]\d(?!\d)"))
_BEFORE, _BEHIND = 24, 16  # characters around a year that are searched for its day
# ``/2024/05/17/``, ``/2024-05-17-name``, ``/20240517/``
_IN_PATH = re.compile(
    r"[/_-](?P<y>19[89]\d|20[0-4]\d)(?P<s>[/_-]?)(?P<m>0[1-9]|1[0-2]|[1-9](?=[/_-]))(?P=s)"
    r"(?P<d>0[1-9]|[12]\d|3[01]|(?<=[/_-])[1-9])(?![0-9])"
)
MAX_YEARS = 20  # of each century, that are examined


def date_in_path(path: str) -> date | None:
    """Return the date in the path of a URL, as weblogs and newspapers write it."""
    match = _IN_PATH.search(path)
    return _made(match) if match is not None else None


def dates_in(text: str, start: int, end: int) -> Iterator[tuple[int, date]]:
    """Yield the full dates in a part of a text, each with its position; a bounded number.

    Years are searched first: few texts have one, and a search for names of months costs more.
    """
    behind = start
    for year in _years(text, start, end):
        if year < behind or text[max(0, year - 1) : year].isdigit():
            continue
        first = max(behind, year - _BEFORE)
        window = text[first : year + _BEHIND]
        for form in _forms():
            match = _around(form, window, year - first)
            found = _made(match) if match is not None else None
            if match is not None and found is not None:
                behind = first + match.end()
                yield first + match.start(), found
                break


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of full dates; compiling them takes 10 ms."""
    return (
        re.compile(r"(?<!\d)(?P<y>\d{4})[-/.年]\s?(?P<m>\d{1,2})[-/.月]\s?(?P<d>\d{1,2})(?!\d)"),
        re.compile(
            rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?(?:\s+|-)(?:of\s+|de\s+)?(?P<n>{_NAMES})\b"
            r"\.?,?(?:\s+|-)(?:de\s+|del\s+)?(?P<y>\d{4})(?!\d)",
            re.IGNORECASE,
        ),
        re.compile(
            rf"\b(?P<n>{_NAMES})\b\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})(?!\d)",
            re.IGNORECASE,
        ),
        re.compile(
            r"(?<![\d.])(?P<d>\d{1,2})(?P<s>[./-])\s?(?P<m>\d{1,2})(?P=s)\s?(?P<y>\d{4})(?!\.?\d)"
        ),
    )


def _years(text: str, start: int, end: int) -> list[int]:
    """Return the positions of the first years in a part of a text."""
    found = (islice(years.finditer(text, start, end), MAX_YEARS) for years in _YEARS)
    return sorted(match.start() for matches in found for match in matches)


def _around(form: re.Pattern[str], window: str, year: int) -> re.Match[str] | None:
    """Return the match of a form whose year is at a given position."""
    return next((match for match in form.finditer(window) if match.start("y") == year), None)


def _made(match: re.Match[str]) -> date | None:
    """Return the date of a match, None for a 31st of February; in 5/17 the larger is the day."""
    parts = match.groupdict()
    name = parts.get("n")
    month = MONTH_NUMBERS[name.lower()] if name else int(parts["m"])
    day = int(parts["d"])
    if not name and month > 12 >= day:
        month, day = day, month
    try:
        return date(int(parts["y"]), month, day)
    except ValueError:
        return None
