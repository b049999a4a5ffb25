"""Host rules while two workers crawl: each has one of the two hosts of a site."""

from __future__ import annotations

from operator import itemgetter

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Server
from tests.crawl.test_learned_hosts import APEX, PAGES, WIDE, WWW, TwoHosts
from tests.crawl.test_learned_rules import leaf

NEW = 20


def crawl_by_two(crawl: CrawlCommand, start: str, **options: object) -> list[Crawl]:
    """Crawl with two processes at a time; each of them has requested pages."""
    given = {**WIDE, "delay": 0.1, "politeness": 0, **options}
    settings = given.pop("settings")
    runs = [
        each.finish() for each in [crawl.begin(start, settings=settings, **given) for _ in range(2)]
    ]
    assert [run.status for run in runs] == [0, 0], "\n".join(run.log[-3000:] for run in runs)
    return runs


def of_both(runs: list[Crawl]) -> set[str]:
    return runs[0].kept | runs[1].kept


@pytest.mark.slow
@pytest.mark.behaviour("DU-30", "DU-31", "DU-32")
def test_each_of_two_workers_has_one_of_the_hosts(
    server: Server, crawl: CrawlCommand, database_url: str
) -> None:
    twins = TwoHosts(server)
    home = twins.site["/"]
    assert isinstance(home, str)
    for n in range(PAGES):  # slower: a page is evidence if that of the other host was read before
        text = twins.site[f"/p{n}"]
        assert isinstance(text, str)
        twins.site[f"//{WWW}/p{n}"] = Answer(text, delay=0.4)
    twins.site["/"] = Answer(home, delay=8)  # both have begun by then
    settings = {"SITECRAWL_DATABASE": database_url}
    start = f"{twins.of(APEX)}/"
    first = crawl_by_two(crawl, start, settings=settings)
    twins.site["/"] = home
    answered = [run.stats.get("downloader/response_status_count/200", 0) for run in first]
    assert min(answered) >= 4, answered  # robots.txt and pages: each had an origin
    assert twins.new_pages(of_both(first), APEX) == set(range(PAGES))
    assert len(twins.asked(APEX)) == PAGES
    assert len(twins.asked(WWW)) < PAGES
    _, said = crawl.command("frontier", "rules", "-s", f"SITECRAWL_DATABASE={database_url}")
    assert f"active {twins.of(WWW)} {twins.of(WWW)}/* => {twins.of(APEX)}/*" in said

    twins.end_at(PAGES + NEW)
    twins.server.log.clear()
    second = crawl_by_two(crawl, start, settings=settings, recrawl=0)
    new = set(range(PAGES, PAGES + NEW))
    assert twins.new_pages(of_both(second), APEX) >= new
    assert len({each for each in twins.asked(WWW) if int(each[2:]) >= PAGES}) <= 6
    lines = sorted((line for run in first + second for line in run.lines), key=itemgetter("seq"))
    last = {line["url"]: line for line in lines}
    assert {url for url, line in last.items() if line["op"] == "upsert"} == {
        f"{twins.of(APEX)}{path}" for path in twins.pages
    }

    everything = range(PAGES + NEW)
    for n in everything:  # the other host has texts of its own from now on
        twins.site[f"//{WWW}/p{n}"] = leaf(f"other {n}")
    third = crawl_by_two(crawl, start, settings=settings, recrawl=0)
    assert twins.new_pages(of_both(third), WWW) >= new
    _, said = crawl.command("frontier", "rules", "-s", f"SITECRAWL_DATABASE={database_url}")
    assert f"withdrawn {twins.of(WWW)} " in said
