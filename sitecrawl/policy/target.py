"""A URL as the rules look at it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from sitecrawl.web.urls import UrlParts, origin, split


class Target(NamedTuple):
    """A resolved URL with its parts, taken apart once for all rules."""

    url: str
    origin: str
    parts: UrlParts


@lru_cache(maxsize=1024)  # the rules, the limits and the fetch ask one after the other
def read_target(url: str) -> Target:
    """The parts of a resolved URL."""
    return Target(url, origin(url), split(url))
