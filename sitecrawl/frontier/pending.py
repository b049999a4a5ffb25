"""The pending file of the fdse source: ``URL Realm State``, one a line, alphabetical."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote


@dataclass(frozen=True, slots=True)
class Pending:
    """A line of the file: state 0 waits, 2 is an error, any other the time of indexing."""

    url: str
    realm: str
    state: int


def write(entries: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """The lines of the file, each with its line end; blanks in a realm are written ``%20``."""
    for url, realm, state in entries:
        yield f"{url} {quote(realm, safe=SAFE)} {state}\n"


def read(lines: Iterable[str]) -> tuple[list[Pending], list[str]]:
    """What the lines say, and one readable text for each line that says nothing."""
    found: list[Pending] = []
    problems: list[str] = []
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if len(words) == 3 and "://" in words[0] and _is_state(words[2]):
            found.append(Pending(words[0], unquote(words[1]), int(words[2])))
        elif words:
            problems.append(f"line {number} is not of the form URL Realm State: {line.strip()}")
    return found, problems


def _is_state(word: str) -> bool:
    return word.isdecimal() and len(word) <= MAX_DIGITS and int(word) <= LATEST


LATEST = 253_402_300_799  # the last second of the year 9999
MAX_DIGITS = 20
SAFE = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) != "%")
