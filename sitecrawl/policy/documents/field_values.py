"""Values of the output's fields, from a page and from its fetch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sitecrawl.policy.documents.authors import PUBLISHERS, page_authors
from sitecrawl.policy.documents.document_dates import is_plausible, publication, rfc3339
from sitecrawl.policy.documents.sections import (
    SectionOptions,
    build_sections,
    markdown_of,
    paragraphs,
    with_comments,
)
from sitecrawl.policy.documents.text_fields import (
    document_description,
    document_keywords,
    is_spaceless,
)
from sitecrawl.web.urls.url import UrlParts, resolve, split

if TYPE_CHECKING:
    from sitecrawl.policy.documents.document_options import DocumentOptions
    from sitecrawl.web.html.page import Directives, Heading, Link, Page


IMAGES = ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src")
_ICON = re.compile(r"favicon|\.ico(?:$|\?)", re.IGNORECASE)
WORDS_A_MINUTE = 230  # Brysbaert 2019: silent reading of English, 238 non-fiction
SIGNS_A_MINUTE = 500
IDENTIFIERS = ("dc.identifier", "dcterms.identifier")


@dataclass(frozen=True)
class PageFacts:
    """A page and the document options; values that several fields share are computed once."""

    page: Page
    options: DocumentOptions
    document_id: str = ""
    url: str = ""

    @cached_property
    def description(self) -> tuple[str, str]:
        """The description and the name of its source."""
        return document_description(self.page, self.options)

    @cached_property
    def words(self) -> int:
        """The number of words of the text."""
        return word_count(self.page.text, self.page.language)

    @cached_property
    def keywords(self) -> tuple[list[str], dict[str, int]]:
        """The keywords, and the number of each repeated one."""
        return document_keywords(self.page)

    @cached_property
    def publication(self) -> tuple[str, str]:
        """The publication date and the name of its source."""
        is_product = type_of_page(self).lower() == "product"  # text shows dates of reviews
        return publication(self.page, from_text=not is_product)

    @cached_property
    def authors(self) -> list[str]:
        """Names of the authors."""
        return page_authors(self.page)


@dataclass(frozen=True)
class FetchFacts:
    """Discovery and fetch of a document; times are UTC epoch seconds."""

    id: str
    realm: str
    url: str
    referrer: str | None
    via: str
    depth: int
    status: int | None
    content_type: str
    size: int
    etag: str | None
    last_modified: str | None
    first_seen_at: float
    started_at: float
    anchors: list[str]

    @cached_property
    def parts(self) -> UrlParts:
        """The parts of the URL."""
        return split(self.url)

    def directory(self, number: int) -> str:
        """Return the path's directory of a number, from 1; empty if there are fewer."""
        directories = [part for part in self.parts.path.split("/")[1:-1] if part]
        return directories[number - 1] if number <= len(directories) else ""


def meta_description(facts: PageFacts) -> str:
    """The meta description as written, unless the page asks for no snippet."""
    if facts.page.directives.nosnippet:
        return ""
    return next(iter(facts.page.metas.get("description", ())), "")


def publisher(facts: PageFacts) -> str:
    """The publisher from metadata, else from structured data."""
    page = facts.page
    return next(iter(first_meta(page, PUBLISHERS) or structured(page, "publisher")), "")


def image(page: Page) -> str:
    """The URL of the image that represents a page, from its metas, else its structured data.

    An icon of the site represents no page.
    """
    named = [text for name in IMAGES for text in page.metas.get(name, ())]
    named += [*page.json_ld.get("image", ())[:1], *page.json_ld.get("thumbnailUrl", ())[:1]]
    first = next((text for text in named if text and not _ICON.search(text)), None)
    address = resolve(first, page.base) if first else None
    return address if address and address.startswith("http") else ""


def word_count(text: str, language: str) -> int:
    """Count the words of a text, or the characters in scripts without spaces.

    Counts the single white spaces between words: splitting takes four times as long.
    """
    if not text:
        return 0
    if is_spaceless(language):
        return len(text) - text.count("\n") - text.count(" ")
    return text.count(" ") + text.count("\n") + 1


