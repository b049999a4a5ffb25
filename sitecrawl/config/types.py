"""Types of option values: durations, sizes, lists and tables."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

SECONDS = {
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604800.0),
    **dict.fromkeys(("month", "months"), 2592000.0),
    **dict.fromkeys(("y", "year", "years"), 31536000.0),
}
BYTES = {
    **dict.fromkeys(("", "b", "byte", "bytes"), 1.0),
    **dict.fromkeys(("k", "kb"), 1e3) | {"kib": 1024.0},
    **dict.fromkeys(("m", "mb"), 1e6) | {"mib": 1024.0**2},
    **dict.fromkeys(("g", "gb"), 1e9) | {"gib": 1024.0**3},
}
AUTO: Final = "auto"
DURATION = "seconds, or a number with a unit such as 500ms, 90s, 48h, 30d, 4weeks"
SIZE = "bytes, or a number with a unit such as 64KB, 10MB, 1GiB"
LONGEST = 1000 * SECONDS["years"]  # so that every future date can be represented
QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-zA-Z]*)\s*")


def _quantity(value: object, units: Mapping[str, float], written: str) -> float:
    text = f"{Decimal(repr(value)):f}" if isinstance(value, float) else str(value)
    matched = QUANTITY.fullmatch(text)
    if matched is None or matched[2].lower() not in units:
        raise ValueError(f"should be {written}")
    return float(matched[1]) * units[matched[2].lower()]


def read_duration(value: object) -> float:
    """Parse a number of seconds or text such as ``90``, ``48h``, ``30 days``, ``4weeks``."""
    seconds = _quantity(value, SECONDS, DURATION)
    if seconds > LONGEST:
        raise ValueError("should be at most 1000 years")
    return seconds


def read_recrawl(value: object) -> float | str:
    """Parse a duration, or ``auto``."""
    return AUTO if str(value).strip().lower() == AUTO else read_duration(value)


def read_workers(value: object) -> object:
    """Parse a number of processes, or ``auto`` for the number of cores that this one may use."""
    return len(os.sched_getaffinity(0)) if str(value).strip().lower() == AUTO else value


def read_size(value: object) -> int:
    """Parse a number of bytes or text such as ``500000``, ``10MB``, ``1GiB``."""
    return math.floor(_quantity(value, BYTES, SIZE))


@dataclass(frozen=True, slots=True)
class Notation:
    """Notation of a type's values, for the documentation."""

    name: str
    written: str


class OptionGroup(BaseModel):
    """A group of options. All are read together, so no group needs a validator of its own."""

    model_config = ConfigDict(defer_build=True)


def json_strings(text: str) -> tuple[str, ...] | None:
    """Return the strings of a JSON list; None if ``text`` is anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    strings = isinstance(found, list) and all(isinstance(item, str) for item in found)
    return tuple(found) if strings else None


def _split(pattern: str) -> Callable[[object], object]:
    """Return a function that splits a string into entries, and leaves any other value alone."""

    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        listed = json_strings(value)
        words = (word.strip() for word in re.split(pattern, value))
        return tuple(filter(None, words)) if listed is None else listed

    return read


read_words = _split(r"[\s,]+")
read_urls = _split(r"\s+|,\s*(?=[a-zA-Z][\w+.-]*://|@)")
"""URLs are parted by white space, or a comma before the next URL or file."""
read_patterns = _split(r"\s+")
read_lines = _split(r"[\r\n]+")


def read_extensions(value: object) -> object:
    """Parse file extensions, separated by commas, bars, semicolons or space; lower case, no dot."""
    words = _split(r"[\s,;|]+")(value)
    if not isinstance(words, tuple | list):
        return words
    return tuple(w.lower().lstrip(".") if isinstance(w, str) else w for w in words)


def read_json_object(text: str) -> object:
    """Parse a JSON text; raises ValueError with a message if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"begins with a brace and is not a JSON object: {error}") from None
    except RecursionError:
        raise ValueError("is nested too deeply; a table has one level") from None


def read_table(
    split: Callable[[object], object], pair: Callable[[str], tuple[str, str]]
) -> Callable[[object], object]:
    """Return a function that parses a table: a JSON object, or entries that are pairs."""

    def read(value: object) -> object:
        if isinstance(value, str) and value.lstrip().startswith("{"):
            return read_json_object(value)
        parts = split(value)
        return dict(pair(str(part)) for part in parts) if isinstance(parts, tuple | list) else value

    return read


_read_entries = _split(r"[,\r\n]+")


read_pairs = read_table(_read_entries, lambda text: _pair(text, text.rpartition(":")))
"""The last colon separates, because metadata names such as ``og:type`` contain one."""
read_selectors = read_table(_read_entries, lambda text: _pair(text, text.partition(":")))
"""The first one separates: selectors have more."""


def _pair(text: str, parts: tuple[str, str, str]) -> tuple[str, str]:
    name, item = parts[0].strip(), parts[2].strip()
    if not (name and item):
        raise ValueError(f"{text!r} is not of the form name:value")
    if re.search(r":\S*\s", name):
        raise ValueError(f"{text!r} holds several pairs, which commas should part")
    return name, item


def check_pattern(pattern: str) -> None:
    """Check that a regular expression compiles."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None


def each(read: Callable[[str], object]) -> AfterValidator:
    """Build a validator that accepts a list if ``read`` can parse every entry."""

    def check(entries: tuple[str, ...]) -> tuple[str, ...]:
        for entry in entries:
            read(entry)
        return entries

    return AfterValidator(check)


def among(known: Collection[str]) -> AfterValidator:
    """Build a validator that accepts a list of known words."""

    def read(word: str) -> None:
        if word not in known:
            raise ValueError(f"{word!r} is none of {', '.join(known)}")

    return each(read)


def matching(pattern: str, fault: str) -> Callable[[str], str]:
    """Build a check of a text by a pattern of the whole; ``{!r}`` in the ``fault`` is the text."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text, re.DOTALL):
            raise ValueError(fault.format(text))
        return text

    return check


Words = Annotated[
    tuple[str, ...],
    BeforeValidator(read_words),
    Notation("list of words", "words parted by commas or spaces; +word adds to the list"),
]
Extensions = Annotated[
    tuple[str, ...],
    BeforeValidator(read_extensions),
    Notation("list of extensions", "file extensions parted by commas, spaces, bars or semicolons"),
]
Urls = Annotated[
    tuple[str, ...], BeforeValidator(read_urls), Notation("list of URLs", "URLs parted by spaces")
]
Patterns = Annotated[
    tuple[str, ...],
    BeforeValidator(read_patterns),
    each(check_pattern),
    Notation("list of regular expressions", "regular expressions parted by spaces, or a JSON list"),
]
Lines = Annotated[
    tuple[str, ...],
    BeforeValidator(read_lines),
    Notation("list of lines", "one entry a line, or a JSON list"),
]
Pairs = Annotated[
    dict[str, str],
    BeforeValidator(read_pairs),
    Notation("table", "name:value pairs parted by commas, or a TOML table"),
]
Selectors = Annotated[
    dict[str, str],
    BeforeValidator(read_selectors),
    Notation("table", "name:selector pairs parted by commas, or a TOML table"),
]
WorkerCount = Annotated[
    int, BeforeValidator(read_workers), Notation("whole number", "a number, or auto for one a core")
]
Duration = Annotated[float, BeforeValidator(read_duration), Notation("duration", DURATION)]
Recrawl = Annotated[
    float | Literal["auto"], BeforeValidator(read_recrawl), Notation("duration", DURATION)
]
ByteSize = Annotated[int, BeforeValidator(read_size), Notation("size", SIZE)]
