"""Registry of the output's fields: each states here all that is known of it.

The order is that of JSON and of the CSV columns. A new field is an entry here, its value function
in ``field_values`` (unless a pipeline or the crawl database fills it in), and a test; the tables in
docs/output.md are made by ``python -m scripts.output_fields``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sitecrawl.policy.documents.document_dates import modified_at, rfc3339
from sitecrawl.policy.documents.field_values import (
    FetchFacts,
    PageFacts,
    alternates,
    blocks,
    breadcrumbs,
    date_reliable,
    headings,
    identifier,
    image,
    joined_keywords,
    links,
    markdown,
    meta_description,
    metas,
    own_fields,
    parts_of_entries,
    path_part,
    pieces,
    publisher,
    reading_minutes,
    robots,
    sections,
    type_of_page,
)
from sitecrawl.policy.documents.site_names import site_name
from sitecrawl.policy.documents.text_fields import document_title
from sitecrawl.policy.urls.canonicalization import is_dynamic
from sitecrawl.web.feeds import listings

if TYPE_CHECKING:
    from sitecrawl.policy.documents.document_options import DocumentOptions
    from sitecrawl.web.html.page import Page


SCHEMA_VERSION = 1
DATABASE = "crawl database"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputField:
    """A field of the output's lines: its documentation, its value and its use.

    ``meaning`` and ``example`` are its row in docs/output.md. The value comes from exactly one of
    ``page``, ``fetch`` and ``filled_by``, which names the pipeline or the crawl database. A value
    by ``page`` yields to one that a spider has set. A ``volatile`` field may differ between two
    visits without making the document another one. An ``envelope`` field is the crawl's own:
    values that a project's pipeline gives it are ignored. ``minimal`` and ``rag`` keep it in those
    presets. A ``whole`` field speaks of the whole page, and is none of its sections'.
    ``elastic`` gives it the type that Elastic's Open Crawler writes.
    """

    name: str
    meaning: str
    example: Any
    volatile: bool
    page: Callable[[PageFacts], Any] | None = None
    fetch: Callable[[FetchFacts], Any] | None = None
    filled_by: str = ""
    envelope: bool = False
    minimal: bool = False
    rag: bool = False
    whole: bool = False
    elastic: Callable[[Mapping[str, Any]], Any] | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a field without a value, or with values from two places."""
        if sum(map(bool, (self.page, self.fetch, self.filled_by))) != 1:
            raise ValueError(f"{self.name!r} needs one of page, fetch and filled_by")


