"""The words and numbers in which a URL's state is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sitecrawl.frontier.base import Outcome
from sitecrawl.policy.revisit import FAILED

ERRORS = tuple(
    sorted(FAILED | {Outcome.BLOCKED_BY_ROBOTS_TXT, Outcome.BLOCKED_URL_BY_LOCAL_POLICY})
)
WAITING, ERROR = 0, 2  # the numbers of the fdse pending file; any larger one is a time
STATE = (
    "CASE WHEN u.outcome IS NULL OR u.outcome < 0 THEN 0"
    f" WHEN u.outcome IN ({', '.join(str(int(outcome)) for outcome in ERRORS)}) THEN 2"
    " ELSE u.visited_at END"
)


@dataclass(frozen=True, slots=True)
class UrlState:
    """All that is stored of one URL; times are UTC epoch seconds.

    ``state`` is 0 for waiting, 2 for an error, else the time of the last visit; ``due`` is
    None when the URL is never asked of its own accord. ``kept_for`` is the URL that stands
    for this page, ``because`` of a duplicate or a canonical. ``reading`` stands for the options
    with which its document was read; ``withheld`` is the change of a document that is not written
    because other pages may give the same answer.
    """

    id: int
    url: str
    realm: str
    state: int
    waiting: bool
    depth: int
    via: str
    found_at: float
    outcome: Outcome | None
    status: int | None
    reason: str | None
    detail: str | None
    visited_at: float | None
    indexed_at: float | None
    changed_at: float | None
    due: float | None
    visits: int
    changes: int
    missing: int
    failures: int
    redirect_to: str | None
    canonical: str | None
    document_id: str | None
    seq: int | None
    kept_for: str | None
    because: str | None
    deletion: str | None
    reading: str | None
    withheld: str | None


@dataclass(frozen=True, slots=True)
class OriginCounts:
    """What is known of one origin: URLs waiting, documents written, changes held back."""

    key: str
    realm: str
    urls: int
    waiting: int
    documents: int
    held: int
    owner: str | None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of a crawl: the configuration it was given, and how it ended.

    ``finished_at`` and ``finish_reason`` are None while it runs; ``counters`` are what the
    last of its workers counted, ``reading`` stands for the options with which it read pages.
    """

    id: int
    realm: str
    configuration: dict[str, Any]
    started_at: float
    finished_at: float | None
    finish_reason: str | None
    counters: dict[str, float]
    reading: str | None
