"""Custom fields, extracted from pages by CSS selector."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


MAX_VALUES = 1_000


def is_xpath(selector: str) -> bool:
    """Return True for XPath: no CSS selector begins with a slash or a parenthesis."""
    return selector.startswith(("/", "("))


@lru_cache(maxsize=256)
def check_selector(selector: str) -> bool:
    """Return True if ``selector``, which may end in ``@attribute``, is valid."""
    query = selector.rpartition("@")[0] if "@" in selector else selector
    try:
        LexborHTMLParser("<p>").css(query)
    except SelectolaxError:
        return False
    return True


def read_fields(
    root: LexborNode, selectors: tuple[tuple[str, str], ...]
) -> dict[str, tuple[str, ...]]:
    """Return the matches of the selectors: text, or the attribute after ``@``.

    White space is normalized. An invalid selector matches nothing.
    """
    return {
        name: values
        for name, selector in selectors
        if check_selector(selector) and (values := _values(root, selector))
    }


def _values(root: LexborNode, selector: str) -> tuple[str, ...]:
    query, _, attribute = selector.rpartition("@") if "@" in selector else (selector, "", "")
    texts = (
        (node.attributes.get(attribute) or "") if attribute else node.text(separator=" ")
        for node in root.css(query)[:MAX_VALUES]
    )
    return tuple(" ".join(text.split()) for text in texts if text.strip())
