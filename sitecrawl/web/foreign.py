"""Text in another language than the page's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.web.languages import read_language
from sitecrawl.web.walk import Enter, Leave, Walk, skip

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


def in_language(inner: Enter | None) -> Enter:
    """An action that records the language of an element's text where it is another."""

    def enter_foreign(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node) if inner is not None else None
        if leave is skip:
            return skip
        text, outer = walk.text, walk.text.language
        text.language = _foreign_language(walk, node)
        start, lines = len(text.pieces), len(text.lines)

        def leave_foreign(walk: Walk, node: LexborNode) -> None:
            if leave is not None:
                leave(walk, node)
            if text.language and text.language != outer:  # else what is around it tells of it
                begun = start if len(text.lines) == lines else 0
                text.add_foreign(text.language, "".join(text.pieces[begun:]))
            text.language = outer

        return leave_foreign

    return enter_foreign


def _foreign_language(walk: Walk, node: LexborNode) -> str:
    """The language of an element if it is not the page's, else nothing."""
    attributes = node.attributes
    language = read_language(attributes.get("lang") or attributes.get("xml:lang") or "")
    return language if language.split("-")[0] != walk.language.split("-")[0] else ""
