"""The facts that one parse finds on a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sitecrawl.web.content_blocks import ContentBlock


class Link(NamedTuple):
    """One link as found: an absolute URL without fragment, and how the page gives it.

    ``via`` is the pattern that found it: ``a``, ``area``, ``frame``, ``iframe``,
    ``link``, ``longdesc``, ``object``, ``script``, ``option``, ``ismap``, ``refresh``,
    ``canonical``, or the tag of a pattern that was added. ``banner``: it wraps nothing but
    an image from another host. ``disguised``: its host is an IP address in odd spelling.
    A tuple because a frozen dataclass takes three times as long to make.
    """

    url: str
    via: str = "a"
    text: str = ""
    rel: frozenset[str] = frozenset()
    title: str = ""
    type: str = ""
    hreflang: str = ""
    banner: bool = False
    disguised: bool = False


class Heading(NamedTuple):
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
class Piece:
    """A line of the text with its context.

    ``region`` is the nearest main, header, footer, nav, aside or article element,
    ``element`` the nearest block element (``h2``, ``p``, ``li`` ...).
    """

    region: str
    element: str
    text: str


class LeftOut(NamedTuple):
    """Lines of a page that are no part of its text, by the option that leaves them out.

    ``sample`` is the beginning of what they say.
    """

    part: str
    lines: int
    characters: int
    sample: str

    def __str__(self) -> str:
        """The account of a part, for a person."""
        return f"{self.part}: {self.lines} lines, {self.characters} characters: {self.sample}"


@dataclass(frozen=True, slots=True)
class Refresh:
    """A meta refresh or Refresh header: seconds to wait, and the absolute target."""

    delay: float
    url: str


@dataclass(frozen=True, slots=True)
class Directives:
    """Robots directives of the page and its headers; the most restrictive wins."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False
    nosnippet: bool = False
    unavailable_after: datetime | None = None


@dataclass(slots=True)
class Page:
    """Everything one parse of a response tells; no judgement yet.

    ``content_type`` is the bare media type, sniffed where the response named none, and
    empty where the body is neither markup nor text: such a page holds nothing else.
    ``size`` is the number of the body's bytes, unpacked.
    ``site_names`` are parts of the title that many titles of the origin share.
    ``metas`` has names in lower case; ``json_ld`` property names as schema.org spells them,
    of JSON-LD and, where that has none, of microdata and RDFa; ``bylines`` are the texts of
    elements that, by relation or class, name the author;
    ``fields`` what the options' selectors or the paths of an XML document give.
    ``times`` are the ``datetime`` values of time elements by ``published``, ``modified``
    and ``time``. ``alternates`` are link elements and headers that name other forms of the
    page, feeds included; ``images`` those of the page's own host.
    ``content`` are the blocks of the text, if the options ask for an outline.
    ``stable_text`` is ``text`` without the ALT of foreign images, empty where equal.
    ``whole_text`` is that text before the lines went that the pages of a template share, empty
    where none did.
    ``heading_at`` is where in ``stable_text``, or in ``text``, the heading starts that a sentence follows
    first (else the first heading), -1 without any.
    ``left_out`` tells of text that is none of the page's own content.
    ``location`` is the URL that a document gives itself in place of its own; ``fault`` says
    why it cannot be used at all, ``fault_detail`` that in a sentence.
    ``inert`` are addresses of links to code or inline content (``javascript:``, ``data:``),
    ``malformed`` those that mean no URL, as written; of each its beginning.
    ``cuts`` names the truncations that kept the reading bounded.
    """

    url: str
    base: str
    content_type: str
    size: int = 0
    encoding: str = ""
    title: str = ""
    site_names: tuple[str, ...] = ()
    metas: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    json_ld: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bylines: tuple[str, ...] = ()
    times: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    stable_text: str = ""
    whole_text: str = ""
    heading_at: int = -1
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    pieces: tuple[Piece, ...] = ()
    content: tuple[ContentBlock, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    language: str = ""
    language_source: str = ""
    links: tuple[Link, ...] = ()
    inert: tuple[str, ...] = ()
    malformed: tuple[str, ...] = ()
    alternates: tuple[Link, ...] = ()
    images: tuple[str, ...] = ()
    canonical: str | None = None
    refresh: Refresh | None = None
    directives: Directives = Directives()
    last_modified: str = ""
    location: str = ""
    fault: str = ""
    fault_detail: str = ""
    cuts: tuple[str, ...] = ()
