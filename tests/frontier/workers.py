"""A worker that crawls a site that exists only in the test's words."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from hashlib import sha256
from typing import Any

from sitecrawl.frontier.base import (
    Candidate,
    Change,
    DueUrl,
    Settlement,
    StateOptions,
    VisitResult,
)
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.store import Store
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.urls.identity import document_id, fingerprint, identity_key
from sitecrawl.web.urls.url import origin

SITE = "http://site.example"


def candidate(url: str, **fields: Any) -> Candidate:
    """The candidate of a URL; a path is one of SITE."""
    url = absolute(url)
    return Candidate(origin(url), fingerprint(identity_key(url)), url, **fields)


def absolute(url: str) -> str:
    """A path as a URL of SITE."""
    return SITE + url if url.startswith("/") else url


def digest(text: str) -> str:
    """Hash that stands for a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def ingested(due: DueUrl, text: str, at: float, **fields: Any) -> VisitResult:
    """A visit that brought a page with ``text``."""
    title = fields.pop("title", "")
    document = {"id": document_id(identity_key(due.url)), "url": due.url, "body": text}
    return VisitResult(
        due,
        at,
        0.1,
        fields.pop("outcome", Outcome.FILE_INGESTED),
        200,
        len(text),
        content_hash=digest(text),
        document_hash=digest(f"{text}|{title}"),
        document=document | ({"title": title} if title else {}),
        **fields,
    )


class Worker:
    """A store with the words in which tests are told."""

    def __init__(self, store: Store, database: Database) -> None:
        self.store = store
        self.database = database

    def seed(self, *urls: str) -> None:
        """Make URLs known as start URLs, in their order."""
        self.store.add([candidate(url, via="seed") for url in urls])

    def due(self, key: str = SITE, limit: int = 100) -> list[DueUrl]:
        """URLs due on an origin, after leasing every free one."""
        self.store.lease(100)
        return self.store.pop(key, limit)

    def crawl(
        self, pages: Mapping[str, Any], key: str = SITE, at: float | None = None
    ) -> list[str]:
        """Visit all that is due, again and again, as ``pages`` say; returns what was asked for.

        A page is its text, an Outcome, or a function of (due, at) that gives the visit.
        """
        asked: list[str] = []
        while dues := self.due(key, 1):
            asked.append(dues[0].url.removeprefix(SITE))
            page = pages.get(asked[-1], Outcome.FILE_NOT_FOUND)
            self.commit(self.visit(dues[0], page, at or time.time()), key=key)
        return asked

    def visit(self, due: DueUrl, page: Any, at: float) -> VisitResult:
        """The visit of a URL behind which ``page`` is."""
        if isinstance(page, str):
            return ingested(due, page, at)
        if isinstance(page, Outcome):
            return VisitResult(due, at, 0.1, page, reason=page.name.lower())
        visit: VisitResult = page(due, at)
        return visit

    def commit(self, *visits: VisitResult, key: str = SITE) -> list[Change]:
        """Write visits."""
        return self.store.commit(key, visits).changes

    def settle(self, key: str = SITE) -> Settlement:
        """Write the deletions of an origin."""
        self.store.lease(100)
        return self.store.settle(key)

    def end(self) -> None:
        """End the run."""
        self.store.close("finished", {})

    def outbox(self) -> list[tuple[Any, ...]]:
        """Every change ever made: seq, op, change or reason, path, where it moved to."""
        return self.database.rows(
            "SELECT o.seq, o.op, coalesce(o.change, o.reason), u.url, o.moved_to"
            " FROM outbox AS o JOIN url AS u ON u.id = o.url ORDER BY o.seq"
        )

    def lines(self, after: int = 0) -> list[str]:
        """The changes after a number, each in a word: ``new /page``, ``not_found /page``."""
        return [
            f"{word} {url.removeprefix(SITE)}" + (f" > {to.removeprefix(SITE)}" if to else "")
            for seq, _, word, url, to in self.outbox()
            if seq > after
        ]


class Crawls:
    """Opens workers on one crawl database, and closes those that a test left open."""

    def __init__(self, database_url: str, stack: ExitStack) -> None:
        self.url = database_url
        self._stack = stack

    def __call__(self, name: str = "crawl", **options: Any) -> Worker:
        """A worker whose run has begun."""
        database = backend(self.url).connect()
        self._stack.callback(database.close)
        return Worker(Store(database, name, {}, StateOptions(**options)), database)
