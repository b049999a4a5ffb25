"""Article text from a third-party extractor, for news and blogs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

MAX_MARKUP = 4_000_000
"""Maximum bytes of a page given to an extractor, whose time is otherwise unbounded; news have 3 MB."""
MIN_TEXT = 100
"""Minimum characters of an article; below it, the page's own content is used."""
MIN_FOUND = 3
"""An article of trafilatura is taken unless resiliparse finds this many times its length."""
MIN_SEQUENCES = 2
"""Minimum sequences of three words in a line that is broken elsewhere in the article."""


_WORD = re.compile(r"\w+")
_RULE = re.compile(r"[|:\s-]+")  # below the heads of a table


class ArticleLines:
    """The lines and word sequences of an article, to recognise its lines in the page's own text.

    An extractor may break lines elsewhere: a line belongs to the article if most of its sequences
    of three words do.
    """

    def __init__(self, article: str) -> None:
        self._lines: set[tuple[str, ...]] = set()
        self._sequences: set[tuple[str, ...]] = set()
        for line in article.split("\n"):
            words = _WORD.findall(line.lower())
            self._lines.add(tuple(words))
            self._sequences.update(zip(words, words[1:], words[2:], strict=False))

    def holds(self, line: str) -> bool:
        """Return True if a line is part of the article."""
        words = _WORD.findall(line.lower())
        if tuple(words) in self._lines:
            return True
        sequences = list(zip(words, words[1:], words[2:], strict=False))
        if len(sequences) < MIN_SEQUENCES:
            return False
        return sum(map(self._sequences.__contains__, sequences)) * 2 > len(sequences)


def article_text(markup: bytes, url: str, extractor: str, *, comments: bool = False) -> str:
    """Return the article of a page in UTF-8, line by line; empty if none is found.

    Each cell of a table is a line, as in the text of other pages.
    """
    text = markup.decode("utf-8", "replace")
    try:
        found = _EXTRACTORS[extractor](text, url, comments=comments)
    except Exception:  # noqa: BLE001 -- on any failure, the page's own content is used
        return ""
    cells = (cell for line in found.split("\n") for cell in _cells(line))
    lines = (" ".join(cell.split()) for cell in cells)
    article = "\n".join(line for line in lines if line)
    return article if len(article) >= MIN_TEXT else ""


def _cells(line: str) -> list[str]:
    """Return the cells of a row of a table, which extractors write in one line."""
    if line.startswith("|"):
        return [] if _RULE.fullmatch(line) else line.split("|")
    return line.split("\t\t")


def _by_trafilatura(text: str, url: str, *, comments: bool) -> str:
    """The article; that of resiliparse where trafilatura has plainly missed the text."""
    found = _trafilatura()(text, url=url, include_comments=comments) or ""
    other = _by_resiliparse(text, url, comments=comments) if find_spec("resiliparse") else ""
    return other if len(found) * MIN_FOUND < len(other) else found


def _by_resiliparse(text: str, _url: str, *, comments: bool) -> str:
    return str(_resiliparse()(text, main_content=True, alt_texts=False, comments=comments))


_EXTRACTORS: dict[str, Callable[..., str]] = {
    "trafilatura": _by_trafilatura,
    "resiliparse": _by_resiliparse,
}


@cache
def _trafilatura() -> Any:
    """Return trafilatura's extract function, imported on first use."""
    from trafilatura import extract  # noqa: PLC0415

    return extract


@cache
def _resiliparse() -> Any:
    """Return resiliparse's extract function, imported on first use."""
    from resiliparse.extract.html2text import extract_plain_text  # noqa: PLC0415

    return extract_plain_text
