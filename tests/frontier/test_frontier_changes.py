"""Lines that each run writes when a site changes between runs, by cases/changes.toml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from workers import SITE, Crawls, absolute, candidate, ingested

from sitecrawl.frontier.base import DueUrl, VisitResult
from sitecrawl.policy.lifecycle.losses import Deletion
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.outcomes import Outcome

CASES = tomllib.loads((Path(__file__).parent / "cases" / "changes.toml").read_text("utf-8"))["case"]
ADMITTED = ("http://", "/")


def redirect(due: DueUrl, at: float, *, to: str, outcome: Outcome) -> VisitResult:
    """A visit that was sent elsewhere."""
    target = candidate(to, via="redirect", referrer=due.url)
    return VisitResult(due, at, 0.1, outcome, 301, redirect_to=absolute(to), target=target)


def canonical(due: DueUrl, at: float, *, to: str, text: str) -> VisitResult:
    """A page that names a canonical URL, as the pipelines hand it over."""
    if absolute(to) == due.url or not to.startswith(ADMITTED):
        return ingested(due, text, at)
    return ingested(
        due,
        text,
        at,
        outcome=Outcome.NON_CANONICAL,
        canonical=absolute(to),
        target=candidate(to, via="canonical"),
    )


def failure(due: DueUrl, at: float, *, outcome: Outcome, reason: str) -> VisitResult:
    """A visit that brought nothing."""
    return VisitResult(due, at, 0.1, outcome, reason=reason)


def page(text: str) -> Any:
    """Answer of a URL, from the notation of the table."""
    if match := re.fullmatch(r"!(\w+)(?: (\w+))?", text):
        return partial(failure, outcome=Outcome[match[1]], reason=match[2] or match[1].lower())
    if match := re.fullmatch(r"(~?)> (\S+)", text):
        outcome = Outcome.REDIRECT if match[1] else Outcome.PERMANENT_REDIRECT
        return partial(redirect, to=match[2], outcome=outcome)
    if match := re.fullmatch(r"canonical (\S+): (.+)", text):
        return partial(canonical, to=match[1], text=match[2])
    if match := re.fullmatch(r"title (\w+): (.+)", text):
        return lambda due, at: ingested(due, match[2], at, title=match[1])
    return text


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["name"], marks=pytest.mark.behaviour(case["id"]))
        for case in CASES
    ],
)
def test_what_each_run_writes(work: Crawls, case: dict[str, Any]) -> None:
    options = {
        "revisit": Revisit(interval=0.0, maximum=3600.0),
        "deletion": Deletion(**{"share": 1.0, **case.get("options", {})}),
    }
    for number, run in enumerate(case["runs"]):
        worker = work(**options)
        if number == 0:
            worker.seed(*run["pages"])
        written = worker.database.rows("SELECT seq FROM crawl")[0][0]
        asked = worker.crawl({url: page(text) for url, text in run["pages"].items()})
        worker.settle()
        assert worker.lines(written) == run["lines"]
        assert asked == run.get("asked", asked)
        worker.end()


def test_a_page_is_unchanged_only_while_its_document_is_there(work: Crawls) -> None:
    def unchanged(due: DueUrl, at: float) -> VisitResult:
        return replace(ingested(due, "text", at), document=None, unchanged=True)

    worker = work(revisit=Revisit(interval=0.0))
    worker.seed("/a")
    worker.crawl({"/a": "text"})
    worker.end()
    again = work(revisit=Revisit(interval=0.0))
    again.crawl({"/a": unchanged})
    assert again.lines() == ["new /a"]
    again.end()
    removed = work(revisit=Revisit(interval=0.0))
    (due,) = removed.due()
    removed.database.execute("DELETE FROM document", ())
    visit = unchanged(due, 2.0)
    [written] = removed.store.commit(SITE, [visit]).visits
    assert written.outcome is Outcome.CANCELLED
    removed.end()
    last = work(revisit=Revisit(interval=0.0))
    last.crawl({"/a": "text"})
    assert last.lines() == ["new /a", "new /a"]
