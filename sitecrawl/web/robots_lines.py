"""The lines of a robots.txt file as directives, whatever the file's spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SIZE_LIMIT = 500 * 1024  # RFC 9309, 2.5
LONGEST_SHOWN = 500  # characters of a line; each URL that it refuses is told of it

_SPELLINGS = {
    "user-agent": ("user-agent", "useragent", "user agent"),
    "disallow": ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    "allow": ("allow",),
    "crawl-delay": ("crawl-delay", "crawldelay", "crawl delay"),
    "sitemap": ("sitemap", "site-map", "sitemaps"),
    # Directives of other crawlers: known, and none of ours.
    "": ("host", "clean-param", "request-rate", "visit-time", "noindex", "content-signal"),
}
_NAMES = {spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings}
_LINE_END = re.compile(r"\r\n|\r|\n")
# What a terminal obeys (ECMA-48): lines are shown to people, in commands and in the log.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number from 1, its text as it can be shown, and the directive with its value.

    ``name`` is ``user-agent``, ``allow``, ``disallow``, ``crawl-delay`` or ``sitemap``, empty
    for a line that says nothing to us, and None for one that cannot be understood.
    """

    number: int
    text: str
    name: str | None
    value: str


def read_lines(body: bytes | str) -> Iterator[Line]:
    """The lines of a robots.txt body that are not blank, up to the size limit."""
    for number, text in enumerate(_LINE_END.split(_text_of(body)), 1):
        if content := text.partition("#")[0].strip():
            name, value = _directive(content)
            yield Line(number, _CONTROL.sub("\ufffd", text.strip()[:LONGEST_SHOWN]), name, value)


def is_cut(body: bytes | str) -> bool:
    """Whether the body is larger than what is read of it."""
    return len(_bytes_of(body)) > SIZE_LIMIT


def _directive(content: str) -> tuple[str | None, str]:
    """Name and value of a line without its comment."""
    key, colon, value = content.partition(":")
    name = _NAMES.get(" ".join(key.lower().split()))
    if colon and name is not None:
        return name, value.strip()
    # As the reference parser does: a missing colon is forgiven where two words stand.
    words = content.split()
    name = _NAMES.get(words[0].lower()) if len(words) == 2 else None
    return name, words[-1]


def _text_of(body: bytes | str) -> str:
    """The text to read; bytes that are not UTF-8 survive as surrogate escapes."""
    raw = _bytes_of(body)
    if len(raw) > SIZE_LIMIT:
        # The line that the limit cuts might say more than its first half.
        raw = raw[:SIZE_LIMIT]
        raw = raw[: max(raw.rfind(b"\n"), raw.rfind(b"\r")) + 1]
    if raw[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return raw.decode("utf-16", "replace")
    return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def _bytes_of(body: bytes | str) -> bytes:
    """The body as bytes."""
    return body.encode("utf-8", "replace") if isinstance(body, str) else body
