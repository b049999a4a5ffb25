"""The item that passes through the pipelines, and the output line that it becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from sitecrawl.frontier.base import Change, Outcome
from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.policy.documents.obedience import RobotsVerdict
from sitecrawl.policy.documents.output_shapes import written
from sitecrawl.web.html.page import Page

if TYPE_CHECKING:
    from sitecrawl.crawl.visit import Visit


class Document(dict[str, Any]):
    """The item of a page: the one class that goes through the pipelines.

    The keys are those of ``policy.documents.fields`` and those that pipelines add; empty values
    are absent. ``page`` holds the facts of the one parse, ``robots`` the verdict on its
    directives, ``visit`` the crawl action, ``envelope`` the fields by which the line is known.
    """

    __slots__ = ("envelope", "page", "robots", "visit")

    def __init__(self, visit: Visit, page: Page, robots: RobotsVerdict) -> None:
        super().__init__()
        self.visit = visit
        self.page = page
        self.robots = robots
        self.envelope: dict[str, Any] = {}

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
