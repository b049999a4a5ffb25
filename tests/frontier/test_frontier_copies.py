"""Copies of a crawl database: the epoch of each, and the hashes of changes made after the copy."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from workers import Crawls

from sitecrawl.frontier.change_log import ExpectedCount
from sitecrawl.frontier.opening import backend, open_change_log, open_pruning
from sitecrawl.policy.lifecycle.revisit import Revisit

OPTIONS = {"revisit": Revisit(interval=0.0)}
RESTORED_DUMP = (
    "CREATE TABLE restored AS TABLE crawl; DROP TABLE crawl; ALTER TABLE restored RENAME TO crawl"
)


def crawl(work: Crawls, **pages: str) -> None:
    """One run that finds these pages, delivered."""
    worker = work(**OPTIONS)
    worker.seed(*(f"/{name}" for name in pages))
    worker.crawl({f"/{name}": text for name, text in pages.items()})
    worker.settle()
    worker.database.execute("UPDATE outbox SET delivered = 1, owner = NULL")
    worker.end()
    worker.database.close()


def move(url: str) -> None:
    """Put the database in another place, as it is."""
    database = Path(url.removeprefix("sqlite:///"))
    if database.exists():
        shutil.copyfile(database, f"{database}.new")
        Path(f"{database}.new").replace(database)
    else:
        with closing(backend(url).connect()) as opened:
            opened.script(RESTORED_DUMP)


@pytest.mark.behaviour("SY-24")
def test_a_copy_has_an_epoch_of_its_own(work: Crawls) -> None:
    crawl(work, a="one")
    epochs = []
    for _ in range(2):
        for _ in range(2):
            with open_change_log(work.url) as log:
                epochs.append(log.epoch())
        move(work.url)
    assert epochs[0] == epochs[1] != epochs[2] == epochs[3]
    assert all(epochs)


@pytest.mark.behaviour("SY-24")
def test_changes_made_after_a_copy_differ_in_their_hash(work: Crawls) -> None:
    crawl(work, a="one", b="two")
    with open_change_log(work.url) as log:
        before = [log.hash_of(seq) for seq in (1, 2)]
        assert (log.hash_of(0), log.hash_of(3)) == ("", None)
        assert [change.hash for change in log.upserts([1, 2])] == before
    with closing(backend(work.url).connect()) as database:
        database.execute("UPDATE outbox SET made_at = made_at + 0.001 WHERE seq = 2")
    with open_change_log(work.url) as log:
        assert log.hash_of(1) == before[0]
        assert log.hash_of(2) not in (None, before[1])


@pytest.mark.behaviour("SY-23")
def test_documents_are_counted_as_the_log_has_them(work: Crawls) -> None:
    crawl(work, a="one", b="two", c="three")
    crawl(work, a="one", b="two again")
    with open_change_log(work.url) as log:
        assert log.newest() == 4
        assert log.expected("t", None, 4) == log.expected("t", "default", 4) == (3, 0)
        assert log.expected("t", "other", 4) == (0, 0)
        assert log.expected("t", None, 1) == (3, 3)
        last = log.last_changes(None)
        assert {seq for seq, _ in last.values()} == {1, 3, 4}
        assert all(log.hash_of(seq) == hash_ for seq, hash_ in last.values())
        assert ExpectedCount(3, 1).fault(2) == ""
        assert ExpectedCount(3, 1).fault(5) == "has 5 documents instead of 3"


@pytest.mark.behaviour("SY-08", "SY-24")
def test_the_change_that_a_target_read_last_is_not_pruned(work: Crawls) -> None:
    crawl(work, a="one", b="two")
    crawl(work, a="one again", b="two again")
    with open_change_log(work.url) as log:
        batch = log.read(0, None, 2)
        assert batch is not None
        log.advance("t", None, batch, [])
    with open_pruning(work.url) as pruning:
        assert pruning.forget(0).changes == 1
    with open_change_log(work.url) as log:
        assert log.hash_of(1) is None
        assert log.hash_of(2) == batch.hash
