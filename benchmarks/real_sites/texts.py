"""Text that people wrote, for the sites whose software comes empty: Git's manuals and notes."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from pathlib import Path

PACKAGES = ("git-doc", "git")
MANUALS = Path("/usr/share/doc/git-doc")
NOTES = Path("/usr/share/doc/git/RelNotes")


@cache
def manuals() -> dict[str, str]:
    """Git's manual pages in AsciiDoc, by name."""
    files = sorted(MANUALS.glob("git-*.txt"))
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


@cache
def notes() -> dict[str, str]:
    """Git's release notes, by version."""
    files = sorted(NOTES.glob("*.txt"))
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


@cache
def words() -> tuple[str, ...]:
    """All words of both, in their order."""
    files = chain(sorted(MANUALS.glob("*.txt")), sorted(NOTES.glob("*.txt")))
    return tuple(chain.from_iterable(file.read_text(encoding="utf-8").split() for file in files))


def portion(number: int, of: int, size: int) -> str:
    """One of so many pieces of the text, ``size`` words long; each begins elsewhere."""
    first = number * (len(words()) - size) // of
    return " ".join(words()[first : first + size])


def slug(text: str, length: int = 5) -> str:
    """The first words of a text as a path's segment."""
    return "-".join(re.findall(r"[a-z]{3,}", text.lower())[:length]) or "untitled"
