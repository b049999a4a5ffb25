"""Learned rules while the crawl database is slow: what is known meanwhile is not lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler
from twisted.internet.defer import Deferred

from sitecrawl.config.configuration import load
from sitecrawl.config.rules_from_options import Citations, build_limits, build_rules
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.crawl.visit import Visit
from sitecrawl.frontier import open_frontier
from sitecrawl.frontier.base import DueUrl, VisitResult
from sitecrawl.frontier.learned import StoredRule
from sitecrawl.policy.http.redirects import RedirectChains
from sitecrawl.policy.learning.duplicate_rules import DuplicateRule, script_of
from sitecrawl.policy.learning.evidence import Evidence, RuleState
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.scheduling.background import BackgroundTasks
from sitecrawl.scheduling.engine_waker import EngineWaker
from sitecrawl.scheduling.learning import Learning
from sitecrawl.web.html.page import Link, Page
from tests.frontier.workers import SITE, candidate, ingested


class LearningCrawl:
    """The parts of a crawl that learn, with an active rule that ``/en/*`` has the pages of ``/*``."""

    def __init__(self, folder: Path) -> None:
        configuration = load({"start": f"{SITE}/"})
        params, sources = configuration.params, configuration.sources
        self.frontier = open_frontier(f"sqlite:///{folder}/crawl.db")
        self.owner = FrontierOwner(self.frontier, configuration)
        stats = MemoryStatsCollector(get_crawler())
        self.recorder = Recorder(self.owner, list[object]().append, stats)
        self.tasks = BackgroundTasks(self.owner, EngineWaker(get_crawler()))
        chains = RedirectChains.build(Citations(params, sources))
        rules, limits = build_rules(params, sources), build_limits(params, sources)
        self.discovery = Discovery(rules, limits, chains, stats, follow=True)
        self.learning = Learning(params, self.owner, self.recorder, self.discovery, self.tasks)

    async def begin(self, *paths: str) -> dict[str, DueUrl]:
        """Begin a run, and return URLs that are due by their paths."""
        await self.owner.open()
        await self.frontier.add([candidate(path) for path in paths])
        await self.frontier.lease(5)
        await self.frontier.save_learned(SITE, [active_rule()], set())
        dues = await self.frontier.pop(SITE, len(paths))
        return {due.url.removeprefix(SITE): due for due in dues}

    def left_out(self, due: DueUrl) -> VisitResult | None:
        """Return the visit of a URL that another one replaces, None if it would be requested."""
        refusal = self.learning.decide(SITE, due)
        if refusal is None:
            return None
        decision, other = refusal
        visit = Visit(due, time.time(), target=other)
        return visit.end(Outcome.BLOCKED_URL_BY_LOCAL_POLICY, decision.reason, decision.rule)

    async def end(self) -> None:
        """Wait for what has begun, and close the database."""
        async with asyncio.timeout(20):
            while self.tasks.busy or self.recorder.busy:
                await asyncio.sleep(0.01)
        assert self.owner.failure is None


def active_rule() -> StoredRule:
    """The rule ``/en/*.html => /*.html``, which acts."""
    rule = DuplicateRule.of(script_of("/en/a.html", "/a.html") or (), languages=False)
    rule.widen(script_of("/en/b.html", "/b.html") or ())
    rule.evidence = Evidence(support=9, folded=500, state=RuleState.ACTIVE)
    rule.act()
    return StoredRule("duplicate", rule.id, "active", str(rule), rule.as_stored())


def run(work: Callable[[LearningCrawl], Awaitable[Any]], folder: Path) -> Deferred[Any]:
    """Do something in a new crawl, and close it."""

    async def whole() -> Any:
        crawl = LearningCrawl(folder)
        result = await work(crawl)
        await crawl.end()
        await crawl.owner.close("finished", {})
        return result

    return Deferred.fromFuture(asyncio.ensure_future(whole()))


@pytest.mark.behaviour("DU-26")
@pytest_twisted.inlineCallbacks
def test_an_alternate_that_was_left_out_a_moment_ago_is_requested(
    tmp_path: Path,
) -> Generator[Any, Any, None]:
    async def leave_out(crawl: LearningCrawl) -> list[str]:
        dues = await crawl.begin("/p.html", "/en/p.html")
        page, alternate = dues["/p.html"], dues["/en/p.html"]
        await crawl.learning.prepare(SITE, [alternate])
        left_out = crawl.left_out(alternate)
        assert left_out is not None
        crawl.recorder.record(left_out)
        # The page is read and says that the other is a version of it; another batch ends.
        crawl.discovery.alternates[alternate.fingerprint] = (page.fingerprint,)
        crawl.discovery.new_alternates.append((alternate.fingerprint, page.fingerprint))
        crawl.learning.committed(SITE, [])
        crawl.recorder.record(ingested(page, "text", time.time()))
        await crawl.end()
        return [due.url for due in await crawl.frontier.pop(SITE, 5)]

    assert (yield run(leave_out, tmp_path)) == [f"{SITE}/en/p.html"]


@pytest.mark.behaviour("DU-26")
@pytest_twisted.inlineCallbacks
def test_alternates_of_a_large_site_in_many_languages_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[Any, Any, None]:
    monkeypatch.setattr("sitecrawl.crawl.discovery.MAX_ALTERNATES", 3)

    async def name_alternates(crawl: LearningCrawl) -> list[int]:
        translations = [f"/l{n}/p.html" for n in range(40)]
        dues = await crawl.begin(*translations)
        for path in ("/a", "/b", "/c", "/d"):
            for due in dues.values():
                page = Page(due.url, due.url, "text/html", 0)
                page.links = (Link(SITE + path, rel=frozenset({"alternate"})),)
                crawl.discovery.links_of(page, due, frozenset())
        return [len(pages) for pages in crawl.discovery.alternates.values()]

    assert (yield run(name_alternates, tmp_path)) == [40, 40, 40]


@pytest.mark.behaviour("DU-23")
@pytest_twisted.inlineCallbacks
def test_a_url_is_requested_whose_counterpart_failed_while_the_database_was_asked(
    tmp_path: Path,
) -> Generator[Any, Any, None]:
    async def ask_late(crawl: LearningCrawl) -> list[bool]:
        dues = await crawl.begin("/p.html", "/en/p.html")
        page, other = dues["/p.html"], dues["/en/p.html"]
        stored_pages = crawl.frontier.stored_pages

        async def answer_late(*args: Any) -> Any:
            answer = await stored_pages(*args)
            crawl.recorder.record(Visit(page, time.time()).end(Outcome.FILE_NOT_FOUND, "not_found"))
            await crawl.recorder.flush(SITE)
            return answer

        crawl.frontier.stored_pages = answer_late  # type: ignore[assignment]
        await crawl.learning.prepare(SITE, [other])
        return [crawl.left_out(other) is None]

    assert (yield run(ask_late, tmp_path)) == [True]


@pytest.mark.behaviour("DU-23")
@pytest_twisted.inlineCallbacks
def test_a_url_is_not_left_out_for_ever_for_a_page_that_is_gone_by_the_database(
    tmp_path: Path,
) -> Generator[Any, Any, None]:
    async def leave_out_again(crawl: LearningCrawl) -> int:
        dues = await crawl.begin("/p.html", "/en/p.html")
        page, due = dues["/p.html"], dues["/en/p.html"]
        await crawl.learning.prepare(SITE, [due])
        gone = Visit(page, time.time()).end(Outcome.FILE_NOT_FOUND, "not_found")
        await crawl.frontier.commit(SITE, [gone])  # by another worker
        for times in range(5):
            left_out = crawl.left_out(due)
            if left_out is None:
                return times
            crawl.recorder.record(left_out)
            await crawl.recorder.flush(SITE)
            [due] = await crawl.frontier.pop(SITE, 5)
            await crawl.learning.prepare(SITE, [due])
        return 5

    assert (yield run(leave_out_again, tmp_path)) == 1


@pytest.mark.behaviour("DU-33")
@pytest_twisted.inlineCallbacks
def test_a_page_whose_text_was_seen_before_is_committed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[Any, Any, None]:
    monkeypatch.setattr("sitecrawl.crawl.recorder.BATCH_SECONDS", 3600.0)

    async def record_two(crawl: LearningCrawl) -> list[bool]:
        dues = await crawl.begin("/p.html", "/q.html", "/en/p.html")
        await crawl.learning.prepare(SITE, [])
        texts = {"/p.html": "text", "/q.html": "other", "/en/p.html": "text"}
        written = [
            crawl.recorder.record(ingested(dues[path], text, time.time()))
            for path, text in texts.items()
        ]
        async with asyncio.timeout(20):
            await asyncio.gather(*written)
        return [each.done() for each in written]

    assert (yield run(record_two, tmp_path)) == [True] * 3
