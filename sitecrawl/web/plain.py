"""Plain text documents: the text as it is."""

from __future__ import annotations

from sitecrawl.web.page import Page


def read_plain(page: Page, text: str) -> None:
    """Take the text of a plain document, with one form of line ends and none trailing."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").split("\n")
    page.text = "\n".join(line.rstrip() for line in lines).strip("\n")
