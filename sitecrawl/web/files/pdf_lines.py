"""Lines of a PDF page: words in reading order, hyphens resolved, listings with their indentation."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import bidirectional, mirrored, normalize

from pypdfium2 import raw

from sitecrawl.web.files.markup import clean

MAX_INDENT = 100  # characters
MAX_EMPTY_LINES = 3
_LINE = re.compile(r"[^\r\n]+")
# A hyphen that splits a word, as marked by pdfium; and one at the end of a line, marked or written.
_SOFT_HYPHEN = re.compile(r"(?<=\w)[\ufffe\x02\xad][ \t]*")
_LAST_HYPHEN = re.compile(r"(?<=\w)(?:[\ufffe\x02\xad][ \t]*|(-))$")
_SMALL_LETTER = re.compile(r"[a-zà-ÿ]")
_FIXED_PITCH = 1  # ISO 32000-1, table 123
_FIXED_NAME = re.compile(rb"mono|courier|consol|typewriter|cmtt|menlo|fixed", re.IGNORECASE)
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_FROM_LEFT = re.compile(r"[^\W_\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_AS_LETTERS = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\xa0": " ", "\t": " "}
)


class Place(NamedTuple):
    """The place of a line set in a font of fixed pitch, in points; ``advance`` is a character's width."""

    left: float
    baseline: float
    advance: float


class PdfLine(NamedTuple):
    """A line of text and the size of its letters, in points; one of a listing has a place."""

    text: str
    size: float = 0.0
    place: Place | None = None


def read_lines(page: Any) -> list[PdfLine]:
    """Return the lines of a text page that are not empty."""
    text: str = page.get_text_range()
    is_mapped = len(text) == page.count_chars()
    found: list[PdfLine] = []
    for match in _LINE.finditer(text):
        words = match[0]
        place, size = None, 0.0
        if is_mapped:
            ends = [match.start() + at for at in _ends(words)]
            size = min(raw.FPDFText_GetFontSize(page, end) for end in ends)
            place = _place(page, *ends)
            if _RIGHT_TO_LEFT.search(words):
                words = _reordered(page, match.start(), words)
        words = words.translate(_AS_LETTERS)
        if place is None and found and found[-1].place is None:
            before = _without_hyphen(found[-1].text, words)
            if before is not None:
                found[-1] = PdfLine(before + words, found[-1].size)
                continue
        if words.strip():
            found.append(PdfLine(words, size, place))
    return [each._replace(text=clean(_SOFT_HYPHEN.sub("", each.text))) for each in found]


def _without_hyphen(line: str, following: str) -> str | None:
    """Return a line without the hyphen that splits its last word, None if there is none."""
    match = _LAST_HYPHEN.search(line)
    if match is None or (match[1] and not _SMALL_LETTER.match(following)):
        return None
    return line[: match.start()]


def _place(page: Any, first: int, last: int) -> Place | None:
    """Return the place of a line whose first and last characters have a fixed pitch."""
    if not (_is_fixed(page, first) and _is_fixed(page, last)):
        return None
    (left, baseline), (end, _) = _origin(page, first), _origin(page, last)
    return Place(left, baseline, (end - left) / (last - first) if last > first else 0.0)


def _ends(line: str) -> tuple[int, int]:
    """Return the indices of the first and the last character that are no spaces."""
    return len(line) - len(line.lstrip()), max(0, len(line.rstrip()) - 1)


def _is_fixed(page: Any, index: int) -> bool:
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    raw.FPDFText_GetFontInfo(page, index, name, 128, ctypes.byref(flags))
    return bool(flags.value & _FIXED_PITCH) or bool(_FIXED_NAME.search(name.value))


def _origin(page: Any, index: int) -> tuple[float, float]:
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(page, index, ctypes.byref(x), ctypes.byref(y))
    return x.value, y.value


def listing_lines(lines: Sequence[PdfLine]) -> Iterator[str]:
    """Yield the lines of a listing, all with a place: indented, empty ones among them."""
    places = [line.place for line in lines if line.place is not None]
    left = min(each.left for each in places)
    advance = max(each.advance for each in places)
    steps = [one.baseline - other.baseline for one, other in pairwise(places)]
    step = min((each for each in steps if each > 0), default=0.0)
    for line, place, gap in zip(lines, places, [0.0, *steps], strict=True):
        if step and gap > 0:
            yield from [""] * min(MAX_EMPTY_LINES, round(gap / step) - 1)
        indent = round((place.left - left) / advance) if advance else 0
        yield " " * min(MAX_INDENT, indent) + line.text


def _reordered(page: Any, start: int, line: str) -> str:
    """Return a line with letters from right to left as it is read.

    Producers of PDF draw its characters from left to right or in reading order; their places on the
    page tell the order in which they are seen.
    """
    left = [page.get_charbox(start + at, loose=True)[0] for at in range(len(line))]
    to_left = len(_RIGHT_TO_LEFT.findall(line)) >= len(_FROM_LEFT.findall(line))
    order = sorted(range(len(line)), key=lambda at: left[at], reverse=to_left)
    seen = [line[at] for at in order]
    words = "".join(_runs(seen, reverse=to_left))
    return (
        normalize("NFKC", words) if any("\ufb1d" <= each <= "\ufeff" for each in words) else words
    )


def _runs(characters: Iterable[str], *, reverse: bool) -> Iterator[str]:
    """Yield runs of characters of one direction; reverse those against the direction of the line."""
    against = _FROM_LEFT if reverse else _RIGHT_TO_LEFT
    run: list[str] = []
    between: list[str] = []
    for each in characters:
        if against.match(each):
            run += [*between, each]
            between = []
        elif run and not _is_strong(each):
            between.append(each)
        else:
            yield from reversed(run)
            yield from (_shown(one, to_left=reverse) for one in (*between, each))
            run, between = [], []
    yield from reversed(run)
    yield from (_shown(one, to_left=reverse) for one in between)


def _is_strong(character: str) -> bool:
    return bidirectional(character) in {"L", "R", "AL"}


def _shown(character: str, *, to_left: bool) -> str:
    """Return a bracket as it is written: in a line from right to left its mirror image is drawn."""
    return character.translate(_MIRRORED) if to_left and mirrored(character) else character