DOCUMENT: tuple[OutputField, ...] = (
    OutputField(
        name="op",
        meaning="`upsert`",
        example="upsert",
        filled_by=DATABASE,
        volatile=False,
        envelope=True,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="id",
        meaning=(
            "32 hexadecimal digits of the SHA-256 of the canonical URL, in a realm other "
            "than `default` of the realm, a line feed and that URL; the same in every run"
        ),
        example="8025f833eebe1f453066025d34f47454",
        fetch=lambda fetch: fetch.id,
        volatile=False,
        envelope=True,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="seq",
        meaning="number of this change in the crawl database, ever larger",
        example=17,
        filled_by=DATABASE,
        volatile=False,
        envelope=True,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="run_id",
        meaning="number of the run that wrote it",
        example=2,
        filled_by=DATABASE,
        volatile=False,
        envelope=True,
        rag=True,
    ),
    OutputField(
        name="schema_version",
        meaning="version of this list, 1",
        example=1,
        fetch=lambda _: SCHEMA_VERSION,
        volatile=False,
        envelope=True,
    ),
    OutputField(
        name="realm",
        meaning="the named collection that the crawl belongs to",
        example="default",
        fetch=lambda fetch: fetch.realm,
        volatile=False,
        envelope=True,
        rag=True,
    ),
    OutputField(
        name="change",
        meaning=(
            "`new`, `changed` (content), `metadata` (only what surrounds the content), "
            "`template` (lines that the pages of its template share are left out now) or "
            "`config` (the options that shape it)"
        ),
        example="new",
        filled_by=DATABASE,
        volatile=False,
        envelope=True,
        rag=True,
    ),
    OutputField(
        name="url",
        meaning="the address that was fetched",
        example="https://example.org/docs/guide/linux/install.html",
        fetch=lambda fetch: fetch.url,
        volatile=False,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="url_scheme",
        meaning="`http` or `https`",
        example="https",
        fetch=lambda fetch: fetch.parts.scheme,
        volatile=False,
    ),
    OutputField(
        name="url_host",
        meaning="the host",
        example="example.org",
        fetch=lambda fetch: fetch.parts.host,
        volatile=False,
    ),
    OutputField(
        name="url_port",
        meaning="the port, the scheme's default included",
        example=443,
        fetch=lambda fetch: fetch.parts.port,
        volatile=False,
    ),
    OutputField(
        name="url_path",
        meaning="the path",
        example="/docs/guide/linux/install.html",
        fetch=lambda fetch: fetch.parts.path,
        volatile=False,
    ),
    OutputField(
        name="url_path_dir1",
        meaning="the path's first directory",
        example="docs",
        fetch=lambda fetch: fetch.directory(1),
        elastic=lambda record: path_part(record, 1),
        volatile=False,
    ),
    OutputField(
        name="url_path_dir2",
        meaning="the second",
        example="guide",
        fetch=lambda fetch: fetch.directory(2),
        elastic=lambda record: path_part(record, 2),
        volatile=False,
    ),
    OutputField(
        name="url_path_dir3",
        meaning="the third",
        example="linux",
        fetch=lambda fetch: fetch.directory(3),
        elastic=lambda record: path_part(record, 3),
        volatile=False,
    ),
    OutputField(
        name="url_dynamic",
        meaning=("true where one of `? = & $ ;` in the address suggests that a program answers"),
        example=True,
        fetch=lambda fetch: is_dynamic(fetch.url) or None,
        volatile=False,
    ),
    OutputField(
        name="canonical_url",
        meaning="the address that stands for the page",
        example="https://example.org/docs/guide/linux/install.html",
        filled_by="CanonicalPipeline",
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="additional_urls",
        meaning="other addresses of the same content",
        example=["https://example.org/print/install.html"],
        filled_by=DATABASE,
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="source_url",
        meaning="the page that named this one",
        example="https://example.org/docs/",
        fetch=lambda fetch: fetch.referrer,
        volatile=True,
    ),
    OutputField(
        name="discovered_via",
        meaning=(
            "`seed`, `link`, "
            + "".join(f"`{name}`, " for name in listings.NAMES)
            + "`redirect` or `canonical`"
        ),
        example="link",
        fetch=lambda fetch: fetch.via,
        volatile=True,
    ),
    OutputField(
        name="depth",
        meaning="links from the nearest start",
        example=2,
        fetch=lambda fetch: fetch.depth,
        volatile=True,
    ),
    OutputField(
        name="title",
        meaning="the title, or its substitute",
        example="Installation",
        page=lambda facts: document_title(facts.page, facts.options),
        volatile=False,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="site_name",
        meaning="the name of the site that the page states",
        example="Example Docs",
        page=lambda facts: site_name(facts.page),
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="meta_description",
        meaning="the meta description as written",
        example="How to install it",
        page=meta_description,
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="meta_keywords",
        meaning="list of keywords or phrases",
        example=["setup", "install"],
        page=lambda facts: facts.keywords[0],
        elastic=joined_keywords,
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="meta_keywords_repeated",
        meaning="keywords that occur several times, each with its number",
        example={"setup": 2},
        page=lambda facts: facts.keywords[1],
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="description",
        meaning="a short text that describes the page",
        example="How to install it",
        page=lambda facts: facts.description[0],
        volatile=False,
        minimal=True,
        rag=True,
        whole=True,
    ),
    OutputField(
        name="description_source",
        meaning="where that text came from",
        example="meta",
        page=lambda facts: facts.description[1],
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="body",
        meaning="the page's text without markup",
        example="Installation\nUnpack the archive.",
        page=lambda facts: facts.page.text,
        volatile=True,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="markdown",
        meaning="the page's text as Markdown, when asked for",
        example="# Installation\n\nUnpack the [archive](https://example.org/a.tgz).",
        page=markdown,
        volatile=True,
        rag=True,
    ),
    OutputField(
        name="sections",
        meaning="list of the page's sections, when asked for: see [sections](#sections)",
        example=[
            {
                "id": "2f6e1c0a9b7d4e5f8a3b2c1d0e9f8a7b",
                "order": 1,
                "level": 1,
                "heading_path": ["Installation"],
                "anchor": "install",
                "url": "https://example.org/docs/#install",
                "text": "Installation\nUnpack the archive.",
            }
        ],
        page=sections,
        volatile=True,
        rag=True,
        whole=True,
    ),
    OutputField(
        name="headings",
        meaning="list of `{level, text, anchor}`",
        example=[{"level": 1, "text": "Installation", "anchor": "install"}],
        page=headings,
        elastic=lambda record: parts_of_entries(record, "headings", "text"),
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="language",
        meaning="the page's language, as BCP 47 writes it",
        example="en",
        page=lambda facts: facts.page.language,
        volatile=False,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="language_source",
        meaning=(
            "where the language is declared: `html` (lang attributes), `meta` or `header`; or "
            "`detected` by the text"
        ),
        example="html",
        page=lambda facts: facts.page.language_source if facts.page.language else "",
        volatile=True,
        whole=True,
    ),
    OutputField(
        name="word_count",
        meaning="words of the body; of scripts without spaces their signs",
        example=5,
        page=lambda facts: facts.words or None,
        volatile=True,
        whole=True,
    ),
    OutputField(
        name="reading_minutes",
        meaning="minutes that reading it takes, at 230 words or 500 signs a minute, rounded up",
        example=1,
        page=lambda facts: reading_minutes(facts.words, facts.page.language) or None,
        volatile=True,
        whole=True,
    ),
    OutputField(
        name="blocks",
        meaning="list of `{language, text}`: passages in another language",
        example=[{"language": "de", "text": "Auf Deutsch"}],
        page=blocks,
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="pieces",
        meaning="list of `{region, element, text}`: the text line by line, when asked for",
        example=[{"region": "main", "element": "p", "text": "Unpack the archive."}],
        page=pieces,
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="author",
        meaning="the author",
        example="A. Writer",
        page=lambda facts: next(iter(facts.authors), ""),
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="authors",
        meaning="all authors, where there are several",
        example=["A. Writer", "B. Writer"],
        page=lambda facts: facts.authors if len(facts.authors) > 1 else [],
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="publisher",
        meaning="the publisher",
        example="Example Press",
        page=publisher,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="identifier",
        meaning="the page's own identifier, from its Dublin Core",
        example="urn:isbn:0451450523",
        page=identifier,
        volatile=False,
    ),
    OutputField(
        name="type",
        meaning="the page's og:type or schema.org type",
        example="article",
        page=type_of_page,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="breadcrumbs",
        meaning="the page's breadcrumb trail",
        example=["Docs", "Guide"],
        page=breadcrumbs,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="image",
        meaning="address of the image that stands for the page",
        example="https://example.org/install.png",
        page=lambda facts: image(facts.page),
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="published_at",
        meaning="when the page says it was published, in the zone in which it says so",
        example="2026-11-01T18:30:00+01:00",
        page=lambda facts: facts.publication[0],
        volatile=True,
    ),
    OutputField(
        name="published_source",
        meaning=(
            "where that date stands: `meta`, `json_ld` (microdata and RDFa included), `time`, "
            "`url` or `text`"
        ),
        example="json_ld",
        page=lambda facts: facts.publication[1],
        volatile=True,
        rag=True,
    ),
    OutputField(
        name="modified_at",
        meaning="when the page or its server says it was last modified",
        example="2026-11-19T08:30:00Z",
        page=lambda facts: modified_at(facts.page),
        volatile=True,
        rag=True,
    ),
    OutputField(
        name="links",
        meaning="addresses the page links to, when asked for",
        example=[{"url": "https://example.org/next", "text": "Next", "rel": ["next"]}],
        page=links,
        elastic=lambda record: parts_of_entries(record, "links", "url"),
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="alternates",
        meaning="other versions that the page names: address, title, type, rel, language",
        example=[{"url": "https://example.org/de/", "hreflang": "de"}],
        page=alternates,
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="anchors",
        meaning="texts of links to this page, when asked for",
        example=["how to install"],
        fetch=lambda fetch: fetch.anchors,
        volatile=True,
        whole=True,
    ),
    OutputField(
        name="metas",
        meaning="all metadata by name, when asked for",
        example={"generator": ["Hugo"]},
        page=metas,
        volatile=False,
        whole=True,
    ),
    OutputField(
        name="fields",
        meaning=("own fields by name, each a list of values ([option](configuration.md) `fields`)"),
        example={"price": ["12 EUR"]},
        page=own_fields,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="page_id",
        meaning="of a section that is a document: the `id` of its page",
        example="8025f833eebe1f453066025d34f47454",
        filled_by=DATABASE,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="parent",
        meaning="the `id` of the section above it",
        example="51c2f833eebe1f453066025d34f47454",
        filled_by=DATABASE,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="order",
        meaning="a number by which the sections of a page sort; it stays when others come and go",
        example=4096,
        filled_by=DATABASE,
        volatile=True,
        rag=True,
    ),
    OutputField(
        name="level",
        meaning="the level of its heading, none before the first heading",
        example=2,
        filled_by=DATABASE,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="heading_path",
        meaning="the headings above it and its own",
        example=["Installation", "On Linux"],
        filled_by=DATABASE,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="anchor",
        meaning="the anchor of its heading",
        example="linux",
        filled_by=DATABASE,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="page_number",
        meaning="the page of a file on which it begins",
        example=7,
        filled_by=DATABASE,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="status_code",
        meaning="the HTTP status",
        example=200,
        fetch=lambda fetch: fetch.status,
        volatile=True,
    ),
    OutputField(
        name="content_type",
        meaning="the media type",
        example="text/html",
        fetch=lambda fetch: fetch.content_type,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="content_length",
        meaning="bytes of the body, after decompression",
        example=18231,
        fetch=lambda fetch: fetch.size,
        volatile=True,
        whole=True,
    ),
    OutputField(
        name="etag",
        meaning="the server's ETag",
        example='"5f-1"',
        fetch=lambda fetch: fetch.etag,
        volatile=True,
        whole=True,
    ),
    OutputField(
        name="last_modified",
        meaning="the server's Last-Modified",
        example="Thu, 19 Nov 2026 08:30:00 GMT",
        fetch=lambda fetch: fetch.last_modified,
        volatile=True,
        whole=True,
    ),
    OutputField(
        name="first_seen_at",
        meaning="when the address was first found",
        example="2026-11-18T09:00:00Z",
        fetch=lambda fetch: rfc3339(fetch.first_seen_at),
        volatile=True,
    ),
    OutputField(
        name="last_crawled_at",
        meaning="when it was fetched for this line",
        example="2026-11-20T09:00:00Z",
        fetch=lambda fetch: rfc3339(fetch.started_at),
        volatile=True,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="last_changed_at",
        meaning="when its content last changed",
        example="2026-11-20T09:00:00Z",
        fetch=lambda fetch: rfc3339(fetch.started_at),
        volatile=True,
        rag=True,
    ),
    OutputField(
        name="content_hash",
        meaning="hash of what counts as content",
        example="4dd5f03df8ac87cd62083d7bf76e05a4",
        filled_by="ChangePipeline",
        volatile=True,
        rag=True,
    ),
    OutputField(
        name="robots",
        meaning="`{noarchive, nosnippet, unavailable_after}` where the page asks for it",
        example={"noarchive": True},
        page=lambda facts: robots(facts.page.directives),
        volatile=False,
    ),
    OutputField(
        name="date_reliable",
        meaning="false when the server's date cannot be right",
        example=False,
        fetch=date_reliable,
        volatile=True,
    ),
)
DELETION: tuple[OutputField, ...] = (
    OutputField(
        name="op",
        meaning="`delete`",
        example="delete",
        filled_by=DATABASE,
        volatile=False,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="id",
        meaning="the id of the document to delete",
        example="8025f833eebe1f453066025d34f47454",
        filled_by=DATABASE,
        volatile=False,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="url",
        meaning="its address",
        example="https://example.org/docs/guide/linux/install.html",
        filled_by=DATABASE,
        volatile=False,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="reason",
        meaning=(
            "`not_found`, `gone`, `noindex`, `robots_txt`, `non_canonical`, `duplicate`, "
            "`redirected`, `excluded`, `unreachable`, `dropped`, `unwanted_type`, "
            "`section_removed` or `split`"
        ),
        example="redirected",
        filled_by=DATABASE,
        volatile=False,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="seq",
        meaning="number of this change",
        example=18,
        filled_by=DATABASE,
        volatile=False,
        minimal=True,
        rag=True,
    ),
    OutputField(
        name="run_id",
        meaning="number of the run that wrote it",
        example=3,
        filled_by=DATABASE,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="realm",
        meaning="the named collection that the document was in",
        example="default",
        filled_by=DATABASE,
        volatile=False,
        rag=True,
    ),
    OutputField(
        name="moved_to",
        meaning="where the page went, if it moved",
        example="https://example.org/install",
        filled_by=DATABASE,
        volatile=False,
        minimal=True,
        rag=True,
    ),
)

