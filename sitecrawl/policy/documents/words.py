"""Where text may be cut: between words, in the manner of each language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

ELLIPSIS = "..."
_SPACES = re.compile(r"\s+")
_ANYWHERE = re.compile(r"")
# A pattern for each language whose words do not end at spaces; add to a copy to extend.
WORD_BREAKS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    dict.fromkeys(("zh", "ja", "th", "lo", "km", "my"), _ANYWHERE)
)
_WORD = 30  # characters; in the last so many there is nearly always a place
_TRAILING = " \t\n,;:.-–—(/"


def cut_at_word(
    text: str,
    limit: int,
    language: str = "",
    breaks: Mapping[str, re.Pattern[str]] = WORD_BREAKS,
) -> str:
    """``text`` in at most ``limit`` characters, the last being dots where words are missing.

    ``breaks`` has by language (the first subtag) the pattern of places to cut; elsewhere
    that is white space. A single word longer than the limit is cut within. 0 is no limit.
    """
    if not limit or len(text) <= limit:
        return text
    room = max(0, limit - len(ELLIPSIS))
    pattern = breaks.get(language.partition("-")[0], _SPACES)
    end = _last(pattern, text, max(0, room - _WORD), room) or _last(pattern, text, 0, room) or room
    return text[:end].rstrip(_TRAILING) + ELLIPSIS


def _last(pattern: re.Pattern[str], text: str, after: int, until: int) -> int:
    """Where the last place to cut between two others is, 0 without any."""
    matches = pattern.finditer(text, after, until + 1)
    return max((match.start() for match in matches if after < match.start() <= until), default=0)
