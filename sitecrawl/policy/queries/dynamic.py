"""Whether a URL looks as if a program answers it."""

from __future__ import annotations


def is_dynamic(url: str) -> bool:
    """Whether one of the characters ``? = & $ ;`` stands in it."""
    return any(mark in url for mark in "?=&$;")