def reading_minutes(words: int, language: str) -> int:
    """Return the minutes that reading a number of words takes, rounded up."""
    pace = SIGNS_A_MINUTE if is_spaceless(language) else WORDS_A_MINUTE
    return -(-words // pace)


def identifier(facts: PageFacts) -> str:
    """The page's own identifier."""
    return next(iter(first_meta(facts.page, IDENTIFIERS)), "")


def type_of_page(facts: PageFacts) -> str:
    """The type from Open Graph, else from schema.org."""
    page = facts.page
    return next(iter(page.metas.get("og:type", page.json_ld.get("@type", ()))), "")


def breadcrumbs(facts: PageFacts) -> list[str]:
    """The breadcrumb trail of the page, from its structured data."""
    return list(facts.page.json_ld.get("breadcrumb", ()))


def headings(facts: PageFacts) -> list[dict[str, Any]]:
    """The headings with level, text and anchor."""
    return [heading_field(heading) for heading in facts.page.headings]


def definitions(facts: PageFacts) -> list[dict[str, str]]:
    """The definitions with term and anchor."""
    return [each._asdict() for each in facts.page.definitions]


def blocks(facts: PageFacts) -> list[dict[str, Any]]:
    """The passages in another language."""
    return [{"language": block.language, "text": block.text} for block in facts.page.blocks]


def markdown(facts: PageFacts) -> str:
    """The text as Markdown, if the options ask for it; text without markup is left as it is."""
    if "markdown" not in facts.options.more_fields:
        return ""
    return markdown_of(facts.page.content) or facts.page.text


def sections(facts: PageFacts) -> list[dict[str, Any]]:
    """The sections, if the options ask for them or write them as documents."""
    options = facts.options
    if not ("sections" in options.more_fields or options.split == "sections"):
        return []
    bounds = SectionOptions(options.section_min, options.section_max)
    blocks = facts.page.content or paragraphs(facts.page.text)
    own = build_sections(blocks, facts.document_id, facts.url, bounds)
    return with_comments(own, facts.page.comments, facts.document_id, facts.url, bounds)


def links(facts: PageFacts) -> list[dict[str, Any]]:
    """The links, if the options ask for them."""
    return (
        [link_field(link) for link in facts.page.links]
        if "links" in facts.options.more_fields
        else []
    )


def alternates(facts: PageFacts) -> list[dict[str, Any]]:
    """The other versions that the page names."""
    return [link_field(link) for link in facts.page.alternates]


def metas(facts: PageFacts) -> dict[str, list[str]]:
    """All metadata by name, if the options ask for them."""
    if "metas" not in facts.options.more_fields:
        return {}
    return {name: list(values) for name, values in facts.page.metas.items()}


def own_fields(facts: PageFacts) -> dict[str, list[str]]:
    """The fields that the user's selectors found."""
    return {name: list(values) for name, values in facts.page.fields.items()}


def heading_field(heading: Heading) -> dict[str, Any]:
    """A heading for the output."""
    field: dict[str, Any] = {"level": heading.level, "text": heading.text}
    return {**field, "anchor": heading.anchor} if heading.anchor else field


def link_field(link: Link) -> dict[str, Any]:
    """A link for the output, with the attributes of its element."""
    attributes = {
        "text": link.text,
        "rel": sorted(link.rel),
        "title": link.title,
        "type": link.type,
        "hreflang": link.hreflang,
    }
    return {"url": link.url, **{name: value for name, value in attributes.items() if value}}


def robots(directives: Directives) -> dict[str, Any]:
    """The directives that restrict the use of a page that may be indexed."""
    date = directives.unavailable_after
    restrictions = {
        "noarchive": directives.noarchive,
        "nosnippet": directives.nosnippet,
        "unavailable_after": rfc3339(date) if date is not None else "",
    }
    return {name: value for name, value in restrictions.items() if value}


def date_reliable(fetch: FetchFacts) -> bool | None:
    """False if the server's date cannot be right, else None."""
    if not fetch.last_modified or is_plausible(fetch.last_modified, fetch.started_at):
        return None
    return False


def first_meta(page: Page, names: tuple[str, ...]) -> list[str]:
    """Return the contents of the first of these metas that the page has, without duplicates."""
    return next((list(dict.fromkeys(page.metas[n])) for n in names if n in page.metas), [])


def structured(page: Page, *names: str) -> list[str]:
    """Return the values of the first of these JSON-LD properties that the page has."""
    return next((list(page.json_ld[name]) for name in names if name in page.json_ld), [])


def joined_keywords(record: Mapping[str, Any]) -> Any:
    """Join the keywords to one text; keep a value of another type, set by a pipeline."""
    keywords = record.get("meta_keywords")
    if isinstance(keywords, list | tuple) and keywords:
        return ", ".join(map(str, keywords))
    return keywords


def parts_of_entries(record: Mapping[str, Any], field: str, part: str) -> Any:
    """Return one part of each entry of a list; keep a value of another type."""
    entries = record.get(field)
    if not isinstance(entries, list | tuple):
        return entries
    return [entry.get(part, entry) if isinstance(entry, Mapping) else entry for entry in entries]


def path_part(record: Mapping[str, Any], number: int) -> str | None:
    """Return a numbered part of the path, from 1, the file name included; None if too few."""
    parts = str(record.get("url_path", "")).split("/")
    return parts[number] or None if number < len(parts) else None
