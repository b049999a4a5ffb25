"""The crawl's own rewriting of URLs, before any other rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sitecrawl.web.identity import normal_pattern
from sitecrawl.web.urls import normalize


@dataclass(slots=True)
class Rewriting:
    """Pairs of pattern and replacement, applied one after the other."""

    rules: tuple[tuple[re.Pattern[str], str], ...]
    setting: str
    reason: ClassVar[str] = "rewrite"

    def change(self, url: str) -> str:
        """``url`` after every replacement; unchanged where the result is no URL."""
        rewritten = url
        for pattern, replacement in self.rules:
            rewritten = pattern.sub(replacement, rewritten)
        return url if rewritten == url else normalize(rewritten) or url


def read_rewrite(entry: str) -> tuple[re.Pattern[str], str]:
    r"""A rule written ``PATTERN=>REPLACEMENT``; groups are ``\1``.

    Raises ValueError if the arrow is missing, the pattern does not compile or the
    replacement names a group that the pattern does not have.
    """
    pattern, arrow, replacement = (part.strip() for part in entry.partition("=>"))
    if not arrow or not pattern:
        raise ValueError(f"{entry!r} is not of the form PATTERN=>REPLACEMENT")
    try:
        compiled = re.compile(normal_pattern(pattern))
        re.compile(f"{pattern}|").sub(replacement, "")
    except (re.error, IndexError) as error:
        raise ValueError(f"{entry!r} is not a rewrite: {error}") from error
    return compiled, replacement
