"""`-a sync=TARGET`: targets that are kept equal while the crawl runs."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from fixtures.command import run
from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page
from sitecrawl.search.search_index import open_index

SITE: dict[str, Page] = {
    "/": page("/a", "/b", title="Home", text="start"),
    "/a": page(title="A", text="apples"),
    "/b": page(title="B", text="bananas"),
}


def titles(path: Path) -> set[str]:
    with open_index(path) as index:
        return {each.title for each in index.pages()}


@contextmanager
def silent_server() -> Iterator[int]:
    """A port that accepts connections and never answers."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        yield listening.getsockname()[1]


@pytest.mark.behaviour("SY-15", "SY-23")
def test_targets_are_equal_when_the_crawl_has_ended(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    one, other = tmp_path / "one.sqlite", tmp_path / "other.sqlite"
    origin = server.serve(SITE)
    done = crawl(f"{origin}/", sync=f"sqlite:///{one} sqlite:///{other}")
    assert (done.status, len(done.lines)) == (0, 3)
    for path in (one, other):
        assert f"sync: sqlite:///{path} has every change." in done.log
        assert titles(path) == {"Home", "A", "B"}
    again = run(["sync", f"sqlite:///{one}"], tmp_path, settings="sitecrawl.settings")
    assert "nothing to write" in again.stdout
    with open_index(one) as index, index.transaction():
        index.remove(next(iter(index.pages())).id)
    done = crawl(f"{origin}/", sync=f"sqlite:///{one}")
    assert f"WARNING: sync: sqlite:///{one} has 2 documents instead of 3; compared" in done.log
    assert titles(one) == {"Home", "A", "B"}


@pytest.mark.behaviour("SY-15")
def test_a_dead_target_is_reported_and_harms_nothing(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    good = tmp_path / "good.sqlite"
    dead = "opensearch://me:geheim@127.0.0.1:9/documents"
    done = crawl(f"{server.serve(SITE)}/", sync=f"{dead} sqlite:///{good}")
    assert (done.status, len(done.lines)) == (0, 3)
    assert "ERROR: sync: opensearch://127.0.0.1:9/documents does not answer" in done.log
    assert "Later: scrapy sync opensearch://127.0.0.1:9/documents" in done.log
    assert titles(good) == {"Home", "A", "B"}
    everything = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in everything if b"geheim" in path.read_bytes()]


@pytest.mark.slow
@pytest.mark.behaviour("SY-15")
def test_a_silent_target_does_not_delay_the_output(server: Server, crawl: CrawlCommand) -> None:
    with silent_server() as port:
        running = crawl.begin(
            f"{server.serve(SITE)}/", delay=0, sync=f"opensearch://127.0.0.1:{port}/documents"
        )
        done = running.finish()
    assert (done.status, len(done.lines)) == (0, 3)
    assert "does not answer" in done.log


@pytest.mark.parametrize("target", ["ftp://host/x", "one.sqlite"])
def test_a_wrong_target_is_refused_before_any_request(
    server: Server, crawl: CrawlCommand, target: str
) -> None:
    done = crawl(f"{server.serve(SITE)}/", sync=target)
    assert done.status == 2
    assert f"sync: '{target}' is not a target; give one of" in done.log


@pytest.mark.behaviour("SY-15")
def test_a_target_of_another_crawl(server: Server, crawl: CrawlCommand, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path}/one.sqlite"
    origin = server.serve(SITE)
    assert crawl(f"{origin}/", sync=target).status == 0
    for path in (tmp_path / ".sitecrawl").iterdir():
        path.unlink()
    done = crawl(f"{origin}/", sync=target)
    assert done.status == 0
    assert "was filled from another crawl database; add --rebuild" in done.log


@pytest.mark.slow
@pytest.mark.behaviour("W-16")
def test_a_target_is_taken_over_from_a_killed_worker(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    target, database = f"pagefind:///{tmp_path / 'found'}", f"sqlite:///{tmp_path}/crawl.db"
    settings = {"SITECRAWL_DATABASE": database}
    options = {"crawl_name": "shared", "sync": target, "delay": 0.3, "politeness": 0}
    starts = []
    for number in range(4):
        paths = [f"/{'abcdefghijklmnopqrst'[n]}" for n in range(12)]
        texts = {path: page(title=path, text=f"Page {path} of {number}") for path in paths}
        starts.append(f"{server.serve({'/': page(*paths, text=f'Home {number}'), **texts})}/")
    killed, other = (crawl.begin(*starts, settings=settings, **options) for _ in range(2))
    server.log.wait_for(30)
    pid = killed.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for each in (*map(int, children), pid):  # a sync whose crawl has ended may end by itself
        os.kill(each, signal.SIGKILL)
    done = other.finish()
    assert done.status == 0, done.log
    assert f"sync: {target} has every change." in done.log, [
        each for each in done.log.splitlines() if "sync" in each
    ]
    again = run(
        ["sync", target, "-s", f"SITECRAWL_DATABASE={database}"],
        tmp_path,
        settings="sitecrawl.settings",
    )
    assert "nothing to write" in again.stdout


@pytest.mark.slow
@pytest.mark.behaviour("W-16")
def test_the_end_tells_of_a_killed_sync(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    target = f"sqlite:///{tmp_path}/found.sqlite"
    running = crawl.begin(f"{server.serve(SITE)}/", sync=target, delay=1)
    server.log.wait_for(2)
    pid = running.process.pid
    for each in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        os.kill(each, signal.SIGKILL)
    done = running.finish()
    assert (done.status, len(done.lines)) == (0, 3), done.log
    assert f"it was killed. Later: scrapy sync {target}" in done.log
