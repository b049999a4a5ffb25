"""A site that exists only in memory and changes at random, and what a visit finds on it."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field, replace
from typing import Any

from workers import candidate, digest, ingested

from sitecrawl.frontier.base import DueUrl, VisitResult
from sitecrawl.policy.outcomes import Outcome

PATHS = ("/", "/a", "/bb", "/c?x=1")
STATUSES = {
    404: Outcome.FILE_NOT_FOUND,
    410: Outcome.FILE_GONE,
    500: Outcome.SERVER_INTERNAL_ERROR,
}


@dataclass(slots=True)
class EvolvingPage:
    """One page as it stands: ``moved`` is where it redirects to, with which outcome."""

    text: str
    links: list[str] = field(default_factory=list)
    status: int = 200
    moved: tuple[str, Outcome] | None = None
    canonical: str | None = None
    noindex: bool = False
    forbidden: bool = False
    tagged: bool = False

    @property
    def tag(self) -> str:
        """The ETag of the page."""
        return digest(f"{self.text}|{self.links}|{self.noindex}|{self.canonical}")


class EvolvingSite:
    """A few pages of some origins, whose first is a start and links to most of the others."""

    def __init__(self, chance: random.Random, origins: int) -> None:
        self._chance = chance
        urls = [f"http://o{number}.example{path}" for number in range(origins) for path in PATHS]
        self.pages = {url: EvolvingPage(f"text of {url}", self._some(urls)) for url in urls}
        for page in self.pages.values():
            page.tagged = chance.random() < 0.5
        self.pages[urls[0]].links = urls[: 1 + 2 * len(urls) // 3]
        self.starts = [url for url in urls if url.endswith("/")]
        self.happened: list[str] = []

    def _some(self, urls: list[str]) -> list[str]:
        return [url for url in urls if self._chance.random() < 0.25]

    def change(self) -> None:
        """Let one thing happen to one page."""
        url, other = (self._chance.choice(list(self.pages)) for _ in range(2))
        page, model = self.pages[url], self.pages[other]
        away = self._chance.choice((Outcome.PERMANENT_REDIRECT, Outcome.REDIRECT))
        name, value = self._chance.choice(
            [
                ("text", f"text of {url}, edition {self._chance.randrange(1000)}"),
                ("text", model.text),
                ("text", f"one of {self._chance.randrange(3)} common texts"),
                ("links", self._some(list(self.pages))),
                ("status", self._chance.choice(list(STATUSES))),
                *[("status", 200)] * 3,
                ("moved", (other, away)),
                *[("moved", None)] * 3,
                *[("canonical", other)] * 3,
                *[("canonical", None)] * 2,
                ("noindex", not page.noindex),
                ("forbidden", not page.forbidden),
                ("tagged", not page.tagged),
            ]
        )
        setattr(page, name, value)
        if self._circles(url):
            page.moved = page.canonical = None  # which page of a circle is kept, the order tells
        self.happened.append(f"{url}: {page}")

    def heal(self) -> None:
        """End the errors that delete nothing and let nothing new come in."""
        for page in self.pages.values():
            page.status = 200 if page.status == 500 else page.status

    def _circles(self, url: str) -> bool:
        seen: set[str] = set()
        todo = [url]
        while todo:
            page = self.pages[todo.pop()]
            todo += [step for step in (page.canonical, page.moved and page.moved[0]) if step]
            if url in todo:
                return True
            todo = [step for step in todo if step not in seen]
            seen.update(todo)
        return False

    def visit(self, due: DueUrl) -> VisitResult:
        """Document of a page as the pipelines hand it over."""
        page, at = self.pages[due.url], time.time()
        if page.forbidden:
            return VisitResult(due, at, 0.0, Outcome.BLOCKED_BY_ROBOTS_TXT, reason="robots_txt")
        if page.status in STATUSES:
            return VisitResult(due, at, 0.1, STATUSES[page.status], page.status)
        if page.moved is not None:
            to, outcome = page.moved
            target = candidate(to, via="redirect")
            return VisitResult(due, at, 0.1, outcome, redirect_to=to, target=target)
        etag = page.tag if page.tagged else None
        if etag is not None and due.indexed_at is not None and due.etag == etag:
            return VisitResult(due, at, 0.1, Outcome.FILE_DID_NOT_CHANGE, 304, etag=etag)
        links = [candidate(link, referrer=due.url) for link in page.links]
        if page.noindex:
            return VisitResult(due, at, 0.1, Outcome.NOINDEX, 200, etag=etag, candidates=links)
        more: dict[str, Any] = {"links": page.links}
        visit = replace(
            ingested(due, page.text, at, etag=etag, candidates=links), document_hash=page.tag
        )
        if page.canonical is not None and page.canonical != due.url:
            more["canonical_url"] = page.canonical
            visit = replace(
                visit,
                outcome=Outcome.NON_CANONICAL,
                canonical=page.canonical,
                target=candidate(page.canonical, via="canonical"),
            )
        return replace(visit, document={**(visit.document or {}), **more})
