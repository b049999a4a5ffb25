"""What leads out of a page: links, canonical URL, refresh, and what robots may do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sitecrawl.web.directives import read_directives
from sitecrawl.web.linkelements import add_link_elements, canonical_url, read_link_headers, related
from sitecrawl.web.links import LinkReader, link_patterns
from sitecrawl.web.page import Link, Page, Refresh
from sitecrawl.web.refresh import read_refresh
from sitecrawl.web.urls import resolve

if TYPE_CHECKING:
    from sitecrawl.web.options import ReadOptions
    from sitecrawl.web.walk import Found

Headers = Mapping[str, Sequence[str]]


@dataclass(slots=True)
class Outgoing:
    """What a document says about where to go, addresses as written."""

    base: str = ""
    elements: Sequence[Mapping[str, str | None]] = ()
    found: Sequence[Found] = ()
    robots: Sequence[str] = ()
    refresh: str = ""
    banners: AbstractSet[int] = frozenset()
    image_maps: Mapping[int, str] = field(default_factory=dict)
    hrefs: Sequence[tuple[str, str]] = field(default_factory=tuple)


def fill_outgoing(page: Page, outgoing: Outgoing, headers: Headers, options: ReadOptions) -> None:
    """Put links, canonical URL, refresh and directives of document and headers into ``page``.

    ``headers`` has its names in lower case.
    """
    page.base = _base(outgoing.base, page.url)
    reader = LinkReader(page.url, page.base, page.encoding, options)
    elements = related([*outgoing.elements, *_header_links(headers.get("link", ()), page)])
    page.directives = read_directives(
        outgoing.robots, headers.get("x-robots-tag", ()), options.agent
    )
    page.refresh = _refresh(outgoing.refresh, headers.get("refresh", ()), page)
    page.canonical = canonical_url(elements, reader)
    page.alternates = add_link_elements(elements, reader, follow="link" in link_patterns(options))
    reader.add_found(outgoing.found, outgoing.image_maps, outgoing.banners)
    for href, via in outgoing.hrefs:
        reader.add_href(href, via, {})
    page.links = tuple(_with_targets(page, reader.links))
    page.inert, page.malformed = tuple(reader.inert), tuple(reader.malformed)
    cuts = [*reader.cuts, "too_many_links"] if reader.is_full else reader.cuts
    page.cuts += tuple(each for each in dict.fromkeys(cuts) if each not in page.cuts)


def _base(href: str, url: str) -> str:
    """The base of relative links: the base element's, itself relative to the page."""
    base = resolve(href, url) if href else None
    return base if base is not None and base.startswith("http") else url


def _header_links(values: Sequence[str], page: Page) -> list[dict[str, str | None]]:
    """The links of Link headers, to which no base of the content applies (RFC 8288, 3.1)."""
    links = read_link_headers(values)
    if page.base != page.url:
        for link in links:
            link["href"] = resolve(link["href"] or "", page.url)
    return links


def _refresh(element: str, headers: Sequence[str], page: Page) -> Refresh | None:
    """The refresh that comes first; a header knows no base element."""
    asked = [*((content, page.url) for content in headers[:1]), (element, page.base)]
    found = [read_refresh(content, base) for content, base in asked if content]
    return min((refresh for refresh in found if refresh), key=lambda r: r.delay, default=None)


def _with_targets(page: Page, links: list[Link]) -> list[Link]:
    """The links, with canonical URL and refresh target where they lead elsewhere."""
    more = [Link(page.refresh.url, "refresh")] if page.refresh else []
    if page.canonical:
        more.append(Link(page.canonical, "canonical"))
    return [link for link in more if link.url != page.url] + links
