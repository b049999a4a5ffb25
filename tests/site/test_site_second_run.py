"""Further crawls of the test site, which has changed: what is asked again, and written."""

from __future__ import annotations

import pytest
from site_runs import Run, Visited

CONFIRMED_LATER = {"/removed.html"}


@pytest.fixture
def second(visited: Visited) -> Run:
    return visited.run(2)


def changes(run: Run, origin: str = "main") -> dict[str, str]:
    """The change of each document written, by path, what has no end apart."""
    found = run.documents(origin).items()
    endless = ("/calendar/", "/broken/")
    return {path: each["change"] for path, each in found if not path.startswith(endless)}


@pytest.mark.behaviour(
    "M-09", "M-18", "R-10", "RC-03", "RC-04", "RC-10", "RC-11", "RC-12", "RT-19", "DEL-07"
)
def test_only_what_changed_is_written(second: Run) -> None:
    assert second.crawl.status == 0, second.crawl.log[-3000:]
    found = changes(second)
    found = {path: each for path, each in found.items() if not path.startswith("/sessions/")}
    assert (
        found
        == {  # but for the addresses of samples, which are dropped once nothing came of them
            "/robots/disallow/robots-test.html": "new",
            "/robots/disallow/by-redirect.html": "new",
            "/robots/no-slash/page.html": "new",
            "/robots/opened.html": "new",
            "/moved/later-target.html": "new",
            "/dates/edited.html": "changed",
        }
    )
    assert second.deleted() == {"/robots/closed.html": "noindex", "/moved/later.html": "redirected"}
    (moved,) = [each for each in second.crawl.lines if each.get("moved_to")]
    assert moved["moved_to"] == f"{second.origins.main}/moved/later-target.html"


@pytest.mark.behaviour("S-03", "DEL-04", "RC-03")
def test_of_the_busy_origin_only_what_is_gone_is_written(second: Run) -> None:
    assert changes(second, "busy") == {}
    assert second.deleted("busy") == {"/gone.html": "gone"}


@pytest.mark.behaviour("RC-02", "RC-03", "RC-06", "P-12", "K-16")
def test_what_has_validators_is_not_sent_again(second: Run) -> None:
    statuses = {**second.statuses("busy"), **second.statuses()}
    unchanged = {path for path, status in statuses.items() if status == 304}
    dated = {f"/dates/{name}.html" for name in ("old", "gibberish")}
    assert unchanged >= {"/steady.html", "/dates/modified.html", "/dates/tagged.html", *dated}
    # The last two have dates that cannot be right, which would hide changes.
    for name in ("ignoring", "epoch", "future"):
        assert statuses[f"/dates/{name}.html"] == 200


@pytest.mark.behaviour("R-03", "RC-07", "S-03", "S-04", "S-05", "K-22", "DB-05")
def test_what_is_not_due_is_not_asked_for(second: Run) -> None:
    asked = second.asked()
    for path in ("301.html", "308.html", "loop.html", "dots.html"):
        assert asked[f"/moved/{path}"] == 0
    for path in ("302.html", "303.html", "307.html", "chain.html"):
        assert asked[f"/moved/{path}"] == 1
    for path in ("expires.html", "expires-far.html"):
        assert asked[f"/dates/{path}"] == 0
    for path in ("expires-past.html", "expires-zero.html"):
        assert asked[f"/dates/{path}"] == 1
    refused = {f"/{code}.html" for code in (401, 403, 406, 410, 451, 501)}
    assert refused.isdisjoint(second.asked("busy"))


@pytest.mark.behaviour("F-09", "RC-18")
def test_known_pages_are_asked_for_without_referer(second: Run) -> None:
    referers = {each.target: each.headers.get("referer") for each in second.of("main")}
    assert referers["/frames/inner.html"] is None
    assert referers["/robots/closed.html"] is None
    assert "/robots/meta-both.html" in referers  # which is looked at again all the same


@pytest.mark.behaviour("S-02", "DEL-01", "DEL-03", "K-13")
def test_a_page_not_found_is_deleted_by_the_third_run_that_says_so(visited: Visited) -> None:
    runs = [visited.run(number) for number in (2, 3, 4)]
    assert [run.asked("busy")["/removed.html"] for run in runs] == [1, 1, 1]
    assert [run.deleted("busy").get("/removed.html") for run in runs] == [None, None, "not_found"]


@pytest.mark.behaviour("RC-01", "RC-08", "K-15")
def test_a_day_later_nothing_else_is_due(visited: Visited) -> None:
    for run in (visited.run(3), visited.run(4)):
        asked = {target for each in ("main", "busy", "named") for target in run.asked(each)}
        pages = {path for path in asked if not path.startswith(("/calendar/", "/broken/"))}
        assert pages <= {"/robots.txt", *CONFIRMED_LATER}
        assert changes(run) == {}
