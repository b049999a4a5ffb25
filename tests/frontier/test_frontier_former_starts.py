"""A former start goes when nothing names it, and never while a page that may name it is unread."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from workers import Crawls, candidate, ingested

from sitecrawl.frontier.base import DueUrl, Following, VisitResult
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.outcomes import Outcome

FOLLOWS = Following("rules")
OWN = "/own"
PATHS = ["/", "/a", "/b", "/c"]


def naming(text: str, *paths: str, again: bool = False) -> Callable[[DueUrl, float], VisitResult]:
    """A page that links to paths; ``again``: the server says that it did not change."""

    def visit(due: DueUrl, at: float) -> VisitResult:
        if again and due.following == FOLLOWS.rules:
            return VisitResult(due, at, 0.1, Outcome.FILE_DID_NOT_CHANGE)
        links = [candidate(path, depth=1, referrer=due.url) for path in paths]
        stored = [(each.origin, each.fingerprint, each.url) for each in links]
        return ingested(due, text, at, candidates=links, links=stored)

    return visit


def test_it_goes_although_no_page_is_read_again(work: Crawls) -> None:
    pages = {path: naming(path, *PATHS, again=True) for path in PATHS}
    pages[OWN] = naming("own", OWN, again=True)
    for run in range(2):
        worker = work(following=FOLLOWS, revisit=Revisit(interval=0.0))
        starts = [candidate(path, via="seed") for path in ("/", OWN)[: 2 - run]]
        assert worker.store.retire_starts(starts) == ([candidate(OWN).url] if run else [])
        worker.store.add(starts)
        assert len(worker.crawl(pages)) == len(pages)
        worker.settle()
        lines = worker.lines(5)
        worker.end()
    assert lines == [f"excluded {OWN}"]


@pytest.mark.parametrize(
    "chance", [*range(4), *(pytest.param(n, marks=pytest.mark.slow) for n in range(4, 20))]
)
def test_it_stays_while_a_page_names_it(work: Crawls, chance: int) -> None:
    """Pages answer 304, fail, are not due, and links move from one to another after a run."""
    dice = random.Random(chance)
    home = PATHS[dice.randrange(len(PATHS))]
    current = {OWN, *PATHS}
    for run in range(8):
        links = {path: [*PATHS, *([OWN] if path == home else [])] for path in PATHS}
        pages: dict[str, Any] = {
            path: naming(f"{path} {home}", *links[path], again=dice.random() < 0.6)
            for path in PATHS
        }
        pages[OWN] = naming("own", OWN, again=True)
        for path in PATHS[1:]:
            if run and dice.random() < 0.2:  # a page that never was one keeps nothing
                pages[path] = Outcome.SERVER_INTERNAL_ERROR
        revisit = Revisit(interval=dice.choice([0.0, 1e6]), broken=dice.choice([0.0, 1e6]))
        worker = work(following=FOLLOWS, revisit=revisit)
        starts = [candidate(path, via="seed") for path in ("/", OWN)[: 2 - (run > 0)]]
        worker.store.retire_starts(starts)
        worker.store.add(starts)
        worker.crawl(pages)
        worker.settle()
        current -= {line.split()[1] for line in worker.lines() if line.startswith("excluded")}
        assert OWN in current
        worker.end()
