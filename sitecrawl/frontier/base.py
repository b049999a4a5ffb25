"""What a crawl remembers, and the protocol that every back end keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol


class Outcome(IntEnum):
    """How one crawl action ended; exactly one each. Numbers are stored."""

    DATABASE_ERROR = -3
    CANCELLED = -2
    LEASE_LOST = -1
    BLOCKED_BY_ROBOTS_TXT = 10
    BLOCKED_URL_BY_LOCAL_POLICY = 11
    FILE_INGESTED = 20
    NOINDEX = 21
    NON_CANONICAL = 22
    DUPLICATE = 23
    NO_CONTENT = 24
    UNWANTED_TYPE = 28
    FILE_OF_UNKNOWN_TYPE = 29
    PERMANENT_REDIRECT = 31
    REDIRECT = 32
    FILE_DID_NOT_CHANGE = 34
    SERVER_BLAMED_CLIENT = 40
    FILE_GONE = 41
    DID_NOT_UNDERSTAND_ANSWER = 42
    FILE_NOT_FOUND = 44
    NOT_ACCEPTABLE = 46
    TOO_LARGE = 47
    RATE_LIMITED = 49
    SERVER_INTERNAL_ERROR = 50
    CONNECTION_FAILED = 100
    REQUEST_TIMEOUT = 101


@dataclass(frozen=True, slots=True)
class Candidate:
    """A URL that may be crawled: what is stored when it is new, nothing when it is known.

    ``fingerprint`` is the signed 64-bit hash of the identity key; ``via`` one of seed,
    link, sitemap, feed, redirect, canonical; ``referrer`` the URL of the page that names it.
    """

    origin: str
    fingerprint: int
    url: str
    depth: int = 0
    via: str = "link"
    referrer: str | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True)
class DueUrl:
    """A URL that is due, with what an earlier visit left behind.

    ``document_id`` is set while a document of this URL is current; ``indexed_at`` (UTC
    epoch seconds) is when it was last fetched with content.
    """

    origin: str
    fingerprint: int
    url: str
    depth: int
    via: str
    referrer: str | None
    etag: str | None = None
    last_modified: str | None = None
    content_hash: str | None = None
    document_hash: str | None = None
    document_id: str | None = None
    indexed_at: float | None = None
    first_seen_at: float | None = None
    changed_at: float | None = None
    failures: int = 0


@dataclass(slots=True)
class Visit:
    """One crawl action from its start to its outcome; what a commit writes.

    Times are UTC epoch seconds, ``duration`` seconds. ``document`` is the finished
    document (the contract's fields without seq) or None when there is nothing to write.
    ``again`` puts the URL back into the same run (rate limits, flukes).
    """

    due: DueUrl
    started_at: float
    duration: float = 0.0
    outcome: Outcome | None = None
    status: int | None = None
    bytes: int = 0
    reason: str = ""
    etag: str | None = None
    last_modified: str | None = None
    expires_at: float | None = None
    content_hash: str | None = None
    document_hash: str | None = None
    redirect_to: str | None = None
    canonical: str | None = None
    again: bool = False
    document: dict[str, Any] | None = None
    candidates: list[Candidate] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the outbox: a document written or deleted, in the order of ``seq``."""

    seq: int
    op: str
    id: str
    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class OriginState:
    """What is remembered of an origin between runs."""

    key: str
    robots_text: str | None
    robots_status: int | None
    robots_expires_at: float
    delay: float | None
    ready_at: float
    pending: int


class Frontier(Protocol):
    """The crawl database as the crawler sees it. Every method may wait for the database.

    All raise ``FrontierError`` with a readable text when the database fails.
    """

    async def open(self, crawl: str, configuration: dict[str, Any]) -> int:
        """Open or make the database, migrate it, begin a run; returns the run's id."""

    async def add(self, candidates: Sequence[Candidate]) -> int:
        """Store those not known yet; returns how many were new."""

    async def lease(self, limit: int) -> list[OriginState]:
        """Take up to ``limit`` origins that have something due and no other owner."""

    async def pop(self, origin: str, limit: int) -> list[DueUrl]:
        """Up to ``limit`` due URLs of a leased origin that are not in hand and were not
        considered in this run; priority, then depth, then order of discovery."""

    async def commit(self, origin: str, visits: Sequence[Visit]) -> list[Change]:
        """Write outcomes, candidates and outbox rows of one origin in one transaction.

        Returns the outbox rows it made, in order."""

    async def save_origin(self, state: OriginState) -> None:
        """Store robots.txt, delay and the time before which the origin is not asked."""

    async def release(self, origin: str) -> None:
        """Give the origin back."""

    async def undelivered(self, limit: int) -> list[Change]:
        """Outbox rows that no feed has taken yet and no living worker has in hand."""

    async def delivered(self, seqs: Sequence[int]) -> None:
        """Mark outbox rows as written to a feed."""

    async def close(self, finish_reason: str, counters: dict[str, Any]) -> None:
        """End the run and close the database."""


class FrontierError(Exception):
    """The crawl database cannot be used; the text says which and what to do."""
