"""The first crawl of the test site: what is asked for, and what becomes a document."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from site_runs import Run, Visited, marks

from fixtures.site.visits import MANY
from sitecrawl.policy.outcomes import Outcome

TABLE = tomllib.loads((Path(__file__).parent / "cases" / "documents.toml").read_text("utf-8"))
OTHER_ORIGINS = {"named", "port", "busy", "lf", "cr", "crlf"}
TWICE = {"/429.html", "/500.html"}


def group(path: str) -> str:
    """The group of the table that a path of the main origin belongs to."""
    folder, slash, _ = path.removeprefix("/").partition("/")
    return folder.partition(".")[0] if slash else "root"


def within(name: str, paths: Any) -> set[str]:
    """Those of the paths that belong to a group, robots.txt apart."""
    pages = set(paths) - {"/robots.txt"}
    return pages if name in OTHER_ORIGINS else {path for path in pages if group(path) == name}


def rows() -> list[Any]:
    return [
        pytest.param(name, case, marks=pytest.mark.behaviour(*case["proves"]), id=name)
        for name, case in TABLE.items()
    ]


@pytest.mark.behaviour("A-12", "P-10", "O-01", "O-02", "LR-32")
def test_it_ends_by_itself_and_well(first: Run) -> None:
    assert first.crawl.status == 0, first.crawl.log[-3000:]
    assert "Traceback" not in first.crawl.log
    assert len(first.exchanges) < 1.3 * len(first.crawl.documents)
    new = [line["url"] for line in first.crawl.lines if line["change"] == "new"]
    assert sorted(new) == sorted(first.crawl.documents)


@pytest.mark.parametrize(("name", "case"), rows())
def test_the_documents_are_those_of_the_table(name: str, case: dict[str, Any], first: Run) -> None:
    origin = name if name in OTHER_ORIGINS else "main"
    documents = first.documents(origin)
    found = {path: marks(documents[path]) for path in within(name, documents)}
    assert found == case["documents"]


@pytest.mark.parametrize(("name", "case"), rows())
def test_the_requests_are_those_of_the_table(name: str, case: dict[str, Any], first: Run) -> None:
    asked = first.asked(name if name in OTHER_ORIGINS else "main")
    expected = {*case["documents"], *case.get("fetched", ())}
    found = within(name, asked)
    if name == "sessions":  # three samples of each name, as they were found
        trials = found - expected
        assert all("?" in each for each in trials)
        assert len(trials) <= case["trials"]
        found -= trials
    assert found == expected
    twice = {path for path in expected if asked[path] != 1} - TWICE
    assert len(twice) <= 1, "one page of each origin is read a second time"


def test_no_document_has_what_should_not_be_found(first: Run) -> None:
    bad = {url: marks(each, "bad") for url, each in first.crawl.documents.items()}
    assert {url: found for url, found in bad.items() if found} == {}


def test_every_good_mark_is_in_one_document_only(first: Run) -> None:
    count = Counter(mark for each in first.crawl.documents.values() for mark in marks(each))
    # One site with three kinds of line ends; one text under two titles.
    assert {mark: times for mark, times in count.items() if times > 1} == {190: 3, 192: 3, 1384: 2}


@pytest.mark.behaviour("RT-01", "RT-02", "RT-04", "RT-06")
@pytest.mark.parametrize("origin", ["main", *sorted(OTHER_ORIGINS)])
def test_robots_txt_of_each_origin_is_asked_for_first_and_once(origin: str, first: Run) -> None:
    assert first.of(origin)[0].target == "/robots.txt"
    assert first.asked(origin)["/robots.txt"] == 1


@pytest.mark.behaviour("LR-14", "R-08", "F-19")
def test_nobody_else_is_asked(first: Run) -> None:
    assert first.asked("elsewhere") == {}
    assert first.crawl.stats["downloader/request_count"] == len(first.exchanges)


@pytest.mark.behaviour("P-05", "F-08", "F-21")
def test_requests_are_those_of_a_guest(first: Run) -> None:
    assert {each.method for each in first.exchanges} == {"GET"}
    assert not any(name.startswith("if-") for each in first.exchanges for name in each.headers)
    referers = {each.target: each.headers.get("referer") for each in first.of("main")}
    assert referers["/"] is None
    assert referers["/frames/inner.html"] == f"{first.origins.main}/frames/frameset.html"
    assert referers["/robots/meta-follow-target.html"].endswith("/robots/meta-follow.html")


@pytest.mark.behaviour("Q-19")
def test_many_links_and_deep_paths_are_no_obstacle(first: Run) -> None:
    many = within("many", first.documents())
    assert many == {"/many/", *(f"/many/{number}.html" for number in range(1, MANY + 1))}
    levels = [marks(each) for path, each in first.documents().items() if group(path) == "depth"]
    assert sorted(levels) == [[1200 + level] for level in range(1, 21)]
    assert len(within("depth", first.asked())) == 20


@pytest.mark.behaviour("S-17", "Q-18")
@pytest.mark.parametrize(("name", "most"), [("calendar", 40), ("broken", 20)])
def test_what_has_no_end_ends(name: str, most: int, first: Run) -> None:
    assert 3 < len(within(name, first.asked())) <= most


@pytest.mark.behaviour("F-13")
def test_a_film_is_not_downloaded(first: Run) -> None:
    (film,) = [each for each in first.exchanges if each.target == "/types/film"]
    assert film.broken
    assert film.sent < 9_000_000


@pytest.mark.behaviour("R-11", "R-08", "S-14", "C-24")
@pytest.mark.parametrize(
    ("path", "outcome"),
    [
        ("/robots/disallow/robots-test.html", Outcome.BLOCKED_BY_ROBOTS_TXT),
        ("/robots/disallow/by-redirect.html", Outcome.BLOCKED_BY_ROBOTS_TXT),
        ("/robots/meta-both.html", Outcome.NOINDEX),
        ("/moved/forbidden.html", Outcome.REDIRECT),
        ("/moved/308.html", Outcome.PERMANENT_REDIRECT),
        ("/moved/nowhere.html", Outcome.DID_NOT_UNDERSTAND_ANSWER),
        ("/types/paper", Outcome.UNWANTED_TYPE),
        ("/types/untyped-image", Outcome.UNWANTED_TYPE),
        ("/copies/doc9-printed.html", Outcome.NON_CANONICAL),
        ("/missing.html", Outcome.FILE_NOT_FOUND),
    ],
)
def test_outcomes_are_distinct(path: str, outcome: Outcome, first: Run, visited: Visited) -> None:
    rows = visited.command.rows(
        "SELECT attempt.outcome FROM attempt JOIN url ON url.id = attempt.url WHERE url.url = ?"
        " ORDER BY attempt.id LIMIT 1",
        first.origins.main + path,
    )
    assert [Outcome(number) for (number,) in rows] == [outcome]


@pytest.mark.behaviour("LR-31")
def test_every_refusal_is_counted_under_its_reason(first: Run) -> None:
    stats = first.crawl.stats
    refused = {
        name.rpartition("/")[2]: count
        for name, count in stats.items()
        if name.startswith("sitecrawl/rules/")
    }
    # Two links say so themselves, eight stand on pages that do.
    expected = {"extension": 13, "domino": 4, "scheme": 4, "scope": 5, "rel": 10, "malformed": 3}
    assert expected.items() <= refused.items()
