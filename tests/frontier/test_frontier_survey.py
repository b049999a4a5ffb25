"""Reads for reports, on both kinds of database."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest
from workers import SITE, Crawls, candidate, ingested

from sitecrawl.frontier.administration import Administration
from sitecrawl.frontier.base import VisitResult
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.survey import Survey
from sitecrawl.policy.http.politeness import Receipt
from sitecrawl.policy.outcomes import Outcome

BEGUN = 1_700_000_000.0


@pytest.mark.behaviour("REP-04")
def test_a_survey_reads_the_realm(work: Crawls) -> None:
    worker = work()
    worker.seed("/")
    [home] = worker.due()
    found = [candidate(path, depth=1, referrer=home.url) for path in ("/a", "/dead")]
    links = [(each.origin, each.fingerprint, each.url) for each in found]
    outside = [("http://other.example/", "link")]
    visit = ingested(home, "home", BEGUN, candidates=found, links=links, outside=outside)
    worker.commit(visit)
    worker.store.add([candidate("/a", depth=1, via="sitemap")])
    a, dead = worker.due()
    worker.commit(
        ingested(a, "a", BEGUN + 5, links=links[1:]),
        VisitResult(dead, BEGUN + 10, 0.1, Outcome.FILE_NOT_FOUND, 404, reason="not_found"),
    )
    receipt = Receipt()
    for at in (0.0, 1.0, 2.5):
        receipt.sent(at, 1.0)
    receipt.overloaded(503, 2.0, BEGUN)
    state = worker.store.claim(SITE)
    assert state is not None
    worker.store.save_origin(replace(state, receipt=receipt.summary()))
    run = worker.store.run
    worker.end()
    with closing(backend(work.url).connect()) as database:
        survey = Survey(database, "default")
        urls = {each.url.removeprefix(SITE): each for each in survey.urls()}
        assert {path: each.outcome for path, each in urls.items()} == {
            "/": Outcome.FILE_INGESTED,
            "/a": Outcome.FILE_INGESTED,
            "/dead": Outcome.FILE_NOT_FOUND,
        }
        assert {path for path, each in urls.items() if each.listed} == {"/a"}
        assert len(list(survey.documents())) == 2
        assert {fields["body"] for _, fields in survey.bodies()} == {"home", "a"}
        assert {size for _, _, size in survey.transfers()} == {4, 1}
        assert [each.change for each in survey.changes(run - 1)] == ["new", "new"]
        assert survey.change_counts()[run] == {"new": 2}
        counts = {Outcome.FILE_INGESTED: 2, Outcome.FILE_NOT_FOUND: 1}
        assert survey.outcomes_by_run()[run] == counts
        first, span, by_time = survey.outcomes_by_time(run, 2)
        assert (first, span) == (BEGUN, 5.0)
        assert {number: each.total() for number, each in by_time.items()} == {0: 1, 1: 2}
        assert [each.key for each in survey.origins()] == [SITE]
        [(_, kept)] = survey.receipts(run)
        assert (kept.requests, kept.smallest, kept.spare, kept.unavailable) == (3, 1.0, 0.0, 1)
        assert (kept.pauses[0].status, kept.pauses[0].asked) == (503, 2.0)
        inlinks = survey.links.inlinks_of([urls["/dead"].id], "default", 10)
        assert inlinks[urls["/dead"].id].pages == (urls["/"].id, urls["/a"].id)
        assert [each.url for each in survey.outside()] == ["http://other.example/"]
        checks = [("http://other.example/", Outcome.FILE_GONE, 410, "gone")]
        assert Administration(database).save_checks(checks) == 1
        [checked] = survey.outside()
        assert (checked.outcome, checked.status) == (Outcome.FILE_GONE, 410)
        assert list(survey.held()) == []
