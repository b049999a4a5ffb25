"""A crawl database that cannot be used says so in one readable line."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import time
from collections.abc import Coroutine, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from twisted.internet.defer import Deferred
from workers import SITE, candidate, ingested

from sitecrawl.frontier import sqlite
from sitecrawl.frontier.base import FrontierError, StateOptions
from sitecrawl.frontier.database import FIRST_VERSION, migrate, schema_scripts
from sitecrawl.frontier.opening import backend, open_frontier
from sitecrawl.frontier.threaded import Frontier


def in_loop(work: Coroutine[Any, Any, Any]) -> Deferred[Any]:
    """Run a coroutine as a task of the reactor's loop."""
    return Deferred.fromFuture(asyncio.ensure_future(work))


async def failure(database_url: str, name: str = "crawl") -> str:
    """Message of the failure to open the database."""
    frontier = open_frontier(database_url)
    with pytest.raises(FrontierError) as raised:
        await frontier.open(name, {})
    await frontier.close("failed", {})
    return str(raised.value)


@pytest_twisted.inlineCallbacks
def test_the_frontier_from_open_to_close(database_url: str) -> Generator[Any, Any, None]:
    async def crawl() -> list[str]:
        frontier = open_frontier(database_url, StateOptions(lease_seconds=3))
        assert await frontier.open("crawl", {"start": [SITE]}) == 1
        assert await frontier.add([candidate("/", via="seed")]) == 1
        [state] = await frontier.lease(5)
        await frontier.save_origin(state)
        [due] = await frontier.pop(SITE, 5)
        await asyncio.sleep(4.0)  # renewed meanwhile, or the lease would be over
        assert frontier.holds(SITE)
        _, changes = await frontier.commit(SITE, [ingested(due, "home", time.time())])
        assert (await frontier.settle(SITE)).changes == []
        await frontier.release(SITE)
        assert not frontier.holds(SITE)
        assert (await frontier.backlog()).free == 0
        assert await frontier.undelivered(5) == []
        await frontier.delivered([change.seq for change in changes])
        await frontier.close("finished", {"sitecrawl/pages": 1})
        return [change.op for change in changes]

    assert (yield in_loop(crawl())) == ["upsert"]
    database = backend(database_url).connect()
    rows = database.rows("SELECT configuration, finish_reason, counters FROM run")
    assert rows == [('{"start": ["http://site.example"]}', "finished", '{"sitecrawl/pages": 1}')]
    database.close()


@pytest_twisted.inlineCallbacks
def test_a_frontier_that_is_not_open(database_url: str) -> Generator[Any, Any, None]:
    frontier = open_frontier(database_url)
    with pytest.raises(FrontierError, match="is not open"):
        yield in_loop(frontier.add([]))
    yield in_loop(frontier.close("failed", {}))


@pytest_twisted.inlineCallbacks
def test_a_newer_and_a_foreign_database(database_url: str) -> Generator[Any, Any, None]:
    database = backend(database_url).connect()
    database.execute("CREATE TABLE recipe (name TEXT)")
    said = yield in_loop(failure(database_url))
    assert "holds tables of another program and no crawl" in said
    database.execute("DROP TABLE recipe")
    frontier = open_frontier(database_url)
    yield in_loop(frontier.open("crawl", {}))
    yield in_loop(frontier.close("finished", {}))
    database.execute("UPDATE crawl SET version = 999")
    said = yield in_loop(failure(database_url))
    assert "was written by a newer sitecrawl (schema 999, this one knows " in said
    older = FIRST_VERSION - 1
    database.execute(f"UPDATE crawl SET version = {older}")
    said = yield in_loop(failure(database_url))
    assert f"by an older sitecrawl (schema {older}, this one begins with {FIRST_VERSION})" in said
    assert "give a new database, or install that one" in said
    database.close()


def test_a_later_schema_is_reached_step_by_step(database_url: str) -> None:
    with closing(backend(database_url).connect()) as database:
        scripts = {**schema_scripts()}
        newest = max(scripts)
        migrate(database, "crawl")
        scripts[newest + 1] = "CREATE TABLE later (id {identity}, body {bytes})"
        scripts[newest + 2] = "ALTER TABLE later ADD COLUMN at DOUBLE PRECISION"
        database.read_only = True
        with pytest.raises(FrontierError, match="older sitecrawl and cannot be changed here"):
            migrate(database, None, scripts)
        database.read_only = False
        for _ in range(2):
            migrate(database, None, scripts)
            assert database.rows("SELECT name, version FROM crawl") == [("crawl", newest + 2)]
        assert database.rows("SELECT id, body, at FROM later") == []
        with pytest.raises(FrontierError, match="written by a newer sitecrawl"):
            migrate(database, None)


@pytest_twisted.inlineCallbacks
def test_a_file_that_is_no_database(tmp_path: Path) -> Generator[Any, Any, None]:
    file = tmp_path / "crawl.db"
    file.write_text("Dear diary, " * 1000)
    said = yield in_loop(failure(f"sqlite:///{file}"))
    assert said == (
        f"The crawl database {file} is not a SQLite database; "
        "give another path or move the file away."
    )
    assert file.read_text().startswith("Dear diary")


