"""Durations and sizes: numbers with or without a unit."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal

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
DURATION = "seconds, or a number with a unit such as 500ms, 90s, 48h, 30d, 4weeks"
SIZE = "bytes, or a number with a unit such as 64KB, 10MB, 1GiB"
LONGEST = 1000 * SECONDS["years"]  # so that every date to come has a name
QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-zA-Z]*)\s*")


def _quantity(value: object, units: Mapping[str, float], written: str) -> float:
    text = f"{Decimal(repr(value)):f}" if isinstance(value, float) else str(value)
    matched = QUANTITY.fullmatch(text)
    if matched is None or matched[2].lower() not in units:
        raise ValueError(f"should be {written}")
    return float(matched[1]) * units[matched[2].lower()]


def read_duration(value: object) -> float:
    """Seconds of a number or of text such as ``90``, ``48h``, ``30 days``, ``4weeks``."""
    seconds = _quantity(value, SECONDS, DURATION)
    if seconds > LONGEST:
        raise ValueError("should be at most 1000 years")
    return seconds


def read_size(value: object) -> int:
    """Bytes of a number or of text such as ``500000``, ``10MB``, ``1GiB``."""
    return math.floor(_quantity(value, BYTES, SIZE))
