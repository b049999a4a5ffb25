"""One visit of a URL: it starts with a ``DueUrl`` of the crawl database, and ends with the single
``VisitResult`` that ``end`` returns, which the recorder commits.

A visit that is withdrawn ends without a result: its URL is visited again, by another request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sitecrawl.crawl.discovery import FoundLinks, Reference
from sitecrawl.frontier.base import Candidate, DueUrl, StoredLink, VisitResult
from sitecrawl.policy.outcomes import Outcome


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
    before the end of the visit, with its reason; ``detail`` explains it to people, and the last one
    counts. The other fields are those of ``VisitResult``.
    """

    due: DueUrl
    started_at: float
    has_ended: bool = False
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

    def sent(self, now: float) -> None:
        """Record that the request is sent, and discard an earlier response."""
        self.started_at = now
        self.response, self.redirect_to, self.target = NO_RESPONSE, None, None

    def redirected(self, url: str, reference: Reference) -> None:
        """Set the redirect target of the page."""
        self.redirect_to = url
        self._refer(reference)
        if not reference.admission.decision.allowed:
            self.detail = f"the target is refused: {reference.admission.decision.rule}"

    def read_for_links(self, links: FoundLinks) -> None:
        """Set the links of the page; ``links.new`` are stored with the visit."""
        self.candidates.extend(links.new)
        self.links, self.outside = links.stored, links.outside or ()

    def canonical_found(self, reference: Reference) -> None:
        """Set the canonical URL of the page, if it is another one and may be crawled."""
        self._refer(reference)
        admission = reference.admission
        if admission.decision.allowed and admission.fingerprint != self.due.fingerprint:
            self.canonical = admission.url
            self.conclusion = Outcome.NON_CANONICAL, "non_canonical"

    def _refer(self, reference: Reference) -> None:
        self.target = reference.target or self.target
        self.candidates.extend(reference.candidates)

    def withdraw(self) -> None:
        """End the visit without a result; raises RuntimeError if it has ended before."""
        if self.has_ended:
            raise RuntimeError(f"the visit of {self.due.url} has ended before")
        self.has_ended = True

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
        """End the visit and return its result; raises RuntimeError if it has ended before.

        ``detail`` replaces an earlier one. ``retry_at`` is when the URL is retried in this run;
        ``successor`` is the URL into which today's rules rewrite it.
        """
        self.withdraw()
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
