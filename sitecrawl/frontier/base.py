"""State of a crawl, and the protocol that every backend implements.

Beside the crawler's own methods stand ``holds`` (ask it before a request is handed out),
``backlog`` ("nothing now" apart from "finished" when several workers share a crawl) and
``settle`` (deletions are gathered during a run and written when an origin has nothing left).
``Outcome`` lives in ``policy.outcomes``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sitecrawl.policy.documents.furniture import OriginFurniture
from sitecrawl.policy.outcomes import Outcome

if TYPE_CHECKING:
    from sitecrawl.frontier.learned import StoredPage, StoredRule

__all__ = [
    "Backlog",
    "Candidate",
    "Change",
    "Commit",
    "Delivered",
    "DueUrl",
    "FeedFile",
    "Frontier",
    "FrontierError",
    "NoCrawlError",
    "OriginState",
    "Outcome",
    "Settlement",
    "SharedPages",
    "Stripped",
    "VisitResult",
]


class Candidate(NamedTuple):
    """A URL that may be crawled: what is stored when it is new; when it is known, only the way
    to it where that is shorter, or makes it a start.

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
    epoch seconds) is when it was last fetched with content. ``outcome`` is the number of the
    last one. ``reading`` stands for the options by which it was read, ``following`` for those by
    which its links were judged, with the depth where that counts; None where not known.
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
    outcome: int | None = None
    reading: str | None = None
    following: str | None = None


