"""Plain text documents: the text as it is."""

from __future__ import annotations

import re

from sitecrawl.web.page import Page

# White space before a line's end; looked for where it begins, or long runs cost their square.
_TRAILING = re.compile(r"(?<![^\S\n])[^\S\n]++(?=\n|\Z)")


def read_plain(page: Page, text: str) -> None:
    """Take the text of a plain document, with one form of line ends and none trailing."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    page.text = _TRAILING.sub("", text).strip("\n")
