"""State of a crawl, and the protocol that every backend implements.

Call ``holds`` before a request is sent. ``backlog`` distinguishes "nothing now" from "finished"
when several workers share a crawl. ``settle`` writes the deletions gathered
during a run once an origin has nothing left. ``Outcome`` is defined in ``policy.outcomes``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sitecrawl.policy.http.receipt import ReceiptSummary
from sitecrawl.policy.outcomes import Outcome

if TYPE_CHECKING:
    from sitecrawl.frontier.evidence_table import StoredEvidence

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
    "Heartbeat",
    "HeldGroup",
    "NoCrawlError",
    "OriginState",
    "Outcome",
    "Settlement",
    "Share",
    "VisitResult",
]


class Candidate(NamedTuple):
    """A URL that may be crawled.

    All fields are stored for a new URL. A known one is only updated if the candidate has a shorter
    path from a start, or is a start. ``fingerprint`` is the signed 64-bit hash of the identity
    key; ``via`` one of seed, link, sitemap, feed, redirect, canonical; ``referrer`` the URL of
    the page that links to it.
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
    """A URL that is due, with the stored state of earlier visits.

    ``document_id`` is set while a document of this URL is current; ``indexed_at`` (UTC
    epoch seconds) is when it was last fetched with content. ``outcome`` is the number of the
    last outcome. ``reading`` is the hash of the options with which the page was read,
    ``following`` that of the options with which its links were judged, with the depth if the
    options depend on it; None if unknown. ``reason`` and ``detail`` qualify the last outcome.
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
    priority: int = 0
    reason: str | None = None
    detail: str | None = None


StoredLink = tuple[str, int, str]
"""A link to a URL of the crawl: its origin, its fingerprint, and the URL. The URL is empty if the
link is not followed; it is then only stored if it leads to a known URL."""


@dataclass(frozen=True, slots=True)
class VisitResult:
    """Result of one crawl action, created once when it has ended, and written by a commit.

    Times are UTC epoch seconds, ``duration`` seconds. ``document`` is the finished
    document (the contract's fields without seq), empty when there is nothing to write.
    ``target`` is the candidate for ``redirect_to`` or ``canonical``, if the rules admit it; it is
    stored with the others. ``again``: the URL is retried in the same run; it stays queued and
    popped. ``not_before`` is the earliest time of the next request, if the response or a back-off
    sets one. ``reason`` qualifies the outcome, ``detail`` explains it to people.

    Two pages of an origin are duplicates if their ``content_hash`` is equal, near duplicates if
    their ``simhash`` differs in few bits; ``document_hash`` covers every field whose change is
    written. ``unchanged``: the page was read and its current document is still valid, so
    ``document`` is empty. ``left_out`` describes the text of the page that is not in it. A page
    that declares another URL as canonical still has a ``document``, which is suppressed until that
    URL proves to be a page.
    ``links`` are those of the page to be stored; None if it was not read for its links. ``outside``
    are addresses to which it refers and that are not crawled, each with its kind: link or asset.
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
    left_out: str | None = None
    redirect_to: str | None = None
    canonical: str | None = None
    target: Candidate | None = None
    again: bool = False
    not_before: float | None = None
    document: dict[str, Any] = field(default_factory=dict)
    candidates: Sequence[Candidate] = ()
    links: Sequence[StoredLink] | None = None
    outside: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the outbox: a document written or deleted, in the order of ``seq``.

    ``hash`` differs from those of all other changes, also in copies of the crawl database that were
    crawled on. It is empty before the row is read.
    """

    seq: int
    op: str
    id: str
    record: dict[str, Any]
    hash: str = ""


class Commit(NamedTuple):
    """Visits as they were written, and their outbox rows, in order.

    A commit may change an outcome: to not changed, duplicate or lease lost.
    """

    visits: Sequence[VisitResult]
    changes: list[Change]


@dataclass(frozen=True, slots=True)
class HeldGroup:
    """Pages of an origin whose loss is held for one ``reason``: that of a deletion, or changed if
    their texts are not their own; ``example`` is one of them."""

    reason: str
    pages: int
    example: str

    @property
    def in_words(self) -> str:
        """Number and reason."""
        words = (
            "replaced by text that is not their own" if self.reason == "changed" else self.reason
        )
        return f"{self.pages} {words} (for example {self.example})"


@dataclass(frozen=True, slots=True)
class Settlement:
    """Result of carrying out the changes that wait on one origin.

    ``held`` are the losses among its ``documents`` that are held until a person confirms them,
    ``lasted`` is the number of those that were carried out because they have stood for long.
    """

    changes: list[Change]
    documents: int
    held: tuple[HeldGroup, ...] = ()
    lasted: int = 0


@dataclass(frozen=True, slots=True)
class Backlog:
    """Numbers of waiting URLs: on origins leased by this worker, on free origins, and on origins
    leased by others; the time at which the first free origin is ready; and the number of origins
    with waiting URLs."""

    mine: int
    free: int
    elsewhere: int
    ready_at: float | None
    origins: int = 0

    @property
    def waiting(self) -> int:
        """The number of waiting URLs, over all workers."""
        return self.mine + self.free + self.elsewhere


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
    robots_read: bool = False  # by the worker of this run that handed the origin over
    given_up: str | None = None  # reason, if the run gave it up; only set by a claim
    continued: bool = False  # it was leased by this worker before, and by no other since
    receipt: ReceiptSummary | None = None  # of this run's requests; only to be stored
    address: str | None = None  # whose holder gets the origin; only to be stored


@dataclass(frozen=True, slots=True)
class LastVisit:
    """Last visit of a URL in this run; ``target`` is the fingerprint and URL of the stored redirect
    target, if there is one."""

    fingerprint: int
    url: str
    outcome: Outcome
    status: int | None
    reason: str
    detail: str
    redirect_to: str | None
    target: tuple[int, str] | None


@dataclass(frozen=True, slots=True)
class DeadLink:
    """A URL that failed in this run, with the first page that linked to it; None for a start."""

    url: str
    reason: str
    status: int | None
    referrer: str | None


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Progress that a worker reports: pages so far, pages per second of late, and its counters."""

    pages: int = 0
    rate: float = 0.0
    counters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Share:
    """Division of the load (``policy/origin_shares``) among the workers heard of lately.

    ``mine`` has that of each origin of this worker, ``others`` the sum for each other worker,
    ``free`` that of origins without a lease.
    """

    mine: Mapping[str, int]
    others: Sequence[int]
    free: int


@dataclass(frozen=True, slots=True)
class FeedFile:
    """A file of a feed at the time its lines were durable: its size, and a hash of its end.

    ``size`` is None if the file cannot be examined; ``closed`` means that nothing more is written
    to it, so that its reader may have removed it.
    """

    feed: str
    path: str
    size: int | None = None
    tail: str = ""
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Delivered:
    """Lines written by a crawl that did not end normally, and the files they were written to."""

    number: int
    lines: int
    files: tuple[FeedFile, ...]


class Frontier(Protocol):
    """Interface of the crawler to the crawl database.

    Methods may wait for the database, and raise ``FrontierError`` with a readable text when it
    fails.
    """

    async def open(self, crawl: str, configuration: dict[str, Any]) -> int:
        """Open or create the database, migrate it, and begin a run; return the run's id."""

    async def add(self, candidates: Sequence[Candidate]) -> int:
        """Store unknown URLs, and shorter paths to known ones; return the number of new URLs."""

    async def retire_starts(self, starts: Sequence[Candidate]) -> list[str]:
        """Turn stored starts that are not among ``starts`` into ordinary URLs; return them.

        Does nothing for a worker that joins the run of others."""

    async def unnamed_starts(self) -> set[tuple[str, int]]:
        """Return origin and fingerprint of the former starts that are not referenced yet."""

    async def ask_listing(self, url: str) -> None:
        """Record that a sitemap, which may list a former start, has been requested."""

    async def read_listing(self, url: str) -> None:
        """Record that a sitemap was read to its end."""

    async def redirect_chain(self, urls: Sequence[str]) -> list[tuple[str, str]]:
        """Return the stored redirects from each URL on, as pairs of URL and target."""

    async def unskip(self, candidates: Sequence[Candidate]) -> None:
        """Queue those candidates that the run set aside because of its activity."""

    async def mark_due(self, candidates: Sequence[Candidate]) -> None:
        """Queue known URLs regardless of their age, except permanently gone ones."""

    async def record_feed_dates(self, entries: Sequence[tuple[Candidate, datetime]]) -> None:
        """Store the dates of feed entries, and queue known URLs whose date has changed."""

    async def mark_modified(self, entries: Sequence[tuple[Candidate, float]]) -> None:
        """Queue known URLs that were last read before the date (UTC epoch seconds) of each."""

    async def skip(self, origin: str, fingerprints: Collection[int]) -> None:
        """Remove popped URLs of a leased origin from the queue without a visit.

        Their age stays as it is, so the next run considers them again."""

    async def requeue_due(self) -> None:
        """Queue every URL that is due now, including those that this run has visited."""

    async def lease(self, limit: int) -> list[OriginState]:
        """Lease up to ``limit`` origins that have due URLs and no other owner."""

    async def claim(self, origin: str) -> OriginState | None:
        """Lease an origin, even if nothing is due on it; None while another worker has it."""

    async def pop(self, origin: str, limit: int) -> list[DueUrl]:
        """Pop up to ``limit`` due URLs of a leased origin that this run has not considered yet.

        They are ordered by priority, depth and discovery; those that failed last time come last.
        """

    async def pop_within_budget(self, origin: str, limit: int, reserved: int) -> list[DueUrl]:
        """Pop due URLs of a leased origin as far as the budget of its day allows.

        ``reserved`` pages of the budget are taken by visits that are not committed yet. New URLs
        and known pages come in turns, those first that are most likely to have changed."""

    async def out_of_budget(self) -> dict[str, int]:
        """Return the waiting URLs of each origin whose budget of the day is spent."""

    async def has_untried_urls(self, origin: str) -> bool:
        """Tell whether a leased origin has waiting URLs other than those that failed last time."""

    async def commit(self, origin: str, visits: Sequence[VisitResult]) -> Commit:
        """Write outcomes, candidates and outbox rows of one origin in one transaction."""

    async def put_off(self, origin: str, priorities: Mapping[int, int]) -> None:
        """Return popped URLs of a leased origin to the queue, each with a new priority."""

    async def evidence(self, origin: str, basis: str = "") -> list[StoredEvidence]:
        """Return the evidence on the kinds of pages of a leased origin, or that of one basis."""

    async def save_evidence(self, origin: str, parts: Sequence[StoredEvidence]) -> None:
        """Store evidence on the kinds of pages of a leased origin."""

    async def admit_again(self, origin: str, reason: str) -> int:
        """Queue the URLs of a leased origin that were refused for a reason; return their number.

        The URLs that were put off get their place in the queue back."""

    async def save_origin(self, state: OriginState) -> None:
        """Store robots.txt, delay, and the earliest time of the next request of an origin."""

    async def release(self, origin: str) -> None:
        """Release the origin; its popped URLs are due again."""

    async def hand_over(self, state: OriginState) -> None:
        """Store the state of an origin and release it for another worker of this run, which does
        not request its robots.txt again."""

    async def hold_address(self, origin: str, address: str) -> float | None:
        """Let a leased origin share the pace of an IP address; return the time of the address's next
        request, or None while another worker has leased origins of that address."""

    async def follow(self, origin: str, other: str) -> bool:
        """Let the worker that has another origin have this leased one next; False if it may not:
        of two that follow each other only one does."""

    async def beat(self, heartbeat: Heartbeat) -> Share:
        """Record a heartbeat; return the part of the waiting work that this worker has."""

    async def exclude_from_run(self, origin: str, reason: str) -> None:
        """Release the origin, and keep every worker from leasing it again in this run."""

    async def readmit(self, origin: str) -> None:
        """Allow an origin that was given up to be leased again."""

    def holds(self, origin: str) -> bool:
        """Tell whether the lease is certain to last long enough for a request. Never waits.

        The frontier renews its leases as long as it can reach the database."""

    def may_renew(self, origin: str) -> bool:
        """Tell whether the lease is ours, or has expired and is not known to be lost. Never waits."""

    async def backlog(self) -> Backlog:
        """Count the waiting URLs by lease holder; the crawl is finished when all are zero."""

    async def waiting_by_origin(self) -> dict[str, int]:
        """Return the number of waiting URLs of each origin that this worker leases."""

    async def grant(self, limit: int) -> int:
        """Allow some of the ``limit`` requests that all workers of the run may make; return their
        number, 0 at the limit."""

    async def return_grant(self, number: int) -> None:
        """Return requests that were allowed and not made."""

    async def last_visits(self, candidates: Sequence[Candidate]) -> list[LastVisit]:
        """Return the last visits of these URLs and of their redirect targets by all workers of
        this run; those without one are omitted."""

    async def dead_links(self) -> list[DeadLink]:
        """Return the URLs that failed in this run, ordered by URL."""

    async def has_documents(self) -> bool:
        """Return True if the realm has a document."""

    async def settle(self, origin: str) -> Settlement:
        """Carry out the changes of a leased origin that wait, unless too many documents were lost.

        Call it when the origin has nothing left to crawl, or only URLs that failed last time."""

    async def undelivered(
        self, limit: int, after: int = 0, *, of_workers: bool = False
    ) -> list[Change]:
        """Return undelivered outbox rows of earlier runs with ``seq > after`` that no living
        worker holds, in order."""

    async def delivered(
        self, seqs: Sequence[int], files: Sequence[FeedFile] = (), number: int = 0
    ) -> int:
        """Mark outbox rows as written to files; return their delivery (new if ``number`` is 0)."""

    async def take_over_deliveries(self, feeds: Collection[str]) -> list[Delivered]:
        """Take over deliveries to these feeds from crawls that did not end normally."""

    async def undeliver(self, numbers: Collection[int]) -> None:
        """Mark the rows of these deliveries as undelivered."""

    async def undeliver_file(self, path: str, seqs: Collection[int]) -> int:
        """Mark our rows in an open file, and ``seqs``, as undelivered; return their number."""

    async def end_deliveries(self) -> None:
        """End the deliveries of this worker; once all workers have, later runs overwrite the files."""

    def stop_reconnecting(self) -> None:
        """Give a lost connection up at once: the crawl is to end."""

    async def counters_of_others(self) -> dict[str, Any]:
        """Return the counters of the other workers of the run, as of their last heartbeats."""

    async def close(self, finish_reason: str, counters: dict[str, Any]) -> None:
        """Leave the run and close the database; the last worker ends the run."""


class FrontierError(Exception):
    """The crawl database cannot be used; the text names it and the remedy."""


class AlreadyRunningError(FrontierError):
    """The realm is being crawled, and this crawl is to run alone."""


class DatabaseUrlError(FrontierError):
    """The setting is not the URL of a crawl database."""


class NoCrawlError(FrontierError):
    """The database does not exist, or holds no crawl."""
