"""White space normalization, in memory proportional to the text."""

from __future__ import annotations

from collections.abc import Iterator

BLOCK = 100_000  # characters; splitting a larger text at once takes ten times its memory


def squeezed(text: str) -> str:
    """Return the words of a text, separated by single spaces."""
    if len(text) <= BLOCK:
        return " ".join(text.split())
    parts: list[str] = []
    is_apart = False
    for start in range(0, len(text), BLOCK):
        block = text[start : start + BLOCK]
        words = " ".join(block.split())
        if words and parts and (is_apart or block[0].isspace()):
            parts.append(" ")
        is_apart = block[-1].isspace() or (is_apart and not words)
        if words:
            parts.append(words)
    return "".join(parts)


def word_parts(text: str) -> Iterator[str]:
    """Yield a text in parts of whole words; a part after the first begins with its space."""
    start = 0
    while (end := text.find(" ", start + BLOCK)) >= 0:
        yield text[start:end]
        start = end
    yield text[start:]


LINES = 500_000  # characters


def line_parts(text: str) -> Iterator[str]:
    """Yield a text in parts of whole lines: a list of 5,000,000 lines takes 300 MB."""
    start = 0
    while (end := text.find("\n", start + LINES)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]
