"""The values that the frontier takes and returns, its options, and its errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sitecrawl.policy.decision import Admission
from sitecrawl.policy.http.politeness import ReceiptSummary
from sitecrawl.policy.lifecycle.losses import Deletion
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.lifecycle.selection import SELECTIONS, Activity, Selection
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.urls.identity import DEFAULT_REALM, identity_key

SEED_PRIORITY = 1
StoredLink = tuple[str, int, str]
"""A link to a URL of the crawl: its origin, its fingerprint, and the URL. The URL is empty if the
link is not followed; it is then only stored if it leads to a known URL."""


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

    @classmethod
    def of(
        cls, found: Admission, depth: int = 0, via: str = "link", referrer: str | None = None
    ) -> Candidate:
        """Return the candidate for an admitted URL; starts come first."""
        priority = SEED_PRIORITY if via == "seed" else 0
        return cls(found.origin, found.fingerprint, found.url, depth, via, referrer, priority)


@dataclass(frozen=True, slots=True)
class DueUrl:
    """A URL that is due, with the stored state of earlier visits.

    ``document_id`` is set while a document of this URL is current; ``indexed_at`` (UTC
    epoch seconds) is when it was last fetched with content. ``outcome`` is the number of the
    last outcome. ``reading`` is the hash of the options with which the page was read,
    ``following`` that of the options with which its links were judged, with the depth if the
    options depend on it; None if unknown.
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
    outcome: int | None = None
    reading: str | None = None
    following: str | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True)
class VisitResult:
    """Result of one crawl action, created once when it has ended, and written by a commit.

    Times are UTC epoch seconds, ``duration`` seconds. ``document`` is the finished
    document (the contract's fields without seq), empty when there is nothing to write.
    ``target`` is the candidate for ``redirect_to`` or ``canonical``, if the rules admit it; it is
    stored with the others. ``again``: the URL is retried in the same run; it stays queued and
    popped. ``not_before`` is the earliest time of the next request, if the response or a back-off
    sets one. ``reason`` qualifies the outcome, ``detail`` explains it to people.

    Two pages of an origin are duplicates if their ``content_hash`` is equal; ``document_hash`` covers
    every field whose change is written. ``unchanged``: the page was read and its current document is
    still valid, so ``document`` is empty. ``left_out`` describes the text of the page that is not in it, ``audit``
    is what a report tells of the page. A page that declares another URL as canonical still has a
    ``document``, which is suppressed until that URL proves to be a page.
    ``html`` is the page itself, if the crawl keeps it.
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
    unchanged: bool = False
    left_out: str | None = None
    audit: str | None = None
    html: str | None = None
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


@dataclass(slots=True)
class Entry:
    """A change to be written to the outbox.

    ``content`` has the fields of an upsert without the envelope, ``address`` the URL of a delete.
    ``hash`` is the hash of a section that is a document of its own, empty for a page.
    """

    url: int
    op: str
    id: str
    change: str | None = None
    reason: str | None = None
    moved_to: str | None = None
    address: str | None = None
    content: dict[str, Any] = field(default_factory=dict)
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
    robots_read: bool = False  # by the worker of this run that handed the origin over
    given_up: str | None = None  # reason, if the run gave it up; only set by a claim
    continued: bool = False  # it was leased by this worker before, and by no other since
    receipt: ReceiptSummary | None = None  # of this run's requests; only to be stored


@dataclass(frozen=True, slots=True)
class LastVisit:
    """Last visit of a URL in this run; ``target`` is the fingerprint and URL of the stored redirect
    target, if there is one."""

    fingerprint: int
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


class FrontierError(Exception):
    """The crawl database cannot be used; the text names it and the remedy."""


class AlreadyRunningError(FrontierError):
    """The realm is being crawled, and this crawl is to run alone."""


class DatabaseUrlError(FrontierError):
    """The setting is not the URL of a crawl database."""


class NoCrawlError(FrontierError):
    """The database does not exist, or holds no crawl."""


@dataclass(frozen=True, slots=True)
class Following:
    """Options with which links are judged: ``rules`` is their hash, empty if unknown;
    ``by_depth`` means that they depend on the depth of the page."""

    rules: str = ""
    by_depth: bool = False

    def at(self, depth: int) -> str:
        """Return a text that differs when a page at this depth may have other links to follow."""
        return f"{self.rules}@{depth}" if self.by_depth else self.rules


@dataclass(frozen=True, slots=True)
class StateOptions:
    """Options of the frontier; durations in seconds.

    ``force`` makes everything due, ``realm`` names the collection. ``lease_seconds`` is the time after
    which the origins of a silent worker are free, ``delay`` the delay before their next request, unless
    robots.txt sets another. ``reconnect_seconds`` is the time for which a lost connection to the
    database is tried again. ``owner`` is this worker's name, made if empty; ``delivered_by`` names the
    worker that writes its changes to files, and ``crawls`` is false for one that only does that.
    ``exclusive`` refuses to join a run of others. ``keep_duplicates`` gives every URL a document of
    its own, also one with the text of another. ``one_worker`` leaves all origins to the worker that has one.
    ``activity`` selects the URLs that a run considers: all that are due,
    only those never visited (discover), only those visited before (refresh), or only the starts.
    ``daily_pages`` is the most pages of an origin that are visited in a day (UTC), 0 for any number.
    ``reading`` is the hash of the options with which pages are read: pages read with others are
    read again; ``keeps_html`` is true if each page is kept. ``following`` identifies the options with
    which links are judged. ``key`` computes the identity key of a URL.
    """

    revisit: Revisit = field(default_factory=Revisit)
    deletion: Deletion = field(default_factory=Deletion)
    realm: str = DEFAULT_REALM
    force: bool = False
    activity: Activity = "all"
    lease_seconds: float = 60.0
    reconnect_seconds: float = 300.0
    owner: str = ""
    delivered_by: str = ""
    crawls: bool = True
    exclusive: bool = False
    keep_duplicates: bool = False
    one_worker: bool = False
    delay: float = 1.0
    daily_pages: int = 0
    reading: str = ""
    keeps_html: bool = False
    following: Following = field(default_factory=Following)
    key: Callable[[str], str] = identity_key

    @property
    def selection(self) -> Selection:
        """The stored URLs that a run visits."""
        return SELECTIONS[self.activity]
