"""The way to a URL from a start: the shortest one known, on both kinds of database."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from workers import SITE, Crawls, candidate, ingested

from sitecrawl.frontier.base import DueUrl, Following
from sitecrawl.frontier.stored_reindex import Reindex

SEED: dict[str, Any] = {"via": "seed", "priority": 1}


def way(due: DueUrl) -> tuple[int, str, str | None]:
    """Depth, way of discovery and referrer of a URL."""
    return due.depth, due.via, due.referrer


@pytest.mark.behaviour("DB-19", "DB-05")
def test_the_shortest_way_is_kept(work: Crawls) -> None:
    worker = work()
    paths = ("/far", "/near", "/start", "/sent", "/asked")
    found = [candidate(path, depth=3, referrer=f"{SITE}/first") for path in paths[:-2]]
    sent = candidate("/sent", depth=0, via="redirect", referrer=f"{SITE}/first")
    assert worker.store.add([*found, sent, candidate("/asked", **SEED)]) == 5
    again = [candidate(path, depth=4, referrer=f"{SITE}/second") for path in paths]
    twice = [candidate("/twice", depth=depth) for depth in (3, 1, 2)]
    nearer = candidate("/near", depth=1, via="sitemap", referrer=f"{SITE}/map.xml")
    starts = [candidate(path, **SEED) for path in ("/start", "/sent")]
    assert worker.store.add([*again, nearer, *starts, *twice]) == 1
    assert {due.url.removeprefix(SITE): way(due) for due in worker.due()} == {
        "/far": (3, "link", f"{SITE}/first"),
        "/near": (1, "sitemap", f"{SITE}/map.xml"),
        "/start": (0, "seed", None),
        "/sent": (0, "seed", None),
        "/asked": (0, "seed", None),
        "/twice": (1, "link", None),
    }
    [(pending,)] = worker.database.rows("SELECT pending FROM origin")
    assert pending == 6


@pytest.mark.behaviour("DB-19")
def test_a_popped_page_may_get_a_shorter_path(work: Crawls) -> None:
    worker = work(following=Following("rules", by_depth=True))
    worker.store.add([candidate("/", **SEED), candidate("/a", depth=3), candidate("/b", depth=4)])
    home, a, b = worker.due()
    link = candidate("/a", depth=1, referrer=home.url)
    worker.commit(ingested(home, "home", time.time(), candidates=[link]))
    worker.commit(ingested(a, "a", time.time()), ingested(b, "b", time.time()))
    worker.end()
    dues = {due.url.removeprefix(SITE): due for due in work(force=True).due()}
    known = {path: (due.depth, due.following) for path, due in dues.items()}
    assert known == {"/": (0, "rules@0"), "/a": (1, "rules@3"), "/b": (4, "rules@4")}
    assert dues["/a"].referrer == home.url


@pytest.mark.behaviour("DEL-05")
def test_a_reindex_judges_by_the_shortest_way(work: Crawls) -> None:
    worker = work()
    worker.store.add([candidate("/a", depth=3)])
    [due] = worker.due()
    visit = ingested(due, "text", time.time())
    way = {"depth": due.depth, "discovered_via": due.via}
    worker.commit(replace(visit, document={**(visit.document or {}), **way}))
    worker.store.add([candidate("/a", **SEED)])
    judged: list[dict[str, Any]] = []
    assert list(Reindex(worker.database, "default").planned(lambda _, it: judged.append(it))) == []
    assert [(each["depth"], each["discovered_via"]) for each in judged] == [(0, "seed")]
