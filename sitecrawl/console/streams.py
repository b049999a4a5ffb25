"""Standard output and standard error, as they may be: closed, full, or read by nobody any more."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from sitecrawl.params.problems import ConfigError
from sitecrawl.statuses import DONE, NOTHING

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, separators of lines, and those of direction."""


def printable(text: str) -> str:
    r"""A text without what would command a terminal or turn its writing round: ``\u001b``.

    JSON means the same with and without.
    """
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_lines(lines: Iterable[str]) -> int:
    """Print line by line for as long as somebody reads; 1 when there was none.

    Raises ConfigError where standard output cannot be written.
    """
    status = NOTHING
    output: TextIO | None = sys.stdout
    try:
        for line in lines:
            status = DONE
            print(printable(line))  # nowhere, where it was closed before we began
        if output is not None:
            output.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # as under head: who reads has seen enough
            raise ConfigError([f"standard output cannot be written: {error.strerror}."]) from error
    return status


def complain(problems: Iterable[str]) -> None:
    """Write problems to standard error, a line for each."""
    output: TextIO | None = sys.stderr
    if output is None:  # print would take standard output in its place
        return
    with suppress(OSError):
        for problem in problems:
            print(printable(problem), file=output)


def reopen_errors() -> None:
    """Give standard error a place where it was closed (2>&-): Scrapy's log asks what it is."""
    output: TextIO | None = sys.stderr
    if output is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
