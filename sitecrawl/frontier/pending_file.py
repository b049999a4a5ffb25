"""The pending file of fdse: a line for each URL, with its realm and its state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

WAITING, ERROR = 0, 2
"""States of a URL; any larger number is a time."""
LATEST = 253_402_300_799  # the last second of the year 9999
MAX_DIGITS = 20
SAFE = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) != "%")


@dataclass(frozen=True, slots=True)
class Pending:
    """A line of the pending file: state 0 is waiting, 2 an error, any other the time of indexing."""

    url: str
    realm: str
    state: int


def write_pending(entries: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """Yield the lines of the pending file, with line ends; blanks in a realm become ``%20``."""
    for url, realm, state in entries:
        yield f"{url} {quote(realm, safe=SAFE)} {state}\n"


def read_pending(lines: Iterable[str]) -> tuple[list[Pending], list[str]]:
    """Parse the lines; also return a readable text for each line that cannot be parsed."""
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
