"""Link elements and Link headers: other pages, other forms of this one, its canonical URL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sitecrawl.web.links import LinkReader
from sitecrawl.web.page import Link

Attributes = Mapping[str, str | None]
# An element's relations in small letters, and its attributes, an href among them.
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
# Never pages, whatever else the element says.
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
    """The links of Link headers in the form of the attributes of link elements.

    Those with an ``anchor`` are of something else than the page that was asked for.
    """
    found: list[dict[str, str | None]] = []
    for value in values:
        for matched in _LINK_VALUE.finditer(value[:MAX_HEADER]):
            link: dict[str, str | None] = {"href": matched[1].strip()}
            for name, quoted, plain in _PARAMETER.findall(matched[2]):
                link.setdefault(name.lower(), _ESCAPE.sub(r"\1", quoted[1:-1]) or plain)
            if "anchor" not in link:
                found.append(link)
    return found


def related(elements: Iterable[Attributes]) -> list[Related]:
    """The elements that relate the page to something, with their relations."""
    return [
        (frozenset(rel.lower().split()), attributes)
        for attributes in elements
        if (rel := attributes.get("rel")) and attributes.get("href")
    ]


def add_link_elements(
    elements: Iterable[Related], reader: LinkReader, *, follow: bool
) -> tuple[Link, ...]:
    """Give the reader the elements that lead to pages; answers with all alternates."""
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
    """Whether a type attribute, empty or with parameters, is one of pages."""
    return kind.split(";", maxsplit=1)[0].strip().lower() in PAGE_TYPES if kind else True


def _alternate(url: str, relations: frozenset[str], attributes: Attributes) -> Link:
    """An alternate with what its element says of it."""
    title, kind, language = (attributes.get(name) or "" for name in ("title", "type", "hreflang"))
    return Link(url, "link", rel=relations, title=title, type=kind, hreflang=language)


def canonical_url(elements: Iterable[Related], reader: LinkReader) -> str | None:
    """The one URL that the elements call canonical; several that disagree name none."""
    found = {
        reader.resolve(href)
        for relations, attributes in elements
        if "canonical" in relations and (href := (attributes["href"] or "").strip())
    }
    url = found.pop() if len(found) == 1 else None
    return url if url is not None and url.startswith("http") else None
