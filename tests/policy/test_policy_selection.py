"""The stored URLs that a run visits, by its activity, and the causes of early visits."""

from __future__ import annotations

import pytest

from sitecrawl.policy.lifecycle.selection import (
    SELECTIONS,
    Activity,
    EarlyVisit,
    StoredVisit,
    early_visit,
)
from sitecrawl.policy.outcomes import Outcome

READ = StoredVisit(Outcome.FILE_INGESTED, has_due=True)
GONE = StoredVisit(Outcome.FILE_GONE, has_due=False)


@pytest.mark.parametrize(
    ("activity", "start", "page", "waiting", "unvisited"),
    [
        ("all", True, True, True, True),
        ("discover", True, False, True, True),
        ("refresh", True, True, True, False),
        ("starts", True, False, False, False),
    ],
)
def test_what_a_run_visits(
    activity: Activity, *, start: bool, page: bool, waiting: bool, unvisited: bool
) -> None:
    includes = SELECTIONS[activity].includes
    assert includes(start=True, visited=True, waiting=False) is start
    assert includes(start=False, visited=True, waiting=False) is page
    assert includes(start=False, visited=True, waiting=True) is waiting
    assert includes(start=False, visited=False, waiting=True) is unvisited


@pytest.mark.parametrize(
    ("activity", "visit", "asked_start", "force", "cause"),
    [
        ("all", READ, False, False, None),
        ("all", READ, False, True, EarlyVisit.FORCED),
        ("all", READ._replace(read_otherwise=True), False, False, EarlyVisit.REREAD),
        ("starts", READ._replace(read_otherwise=True), False, False, None),
        ("starts", READ, True, True, EarlyVisit.START),
        ("discover", GONE, True, True, None),
    ],
)
def test_the_cause_of_an_early_visit(
    activity: Activity,
    visit: StoredVisit,
    *,
    asked_start: bool,
    force: bool,
    cause: EarlyVisit | None,
) -> None:
    found = early_visit(SELECTIONS[activity], visit, asked_start=asked_start, force=force)
    assert found is cause
