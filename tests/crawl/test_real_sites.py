"""Three real sites in one crawl: every page once, nothing lost by a kill."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

import pytest

from fixtures import real_sites
from fixtures.crawls import Crawl, CrawlCommand, Running
from fixtures.nginx import Nginx
from fixtures.walk import plain, walk
from sitecrawl.crawl.recorder import BATCH_VISITS

pytestmark = pytest.mark.slow

HANDFUL = 3 * BATCH_VISITS  # what a batch of each origin may hold when the process is killed


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Nginx, list[str], set[str]]]:
    with real_sites.served(tmp_path_factory.mktemp("nginx")) as (nginx, starts):
        yield nginx, starts, walk(starts)


@pytest.fixture
def nginx(sites: tuple[Nginx, list[str], set[str]]) -> Nginx:
    sites[0].forget()
    return sites[0]


@pytest.fixture
def starts(sites: tuple[Nginx, list[str], set[str]]) -> list[str]:
    return sites[1]


@pytest.fixture
def pages(sites: tuple[Nginx, list[str], set[str]]) -> set[str]:
    return sites[2]


def written(*crawls: Crawl) -> Counter[str]:
    """Number of documents for each page, under its own address or as a copy of another.

    Each line replaces an earlier one of the same id, as for whoever reads the output.
    """
    documents = {line["id"]: line for run in crawls for line in run.lines}
    count: Counter[str] = Counter()
    for line in documents.values():
        addresses = [line["url"], *line.get("additional_urls", ())]
        count.update({plain(address) for address in addresses})
    return count


def fetched(nginx: Nginx) -> Counter[str]:
    """Number of times that each page was served."""
    return Counter(plain(each.origin + each.target) for each in nginx.log() if each.status == 200)


def kill_after(nginx: Nginx, requests: int, running: Running) -> Crawl:
    """Kill -9 once the server has answered so many requests."""
    while len(nginx.log()) < requests and running.process.poll() is None:
        time.sleep(0.02)
    assert running.process.poll() is None, "the crawl ended before it could be killed"
    running.process.kill()
    return running.finish()


@pytest.mark.behaviour("DU-01", "O-02", "A-01")
def test_every_page_is_written_once_and_none_fetched_twice(
    nginx: Nginx, starts: list[str], pages: set[str], crawl: CrawlCommand
) -> None:
    run = crawl(*starts)
    assert run.status == 0, run.log[-3000:]
    assert set(written(run)) == pages
    assert set(written(run).values()) == {1}
    new = [line["id"] for line in run.lines if line["change"] == "new"]
    assert len(new) == len(set(new))
    twice = {url for url, times in fetched(nginx).items() if times > 1}
    # They speak of what cannot be found, and are read again after a probe of a page that is missing.
    assert {url.rstrip("/").rpartition("/")[2] for url in twice} <= {"2.1.5.html", "misc"}
    # Everything that was requested was requested here: nothing outside the scope.
    assert run.stats["downloader/request_count"] == len(nginx.log())


@pytest.mark.behaviour("DB-01", "DB-20")
def test_a_killed_crawl_goes_on_where_it_was(
    nginx: Nginx, starts: list[str], pages: set[str], crawl: CrawlCommand
) -> None:
    killed = kill_after(nginx, len(pages) // 2, crawl.begin(*starts, delay=0))
    before = fetched(nginx)
    resumed = crawl(*starts)
    assert resumed.status == 0, resumed.log[-3000:]
    assert set(written(killed, resumed)) == pages
    assert set(written(killed, resumed).values()) == {1}
    again = fetched(nginx) - before
    assert len(again & before) <= HANDFUL
    assert sum(fetched(nginx).values()) <= len(pages) + HANDFUL


@pytest.mark.behaviour("RC-08")
def test_a_second_run_asks_for_nothing_that_is_not_due(
    nginx: Nginx, starts: list[str], crawl: CrawlCommand
) -> None:
    crawl(*starts, max_pages=30)
    nginx.forget()
    # What was never visited is due; what was visited is not.
    second = crawl(*starts, max_pages=30)
    assert second.status == 0, second.log[-3000:]
    assert set(fetched(nginx).values()) == {1}
