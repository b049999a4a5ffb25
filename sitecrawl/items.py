"""The item that travels through the pipelines, the line that comes of it, and their fields."""

from __future__ import annotations

from typing import Any

from scrapy.exceptions import DropItem

from sitecrawl.frontier.base import Change, Outcome, Visit
from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.policy.documents.obedience import RobotsVerdict
from sitecrawl.policy.documents.output_shapes import written
from sitecrawl.web.html.page import Page

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
ENVELOPE = frozenset({"op", "id", "seq", "run_id", "schema_version", "realm", "change"})
"""The fields that are the crawl's own: what a pipeline writes there is not heeded."""


class Document(dict[str, Any]):
    """The item of a page: the one class that goes through the pipelines.

    The keys are those of ``DOCUMENT_FIELDS`` and whatever pipelines add; empty values are
    absent. ``page`` holds the facts of the one parse, ``robots`` the verdict on its
    directives, ``visit`` the crawl action, ``envelope`` the fields by which the line is known.
    ``recorded`` says that the visit is on its way into the crawl database.
    """

    __slots__ = ("envelope", "page", "recorded", "robots", "visit")

    def __init__(self, visit: Visit, page: Page, robots: RobotsVerdict) -> None:
        super().__init__()
        self.visit = visit
        self.page = page
        self.robots = robots
        self.envelope: dict[str, Any] = {}
        self.recorded = False

    def __repr__(self) -> str:
        return f"<Document {self.visit.due.url}>"


class Record(dict[str, Any]):
    """A line of the output; ``seq`` numbers its row in the outbox whatever its fields are called.

    Feeds and listeners of ``item_scraped`` get it; no pipeline does.
    """

    __slots__ = ("seq",)

    def __init__(self, seq: int, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.seq = seq


class DropDocument(DropItem):
    """Keep a document out of the output; its visit ends with an outcome and its reason.

    Any other DropItem ends the visit as ``dropped``, with the exception's text as detail.
    """

    def __init__(self, outcome: Outcome, reason: str, detail: str = "") -> None:
        super().__init__(reason, log_level="DEBUG")
        self.outcome = outcome
        self.reason = reason
        self.detail = detail


def line_of(change: Change, options: DocumentOptions) -> Record:
    """The line of a change, in the shape and under the names that the user's index has."""
    return Record(change.seq, written(change.record, options))


def is_empty(value: Any) -> bool:
    """Tell whether a field has no value; 0 and False are values."""
    return not value and (value is None or isinstance(value, str | tuple | list | dict))
