"""Failures that pass, by the server's own log: tried again within the run, late and at the pace."""

from __future__ import annotations

from itertools import pairwise

import pytest
from walked import wait_for

from fixtures.command import NOWHERE, Command
from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Raw, Server, page
from sitecrawl.frontier.base import DueUrl, OriginState
from sitecrawl.policy.http.answers import FailureBudget
from sitecrawl.policy.http.politeness import Pace
from sitecrawl.scheduling.origin import Origin, OriginPhase, PacingSlot, RobotsFile
from sitecrawl.scheduling.origin_queues import ReadyQueue

pytestmark = pytest.mark.slow

LOST = Raw(b"")  # the connection closes without an answer
CLOSE = {"Connection": "close"}
PAGES = {f"/{number}": page(title=f"Page {number}") for number in range(12)}
CLOCK = 0.005  # what the server's log may be late by


def starts(server: Server, target: str) -> list[float]:
    """Times of the requests for a target."""
    return [each.started for each in server.log.exchanges if each.target == target]


def explain(crawl: CrawlCommand, url: str, *words: str) -> str:
    """Return the output of ``scrapy explain`` for a URL."""
    path = crawl.directory / "explained"
    command = Command(["explain", url, *words], crawl.directory, errors=NOWHERE, output=path)
    assert command.wait(60) == 0
    return path.read_text("utf-8")


@pytest.mark.behaviour("K-30", "S-08")
@pytest.mark.parametrize("failure", [Answer(status=502), Answer(status=408), LOST])
def test_what_fails_in_passing_is_tried_again_last(
    server: Server, crawl: CrawlCommand, failure: Answer | Raw
) -> None:
    pages = {"/robots.txt": "", "/": page("/shaky", *PAGES, title="Home"), **PAGES}
    site: dict[str, Page] = {path: Answer(body, headers=CLOSE) for path, body in pages.items()}
    site["/shaky"] = [failure, failure, page(title="There after all")]
    origin = server.serve(site)
    run = crawl(f"{origin}/", delay=0)
    assert run.documents.keys() == {f"{origin}{path}" for path in ("/", "/shaky", *PAGES)}
    targets = server.log.targets()
    assert targets[2] == "/shaky", "in its order at first"
    assert targets[-2:] == ["/shaky", "/shaky"], "then after all others"
    first, second, third = starts(server, "/shaky")
    assert second - first >= 1 - CLOCK
    assert third - second >= 2 - CLOCK
    assert sum(v for k, v in run.stats.items() if k.startswith("sitecrawl/retries/")) == 2
    assert crawl.rows("SELECT failures, waiting FROM url WHERE url LIKE '%/shaky'") == [(0, 0)]


@pytest.mark.behaviour("K-30", "S-05")
def test_what_goes_on_failing_waits_for_its_day(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page("/bad"), "/bad": Answer(status=500)})
    run = crawl(f"{origin}/", delay=0, retries=1)
    assert server.log.count("/bad") == 2, run.log[-3000:]
    assert crawl.rows("SELECT waiting, failures FROM url WHERE url LIKE '%/bad'") == [(0, 1)]
    explained = explain(crawl, f"{origin}/bad")
    assert "server_error, status 500), due in 24 h\n" in explained
    assert "  tried twice in that run; retries 1 (-a retries)\n" in explained
    server.log.clear()
    crawl(f"{origin}/", delay=0)
    assert server.log.count("/bad") == 0


def test_without_retries_a_failure_is_final(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page("/bad"), "/bad": Answer(status=500)})
    crawl(f"{origin}/", delay=0, retries=0)
    assert server.log.count("/bad") == 1


@pytest.mark.behaviour("K-30", "S-12", "S-19")
def test_a_site_that_is_down_is_left_as_soon_as_before(server: Server, crawl: CrawlCommand) -> None:
    down: dict[str, Page] = {"/robots.txt": "", "/": page(*PAGES), "*": Answer(status=502)}
    origin = server.serve(down)
    run = crawl(f"{origin}/", delay=0, retries=10)
    assert f"{origin} is given up for this run" in run.log
    assert server.log.targets() == ["/robots.txt", "/", *(f"/{n}" for n in range(5))]


