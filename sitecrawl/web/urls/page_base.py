"""Base of the relative addresses of a page."""

from __future__ import annotations

import re

from sitecrawl.web.urls.url import resolve

# The start of a plain address, and the names that follow. None of their characters needs
# encoding, and no name is empty or begins with a dot, so the URL Standard (4.4) appends them
# unchanged. Hosts whose last label begins with a digit are excluded: such a host may be an IP
# address in an unusual spelling.
_NAME = r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+"
_HOST = r"(?:[A-Za-z0-9-]++\.)*+[A-Za-z][A-Za-z0-9-]*+"
_PLAIN = re.compile(rf"(https?://{_HOST}/|/|(?:\.\./)*+)({_NAME}(?:/{_NAME})*+/?)", re.ASCII)


class Base:
    """Base of the relative addresses of one page.

    Most links are names in few directories. Resolving each directory once costs 0.5 µs per link,
    against 1.5 µs for the parser.
    """

    __slots__ = ("_starts", "encoding", "url")

    def __init__(self, url: str, encoding: str) -> None:
        self.url = url
        self.encoding = encoding
        self._starts: dict[str, str] = {}

    def resolve(self, href: str) -> str | None:
        """Return the result of ``urls.resolve``."""
        return self.plain(href) or resolve(href, self.url, self.encoding)

    def plain(self, href: str) -> str | None:
        """The URL of a plain ``href``; None for any other, which the parser must resolve."""
        matched = _PLAIN.fullmatch(href)
        if matched is None:
            return None
        start, names = matched.groups()
        if start not in self._starts:
            self._starts[start] = self._resolve_start(start)
        url = self._starts[start]
        return url + names if url else None

    def _resolve_start(self, start: str) -> str:
        """The URL of the directory ``start``; empty if it is not an HTTP directory."""
        url = resolve(start or ".", self.url, self.encoding)
        is_directory = url is not None and url.startswith("http") and url.endswith("/")
        return url if url is not None and is_directory else ""
