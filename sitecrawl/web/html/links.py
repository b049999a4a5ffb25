"""Links of a page: link elements, their base, and server-side image maps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import TYPE_CHECKING

from sitecrawl.web.html.page import Link
from sitecrawl.web.html.scripts import UNKNOWN_VALUE, is_page_address
from sitecrawl.web.html.text import link_text
from sitecrawl.web.html.walk import Detached
from sitecrawl.web.urls.url import (
    Base,
    embeds_url,
    join_split,
    strip_quotes,
    trim_quotes,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.web.html.walk import Found, Patterns
    from sitecrawl.web.read_options import ReadOptions


DEFAULT_SIZE = (100, 100)
_MAP_FILE = re.compile(r"\.map$|/imagemap/", re.IGNORECASE)
_SIZE = re.compile(r"\s*(\d{1,5})")
# A point, or the radius of a CERN circle.
_POINT = re.compile(r"(?<=\s)(?:\(\s*\d+\s*,\s*\d+\s*\)|\d+\s*,\s*\d+|\d+)(?=\s)")
_SHAPES = frozenset(
    {"rect", "rectangle", "circle", "circ", "poly", "polygon", "point", "default", "def"}
)


def map_hrefs(href: str, image_map: str, options: ReadOptions) -> Sequence[str]:
    """The addresses to request for a link around a server-side map, by the mode of the options.

    ``image_map`` is the image's size as ``WIDTHxHEIGHT``, empty for ordinary links.
    """
    if not image_map:
        return (href,)
    if options.image_maps == "sample":
        plain = re.split(r"[?#]", href, maxsplit=1)[0]
        points = sample_points(image_map)
        return [f"{plain}?{x},{y}" for x, y in points]
    return (href,) if options.image_maps == "mapfile" and is_map_file(href) else ()


def is_map_file(url: str) -> bool:
    """Return True if an address looks like a map file."""
    return _MAP_FILE.search(re.split(r"[?#]", url, maxsplit=1)[0]) is not None


def sample_points(size: str) -> list[tuple[int, int]]:
    """Three rows of three points spread over an image of that size, in pixels."""
    width, height = (_pixels(text) for text in size.split("x", 1))
    return [(width * column // 6, height * row // 6) for row in (1, 3, 5) for column in (1, 3, 5)]


def _pixels(text: str) -> int:
    matched = _SIZE.match(text)
    return max(1, int(matched[1])) if matched else DEFAULT_SIZE[0]


def read_map(text: str) -> Iterator[str]:
    """The targets in a map file: NCSA (``rect url x,y x,y``) and CERN (``rect (x,y) url``).

    Comments begin with ``#``; lines in neither form are skipped.
    """
    for line in text.splitlines():
        shape, _, rest = line.strip().partition(" ")
        words = _POINT.sub(" ", f" {rest} ").split()
        if shape.lower() in _SHAPES and words:
            yield words[0].strip('"')


Attributes = Mapping[str, str | None]

# Schemes that lead to no page: code, inline content, and URLs internal to the browser.
INERT_SCHEMES = ("javascript:", "data:", "about:", "blob:")
KEPT = 100
"""Maximum number of characters kept of an address that leads to no page."""

_REPORTED_AS = {"embed": "object", "applet": "object"}
_NO_TOKENS: frozenset[str] = frozenset()
_DRAWN = "xlink:href"  # links in SVG 1.1 (SVG 2, 16.1.5)


@lru_cache(maxsize=64)
def link_patterns(options: ReadOptions) -> dict[str, Patterns]:
    """The attributes that contain links, each with the name reported for it, by tag."""
    table: dict[str, Patterns] = {}
    for pattern in options.link_patterns:
        tag, _, attribute = pattern.lower().partition("@")
        if attribute == "longdesc" and options.longdesc == "ignore":
            continue
        via = "longdesc" if attribute == "longdesc" else _REPORTED_AS.get(tag, tag)
        table[tag] = (*table.get(tag, ()), (attribute, via))
    return table


class LinkReader:
    """Converter of the elements found into links, without duplicates of one href, rel and text."""

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
        self, found: list[Found], image_maps: Mapping[int, str], banners: AbstractSet[int]
    ) -> None:
        """Add the links of elements; empties ``found``, so that their nodes can be freed.

        ``image_maps`` and ``banners`` refer to elements by their index in ``found``.
        """
        own, with_text = self._own, self._options.link_text
        found.reverse()
        for number in range(len(found)):
            node, patterns, reported = found.pop()
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
        """Add the link of ``href``, unless it is this page or was added before."""
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
        if via == "option" and not is_page_address(href):
            return
        url = self.base.plain(href) or self._resolve_odd(href)
        if url is not None:
            self.links.append(_link(url, via, text, attributes, banner=banner))
        else:
            self._pass_over(href)

    def resolve(self, href: str) -> str | None:
        """The URL of an attribute's address; None if it leads to no page."""
        return self.base.plain(href) or self._resolve_odd(href)

    def _pass_over(self, href: str) -> None:
        """Keep the beginning of an address that leads to no page, for the statistics."""
        if UNKNOWN_VALUE in href:
            return
        url = self.base.resolve(href)
        inert = url is not None and url.startswith(INERT_SCHEMES)
        kept = self.inert if inert else self.malformed
        if len(kept) < self._options.max_links:
            kept.append((url if url is not None and inert else href)[:KEPT])

    def _resolve_odd(self, href: str) -> str | None:
        """The URL of an address that may need repair; None if it leads to no page."""
        if UNKNOWN_VALUE in href:
            return None
        if embeds_url(href):
            self.cuts.append("embedded_url")
            return None
        if "spaces" in self._options.repair_links:
            href = join_split(href)
        href = strip_quotes(href) if "quotes" in self._options.repair_links else trim_quotes(href)
        url = self.base.resolve(href)
        return None if url is None or url.startswith(INERT_SCHEMES) else url


def _text(element: LexborNode | Detached) -> str:
    """The text of a link."""
    return element.text if isinstance(element, Detached) else link_text(element)


def _link(url: str, via: str, text: str, attributes: Attributes, *, banner: bool) -> Link:
    """A link with the attributes of its element."""
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
    )
