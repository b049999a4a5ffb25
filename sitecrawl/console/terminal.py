"""Terminal output: durations, control characters, lines, lists."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, TextIO

from sitecrawl.config.config_errors import ConfigError
from sitecrawl.policy.documents.document_dates import rfc3339
from sitecrawl.statuses import DONE, NO_RESULT

UNITS = ((3 * 86400.0, 86400.0, "d"), (2 * 3600.0, 3600.0, "h"), (120.0, 60.0, "min"))
"""Units of durations: the minimum number of seconds, the seconds per unit, and the sign."""


CLEAR = "\r\x1b[K"  # ECMA-48: carriage return, erase in line
FIRST_SECONDS, NEXT_SECONDS = 1.0, 0.2
"""Seconds before a status line is shown first, and before it is renewed."""


def span(seconds: float) -> str:
    """Format a duration in one unit: ``46 h``, ``12 d``, ``90 s``."""
    length = abs(seconds)
    for least, size, unit in UNITS:
        if length >= least:
            return f"{length / size:.0f} {unit}"
    return f"{length:.0f} s"


def ago(at: float, now: float) -> str:
    """Format the time since ``at``."""
    return f"{span(now - at)} ago"


def ahead(at: float, now: float) -> str:
    """Format the time until ``at``; a past time is ``now``."""
    return f"in {span(at - now)}" if at > now else "now"


def stamp(at: float | None) -> str | None:
    """Format a time as RFC 3339 in UTC."""
    return None if at is None else rfc3339(at)


CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters except tab and line feed, line separators, and direction marks."""


def printable(text: str) -> str:
    r"""Escape the characters that control a terminal or its writing direction: ``\u001b``.

    The escapes are also valid in JSON.
    """
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_lines(lines: Iterable[str], *, escaped: bool = False) -> int:
    """Print lines until the reader closes the pipe; return 1 if there was no line.

    Lines are made ``printable`` unless they are ``escaped`` already. Raises ConfigError if
    standard output cannot be written.
    """
    status = NO_RESULT
    output: TextIO | None = sys.stdout
    try:
        for line in lines:
            status = DONE
            print(line if escaped else printable(line))  # nothing where stdout was closed
        if output is not None:
            output.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # a closed pipe, as with head, is no error
            raise ConfigError([f"standard output cannot be written: {error.strerror}."]) from error
    return status


def print_answer(record: Mapping[str, Any], lines: Iterable[str], *, as_json: bool) -> int:
    """Print the JSON form of an answer, or its lines; return 1 if there was no line."""
    return print_lines([json.dumps(record, ensure_ascii=False)] if as_json else lines)


def print_errors(problems: Iterable[str]) -> None:
    """Write problems to standard error, one per line."""
    output: TextIO | None = sys.stderr
    if output is None:  # print would use standard output instead
        return
    with suppress(OSError):
        for problem in problems:
            print(printable(problem), file=output)


@contextmanager
def status_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows what a slow command is doing, in one line of a terminal.

    Nothing is shown in the first second, nor where standard error is no terminal.
    """
    output: TextIO | None = sys.stderr
    terminal = output if output is not None and output.isatty() else None
    first = shown_at = time.monotonic() + FIRST_SECONDS

    def show(text: str) -> None:
        nonlocal shown_at
        if terminal is not None and time.monotonic() >= shown_at:
            shown_at = time.monotonic() + NEXT_SECONDS
            terminal.write(f"{CLEAR}{printable(text)[: get_terminal_size().columns - 1]}")
            terminal.flush()

    try:
        yield show
    finally:
        if terminal is not None and shown_at > first:
            terminal.write(CLEAR)


def reopen_stderr() -> None:
    """Reopen a closed standard error (2>&-), which Scrapy's log inspects."""
    output: TextIO | None = sys.stderr
    if output is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
