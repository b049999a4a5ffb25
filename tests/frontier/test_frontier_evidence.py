"""URLs that are put off or skipped, and the evidence for it, on every back end."""

from __future__ import annotations

import time

import pytest
from workers import SITE, Crawls, candidate, ingested

from sitecrawl.frontier.evidence_table import StoredEvidence
from sitecrawl.policy.lifecycle.revisit import Revisit


@pytest.mark.behaviour("Q-27")
def test_urls_that_are_put_off_come_last(work: Crawls) -> None:
    worker = work()
    worker.seed("/view", "/page", "/other")
    view, *_ = worker.due()
    worker.store.put_off(SITE, {view.fingerprint: -1})
    [again] = worker.due()
    assert (again.url, again.priority) == (f"{SITE}/view", -1)
    assert worker.database.rows("SELECT pending FROM origin") == [(3,)]


@pytest.mark.behaviour("Q-100")
def test_of_what_is_put_off_comes_first_what_is_near_a_start(work: Crawls) -> None:
    worker = work()
    depths = [7, 2, 9, 3, 6, 8, 2, 3]
    found = [candidate(f"/{n}", priority=-1, depth=depth) for n, depth in enumerate(depths)]
    worker.store.add(found)
    dues = worker.due()
    halves = [due.depth // 2 for due in dues]
    assert len(halves) == len(depths)
    assert halves == sorted(halves)


@pytest.mark.behaviour("P-18")
def test_skipped_urls_are_due_in_the_next_run_and_modified_ones_at_once(work: Crawls) -> None:
    first = work()
    first.seed("/")
    [due] = first.due()
    first.commit(ingested(due, "text", time.time()))
    first.store.mark_modified([(candidate("/"), time.time() - 60)])
    assert first.due() == []
    first.store.mark_modified([(candidate("/"), time.time() + 60)])
    assert [each.url for each in first.due()] == [f"{SITE}/"]
    first.store.skip(SITE, [due.fingerprint])
    assert first.due() == []
    assert first.database.rows("SELECT pending FROM origin") == [(0,)]
    first.end()
    assert [each.url for each in work(revisit=Revisit(interval=0.0)).due()] == [f"{SITE}/"]


@pytest.mark.behaviour("Q-27")
def test_the_evidence_is_kept_with_its_origin(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    assert worker.store.evidence(SITE) == []
    worker.due()
    kind = StoredEvidence("kind", "/<word>", {"tried": 5, "found": 0})
    part = StoredEvidence("part", "/deep/", {"pages": 9})
    worker.store.save_evidence(SITE, [kind, part])
    kind.values["found"] = 2
    worker.store.save_evidence(SITE, [kind])
    assert worker.store.evidence(SITE) == [kind, part]
    assert worker.store.evidence(SITE, "part") == [part]
