"""Output of lines to a file, replaced atomically or appended to; never a partial line."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

from sitecrawl.config.config_errors import ConfigError
from sitecrawl.output.feeds import claim, cut_partial_line
from sitecrawl.statuses import DONE, NO_RESULT


def overwrite(path: str, lines: Iterable[str]) -> int:
    """Replace a file atomically; return 1 if there was no line.

    A pipe or a device is written to directly; a symbolic link is followed.
    """
    place = Path(path).resolve()
    try:
        if place.exists() and not place.is_file():
            return append(path, lines)
        with place.open("rb") if place.exists() else nullcontext() as held:
            if held is not None:  # a crawl's output to a replaced file would be lost
                claim(held, str(place))
            count = _replace(place, lines)
    except OSError as error:
        raise _unwritable(path, error) from error
    return DONE if count else NO_RESULT


def _replace(place: Path, lines: Iterable[str]) -> int:
    unfinished = Path(f"{place}.part")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            count = sum(bool(file.write(f"{line}\n")) for line in lines)
        if place.exists():
            shutil.copymode(place, unfinished)
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)  # fails in a read-only directory
    return count


def append(path: str, lines: Iterable[str]) -> int:
    """Append after the last complete line of a file; return 1 if there was no line."""
    try:
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            if Path(path).is_file():
                claim(file, path)
                cut_partial_line(path)
            count = sum(bool(file.write(f"{line}\n")) for line in lines)
    except OSError as error:
        raise _unwritable(path, error) from error
    return DONE if count else NO_RESULT


def _unwritable(path: str, error: OSError) -> ConfigError:
    return ConfigError([f"{path} cannot be written: {error.strerror}."])
