"""Keywords as their authors mean them: phrases where there are commas, words where not."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.web.page import Page

METAS = ("keywords", "news_keywords", "article:tag", "dc.subject", "dcterms.subject")
_COMMA = re.compile(r"[,;،、，；]")


def document_keywords(page: Page, limit: int) -> tuple[list[str], dict[str, int]]:
    """The keywords of a page, each once, and how often repeated ones stood there.

    ``limit`` is the characters of all together, 0 for no limit.
    """
    found = [
        word for name in METAS for text in page.metas.get(name, ()) for word in _split(name, text)
    ]
    found += [word for text in page.json_ld.get("keywords", ()) for word in _split("", text)]
    if not found:
        return [], {}
    counts = Counter(word.casefold() for word in found)
    unique = {word.casefold(): word for word in reversed(found)}
    ordered = [unique[key] for key in counts]
    repeats = {unique[key]: count for key, count in counts.items() if count > 1}
    return _within(ordered, limit), repeats


def _split(name: str, text: str) -> list[str]:
    """Phrases parted by commas; without any, the words of ``keywords``, else the phrase."""
    phrases = _COMMA.split(text)
    if len(phrases) == 1 and name == "keywords":
        phrases = text.split()
    return [" ".join(phrase.split()) for phrase in phrases if phrase.strip()]


def _within(words: list[str], limit: int) -> list[str]:
    """The first words that fit into so many characters, separators counted as two."""
    room = limit + 2
    kept: list[str] = []
    for word in words:
        room -= len(word) + 2
        if limit and room < 0:
            break
        kept.append(word)
    return kept
