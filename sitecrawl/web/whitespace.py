"""White space normalization, in memory proportional to the text."""

from __future__ import annotations

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
