"""The description of unobtanium's crawler, by its profile, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Request, Server, page, redirect
from sitecrawl.policy.outcomes import Outcome

NewCrawl = Callable[[str], CrawlCommand]

NOINDEX = '<meta name="robots" content="noindex">'
NOFOLLOW = '<meta name="robots" content="nofollow">'
OPTIONS: dict[str, Any] = {
    "profile": "unobtanium",
    "do_not_crawl": "/blocked/",
    "url_query_parameters": "?id&lang",
    "allow_private": "1",
}


class Seen(NamedTuple):
    """One crawl of two seeds: where they were, what it left, what was asked for."""

    server: Server
    one: str
    two: str
    three: str
    site: dict[str, Page]
    command: CrawlCommand
    run: Crawl
    asked: list[str]

    def outcome(self, path: str) -> list[Outcome]:
        """Outcomes of the crawl actions of a path of the first seed."""
        rows = self.command.rows(
            "SELECT attempt.outcome FROM attempt JOIN url ON url.id = attempt.url WHERE url.url = ?",
            self.one + path,
        )
        return [Outcome(outcome) for (outcome,) in rows]


def limited(request: Request) -> str | Answer:
    """Rate-limited at first."""
    return page(title="Limited") if request.number else Answer(status=429)


def shaky(request: Request) -> str | Answer:
    """No answer in time at first, as from a network that fails for a moment."""
    return page(title="Shaky") if request.number else Answer(page(title="late"), delay=60)


@pytest.fixture(scope="module")
def seen(served: Server, new_crawl: NewCrawl) -> Seen:
    site: dict[str, Page] = {}
    one = served.serve(site)
    two = served.serve(
        {"/": page("/second", title="Two"), "*": lambda request: page(title=f"two {request.path}")},
        address="127.0.0.2",
    )
    three = served.serve({"*": page(title="three")}, address="127.0.0.3")
    found = ["/plain", "/blocked/x", "/page?id=1&lang=de", "/page?id=2", "/page?sort=up"]
    found += ["/page?id=1&sort=up", "/forbidden/x", "/old", "/moved-away", "/copy", "/noindex"]
    found += ["/nofollow", "/limited", "/shaky", f"{two}/linked", f"{three}/not-configured"]
    found += ["/to-blocked", "/to-query", "/to-forbidden", "/copy-of-blocked"]
    body = '<map name="m"><area href="/area"></map><iframe src="/framed"></iframe>'
    site |= {
        "/robots.txt": "User-agent: *\nDisallow: /forbidden/\nCrawl-delay: 0.2\n",
        "/": page(*found, title="One", body=body),
        "/plain": page("/", title="Plain"),
        "/page": lambda request: page(title=f"Page {request.query}"),
        "/old": redirect("/new"),
        "/new": page(title="New"),
        "/moved-away": redirect(f"{three}/elsewhere", status=302),
        "/to-blocked": redirect("/blocked/target"),
        "/to-query": redirect("/page?sort=down"),
        "/to-forbidden": redirect("/forbidden/target"),
        "/copy-of-blocked": page(title="Copied", head='<link rel="canonical" href="/blocked/own">'),
        "/copy": page(title="A copy", head='<link rel="canonical" href="/original">'),
        "/original": page(title="The original"),
        "/noindex": page("/behind-noindex", title="Noindex", head=NOINDEX),
        "/behind-noindex": page(title="Behind noindex"),
        "/nofollow": page("/behind-nofollow", title="Nofollow", head=NOFOLLOW),
        "/limited": limited,
        "/shaky": shaky,
        "/blocked/x": page(title="Blocked"),
    }
    command = new_crawl("unobtanium")
    run = command(f"{one}/", f"{two}/", timeout=3, **OPTIONS)
    return Seen(served, one, two, three, site, command, run, served.log.targets(one))


@pytest.mark.behaviour("LR-14", "DB-10", "DB-12", "L-01", "K-10")
def test_a_link_is_crawled_if_its_origin_is_that_of_a_seed(seen: Seen) -> None:
    assert seen.run.status == 0, seen.run.log[-3000:]
    assert {f"{seen.two}/", f"{seen.two}/second", f"{seen.two}/linked"} <= set(seen.run.documents)
    assert seen.server.log.targets(seen.three) == []
    assert seen.asked[:2] == ["/robots.txt", "/"]
    assert "/area" not in seen.asked
    assert "/framed" not in seen.asked


@pytest.mark.behaviour("R-01", "R-08", "DB-16")
def test_redirects_are_saved_and_their_targets_become_candidates(seen: Seen) -> None:
    assert seen.outcome("/old") == [Outcome.PERMANENT_REDIRECT]
    assert seen.asked.index("/new") > seen.asked.index("/old") + 1, "not followed inline"
    rows = seen.command.rows(
        "SELECT url, redirect_to FROM url WHERE redirect_to IS NOT NULL ORDER BY url"
    )
    assert rows == [
        (f"{seen.one}/moved-away", f"{seen.three}/elsewhere"),
        (f"{seen.one}/old", f"{seen.one}/new"),
        (f"{seen.one}/to-blocked", f"{seen.one}/blocked/target"),
        (f"{seen.one}/to-forbidden", f"{seen.one}/forbidden/target"),
        (f"{seen.one}/to-query", f"{seen.one}/page?sort=down"),
    ]
    assert seen.run.documents[f"{seen.one}/new"]["discovered_via"] == "redirect"


@pytest.mark.behaviour("LR-23", "Q-07", "RT-03")
def test_inhibitors_keep_urls_from_being_crawled(seen: Seen) -> None:
    assert {"/page?id=1&lang=de", "/page?id=2"} <= set(seen.asked)
    refused = {"/blocked/x", "/page?sort=up", "/page?id=1&sort=up", "/forbidden/x"}
    assert not refused & set(seen.asked)
    assert seen.outcome("/forbidden/x") == [Outcome.BLOCKED_BY_ROBOTS_TXT]
    for blocked in ("/blocked/x", "/page?sort=up", "/page?id=1&sort=up"):
        assert seen.outcome(blocked) == [Outcome.BLOCKED_URL_BY_LOCAL_POLICY]
    assert seen.run.stats["sitecrawl/rules/do_not_crawl"] == 3
    assert seen.run.stats["sitecrawl/rules/query_policy"] == 3


@pytest.mark.behaviour("R-11", "DB-17")
def test_targets_of_redirects_that_are_blocked_are_logged_as_crawls(seen: Seen) -> None:
    for target in ("/blocked/target", "/page?sort=down", "/blocked/own"):
        assert seen.outcome(target) == [Outcome.BLOCKED_URL_BY_LOCAL_POLICY]
        assert target not in seen.asked
    assert seen.outcome("/forbidden/target") == [Outcome.BLOCKED_BY_ROBOTS_TXT]
    assert seen.outcome("/to-blocked") == [Outcome.PERMANENT_REDIRECT]
    assert f"{seen.one}/copy-of-blocked" in seen.run.documents, "its canonical cannot replace it"


@pytest.mark.behaviour("DU-02", "M-01", "M-10", "M-11", "L-09")
def test_results_are_discarded_as_the_page_wishes(seen: Seen) -> None:
    names = {url.removeprefix(seen.one) for url in seen.run.documents}
    assert "/copy" not in names
    assert "/original" in names, "the canonical URL is a candidate"
    assert "/noindex" not in names
    assert seen.outcome("/noindex") == [Outcome.NOINDEX]
    assert "/behind-noindex" in names
    assert "/nofollow" in names
    rows = seen.command.rows("SELECT 1 FROM url WHERE url = ?", f"{seen.one}/behind-nofollow")
    assert rows == [], "its links are not saved"


@pytest.mark.behaviour("P-03", "P-05", "RT-07", "RT-14", "K-04")
def test_origins_take_turns_with_a_minimum_delay(seen: Seen) -> None:
    assert seen.server.log.most_in_flight(seen.one) == 1
    assert seen.server.log.shortest_gap(seen.one) >= 0.2, "the crawl delay of robots.txt"
    ends = [each.started for each in seen.server.log.of(seen.two)]
    others = [each.started for each in seen.server.log.of(seen.one)]
    assert min(others) < max(ends) < max(others)
    assert "/robots.txt" in seen.server.log.targets(seen.two), "there is none: all is allowed"


@pytest.mark.behaviour("S-06", "S-08")
def test_what_may_pass_is_tried_again_in_the_same_run(seen: Seen) -> None:
    assert seen.outcome("/limited") == [Outcome.RATE_LIMITED, Outcome.FILE_INGESTED]
    assert seen.outcome("/shaky") == [Outcome.REQUEST_TIMEOUT, Outcome.FILE_INGESTED]
    times = [each.started for each in seen.server.log.of(seen.one) if each.target == "/limited"]
    assert times[1] - times[0] >= 1.0, "the time between requests has grown"


@pytest.mark.behaviour("DB-17", "LR-23", "RC-08", "DB-11", "DB-14", "P-10")
def test_stored_candidates_meet_todays_policies(seen: Seen) -> None:
    seen.server.log.clear()
    later = seen.command(f"{seen.one}/", f"{seen.two}/", **OPTIONS)
    assert later.lines == [], "nothing is due"
    options = {**OPTIONS, "do_not_crawl": "/plain", "url_query_parameters": "?id"}
    aged = seen.command(f"{seen.one}/", f"{seen.two}/", recrawl=0, **options)
    targets = [each for each in seen.server.log.targets(seen.one) if each != "/robots.txt"]
    assert len(targets) == len(set(targets)), "none is considered twice"
    assert "/plain" not in targets
    assert seen.outcome("/plain")[-1] is Outcome.BLOCKED_URL_BY_LOCAL_POLICY
    assert seen.outcome("/page?id=1&lang=de")[-1] is Outcome.BLOCKED_URL_BY_LOCAL_POLICY
    assert aged.deletions[f"{seen.one}/plain"] == "excluded"


@pytest.mark.behaviour("S-10", "S-11", "S-12", "S-19", "P-08", "DEL-12")
def test_an_origin_is_finished_when_patience_is_at_an_end(
    served: Server, new_crawl: NewCrawl
) -> None:
    down = served.serve(
        {
            "/robots.txt": "",
            "/": page(*(f"/{n}" for n in range(20)), title="Down"),
            "*": Answer(status=500),
        },
        address="127.0.0.4",
    )
    fine = served.serve(
        {"/": page(*(f"/{n}" for n in range(20)), title="Fine"),
         "*": lambda request: page(title=f"fine {request.path}")},
        address="127.0.0.5",
    )  # fmt: skip
    run = new_crawl("patience")(f"{down}/", f"{fine}/", **OPTIONS)
    assert run.status == 0, run.log[-3000:]
    assert served.log.targets(down) == [*("/robots.txt", "/", "/0", "/1", "/2", "/3", "/4")]
    assert run.stats[f"sitecrawl/patience/{down}"] == 0
    assert len([url for url in run.documents if url.startswith(fine)]) == 21


@pytest.mark.behaviour("P-09", "DB-18", "DB-20", "A-08", "RC-09")
def test_crawling_stops_after_a_number_of_actions(served: Server, new_crawl: NewCrawl) -> None:
    origin = served.serve(
        {"*": lambda request: page(*(f"/{n}" for n in range(5)), title=f"page {request.path}")},
        address="127.0.0.6",
    )
    command = new_crawl("actions")
    assert len(command(f"{origin}/", max_pages=3, **OPTIONS).documents) == 3
    assert len(command(f"{origin}/", **OPTIONS).documents) == 3, "the candidates of before"
    assert served.log.count("/robots.txt", origin) == 2
    served.log.clear()
    assert command(f"{origin}/", force=1, **OPTIONS).lines == []
    assert len(served.log.targets(origin)) == 7, "robots.txt and six pages"
    (database,) = (command.directory / ".sitecrawl").glob("*.db")
    other = {"SITECRAWL_DATABASE": f"sqlite:///{database}"}
    refused = command(f"{origin}/", settings=other, crawl_name="another", **OPTIONS)
    assert refused.status == 3, "a database is for one crawl"
    allowed = command(
        f"{origin}/", settings=other, crawl_name="another", realm="another", **OPTIONS
    )
    assert allowed.status == 0, allowed.log[-3000:]
