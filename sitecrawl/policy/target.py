"""A URL as the rules look at it."""

from __future__ import annotations

from typing import NamedTuple

from sitecrawl.web.urls import UrlParts, origin, split


class Target(NamedTuple):
    """A resolved URL with its parts, taken apart once for all rules."""

    url: str
    origin: str
    parts: UrlParts


def read_target(url: str) -> Target:
    """The parts of a resolved URL."""
    return Target(url, origin(url), split(url))
