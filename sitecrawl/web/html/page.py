"""Data model of a parsed page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sitecrawl.web.content_blocks import ContentBlock


class Link(NamedTuple):
    """One link as found: an absolute URL without fragment, and the attributes of its element.

    ``via`` is the pattern that found it: ``a``, ``area``, ``frame``, ``iframe``,
    ``link``, ``longdesc``, ``object``, ``script``, ``option``, ``ismap``, ``refresh``,
    ``canonical``, or the tag of a configured pattern. ``banner``: the link contains only an
    image from another host. A tuple because a frozen dataclass takes three times as long to
    create.
    """

    url: str
    via: str = "a"
    text: str = ""
    rel: frozenset[str] = frozenset()
    title: str = ""
    type: str = ""
    hreflang: str = ""
    banner: bool = False


class Heading(NamedTuple):
    """A heading of the body, with the id or anchor name for links to it."""

    level: int
    text: str
    anchor: str = ""


class Definition(NamedTuple):
    """A term, table row or paragraph with an anchor of its own; ``term`` is the name it defines."""

    term: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Block:
    """Text whose language differs from the page's."""

    language: str
    text: str


class LeftOut(NamedTuple):
    """Lines omitted from a page's text, by part (``landmarks``, ``outside_main`` ...).

    ``sample`` is the beginning of these lines.
    """

    part: str
    lines: int
    characters: int
    sample: str

    def __str__(self) -> str:
        """A readable summary of a part."""
        return f"{self.part}: {self.lines} lines, {self.characters} characters: {self.sample}"


@dataclass(frozen=True, slots=True)
class Refresh:
    """A meta refresh or Refresh header: delay in seconds, and the absolute target."""

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
    """Everything that one parse of a response yields, before any policy applies.

    ``content_type`` is the bare media type, sniffed if the response has none, and empty if the
    body is neither markup nor text; the other fields of such a page are empty.
    ``size`` is the size of the decompressed body in bytes.
    ``metas`` has its names in lower case. ``generators`` are the names of the software that made
    the page, in lower case and without versions. ``json_ld`` has property names as schema.org spells
    them; microdata and RDFa supply the properties that JSON-LD lacks. ``bylines`` are the texts
    of elements that name the author by relation or class.
    ``page_type`` is the kind of the page, empty if its metadata tells none.
    ``fields`` are the matches of the options' selectors or of the paths of an XML document.
    ``times`` are the ``datetime`` values of time elements by ``published``, ``modified``
    and ``time``. ``alternates`` are link elements and headers for other forms of the page,
    feeds included; ``images`` are the images of the page's own host, as written.
    ``assets`` are the absolute URLs of images, scripts, style sheets and media of any host, if the
    options ask for them.
    ``content`` are the blocks of the text, if the options ask for an outline.
    ``stable_text`` is ``text`` without the ALT of foreign images, empty if equal.
    ``comments`` is what readers wrote below the text, a paragraph for each, without that ALT.
    ``heading_at`` is the offset, in ``stable_text`` or else ``text``, of the first heading
    followed by a sentence, else of the first heading; -1 without headings.
    ``left_out`` lists the omitted parts that are not the page's own content.
    ``location`` is the URL that a document declares in place of its own; ``fault`` is the
    reason why it cannot be used at all, ``fault_detail`` the same as a sentence.
    ``inert`` are addresses of links to code or inline content (``javascript:``, ``data:``),
    ``malformed`` those that are not URLs, as written; both are truncated.
    ``h1`` are all headings of level 1, also those beside the page's own content.
    ``insecure`` are the assets that an HTTPS page names by HTTP; ``unprotected`` the missing
    headers that protect a page; ``no_alt`` counts images without ALT, ``broken_json_ld`` the
    scripts of JSON-LD that do not parse.
    ``licenses`` are the URLs of its licences of RSL, ``embedded_licenses`` those written in it.
    ``cuts`` names the truncations that kept the reading bounded.
    """

    url: str
    base: str
    content_type: str
    size: int = 0
    encoding: str = ""
    title: str = ""
    metas: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    generators: tuple[str, ...] = ()
    json_ld: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bylines: tuple[str, ...] = ()
    page_type: str = ""
    times: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    stable_text: str = ""
    heading_at: int = -1
    comments: str = ""
    headings: tuple[Heading, ...] = ()
    definitions: tuple[Definition, ...] = ()
    blocks: tuple[Block, ...] = ()
    content: tuple[ContentBlock, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    language: str = ""
    language_source: str = ""
    links: tuple[Link, ...] = ()
    inert: tuple[str, ...] = ()
    malformed: tuple[str, ...] = ()
    alternates: tuple[Link, ...] = ()
    images: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()
    canonical: str | None = None
    refresh: Refresh | None = None
    directives: Directives = Directives()
    last_modified: str = ""
    location: str = ""
    fault: str = ""
    fault_detail: str = ""
    h1: tuple[str, ...] = ()
    insecure: tuple[str, ...] = ()
    unprotected: tuple[str, ...] = ()
    no_alt: int = 0
    broken_json_ld: int = 0
    cuts: tuple[str, ...] = ()
    licenses: tuple[str, ...] = ()
    embedded_licenses: tuple[str, ...] = ()

    @property
    def whole_text(self) -> str:
        """The text with the comments below it."""
        return f"{self.text}\n{self.comments}" if self.comments else self.text
