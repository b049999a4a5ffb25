"""A URL as the rules look at it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from sitecrawl.web.identity import normal_form
from sitecrawl.web.urls import UrlParts, origin, split


class Target(NamedTuple):
    """A resolved URL in its normal form with the parts of that, taken apart once for all rules.

    An escaped letter is a letter to all of them; ``as_found`` is what is requested.
    """

    url: str
    origin: str
    parts: UrlParts
    as_found: str


@lru_cache(maxsize=1024)  # the rules, the limits and the fetch ask one after the other
def read_target(url: str) -> Target:
    """The normal form of a resolved URL, and its parts."""
    normal = normal_form(url)
    return Target(normal, origin(normal), split(normal), url)