@pytest_twisted.inlineCallbacks
def test_a_damaged_file(tmp_path: Path) -> Generator[Any, Any, None]:
    file = tmp_path / "crawl.db"
    frontier = open_frontier(f"sqlite:///{file}")
    yield in_loop(frontier.open("crawl", {}))
    yield in_loop(frontier.close("finished", {}))
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    assert "is damaged; restore a copy" in (yield in_loop(failure(f"sqlite:///{file}")))


@pytest_twisted.inlineCallbacks
def test_a_database_that_another_program_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[Any, Any, None]:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    file = tmp_path / "crawl.db"
    frontier = open_frontier(f"sqlite:///{file}", StateOptions(reconnect_seconds=0))
    yield in_loop(frontier.open("crawl", {}))
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(FrontierError, match="is locked by another program; end it and run again"):
        yield in_loop(frontier.add([candidate("/")]))
    other.execute("ROLLBACK")
    other.close()
    assert (yield in_loop(frontier.add([candidate("/")]))) == 1
    yield in_loop(frontier.close("finished", {}))


async def behind_a_lock(frontier: Frontier, file: Path) -> list[str]:
    """Names of calls in the order of their ends; another process has the write lock for a while."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ended: list[str] = []

    async def noted(name: str, call: Coroutine[Any, Any, Any]) -> None:
        await call
        ended.append(name)

    calls = [noted(path, frontier.add([candidate(path)])) for path in ("/a", "/b", "/c")]
    tasks = [asyncio.create_task(call) for call in calls]
    await asyncio.sleep(0.3)
    tasks.append(asyncio.create_task(noted("beat", frontier.beat(0, 0.0, {}))))
    await asyncio.sleep(0.1)
    other.execute("ROLLBACK")
    other.close()
    await asyncio.gather(*tasks)
    return ended


@pytest.mark.behaviour("W-17")
@pytest_twisted.inlineCallbacks
def test_a_lock_of_a_stopped_worker_is_waited_for_and_heartbeats_are_sent_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Generator[Any, Any, None]:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    file = tmp_path / "crawl.db"
    frontier = open_frontier(f"sqlite:///{file}", StateOptions(reconnect_seconds=60))
    yield in_loop(frontier.open("crawl", {}))
    ended = yield in_loop(behind_a_lock(frontier, file))
    yield in_loop(frontier.close("finished", {}))
    assert ended == ["/a", "beat", "/b", "/c"]
    assert "is locked by another process; waiting for up to 60 s" in caplog.text


@pytest_twisted.inlineCallbacks
def test_a_path_that_cannot_be_made(tmp_path: Path) -> Generator[Any, Any, None]:
    (tmp_path / "file").write_text("")
    said = yield in_loop(failure(f"sqlite:///{tmp_path}/file/crawl.db"))
    assert "crawl.db cannot be made: " in said
    assert f"{tmp_path}/file; give another place with -s SITECRAWL_DATABASE=" in said


@pytest.mark.parametrize("url", ["mysql://host/db", "sqlite:///", "crawl.db", "", "sqlite://"])
def test_a_url_of_another_kind(url: str) -> None:
    with pytest.raises(FrontierError, match="is not a crawl database; give sqlite:///FILE"):
        open_frontier(url)


@pytest_twisted.inlineCallbacks
def test_a_server_that_is_not_there(tmp_path: Path) -> Generator[Any, Any, None]:
    said = yield in_loop(failure(f"postgresql://crawl@/crawl?host={tmp_path}"))
    assert "cannot be reached" in said


FULL = """
import resource, sys, time
sys.path[:0] = [{tests!r}]
from workers import Worker, ingested
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.base import StateOptions
from sitecrawl.frontier.store import Store
place = backend(sys.argv[1])
database = place.connect()
worker = Worker(Store(database, "crawl", {{}}, StateOptions()), database)
worker.seed(*(f"/{{n}}" for n in range(1000)))
dues = worker.due(limit=1000)
limit = 600_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
committed = 0
try:
    for due in dues:
        text = "".join(chr(32 + (i * 7919 + committed * 31) % 94) for i in range(3000))
        committed += len(worker.commit(ingested(due, text, time.time())))
except place.errors as error:
    print(committed, place.readable(error))
"""


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for the end of the disk."""
    file = tmp_path / "crawl.db"
    script = FULL.format(tests=str(__file__).rpartition("/")[0])
    command = [sys.executable, "-c", f"import signal; signal.signal(25, signal.SIG_IGN)\n{script}"]
    run = subprocess.run(
        [*command, f"sqlite:///{file}"], capture_output=True, text=True, check=True, timeout=300
    )
    committed, _, said = run.stdout.partition(" ")
    assert "disk" in said
    assert int(committed) > 0
    place = backend(f"sqlite:///{file}").connect()
    assert place.rows("PRAGMA integrity_check") == [("ok",)]
    assert place.rows("SELECT count(*) FROM outbox") == [(int(committed),)]
    assert place.rows("SELECT count(*) FROM url WHERE waiting = 0") == [(int(committed),)]
    place.close()


def test_rows_that_nobody_reads_to_their_end_do_no_harm(tmp_path: Path) -> None:
    database = sqlite.SqliteDatabase(str(tmp_path / "crawl.db"))
    rows = database.stream("SELECT 1 UNION SELECT 2")
    assert next(rows) == (1,)
    database.close()
    assert isinstance(rows, Generator)
    rows.close()  # as Python does where the reader has gone, as under head
