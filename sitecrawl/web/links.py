"""Links: the table of patterns, and how an element found by one becomes links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sitecrawl.web.imagemaps import map_hrefs
from sitecrawl.web.options import OBJECT_PATTERNS
from sitecrawl.web.page import Link
from sitecrawl.web.scripts import UNKNOWN_VALUE, is_page_address
from sitecrawl.web.urls import (
    embeds_url,
    has_disguised_host,
    is_ip_host,
    join_split,
    resolve,
    split,
    strip_quotes,
    trim_quotes,
)

if TYPE_CHECKING:
    from sitecrawl.web.options import ReadOptions
    from sitecrawl.web.walk import Found, Patterns

# Not pages: code, inline content, and what a browser makes up.
INERT_SCHEMES = ("javascript:", "data:", "about:", "blob:")
_REPORTED_AS = {"embed": "object", "applet": "object"}
_NO_TOKENS: frozenset[str] = frozenset()


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

    __slots__ = ("_options", "_own", "_seen", "base", "cuts", "encoding", "links")

    def __init__(self, url: str, base: str, encoding: str, options: ReadOptions) -> None:
        self.base = base
        self.encoding = encoding
        self.links: list[Link] = []
        self.cuts: list[str] = []
        self._options = options
        self._own = base == url
        self._seen: set[tuple[str, str, str]] = set()

    def add(self, found: Found) -> None:
        """Add the links of one element."""
        attributes = found.node.attributes
        for attribute, via in found.patterns:
            href = attributes.get(attribute)
            if href is None or "nohref" in attributes:
                continue
            for address in map_hrefs(href, found.image_map, self._options):
                self.add_href(address, found.via or via, attributes, found)

    def add_href(
        self, href: str, via: str, attributes: Mapping[str, str | None], found: Found | None = None
    ) -> None:
        """Add what ``href`` means, unless it is this page or was added before."""
        href = href.partition("#")[0]
        if not href and self._own:
            return
        text = self._text(found)
        rel = attributes.get("rel") or ""
        if (href, rel, text) in self._seen:
            return
        self._seen.add((href, rel, text))
        url = self.resolve(href)
        if url is not None and (via != "option" or is_page_address(href, self._options)):
            self.links.append(
                Link(
                    url,
                    via,
                    text,
                    frozenset(rel.lower().split()) if rel else _NO_TOKENS,
                    attributes.get("title") or "",
                    attributes.get("type") or "",
                    attributes.get("hreflang") or "",
                    banner=found is not None and found.banner and not found.node.text(strip=True),
                    disguised=is_ip_host(split(url).host) and has_disguised_host(href),
                )
            )

    def resolve(self, href: str) -> str | None:
        """The URL that an attribute means, None if it means no page."""
        if UNKNOWN_VALUE in href:
            return None
        if embeds_url(href):
            self.cuts.append("embedded_url")
            return None
        if self._options.join_split_href:
            href = join_split(href)
        href = strip_quotes(href) if self._options.strip_quotes else trim_quotes(href)
        url = resolve(href, self.base, self.encoding)
        return None if url is None or url.startswith(INERT_SCHEMES) else url

    def _text(self, found: Found | None) -> str:
        """The words of a link, where they are wanted."""
        if found is None or not self._options.link_text:
            return ""
        return " ".join(found.node.text().split())
