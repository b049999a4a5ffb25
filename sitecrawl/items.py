"""The document that travels through the pipelines, and the order of its fields."""

from __future__ import annotations

from typing import Any

from sitecrawl.frontier.base import Visit
from sitecrawl.policy.obedience import RobotsVerdict
from sitecrawl.web.page import Page

SCHEMA_VERSION = 1

DOCUMENT_FIELDS = (
    "op",
    "id",
    "seq",
    "run_id",
    "schema_version",
    "realm",
    "change",
    "url",
    "url_scheme",
    "url_host",
    "url_port",
    "url_path",
    "url_path_dir1",
    "url_path_dir2",
    "url_path_dir3",
    "url_dynamic",
    "canonical_url",
    "additional_urls",
    "source_url",
    "discovered_via",
    "depth",
    "title",
    "meta_description",
    "meta_keywords",
    "meta_keywords_repeated",
    "description",
    "description_source",
    "body",
    "headings",
    "language",
    "blocks",
    "pieces",
    "author",
    "authors",
    "publisher",
    "identifier",
    "type",
    "breadcrumbs",
    "published_at",
    "modified_at",
    "links",
    "alternates",
    "anchors",
    "metas",
    "fields",
    "status_code",
    "content_type",
    "content_length",
    "etag",
    "last_modified",
    "first_seen_at",
    "last_crawled_at",
    "last_changed_at",
    "content_hash",
    "robots",
    "date_reliable",
)

DELETION_FIELDS = ("op", "id", "url", "reason", "seq", "run_id", "realm", "moved_to")


class Document(dict[str, Any]):
    """A page on its way to the output: its fields, and where they come from.

    The keys are those of ``DOCUMENT_FIELDS`` (and mapped extra fields); empty values are
    absent. ``page`` holds the facts of the one parse, ``robots`` the verdict on its
    directives, ``visit`` the crawl action; ``recorded`` says that the visit is on its way into the crawl database.
    """

    __slots__ = ("page", "recorded", "robots", "visit")

    def __init__(self, visit: Visit, page: Page, robots: RobotsVerdict) -> None:
        super().__init__()
        self.visit = visit
        self.page = page
        self.robots = robots
        self.recorded = False


class Record(dict[str, Any]):
    """A line of the output; ``seq`` numbers its row in the outbox whatever its fields are called."""

    __slots__ = ("seq",)

    def __init__(self, seq: int, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.seq = seq
