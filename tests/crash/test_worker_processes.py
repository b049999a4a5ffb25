"""``workers=N``: one command, one log, one output in order, one exit status."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Server, page

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
PATHS = [f"/{one}-{other}" for one in WORDS[:5] for other in WORDS[:6]]
ORIGINS = 6


def site(number: int) -> dict[str, Page]:
    """Pages with texts of their own, one of which is missing."""
    pages: dict[str, Page] = {"/": page(*PATHS, "/missing", text=f"Home of {number}")}
    for place, path in enumerate(PATHS):
        text = " ".join(f"word{(number * 977 + place * 31 + n * n * 7) % 9000}" for n in range(60))
        pages[path] = page(text=text)
    return pages


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(each) for each in text.split()]


def served(server: Server) -> list[str]:
    """Serve the sites; the starts."""
    return [f"{server.serve(site(n), address=f'127.0.3.{n + 1}')}/" for n in range(ORIGINS)]


def numbers(crawl: Crawl) -> dict[str, float]:
    """The numbers of a run that do not depend on the number of its workers."""
    counted = ("sitecrawl/", "downloader/response_status_count", "item_scraped_count")
    return {name: value for name, value in crawl.stats.items() if name.startswith(counted)}


@pytest.mark.behaviour("W-05", "W-06")
def test_several_workers_are_one_crawl(server: Server, tmp_path: Path, database_url: str) -> None:
    starts = [*served(server), "http://127.0.3.1:1/"]  # refuses connections
    runs = []
    for workers in (1, 3):
        folder = tmp_path / str(workers)
        folder.mkdir()
        own = CrawlCommand(folder)
        server.log.clear()
        settings = {"SITECRAWL_DATABASE": f"sqlite:///{folder}/crawl.db"}
        if workers == 3:
            settings = {"SITECRAWL_DATABASE": database_url}
        options = {"retries": 0, "crawl_name": "one", "politeness": 0, "workers": workers}
        run = own(*starts, settings=settings, **options)
        assert len(server.log.of()) == ORIGINS * (len(PATHS) + 3)
        assert [line["seq"] for line in run.lines] == list(range(1, len(run.lines) + 1))
        runs.append(run)
    one, several = runs
    assert several.status == one.status, several.log
    assert several.documents.keys() == one.documents.keys()
    assert numbers(several) == numbers(one)
    assert several.log.count("Ended after") == 1
    assert "Traceback" not in several.log


@pytest.mark.behaviour("W-05")
def test_a_worker_that_dies_is_named_and_its_origins_go_on(
    server: Server, crawl: CrawlCommand
) -> None:
    starts = served(server)
    running = crawl.begin(*starts, workers=2, delay=0.1, politeness=0)
    server.log.wait_for(40)
    victim = children(running.process.pid)[0]
    os.kill(victim, signal.SIGKILL)
    run = running.finish()
    assert run.status == 0, run.log
    assert f"(process {victim}) died (signal 9); the other 1 go on with its origins" in run.log
    assert len(run.documents) == ORIGINS * (len(PATHS) + 1)
    assert all(server.log.most_in_flight(start.rstrip("/")) == 1 for start in starts)


@pytest.mark.behaviour("W-05")
def test_an_interrupt_ends_all_workers(server: Server, crawl: CrawlCommand) -> None:
    pages: dict[str, Page] = {path: Answer(page(text=f"Page {path}"), delay=0.1) for path in PATHS}
    starts = [
        f"{server.serve({'/': page(*pages), **pages}, address=f'127.0.3.{n + 1}')}/"
        for n in range(ORIGINS)
    ]
    running = crawl.begin(*starts, workers=2, delay=0.1, politeness=0)
    server.log.wait_for(30)
    workers = children(running.process.pid)
    assert len(workers) == 2
    running.process.send_signal(signal.SIGINT)
    run = running.finish(60)
    assert "'finish_reason': 'shutdown'" in run.log
    assert not any(Path(f"/proc/{each}").exists() for each in workers)
    answered = {f"{e.origin}{e.target}" for e in server.log.of() if e.status == 200}
    assert run.documents.keys() == answered
    seqs = [line["seq"] for line in run.lines]
    assert seqs == sorted(seqs)
    again = crawl(*starts, workers=2, politeness=0)
    assert again.status == 0, again.log
    assert len(run.documents.keys() | again.documents.keys()) == ORIGINS * (len(PATHS) + 1)
