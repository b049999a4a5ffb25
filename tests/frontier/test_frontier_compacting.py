"""The space of what was forgotten is given back, or what prevents that is told."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from workers import Crawls

from sitecrawl.frontier import sqlite
from sitecrawl.frontier.opening import backend, open_pruning, open_records

ATTEMPT = (
    "INSERT INTO attempt (url, run, started_at, duration, outcome, bytes) VALUES (?, 1, 0, 0, ?, 0)"
)


def grown(work: Crawls) -> str:
    """A crawl database most of which can be forgotten; its URL."""
    text = "".join(map(chr, random.Random(1).choices(range(32, 127), k=200_000)))
    worker = work()
    worker.seed("/", "/a")
    worker.crawl({"/": text, "/a": text[:-1]})
    worker.end()
    with closing(backend(work.url).connect()) as database, database.transaction():
        database.many(ATTEMPT, [(1 + number % 2, 20) for number in range(40_000)])
    return work.url


def documents(url: str) -> int:
    with open_records(url) as records:
        return sum(1 for _ in records.documents())


@pytest.mark.slow
def test_the_file_becomes_smaller(work: Crawls) -> None:
    url = grown(work)
    with open_pruning(url) as pruned:
        assert pruned.forget(0).attempts == 40_000
        compacted = pruned.compact()
        again = pruned.compact()
    if not url.startswith("sqlite"):
        assert compacted is None
        return
    assert compacted is not None
    assert again is not None
    assert compacted.after < compacted.before / 2
    assert (compacted.hindrance, again.hindrance) == ("", "less than a tenth of it is free")
    assert Path(url.removeprefix("sqlite:///")).stat().st_size == compacted.after
    assert documents(url) == 2


FULL = """
import resource, signal, sys
from sitecrawl.frontier.opening import open_pruning
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open_pruning(sys.argv[1]) as pruned:
    pruned.forget(0)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    print(pruned.compact().hindrance)
"""


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_disk_without_room_keeps_the_file(work: Crawls) -> None:
    """A limit on the size of files stands for the end of the disk."""
    command = [sys.executable, "-c", FULL, grown(work)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert ended.stdout == "the disk has no room for the copy that has to be made\n"
    assert documents(work.url) == 2
    with closing(backend(work.url).connect()) as database:
        assert database.rows("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_file_that_is_in_use_keeps_its_size(
    work: Crawls, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = grown(work)
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    with (
        open_pruning(url) as pruned,
        closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as other,
    ):
        pruned.forget(0)
        other.execute("BEGIN IMMEDIATE")
        compacted = pruned.compact()
        other.execute("ROLLBACK")
    assert compacted is not None
    assert compacted.hindrance == "another program uses the file"
    assert compacted.after == compacted.before
