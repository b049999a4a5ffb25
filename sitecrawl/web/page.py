"""The facts that one parse finds on a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Link:
    """One link as found: an absolute URL without fragment, and how the page gives it.

    ``via`` is the pattern that found it: ``a``, ``area``, ``frame``, ``iframe``,
    ``link``, ``longdesc``, ``script``, ``option``, ``ismap``, ``refresh``, ``canonical``.
    """

    url: str
    via: str = "a"
    text: str = ""
    rel: frozenset[str] = frozenset()
    title: str = ""
    type: str = ""
    hreflang: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the body, with the id or anchor name by which it can be linked."""

    level: int
    text: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Text whose language differs from the page's."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Refresh:
    """A meta refresh or Refresh header: seconds to wait, and the absolute target."""

    delay: float
    url: str


@dataclass(frozen=True, slots=True)
class Directives:
    """What the page and its headers ask of robots; the most restrictive wins."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False
    nosnippet: bool = False
    unavailable_after: datetime | None = None


@dataclass(slots=True)
class Page:
    """Everything one parse of a response tells; no judgement yet."""

    url: str
    base: str
    content_type: str
    title: str = ""
    metas: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    text: str = ""
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    language: str = ""
    links: tuple[Link, ...] = ()
    canonical: str | None = None
    refresh: Refresh | None = None
    directives: Directives = Directives()
    cuts: tuple[str, ...] = ()