@pytest.mark.behaviour("K-30", "DB-20")
def test_what_waits_for_its_retry_is_due_after_a_kill(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": [Answer(status=503), page(title="Home")]})
    running = crawl.begin(f"{origin}/", delay=0)
    wait_for(lambda: server.log.count("/") == 1 and retried(crawl))
    running.process.kill()
    running.finish()
    assert server.log.count("/") == 1
    assert crawl(f"{origin}/", delay=0).documents.keys() == {f"{origin}/"}


def retried(crawl: CrawlCommand) -> bool:
    """Return True if the crawl's one URL has failed, and waits."""
    return crawl.rows("SELECT waiting, status FROM url") == [(1, 503)]


@pytest.mark.behaviour("S-09", "P-03", "K-30")
@pytest.mark.parametrize("keeps", [True, False])
def test_a_new_connection_that_is_closed_waits_like_every_failure(
    server: Server, crawl: CrawlCommand, keeps: bool
) -> None:
    closing = Answer(page("/once", title="Home"), headers={} if keeps else CLOSE)
    robots = Answer("", headers=closing.headers)
    origin = server.serve({"/robots.txt": robots, "/": closing, "/once": [LOST, page(title="A")]})
    run = crawl(f"{origin}/", delay=0.5)
    assert len(run.documents) == 2, run.log[-3000:]
    gaps = [after - before for before, after in pairwise(starts(server, "/once"))]
    assert len(gaps) == 1
    if keeps:  # the server may have closed it before the request came
        assert 0.5 - CLOCK <= gaps[0] < 1 - CLOCK
    else:
        assert gaps[0] >= 1 - CLOCK
        assert server.log.shortest_gap() >= 0.5 - CLOCK


@pytest.mark.slow
@pytest.mark.behaviour("K-31", "S-06")
def test_a_page_with_a_long_rest_does_not_end_its_site(server: Server, crawl: CrawlCommand) -> None:
    rest = Answer(status=503, headers={"Retry-After": "604800"})
    origin = server.serve({"/robots.txt": "", "/": page("/rest", *PAGES), "/rest": rest, **PAGES})
    run = crawl(f"{origin}/", delay=0)
    assert len(run.documents) == 1 + len(PAGES), run.log[-3000:]
    assert "asks for a pause" not in run.log
    assert server.log.count("/rest") == 1
    at = server.log.targets().index("/rest")
    assert server.log.gaps()[at] < 10, "the origin goes on after its back-off"
    server.log.clear()
    crawl(f"{origin}/", delay=0, force="yes")
    assert len(server.log.targets()) == 2 + len(PAGES), "the page that rests is left alone"
    assert server.log.count("/rest") == 0
    explained = explain(crawl, f"{origin}/rest", "-a", "force=yes")
    assert "due in 7 d, as requested (Retry-After)" in explained


@pytest.mark.behaviour("K-31", "S-06")
def test_a_page_with_a_short_rest_is_tried_again_when_it_is_over(
    server: Server, crawl: CrawlCommand
) -> None:
    rest = Answer(status=503, headers={"Retry-After": "2"})
    origin = server.serve({"/": page("/rest", "/a"), "/rest": [rest, page(title="Rested")]})
    run = crawl(f"{origin}/", delay=0)
    assert f"{origin}/rest" in run.documents, run.log[-3000:]
    assert server.log.targets()[-3:] == ["/rest", "/a", "/rest"]
    first, second = starts(server, "/rest")
    assert second - first >= 2 - CLOCK


@pytest.mark.behaviour("K-31", "S-06", "P-13")
def test_two_pages_with_a_long_rest_are_the_sites_own(server: Server, crawl: CrawlCommand) -> None:
    rest = Answer(status=503, headers={"Retry-After": "604800"})
    origin = server.serve({"/robots.txt": "", "/": page(*PAGES, title="Home"), "*": rest})
    run = crawl(f"{origin}/", delay=0, max_wait=3)
    assert server.log.targets() == ["/robots.txt", "/", "/0", "/1"], run.log[-3000:]
    assert f"{origin} asks for a pause" in run.log
    server.log.clear()
    crawl(f"{origin}/", delay=0, force="yes")
    assert server.log.targets() == []


@pytest.mark.slow
@pytest.mark.behaviour("K-30", "X-02")
@pytest.mark.parametrize("failure", [Answer(status=502), Answer(status=429), LOST])
def test_a_sitemap_is_tried_again_too(
    server: Server, crawl: CrawlCommand, failure: Answer | Raw
) -> None:
    listed = Answer("<urlset><url><loc>/listed</loc></url></urlset>", headers=CLOSE)
    robots = Answer("Sitemap: /map.xml\n", headers=CLOSE)
    site: dict[str, Page] = {"/robots.txt": robots, "/map.xml": [failure, listed]}
    site |= {"/": Answer(page(title="Home"), headers=CLOSE), "/listed": page(title="Listed")}
    origin = server.serve(site)
    run = crawl(f"{origin}/", delay=0)
    assert f"{origin}/listed" in run.documents, run.log[-3000:]
    first, second = starts(server, "/map.xml")
    assert second - first >= 1 - CLOCK


@pytest.mark.behaviour("K-30")
def test_a_start_that_comes_at_the_second_try_is_no_trouble(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": [Answer(status=502), page(title="Home")]})
    run = crawl(f"{origin}/", delay=0)
    assert run.status == 0, run.log[-3000:]
    assert "produced nothing" not in run.log


@pytest.mark.behaviour("K-30", "P-05")
def test_new_work_does_not_wait_for_a_retry() -> None:
    queue, due = ReadyQueue(), DueUrl("http://a.test", 1, "http://a.test/1", 1, "link", None)
    origin = Origin(
        loaded=OriginState("http://a.test", None, None, 0.0, None, 0.0),
        pace=Pace(),
        failure_budget=FailureBudget(),
        robots=RobotsFile("http://a.test"),
        slot=PacingSlot(10.0),
        holds_lease=lambda: True,
        phase=OriginPhase.EXHAUSTED,
    )
    origin.retry_at(due, 60.0)
    queue.push(origin)
    assert (queue.next_ready_at, queue.pop_ready(59.0)) == (60.0, None)
    origin.todo.append(due)
    queue.push(origin)
    assert queue.next_ready_at == 10.0
    assert queue.pop_ready(10.0) is origin
    assert queue.pop_ready(99.0) is None, "the turn for the retry alone is forgotten"
    assert (origin.pop_due(10.0), origin.pop_due(59.0), origin.pop_due(60.0)) == (due, None, due)
    assert origin.is_done
