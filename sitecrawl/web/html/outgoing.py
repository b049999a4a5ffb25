"""Outgoing references of a page: refresh, Link headers, canonical URL, alternates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sitecrawl.web.html.generators import generators_of_links
from sitecrawl.web.html.links import LinkReader, link_patterns
from sitecrawl.web.html.page import Link, Page, Refresh
from sitecrawl.web.robots.directives import read_directives
from sitecrawl.web.robots.usage_statements import MAX_LICENSES, RSL_TYPE
from sitecrawl.web.urls.url import resolve, trim_quotes

if TYPE_CHECKING:
    from sitecrawl.web.html.walk import Found
    from sitecrawl.web.read_options import ReadOptions


# HTML, 4.2.5.3, shared declarative refresh steps; a fraction and "url=" are optional.
_REFRESH = re.compile(
    r"\s*(\d*)(?:\.[\d.]*)?(?:\s*[;,]\s*|\s+|$)(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL
)
_MAX_DELAY = 10**9


def read_refresh(content: str, base: str) -> Refresh | None:
    """Return the delay and target of a refresh; None if browsers ignore it.

    Without an address, the target is ``base``: the page refreshes itself.
    """
    matched = _REFRESH.match(content)
    if matched is None or not (matched[1] or content.lstrip().startswith(".")):
        return None
    target = _unquoted(matched[2].strip())
    url = resolve(trim_quotes(target), base) if target else resolve("", base)
    if url is None or not url.startswith(("http:", "https:")):
        return None
    return Refresh(float(min(int(matched[1][:10] or 0), _MAX_DELAY)), url)


def _unquoted(target: str) -> str:
    """The part of a quoted target between its quotes; any other target unchanged."""
    quote = target[:1]
    return target[1:].partition(quote)[0] if quote in {'"', "'"} else target


Attributes = Mapping[str, str | None]
# An element's relations in lower case, and its attributes, which include an href.
Related = tuple[frozenset[str], Attributes]

# HTML, 4.6.6, and HTML 4.01, 6.12: relations that lead to pages.
FOLLOWED = frozenset(
    {
        *("alternate", "next", "prev", "previous", "first", "last", "start", "begin", "end", "up"),
        *("top", "home", "contents", "toc", "index", "glossary", "copyright", "license", "chapter"),
        *("section", "subsection", "appendix", "help", "author", "bookmark", "child", "parent"),
        *("print", "related", "translation", "archives", "collection", "item"),
    }
)
# Relations whose targets are never pages, whatever other relations the element has.
RESOURCES = frozenset({"stylesheet", "icon", "preload", "prefetch", "dns-prefetch", "preconnect"})
PAGE_TYPES = frozenset({"", "text/html", "application/xhtml+xml", "text/plain"})
MAX_HEADER = 20_000

# RFC 8288, 3: <target>; parameter=value; parameter="value", <target>; ...
_QUOTED = r'"(?:[^"\\]|\\.)*+"'
_VALUE = rf"(?:\s*=\s*(?:{_QUOTED}|[^\s;,\"]*))"
_LINK_VALUE = re.compile(rf"<([^<>]*)>((?:\s*;(?:\s*[^\s=;,]+{_VALUE}?)?)*)")
_PARAMETER = re.compile(rf";\s*([^\s=;,]+)\s*=\s*(?:({_QUOTED})|([^\s;,\"]*))")
_ESCAPE = re.compile(r"\\(.)")


def read_link_headers(values: Iterable[str]) -> list[dict[str, str | None]]:
    """The links of Link headers, as attributes of link elements.

    Links with an ``anchor`` are omitted: their context is not the requested page.
    """
    found: list[dict[str, str | None]] = []
    for value in values:
        for matched in _LINK_VALUE.finditer(value[:MAX_HEADER]):
            link: dict[str, str | None] = {"href": matched[1].strip()}
            for name, quoted, plain in _PARAMETER.findall(matched[2]):
                link.setdefault(name.lower(), _ESCAPE.sub(r"\1", quoted[1:-1]) or plain)
            title = (link.get("title*") or "").split("'", 2)  # RFC 8187, 3.2
            if len(title) == 3:
                link["title"] = unquote(title[2])
            if "anchor" not in link:
                found.append(link)
    return found


def related(elements: Iterable[Attributes]) -> list[Related]:
    """The elements with both ``rel`` and ``href``, each with its relations."""
    return [
        (frozenset(rel.lower().split()), attributes)
        for attributes in elements
        if (rel := attributes.get("rel")) and attributes.get("href")
    ]


def add_link_elements(
    elements: Iterable[Related], reader: LinkReader, *, follow: bool
) -> tuple[Link, ...]:
    """Add the elements that lead to pages to ``reader``; return all alternates."""
    alternates: list[Link] = []
    for relations, attributes in elements:
        if FOLLOWED.isdisjoint(relations) or not RESOURCES.isdisjoint(relations):
            continue
        href = attributes["href"] or ""
        if follow and _is_page(attributes.get("type") or ""):
            reader.add_href(href, "link", attributes)
        url = reader.resolve(href) if "alternate" in relations else None
        if url is not None:
            alternates.append(_alternate(url, relations, attributes))
    return tuple(dict.fromkeys(alternates))


def _is_page(kind: str) -> bool:
    """Return True if a type attribute names the media type of a page, or is empty."""
    return kind.split(";", maxsplit=1)[0].strip().lower() in PAGE_TYPES if kind else True


def _alternate(url: str, relations: frozenset[str], attributes: Attributes) -> Link:
    """An alternate with the attributes of its element."""
    title, kind, language = (attributes.get(name) or "" for name in ("title", "type", "hreflang"))
    return Link(url, "link", rel=relations, title=title, type=kind, hreflang=language)


def canonical_url(elements: Iterable[Related], reader: LinkReader) -> str | None:
    """The canonical URL that the elements declare; None if they disagree."""
    found = {
        reader.resolve(href)
        for relations, attributes in elements
        if "canonical" in relations and (href := (attributes["href"] or "").strip())
    }
    url = found.pop() if len(found) == 1 else None
    return url if url is not None and url.startswith("http") else None


def _licenses(elements: Iterable[Related], reader: LinkReader) -> tuple[str, ...]:
    """The licences of RSL 1.0 that the elements name."""
    found = (
        reader.resolve(attributes["href"] or "")
        for relations, attributes in elements
        if "license" in relations and (attributes.get("type") or "").lower() == RSL_TYPE
    )
    return tuple(islice(dict.fromkeys(url for url in found if url), MAX_LICENSES))


Headers = Mapping[str, Sequence[str]]
PROTECTION = (
    *("content-security-policy", "strict-transport-security", "x-content-type-options"),
    "x-frame-options",
)
"""Headers that keep other sites from abusing a page."""


@dataclass(slots=True)
class Outgoing:
    """Outgoing references of a document, with addresses as written."""

    base: str = ""
    elements: Sequence[Mapping[str, str | None]] = ()
    found: list[Found] = field(default_factory=list)
    robots: Sequence[str] = ()
    refresh: str = ""
    banners: AbstractSet[int] = frozenset()
    image_maps: Mapping[int, str] = field(default_factory=dict)
    hrefs: Sequence[tuple[str, str]] = field(default_factory=tuple)
    assets: Sequence[str] = ()


def fill_outgoing(page: Page, outgoing: Outgoing, headers: Headers, options: ReadOptions) -> None:
    """Set links, canonical URL, refresh and directives of ``page``, from document and headers.

    The names in ``headers`` are in lower case.
    """
    page.base = _base(outgoing.base, page.url)
    reader = LinkReader(page.url, page.base, page.encoding, options)
    elements = related([*outgoing.elements, *_header_links(headers.get("link", ()), page)])
    page.directives = read_directives(
        outgoing.robots, headers.get("x-robots-tag", ()), options.agent
    )
    page.refresh = _refresh(outgoing.refresh, headers.get("refresh", ()), page)
    page.unprotected = tuple(_missing_protection(headers, page.url))
    page.canonical = canonical_url(elements, reader)
    page.licenses = _licenses(elements, reader)
    declares = "link" in link_patterns(options)
    page.alternates = add_link_elements(elements, reader, follow=declares)
    reader.add_found(outgoing.found, outgoing.image_maps, outgoing.banners)
    for href, via in outgoing.hrefs:
        reader.add_href(href, via, {})
    page.links = tuple(_with_targets(page, reader.links) if declares else reader.links)
    page.generators = page.generators or generators_of_links(each.url for each in page.links)
    page.assets = _assets(outgoing.assets, page)
    page.inert, page.malformed = tuple(reader.inert), tuple(reader.malformed)
    cuts = [*reader.cuts, "too_many_links"] if reader.is_full else reader.cuts
    page.cuts += tuple(each for each in dict.fromkeys(cuts) if each not in page.cuts)


def _missing_protection(headers: Headers, url: str) -> Iterator[str]:
    """Yield the headers that protect a page from others and that it lacks."""
    for name in PROTECTION:
        framed = name == "x-frame-options" and "frame-ancestors" in "".join(
            headers.get("content-security-policy", ())
        )
        plain = name == "strict-transport-security" and not url.startswith("https:")
        if name not in headers and not framed and not plain:
            yield name


def _base(href: str, url: str) -> str:
    """The base of relative links: that of the base element, relative to the page, or the page."""
    base = resolve(href, url) if href else None
    return base if base is not None and base.startswith("http") else url


def _assets(addresses: Sequence[str], page: Page) -> tuple[str, ...]:
    """The distinct URLs of assets; those that need no request are left out."""
    urls = (resolve(address, page.base, page.encoding or "utf-8") for address in addresses)
    return tuple(dict.fromkeys(url for url in urls if url and url.startswith("http")))


def _header_links(values: Sequence[str], page: Page) -> list[dict[str, str | None]]:
    """The links of Link headers, to which the base element does not apply (RFC 8288, 3.1)."""
    links = read_link_headers(values)
    if page.base != page.url:
        for link in links:
            link["href"] = resolve(link["href"] or "", page.url)
    return links


def _refresh(element: str, headers: Sequence[str], page: Page) -> Refresh | None:
    """The refresh with the shortest delay; the base element does not apply to a header."""
    asked = [*((content, page.url) for content in headers[:1]), (element, page.base)]
    found = [read_refresh(content, base) for content, base in asked if content]
    return min((refresh for refresh in found if refresh), key=lambda r: r.delay, default=None)


def _with_targets(page: Page, links: list[Link]) -> list[Link]:
    """The links, preceded by refresh target and canonical URL if they are other pages."""
    more = [Link(page.refresh.url, "refresh")] if page.refresh else []
    if page.canonical:
        more.append(Link(page.canonical, "canonical"))
    return [link for link in more if link.url != page.url] + links