@dataclass(frozen=True, slots=True)
class VisitResult:
    """Result of one crawl action, made once when it has ended; what a commit writes.

    Times are UTC epoch seconds, ``duration`` seconds. ``document`` is the finished
    document (the contract's fields without seq), empty when there is nothing to write.
    ``target`` is the candidate that ``redirect_to`` or ``canonical`` makes, if the rules
    admit it; it is stored with the others. ``again``: the URL is tried again in the same run; it
    waits, and stays popped. ``not_before`` is when it may be asked again, where its answer or a
    back-off says so. ``reason`` is the outcome's more precise word, ``detail`` what a
    person reads beside it.

    Equal ``content_hash`` makes two pages of an origin duplicates, a ``simhash`` of few other
    bits near ones; ``document_hash`` covers all that is worth writing. ``unchanged``: the page was
    read and its current document is still right; it brings none. ``lines`` are the keys of the
    page's lines where it is one of a sample, ``furniture`` the version by which it was stripped,
    ``left_out`` what a person reads of that. A page that names another as
    canonical still brings its ``document``: it is kept back until the other one proves to be a
    page. A commit sets ``equal_to`` to the URLs of other pages with the same text, and
    ``released`` where URLs that were kept out because of this one wait again.
    """

    due: DueUrl
    started_at: float
    duration: float
    outcome: Outcome
    status: int | None = None
    bytes: int = 0
    reason: str = ""
    detail: str = ""
    etag: str | None = None
    last_modified: str | None = None
    expires_at: float | None = None
    content_hash: str | None = None
    document_hash: str | None = None
    simhash: int | None = None
    unchanged: bool = False
    lines: tuple[int, ...] | None = None
    furniture: int = 0
    left_out: str | None = None
    redirect_to: str | None = None
    canonical: str | None = None
    target: Candidate | None = None
    again: bool = False
    not_before: float | None = None
    document: dict[str, Any] = field(default_factory=dict)
    equal_to: tuple[str, ...] = ()
    released: bool = False
    candidates: Sequence[Candidate] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the outbox: a document written or deleted, in the order of ``seq``."""

    seq: int
    op: str
    id: str
    record: dict[str, Any]


class Stripped(NamedTuple):
    """The outbox rows of documents that were stripped of furniture, and whether more are left."""

    changes: list[Change]
    more: bool


class Commit(NamedTuple):
    """Visits as they were written, and the outbox rows that they made, in order.

    An outcome may be another than the visit came with: not changed, a duplicate, a lost lease.
    """

    visits: Sequence[VisitResult]
    changes: list[Change]


@dataclass(frozen=True, slots=True)
class SharedPages:
    """Known pages of an origin that began to give one answer: ``kind`` is redirect, canonical, text
    or soft_404, ``key`` the address they lead to, the hash of their text or the origin that has no
    such page, ``example`` one of them."""

    kind: str
    key: str
    pages: int
    example: str

    @property
    def in_words(self) -> str:
        """The shared answer, in words."""
        if self.kind == "text":
            return "the same text"
        if self.kind == "soft_404":
            return "that of a page that does not exist"
        return (
            f"a {self.kind} to {self.key}" if self.kind == "redirect" else f"{self.kind} {self.key}"
        )


@dataclass(frozen=True, slots=True)
class Settlement:
    """Result of flushing the deletions that a run saw on one origin.

    ``held`` deletions wait for a person's word because they are too many of ``documents``,
    ``shared`` pages because several known ones began to give one answer; ``deleted`` is how
    many were written that count as a loss.
    """

    changes: list[Change]
    held: int
    documents: int
    deleted: int = 0
    shared: tuple[SharedPages, ...] = ()


@dataclass(frozen=True, slots=True)
class Backlog:
    """Waiting URLs: those of origins that this worker holds, that nobody holds,
    and that another worker holds; and when the first free origin may be asked."""

    mine: int
    free: int
    elsewhere: int
    ready_at: float | None


@dataclass(frozen=True, slots=True)
class OriginState:
    """State of an origin between runs."""

    key: str
    robots_text: str | None
    robots_status: int | None
    robots_expires_at: float
    delay: float | None
    ready_at: float
    pending: int
    given_up: bool = False  # by the run, as far as a claim tells


@dataclass(frozen=True, slots=True)
class FeedFile:
    """A file of a feed when its lines were safe: its size then, and a hash of its end.

    ``size`` is None where it cannot be looked at; ``closed`` says that nothing more is written
    to it, so that its reader may have taken it away.
    """

    feed: str
    path: str
    size: int | None = None
    tail: str = ""
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Delivered:
    """Lines of a crawl that did not end well, and the files that took them."""

    number: int
    lines: int
    files: tuple[FeedFile, ...]


class Frontier(Protocol):
    """The crawl database as the crawler sees it. Every method may wait for the database.

    All raise ``FrontierError`` with a readable text when the database fails.
    """

    async def open(self, crawl: str, configuration: dict[str, Any]) -> int:
        """Open or make the database, migrate it, begin a run; returns the run's id."""

    async def add(self, candidates: Sequence[Candidate]) -> int:
        """Store those not known yet, and shorter ways to the others; how many were new."""

    async def retire_starts(self, starts: Sequence[Candidate]) -> list[str]:
        """Make ordinary URLs of former starts that are not among ``starts``; returns these URLs.

        A worker that joins the run of others leaves their starts alone."""

    async def unnamed_starts(self) -> set[tuple[str, int]]:
        """Origin and fingerprint of the former starts that nothing has named yet."""

    async def ask_listing(self, url: str) -> None:
        """Note that a sitemap is asked for, which may name a former start."""

    async def read_listing(self, url: str) -> None:
        """Note that a sitemap was read to its end."""

    async def redirect_chain(self, urls: Sequence[str]) -> list[tuple[str, str]]:
        """Return the stored redirects from each URL on, as pairs of URL and target."""

    async def unskip(self, candidates: Sequence[Candidate]) -> None:
        """Queue those of them that the run set aside because of its activity."""

    async def mark_due(self, candidates: Sequence[Candidate]) -> None:
        """Queue known URLs whatever their age, except those gone for good."""

    async def record_feed_dates(self, entries: Sequence[tuple[Candidate, datetime]]) -> None:
        """Note the dates that a feed gives; known URLs whose date differs wait again."""

    async def requeue_due(self) -> None:
        """Queue every URL that is due now, also those that this run has visited."""

    async def lease(self, limit: int) -> list[OriginState]:
        """Take up to ``limit`` origins that have something due and no other owner."""

    async def claim(self, origin: str) -> OriginState | None:
        """Take an origin on which nothing need be due; None while another worker has it."""

    async def pop(self, origin: str, limit: int) -> list[DueUrl]:
        """Up to ``limit`` due URLs of a leased origin that are not popped and were not considered
        in this run; priority, depth, order of discovery, and last what failed last time."""

    async def has_untried_urls(self, origin: str) -> bool:
        """Tell whether more of a leased origin waits than what failed last time."""

    async def commit(self, origin: str, visits: Sequence[VisitResult]) -> Commit:
        """Write outcomes, candidates and outbox rows of one origin in one transaction."""

    async def learned(self, origin: str) -> list[StoredRule]:
        """The learned rules of an origin."""

    async def save_learned(self, origin: str, rules: Sequence[StoredRule]) -> None:
        """Store learned rules of a leased origin."""

    async def stored_pages(
        self, origin: str, fingerprints: Collection[int], *, words: bool = False
    ) -> dict[int, StoredPage]:
        """Stored states of URLs of a leased origin; with ``words`` their texts as well."""

    async def read_texts(self, origin: str) -> dict[str, str]:
        """The text hashes of the last pages read of a leased origin, by URL."""

    async def release_folded(self, origin: str) -> int:
        """Queue the URLs of a leased origin that learned rules kept out; how many they are."""

    async def save_origin(self, state: OriginState) -> None:
        """Store robots.txt, delay and the time before which the origin is not asked."""

    async def release(self, origin: str) -> None:
        """Release the origin; its popped URLs are due again."""

    async def exclude_from_run(self, origin: str) -> None:
        """Give the origin back; no worker takes it again in this run."""

    async def readmit(self, origin: str) -> None:
        """Allow an origin to be leased again that was given up."""

    def furniture(self, origin: str) -> OriginFurniture:
        """The lines that pages of a leased origin share, as far as it is known. Never waits."""

    async def strip_stored(self, origin: str) -> Stripped:
        """Strip documents of a leased origin that were written when less of its furniture was
        known; call it until none are left, when the origin has nothing left to crawl."""

    def holds(self, origin: str) -> bool:
        """Tell whether the lease is surely ours for long enough to begin a request. Never waits.

        Leases are renewed by the frontier itself as long as it can reach the database."""

    async def backlog(self) -> Backlog:
        """Count the waiting URLs by holder; all zero means that the crawl is finished."""

    async def settle(self, origin: str) -> Settlement:
        """Write the deletions seen on a leased origin, unless they are too many.

        Call it when the origin has nothing left to crawl, or only what failed before as well."""

    async def undelivered(self, limit: int, after: int = 0) -> list[Change]:
        """Outbox rows of earlier runs with ``seq > after`` that no feed has taken yet and
        no living worker holds, in order."""

    async def delivered(
        self, seqs: Sequence[int], files: Sequence[FeedFile] = (), number: int = 0
    ) -> int:
        """Mark outbox rows as written to files; their delivery, new if ``number`` is 0."""

    async def take_over_deliveries(self, feeds: Collection[str]) -> list[Delivered]:
        """Take over deliveries to these feeds of crawls that died or did not end well."""

    async def undeliver(self, numbers: Collection[int]) -> None:
        """Mark the rows of these deliveries as undelivered."""

    async def undeliver_file(self, path: str, seqs: Collection[int]) -> int:
        """Mark our rows in an open file, and ``seqs``, as undelivered; return how many."""

    async def end_deliveries(self) -> None:
        """End the deliveries of this worker; once all workers have, later runs overwrite the files."""

    async def close(self, finish_reason: str, counters: dict[str, Any]) -> None:
        """End the run and close the database."""


class FrontierError(Exception):
    """The crawl database cannot be used; the text says which and what to do."""


class DatabaseUrlError(FrontierError):
    """A setting that names no place where a crawl database could be."""


class NoCrawlError(FrontierError):
    """There is no crawl in the place that was named, or none yet."""
