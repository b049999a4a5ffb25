"""Terminal output: durations, control characters, lines, lists."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from sitecrawl.config.config_errors import ConfigError
from sitecrawl.frontier.change_log import ChangeLog
from sitecrawl.frontier.records import Records, write_pending
from sitecrawl.statuses import DONE, NO_RESULT

UNITS = ((3 * 86400.0, 86400.0, "d"), (2 * 3600.0, 3600.0, "h"), (120.0, 60.0, "min"))
"""From which length on a unit is used, its seconds, and its sign."""


def span(seconds: float) -> str:
    """Format a duration in one unit: ``46 h``, ``12 d``, ``90 s``."""
    length = abs(seconds)
    for least, size, unit in UNITS:
        if length >= least:
            return f"{length / size:.0f} {unit}"
    return f"{length:.0f} s"


def ago(at: float, now: float) -> str:
    """Format the time since a moment."""
    return f"{span(now - at)} ago"


def ahead(at: float, now: float) -> str:
    """Format the time until a moment; a past one is ``now``."""
    return f"in {span(at - now)}" if at > now else "now"


def stamp(at: float | None) -> str | None:
    """Format a moment as RFC 3339 in UTC."""
    if at is None:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, separators of lines, and those of direction."""


def printable(text: str) -> str:
    r"""Escape the characters that control a terminal or its writing direction: ``\u001b``.

    JSON keeps its meaning.
    """
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_lines(lines: Iterable[str], *, escaped: bool = False) -> int:
    """Print line by line while the reader is there; return 1 if there was no line.

    Lines that are not ``escaped`` yet are made ``printable``. Raises ConfigError where standard output cannot be written.
    """
    status = NO_RESULT
    output: TextIO | None = sys.stdout
    try:
        for line in lines:
            status = DONE
            print(
                line if escaped else printable(line)
            )  # nowhere, where it was closed before we began
        if output is not None:
            output.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # as under head: who reads has seen enough
            raise ConfigError([f"standard output cannot be written: {error.strerror}."]) from error
    return status


def print_errors(problems: Iterable[str]) -> None:
    """Write problems to standard error, a line for each."""
    output: TextIO | None = sys.stderr
    if output is None:  # print would take standard output in its place
        return
    with suppress(OSError):
        for problem in problems:
            print(printable(problem), file=output)


def reopen_stderr() -> None:
    """Reopen a closed standard error (2>&-), which Scrapy's log inspects."""
    output: TextIO | None = sys.stderr
    if output is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115


Entry = tuple[dict[str, Any], str]


def list_pending(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield every URL as ``URL Realm State``, in byte order; of one realm or of all."""
    for url, name, state in records.pending():
        if realm in {None, name}:
            (line,) = write_pending([(url, name, state)])
            yield {"url": url, "realm": name, "state": state}, line.rstrip("\n")


def list_errors(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield the URLs that failed last time, each with a page that links to it."""
    for url, outcome, status, reason, referrer in records.failures(realm):
        name = outcome.name.lower()
        record = {"url": url, "outcome": name, "status": status, "reason": reason}
        on = f" on {referrer}" if referrer else ""
        yield {**record, "referrer": referrer}, f"{status or '-'} {name} {url}{on}"


def list_redirects(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield the URLs that redirect, each with its target."""
    for url, outcome, status, target in records.redirects(realm):
        record = {"url": url, "redirect_to": target, "status": status}
        yield {**record, "outcome": outcome.name.lower()}, f"{status or '-'} {url} {target}"


def list_mirrors(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield pairs of origins with equal documents: their number, and share of the smaller origin."""
    for one, other, count, share in records.mirrors(realm):
        record = {"origins": [one, other], "documents": count, "share": round(share, 4)}
        yield record, f"{count} {share:.0%} {one} {other}"


def list_refused(log: ChangeLog) -> Iterator[Entry]:
    """Yield the changes that targets refused, each with the target's reason."""
    for target, letter in log.dead_letters():
        record = {"target": target, **asdict(letter)}
        yield record, f"{target} {letter.url or letter.id} {letter.reason}"