DOCUMENT_FIELDS = tuple(field.name for field in DOCUMENT)
DELETION_FIELDS = tuple(field.name for field in DELETION)
FIELDS = tuple(dict.fromkeys((*DOCUMENT_FIELDS, *DELETION_FIELDS)))
VOLATILE = frozenset(field.name for field in DOCUMENT if field.volatile)
ENVELOPE = frozenset(field.name for field in DOCUMENT if field.envelope)
MINIMAL = frozenset(field.name for field in (*DOCUMENT, *DELETION) if field.minimal)
RAG = frozenset(field.name for field in (*DOCUMENT, *DELETION) if field.rag)
WHOLE = frozenset(field.name for field in DOCUMENT if field.whole)
_OF_PAGE = tuple((field.name, field.page) for field in DOCUMENT if field.page)
_OF_FETCH = tuple((field.name, field.fetch) for field in DOCUMENT if field.fetch)
_ELASTIC = tuple((field.name, field.elastic) for field in DOCUMENT if field.elastic)


def page_fields(
    page: Page, options: DocumentOptions, *, document_id: str = "", url: str = ""
) -> dict[str, Any]:
    """The fields that a page gives the document of an id and a URL; empty values left out."""
    facts = PageFacts(page, options, document_id, url)
    values = ((name, value(facts)) for name, value in _OF_PAGE)
    return {name: value for name, value in values if not is_empty(value)}


def fetch_fields(fetch: FetchFacts) -> dict[str, Any]:
    """The fields that tell how a document was found and fetched; empty values left out."""
    values = ((name, value(fetch)) for name, value in _OF_FETCH)
    return {name: value for name, value in values if not is_empty(value)}


def elastic_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a line that Elastic's Open Crawler writes in another type."""
    values = ((name, value(record)) for name, value in _ELASTIC)
    return {name: value for name, value in values if value is not None}


def is_empty(value: Any) -> bool:
    """Tell whether a field has no value; 0 and False are values."""
    return not value and (value is None or isinstance(value, str | tuple | list | dict))
