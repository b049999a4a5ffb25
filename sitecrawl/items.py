"""The item that passes through the pipelines, and the output line made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from sitecrawl.frontier.base import Change
from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.policy.documents.obedience import RobotsVerdict
from sitecrawl.policy.documents.output_shapes import written
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.html.page import Page

if TYPE_CHECKING:
    from sitecrawl.crawl.visit import Visit


class Document(dict[str, Any]):
    """The item of a page, the only item class in the pipelines.

    The keys are those of ``policy.documents.fields`` and those that pipelines add; empty values
    are absent. ``page`` holds the facts of the one parse, ``robots`` the verdict on its
    directives, ``visit`` the crawl action, ``envelope`` the fields that identify the line.
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
    """A line of the output; ``seq`` numbers its outbox row, whatever its fields are named.

    Feeds and receivers of ``item_scraped`` get it; pipelines do not.
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
    """Return the line of a change, in the configured shape and with the configured names."""
    return Record(change.seq, written(change.record, options))
