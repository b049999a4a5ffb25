"""The fields of a document, from the facts of a page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from sitecrawl.policy.documents.document_dates import modified_at, published_at, rfc3339
from sitecrawl.policy.documents.metadata_mapping import mapped_fields
from sitecrawl.policy.documents.text_fields import (
    document_description,
    document_keywords,
    document_title,
)

if TYPE_CHECKING:
    from sitecrawl.policy.documents.document_options import DocumentOptions
    from sitecrawl.web.html.page import Directives, Heading, Link, Page


AUTHORS = ("author", "dc.creator", "dcterms.creator", "article:author", "dc.contributor")
PUBLISHERS = ("dc.publisher", "dcterms.publisher", "publisher", "og:site_name")
IDENTIFIERS = ("dc.identifier", "dcterms.identifier")


def document_fields(page: Page, options: DocumentOptions) -> dict[str, Any]:
    """What a document says of itself, by the names of the output; empty values left out."""
    fields = {
        **_texts(page, options),
        **_facts(page),
        **_parts(page, options),
        **mapped_fields(page, options.metadata, options.extra_fields),
    }
    return {name: value for name, value in fields.items() if value}


def _texts(page: Page, options: DocumentOptions) -> dict[str, Any]:
    """Title, descriptions, keywords and body."""
    description, source = document_description(page, options)
    keywords, repeats = document_keywords(page, options.keywords_length)
    quotable = not page.directives.nosnippet
    return {
        "title": document_title(page, options),
        "meta_description": next(iter(page.metas.get("description", ())), "") if quotable else "",
        "meta_keywords": keywords,
        "meta_keywords_repeated": repeats,
        "description": description,
        "description_source": source,
        "body": page.text,
    }


def _facts(page: Page) -> dict[str, Any]:
    """Language, people, dates and what robots may do."""
    authors = _authors(page)
    return {
        "language": page.language,
        "author": next(iter(authors), ""),
        "authors": authors if len(authors) > 1 else [],
        "publisher": next(iter(_first(page, PUBLISHERS) or _structured(page, "publisher")), ""),
        "identifier": next(iter(_first(page, IDENTIFIERS)), ""),
        "type": next(iter(page.metas.get("og:type", page.json_ld.get("@type", ()))), ""),
        "breadcrumbs": list(page.json_ld.get("breadcrumb", ())),
        "published_at": published_at(page),
        "modified_at": modified_at(page),
        "robots": robots(page.directives),
    }


def _authors(page: Page) -> list[str]:
    """The names of the authors; addresses of profiles, Open Graph's way, where there are none."""
    metas = _first(page, AUTHORS)
    named = [author for author in metas if "://" not in author]
    return named or _structured(page, "author", "creator") or metas


def _parts(page: Page, options: DocumentOptions) -> dict[str, Any]:
    """The parts of the page as lists."""
    pieces = [{"region": p.region, "element": p.element, "text": p.text} for p in page.pieces]
    return {
        "headings": [heading_field(heading) for heading in page.headings],
        "blocks": [{"language": block.language, "text": block.text} for block in page.blocks],
        "pieces": pieces,
        "alternates": [link_field(link) for link in page.alternates],
        "links": [link_field(link) for link in page.links] if options.output_links else [],
        "metas": {n: list(v) for n, v in page.metas.items()} if options.keep_metas else {},
        "fields": {name: list(values) for name, values in page.fields.items()},
    }


def heading_field(heading: Heading) -> dict[str, Any]:
    """A heading for the output."""
    field: dict[str, Any] = {"level": heading.level, "text": heading.text}
    return {**field, "anchor": heading.anchor} if heading.anchor else field


def link_field(link: Link) -> dict[str, Any]:
    """A link for the output, with what its element says of it."""
    told = {
        "text": link.text,
        "rel": sorted(link.rel),
        "title": link.title,
        "type": link.type,
        "hreflang": link.hreflang,
    }
    return {"url": link.url, **{name: value for name, value in told.items() if value}}


def robots(directives: Directives) -> dict[str, Any]:
    """What a page that may be indexed forbids nevertheless."""
    date = directives.unavailable_after
    told = {
        "noarchive": directives.noarchive,
        "nosnippet": directives.nosnippet,
        "unavailable_after": rfc3339(date) if date is not None else "",
    }
    return {name: value for name, value in told.items() if value}


def rename(document: Mapping[str, Any], field_map: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """A document with its fields under the names that the user's index has for them."""
    if not field_map:
        return dict(document)
    names = dict(field_map)
    return {names.get(name, name): value for name, value in document.items()}


def renaming_problems(
    field_map: Iterable[tuple[str, str]], known: Collection[str], written: Iterable[str]
) -> list[str]:
    """What is wrong with a renaming, one sentence for each problem.

    ``known`` are all fields, ``written`` those of them that the output has.
    """
    names = dict(field_map)
    problems = [f"{name!r} has no new name" for name, new in names.items() if not new]
    for name in names:
        if name not in known:
            meant = get_close_matches(name, known, n=1)
            hint = f"did you mean {meant[0]!r}" if meant else "docs/output.md lists them"
            problems.append(f"there is no field {name!r}; {hint}, or declare it in extra_fields")
    named: dict[str, str] = {}
    for name in written:
        new = names.get(name, name)
        if new in named:
            one, other = sorted((name, named[new]), key=lambda each: each not in names)
            problems.append(
                f"{one!r} and {other!r} would both be called {new!r}, and one be lost; "
                f"give {one!r} another name"
            )
        named[new] = name
    return problems


def _first(page: Page, names: tuple[str, ...]) -> list[str]:
    """The contents of the first of several metas that the page has, each once."""
    return next((list(dict.fromkeys(page.metas[n])) for n in names if n in page.metas), [])


def _structured(page: Page, *names: str) -> list[str]:
    """The values of the first of several JSON-LD properties that the page has."""
    return next((list(page.json_ld[name]) for name in names if name in page.json_ld), [])
