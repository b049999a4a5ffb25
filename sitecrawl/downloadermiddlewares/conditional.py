"""Request a known document only if it has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.policy.http.request_headers import conditional, modified_since
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.reqmeta import visit_of
from sitecrawl.web.validators import if_none_match

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from sitecrawl.frontier.base import DueUrl
    from sitecrawl.frontier.state_options import Following


FORBIDDEN = int(Outcome.USAGE_FORBIDDEN)


class ConditionalMiddleware:
    """If-None-Match and If-Modified-Since for URLs whose content is known.

    Pages that were read with other options are requested without them: after a 304 the old document
    would stay, and links that other rules refused, or ``max_depth`` before a shorter path was
    found, would stay refused. So are pages whose use was forbidden: if it is permitted now, they
    become documents; and in a crawl that listens, each start once, for the feeds that it names.
    ``following`` is None if no links are followed.
    """

    def __init__(
        self,
        *,
        modified_since: str,
        force: bool,
        reading: str,
        following: Following | None,
        reads_feeds: bool = False,
    ) -> None:
        self._modified_since = modified_since
        self._force = force
        self._reading = reading
        self._following = following
        self._reads_feeds = reads_feeds
        self._starts: set[int] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ConditionalMiddleware:
        """Build it with the spider's configuration."""
        params = crawler.spider.configuration.params  # type: ignore[union-attr]
        return cls(
            modified_since=params.modified_since,
            force=params.force,
            reading=params.reading,
            following=params.following if params.follows else None,
            reads_feeds=params.reads_feeds,
        )

    def process_request(self, request: Request) -> None:
        """Add the validators of the last visit that returned content."""
        visit = visit_of(request)
        due = visit.due if visit is not None else None
        if self._force or due is None or due.indexed_at is None or due.outcome == FORBIDDEN:
            return
        if due.reading not in (None, self._reading):
            return
        if due.following is not None and not self._is_followed(due):
            return
        if self._reads_feeds and due.depth == 0 and due.fingerprint not in self._starts:
            self._starts.add(due.fingerprint)
            return
        told = due.last_modified if self._modified_since == "server" else None
        since = modified_since(told, due.indexed_at)
        etag = if_none_match(due.etag) if due.etag else None
        for name, value in conditional(etag, since).items():
            request.headers.setdefault(name, value)

    def _is_followed(self, due: DueUrl) -> bool:
        """Return True if the links of a page were judged as they would be now."""
        return self._following is None or due.following == self._following.at(due.depth)
