"""Origins that are given back, and those that are taken up again meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_twisted
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler
from twisted.internet.defer import Deferred

from sitecrawl.config.assembly import Citations, build_limits, build_rules
from sitecrawl.config.configuration import load
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.frontier.opening import open_frontier
from sitecrawl.policy.urls.path_limits import RedirectChains
from sitecrawl.scheduling.background import BackgroundTasks, EngineWaker
from sitecrawl.scheduling.leased_origins import LeasedOrigins
from sitecrawl.scheduling.listed_pages import ListedPages
from sitecrawl.scheduling.origin_knowledge import OriginKnowledge, ParameterMeanings
from sitecrawl.scheduling.yields import Yields
from tests.frontier.workers import SITE, candidate, ingested

if TYPE_CHECKING:
    from sitecrawl.scheduling.origin import Origin

OTHER = "http://the-other.example"


async def until(condition: Callable[[], bool]) -> None:
    """Return when the condition holds, within a minute."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


def leased_origins(
    owner: FrontierOwner, recorder: Recorder, tasks: BackgroundTasks
) -> LeasedOrigins:
    """The leased origins of a crawl of ``SITE``, with what they depend on."""
    configuration = load({"start": f"{SITE}/"})
    rules = build_rules(configuration.params, configuration.sources)
    limits = build_limits(configuration.params, configuration.sources)
    cite = Citations(configuration.params, configuration.sources)
    chains = RedirectChains.build(cite)
    stats = MemoryStatsCollector(get_crawler())
    discovery = Discovery(rules, limits, chains, stats, follows=True)
    params = configuration.params
    dates = ListedPages(params, owner, recorder)
    yields = Yields(params, owner, recorder, discovery, tasks, settings=cite)
    meanings = ParameterMeanings(discovery, owner, recorder, tasks)
    knowledge = OriginKnowledge(dates, yields, meanings, owner, tasks)
    return LeasedOrigins(params, owner, recorder, tasks, knowledge)


@pytest.mark.parametrize("taken_up_again", [False, True])
@pytest_twisted.inlineCallbacks
def test_the_lease_of_an_origin_is_given_back_unless_it_is_taken_up_again(
    taken_up_again: bool, tmp_path: Path
) -> Generator[Any, Any, None]:
    async def give_back() -> bool:
        configuration = load({"start": f"{SITE}/"})
        frontier = open_frontier(f"sqlite:///{tmp_path}/crawl.db")
        owner = FrontierOwner(frontier, configuration)
        await owner.open()
        tasks = BackgroundTasks(owner, EngineWaker(get_crawler()))
        recorder = Recorder(owner, list[object]().append, MemoryStatsCollector(get_crawler()))
        leased = leased_origins(owner, recorder, tasks)
        taken: list[Origin] = []
        leased.acquired.connect(taken.append)
        await frontier.add([candidate("/", via="seed")])
        leased.acquire()
        await until(lambda: bool(taken))
        [due] = await frontier.pop(SITE, 5)
        await frontier.commit(SITE, [ingested(due, "home", time.time())])
        taken[0].begin_refill()
        taken[0].refilled([], exhausted=True)
        leased.release(taken[0])
        if taken_up_again:
            assert leased.ensure(SITE) is taken[0]
        await until(lambda: not tasks.busy)
        assert owner.failure is None
        held = frontier.holds(SITE)
        await owner.close("finished", {})
        return held

    assert (yield Deferred.fromFuture(asyncio.ensure_future(give_back()))) is taken_up_again


@pytest_twisted.inlineCallbacks
def test_free_origins_are_leased_while_another_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[Any, Any, None]:
    async def take_over() -> list[str]:
        monkeypatch.setattr("sitecrawl.scheduling.leased_origins.TAKE_OVER_SECONDS", 0.05)
        configuration = load({"start": f"{SITE}/"})
        url = f"sqlite:///{tmp_path}/crawl.db"
        owner, other = FrontierOwner(open_frontier(url), configuration), open_frontier(url)
        await owner.open()
        await other.open(configuration.params.database_name, {})
        await other.add([candidate(f"{OTHER}/", via="seed")])
        await other.lease(1)
        tasks = BackgroundTasks(owner, EngineWaker(get_crawler()))
        recorder = Recorder(owner, list[object]().append, MemoryStatsCollector(get_crawler()))
        leased = leased_origins(owner, recorder, tasks)
        await owner.frontier.add([candidate("/", via="seed")])
        leased.acquire()
        await until(lambda: list(leased.origins) == [SITE])
        await other.close("killed", {})
        await until(lambda: len(leased.origins) == 2)
        await leased.save_all()
        await owner.close("finished", {})
        return list(leased.origins)

    assert (yield Deferred.fromFuture(asyncio.ensure_future(take_over()))) == [SITE, OTHER]


@pytest.mark.behaviour("P-03", "P-06")
@pytest_twisted.inlineCallbacks
def test_what_another_worker_learned_of_an_origin_holds_when_it_comes_back(
    tmp_path: Path,
) -> Generator[Any, Any, None]:
    async def rest() -> float:
        configuration = load({"start": f"{SITE}/"})
        url = f"sqlite:///{tmp_path}/crawl.db"
        owner, other = FrontierOwner(open_frontier(url), configuration), open_frontier(url)
        await owner.open()
        await other.open(configuration.params.database_name, {})
        tasks = BackgroundTasks(owner, EngineWaker(get_crawler()))
        recorder = Recorder(owner, list[object]().append, MemoryStatsCollector(get_crawler()))
        leased = leased_origins(owner, recorder, tasks)
        origin = leased.ensure(SITE)
        leased.release(origin)
        await until(lambda: not tasks.busy)
        await other.add([candidate("/", via="seed")])
        [state] = await other.lease(1)
        await other.save_origin(replace(state, ready_at=time.time() + 3600))
        await other.release(SITE)
        leased.acquire()
        await until(lambda: list(leased.origins.values()) == [origin])
        await leased.save_all()
        await owner.close("finished", {})
        await other.close("finished", {})
        return origin.ready_at - asyncio.get_running_loop().time()

    assert (yield Deferred.fromFuture(asyncio.ensure_future(rest()))) > 3000
