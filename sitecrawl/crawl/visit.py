"""One visit of a URL, from its request to its result.

Only this file changes the state of a visit: other modules call its methods and assign nothing.
A visit starts with a ``DueUrl`` of the crawl database and ends with the single ``VisitResult``
that ``end`` returns, which the recorder commits.

Phases of a visit (``VisitPhase``)::

             sent              answered              end, withdraw
    +-------+ ----> +------+ ----------> +----------+ -----> +-------+
    | BEGUN |       | SENT |             | ANSWERED |        | ENDED |
    +-------+       +------+ <---------- +----------+        +-------+
        |              |        sent                             ^
        +--------------+----------- end, withdraw ---------------+

    sent: also in SENT and ANSWERED, if a middleware of the project repeats the request
    answered: also in BEGUN, if a middleware of the project returns a response itself
    redirected, links_found, canonical_found, hashed, concluded: in ANSWERED, without leaving it

``TRANSITIONS`` lists them all; any other raises ``IllegalTransitionError``. Only ``end`` returns
a result. ``withdraw`` has none: the URL is visited again, by another request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from sitecrawl.crawl.discovery import FoundLinks, Reference
from sitecrawl.frontier.base import (
    Candidate,
    DueUrl,
    StoredLink,
    VisitResult,
)
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.transitions import following


class VisitPhase(Enum):
    """Phase of a visit."""

    BEGUN = auto()
    """The URL has left its queue."""
    SENT = auto()
    """The request has been sent."""
    ANSWERED = auto()
    """Status and headers of the response are known; the page may be read."""
    ENDED = auto()
    """The visit has a result, or was withdrawn."""


_BEGUN, _SENT, _ANSWERED, _ENDED = VisitPhase
_OPEN = (_BEGUN, _SENT, _ANSWERED)
_READING = {_ANSWERED: _ANSWERED}

TRANSITIONS: Mapping[str, Mapping[VisitPhase, VisitPhase]] = {
    "sent": dict.fromkeys(_OPEN, _SENT),
    "answered": dict.fromkeys(_OPEN, _ANSWERED),
    "redirected": _READING,
    "links_found": _READING,
    "canonical_found": _READING,
    "hashed": _READING,
    "concluded": _READING,
    "end": dict.fromkeys(_OPEN, _ENDED),
    "withdraw": dict.fromkeys(_OPEN, _ENDED),
}
"""Phases in which each transition is allowed, with the phase that follows."""


@dataclass(frozen=True, slots=True)
class ResponseFacts:
    """Status, size and validators of a response; ``expires_at`` is in UTC epoch seconds."""

    status: int | None = None
    bytes: int = 0
    etag: str | None = None
    last_modified: str | None = None
    expires_at: float | None = None


@dataclass(frozen=True, slots=True)
class ContentHashes:
    """Hashes of a page and its document; ``unchanged``: the stored document is still valid."""

    content: str | None = None
    document: str | None = None
    unchanged: bool = False


NO_RESPONSE, NOT_COMPARED = ResponseFacts(), ContentHashes()


@dataclass(slots=True, eq=False)
class Visit:
    """One crawl action under way; times are UTC epoch seconds, ``duration`` seconds.

    ``started_at`` is when the request was last sent. ``conclusion`` is an outcome determined
    before the end of the visit, with its reason; ``detail`` explains it to people.
    """

    due: DueUrl
    started_at: float
    phase: VisitPhase = VisitPhase.BEGUN
    duration: float = 0.0
    not_before: float | None = None
    response: ResponseFacts = NO_RESPONSE
    redirect_to: str | None = None
    canonical: str | None = None
    target: Candidate | None = None
    hashes: ContentHashes = NOT_COMPARED
    left_out: str | None = None
    audit: str | None = None
    html: str | None = None
    conclusion: tuple[Outcome, str] | None = None
    detail: str = ""
    candidates: list[Candidate] = field(default_factory=list)
    links: Sequence[StoredLink] | None = None
    outside: Sequence[tuple[str, str]] = ()

    @property
    def has_ended(self) -> bool:
        """True if the visit has ended."""
        return self.phase is VisitPhase.ENDED

    # Request and response

    def sent(self, now: float) -> None:
        """Record that the request is sent, and discard an earlier response."""
        self._move("sent")
        self.started_at = now
        self.response, self.redirect_to, self.target = NO_RESPONSE, None, None

    def request_ended(self, duration: float) -> None:
        """Set the time from the request to the end of its response, or to its failure."""
        self.duration = duration

    def postpone(self, not_before: float) -> None:
        """Set the earliest time of the next request, as the response demands."""
        self.not_before = not_before

    def answered(self, response: ResponseFacts) -> None:
        """Set the facts of the response."""
        self._move("answered")
        self.response = response

    def redirected(self, url: str, reference: Reference) -> None:
        """Set the redirect target of the page."""
        self._move("redirected")
        self.redirect_to = url
        self._refer(reference)
        if not reference.admission.decision.allowed:
            self.detail = f"the target is refused: {reference.admission.decision.rule}"

    def described(self, detail: str) -> None:
        """Set the explanation shown with the outcome; a later detail replaces it."""
        self.detail = detail

    # Page

    def reduced(self, left_out: str) -> None:
        """Set the description of the text that is not part of the document."""
        self.left_out = left_out

    def audited(self, audit: str) -> None:
        """Set what a report tells of the page."""
        self.audit = audit

    def kept(self, html: str) -> None:
        """Set the text of the page itself, to be stored beside its document."""
        self.html = html

    def links_found(self, candidates: Iterable[Candidate]) -> None:
        """Add links of the page, to be stored with the visit."""
        self._move("links_found")
        self.candidates.extend(candidates)

    def read_for_links(self, links: FoundLinks) -> None:
        """Set the links of the page; ``links.new`` are stored with the visit."""
        self.links_found(links.new)
        self.links, self.outside = links.stored, links.outside or ()

    def canonical_found(self, reference: Reference) -> None:
        """Set the canonical URL of the page, if it is another one and may be crawled."""
        self._move("canonical_found")
        self._refer(reference)
        admission = reference.admission
        if admission.decision.allowed and admission.fingerprint != self.due.fingerprint:
            self.canonical = admission.url
            self.conclusion = Outcome.NON_CANONICAL, "non_canonical"

    def hashed(self, hashes: ContentHashes) -> None:
        """Set the hashes for comparison with other pages and with earlier visits."""
        self._move("hashed")
        self.hashes = hashes

    def concluded(self, outcome: Outcome, reason: str) -> None:
        """Set the outcome of a page that needs no document."""
        self._move("concluded")
        self.conclusion = outcome, reason

    def _refer(self, reference: Reference) -> None:
        self.target = reference.target or self.target
        self.candidates.extend(reference.candidates)

    # End

    def end(
        self,
        outcome: Outcome,
        reason: str,
        detail: str | None = None,
        *,
        document: dict[str, Any] | None = None,
        retry_at: float | None = None,
        successor: Candidate | None = None,
    ) -> VisitResult:
        """End the visit and return its result.

        ``detail`` replaces an earlier one. ``retry_at`` is when the URL is retried in this run;
        ``successor`` is the URL into which today's rules rewrite it.
        """
        self._move("end")
        response, hashes = self.response, self.hashes
        if successor is not None:
            self.candidates.append(successor)
        return VisitResult(
            due=self.due,
            started_at=self.started_at,
            duration=self.duration,
            outcome=outcome,
            status=response.status,
            bytes=response.bytes,
            reason=reason,
            detail=self.detail if detail is None else detail,
            etag=response.etag,
            last_modified=response.last_modified,
            expires_at=response.expires_at,
            content_hash=hashes.content,
            document_hash=hashes.document,
            unchanged=hashes.unchanged,
            left_out=self.left_out,
            audit=self.audit,
            html=self.html,
            redirect_to=self.redirect_to,
            canonical=self.canonical,
            target=self.target,
            again=retry_at is not None,
            not_before=self.not_before if retry_at is None else retry_at,
            document=document or {},
            candidates=tuple(self.candidates),
            links=self.links,
            outside=self.outside,
        )

    def end_concluded(
        self, outcome: Outcome, reason: str, *, document: dict[str, Any] | None = None
    ) -> VisitResult:
        """End the visit with its conclusion, or with ``outcome`` if it has none."""
        concluded, because = self.conclusion or (outcome, reason)
        return self.end(concluded, because, document=document)

    def withdraw(self) -> None:
        """End the visit without a result: its URL is visited again."""
        self._move("withdraw")

    def _move(self, transition: str) -> None:
        self.phase = following(TRANSITIONS, transition, self.phase, self.due.url)
