"""Links: the table of patterns, and how an element found by one becomes links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import TYPE_CHECKING

from sitecrawl.web.bases import Base
from sitecrawl.web.imagemaps import map_hrefs
from sitecrawl.web.linktexts import link_text
from sitecrawl.web.options import OBJECT_PATTERNS
from sitecrawl.web.page import Link
from sitecrawl.web.scripts import UNKNOWN_VALUE, is_page_address
from sitecrawl.web.urls import (
    embeds_url,
    has_disguised_host,
    join_split,
    strip_quotes,
    trim_quotes,
)
from sitecrawl.web.walk import Detached

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.web.options import ReadOptions
    from sitecrawl.web.walk import Found, Patterns

Attributes = Mapping[str, str | None]

# Not pages: code, inline content, and what a browser makes up.
INERT_SCHEMES = ("javascript:", "data:", "about:", "blob:")
KEPT = 100
"""Characters that are kept of an address that leads to no page."""

_REPORTED_AS = {"embed": "object", "applet": "object"}
_HOST_OF_DIGITS = re.compile(r"https?://[\d\[]")
_NO_TOKENS: frozenset[str] = frozenset()
_DRAWN = "xlink:href"  # of links in drawings, as SVG 1.1 has them (SVG 2, 16.1.5)


@lru_cache(maxsize=64)
def link_patterns(options: ReadOptions) -> dict[str, Patterns]:
    """The attributes that hold links, with the name they are reported under, by tag."""
    patterns = [*options.link_patterns, *options.extra_link_patterns]
    if options.object_links:
        patterns += OBJECT_PATTERNS
    table: dict[str, Patterns] = {}
    for pattern in patterns:
        tag, _, attribute = pattern.lower().partition("@")
        if attribute == "longdesc" and options.longdesc == "ignore":
            continue
        via = "longdesc" if attribute == "longdesc" else _REPORTED_AS.get(tag, tag)
        table[tag] = (*table.get(tag, ()), (attribute, via))
    return table


class LinkReader:
    """Turns found elements into the links of one page, each once for each ``rel``."""

    __slots__ = (
        "_options",
        "_own",
        "_seen",
        "base",
        "cuts",
        "inert",
        "is_full",
        "links",
        "malformed",
    )

    def __init__(self, url: str, base: str, encoding: str, options: ReadOptions) -> None:
        self.base = Base(base, encoding)
        self.links: list[Link] = []
        self.cuts: list[str] = []
        self.inert: list[str] = []
        self.malformed: list[str] = []
        self.is_full = False
        self._options = options
        self._own = base == url
        self._seen: set[tuple[str, str, str]] = set()

    def add_found(
        self, found: Iterable[Found], image_maps: Mapping[int, str], banners: AbstractSet[int]
    ) -> None:
        """Add the links of elements; the others tell of their numbers what images they wrap."""
        own, with_text = self._own, self._options.link_text
        for number, (node, patterns, reported) in enumerate(found):
            attributes = node.attributes
            for attribute, via in patterns:
                href = attributes.get(attribute)
                if href is None and attribute == "href":
                    href = attributes.get(_DRAWN)
                if href is None or (own and href and href[0] == "#"):
                    continue
                if number in image_maps:
                    for address in map_hrefs(href, image_maps[number], self._options):
                        self.add_href(address, "ismap", attributes)
                else:
                    text = _text(node) if with_text else ""
                    banner = number in banners and not _text(node)
                    self.add_href(href, reported or via, attributes, text, banner=banner)

    def add_href(
        self, href: str, via: str, attributes: Attributes, text: str = "", *, banner: bool = False
    ) -> None:
        """Add what ``href`` means, unless it is this page or was added before."""
        if "#" in href:
            href = href.partition("#")[0]
        if not href and self._own:
            return
        key = (href, attributes.get("rel") or "", text)
        if key in self._seen:
            return
        if len(self.links) >= self._options.max_links:
            self.is_full = True
            return
        self._seen.add(key)
        if via == "option" and not is_page_address(href, self._options):
            return
        url = self.base.plain(href)
        disguised = False
        if url is None:
            url = self._resolve_odd(href)
            disguised = url is not None and _is_disguised(href, url)
        if url is not None:
            self.links.append(_link(url, via, text, attributes, banner=banner, disguised=disguised))
        else:
            self._pass_over(href)

    def resolve(self, href: str) -> str | None:
        """The URL that an attribute means, None if it means no page."""
        return self.base.plain(href) or self._resolve_odd(href)

    def _pass_over(self, href: str) -> None:
        """Keep the beginning of an address that leads to no page, to be counted."""
        if UNKNOWN_VALUE in href:
            return
        url = self.base.resolve(href)
        inert = url is not None and url.startswith(INERT_SCHEMES)
        kept = self.inert if inert else self.malformed
        if len(kept) < self._options.max_links:
            kept.append((url if url is not None and inert else href)[:KEPT])

    def _resolve_odd(self, href: str) -> str | None:
        """The URL of an address that may need repair, or not be one of a page."""
        if UNKNOWN_VALUE in href:
            return None
        if embeds_url(href):
            self.cuts.append("embedded_url")
            return None
        if self._options.join_split_href:
            href = join_split(href)
        href = strip_quotes(href) if self._options.strip_quotes else trim_quotes(href)
        url = self.base.resolve(href)
        return None if url is None or url.startswith(INERT_SCHEMES) else url


def _text(element: LexborNode | Detached) -> str:
    """The words of a link."""
    return element.text if isinstance(element, Detached) else link_text(element)


def _is_disguised(href: str, url: str) -> bool:
    """Whether an address hides that its host is an IP address."""
    return _HOST_OF_DIGITS.match(url) is not None and has_disguised_host(href)


def _link(
    url: str, via: str, text: str, attributes: Attributes, *, banner: bool, disguised: bool
) -> Link:
    """A link with what its element says of it."""
    rel = attributes.get("rel")
    return Link(
        url,
        via,
        text,
        frozenset(rel.lower().split()) if rel else _NO_TOKENS,
        attributes.get("title") or "",
        attributes.get("type") or "",
        attributes.get("hreflang") or "",
        banner,
        disguised,
    )
