"""Targets that somebody emptied, and crawl databases restored from a copy, are found at the next sync."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.killed_syncs import KINDS, KilledSyncs, SearchEngine, fold, target_of
from fixtures.server import Server

PAGES = 20


@pytest.fixture(params=KINDS)
def syncs(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> Iterator[KilledSyncs]:
    """A crawl, and a target that has all of it."""
    with target_of(request.param, tmp_path) as target:
        made = KilledSyncs(server, target, PAGES, random.Random(9))
        made.crawl()
        made.finish()
        yield made


@pytest.mark.behaviour("SY-23")
def test_what_somebody_removed_is_written_again(syncs: KilledSyncs) -> None:
    before = syncs.target.content()
    for ids in (list(before), list(before)[:1], list(before)[1:]):
        syncs.target.remove(ids)
        said = syncs.finish()
        assert f"{syncs.target.uri} has {len(before) - len(ids)} " in said
        assert f"compared with the crawl database: documents written {len(ids)}, deleted 0." in said
        assert syncs.finish() == ""
    known = len(syncs.lines)
    syncs.crawl()
    syncs.target.remove(list(before.keys() - {line["id"] for line in syncs.lines[known:]})[:2])
    assert "documents written 2, deleted 0." in syncs.finish()
    assert syncs.finish() == ""
    syncs.crawl()
    assert syncs.finish() == ""


@pytest.mark.behaviour("SY-24")
def test_a_restored_database_that_was_crawled_on(syncs: KilledSyncs, tmp_path: Path) -> None:
    copy, known = tmp_path / "copy", len(syncs.lines)
    shutil.copyfile(syncs.database, copy)
    for _ in range(2):
        syncs.crawl()
    assert syncs.finish() == ""
    lost = syncs.newest
    shutil.copyfile(copy, syncs.database)  # into the same file, as cp does
    del syncs.lines[known:]
    while not syncs.lines[known:] or syncs.newest <= lost:
        syncs.crawl()
    said = syncs.finish()
    assert "was filled before the crawl database was copied, moved or restored" in said
    assert syncs.finish() == ""
    syncs.crawl()
    assert syncs.finish() == ""


@pytest.mark.parametrize("syncs", ["sqlite"], indirect=True)
@pytest.mark.behaviour("SY-24")
def test_an_older_copy_that_was_not_crawled_on(syncs: KilledSyncs, tmp_path: Path) -> None:
    copy, known = tmp_path / "copy", len(syncs.lines)
    shutil.copyfile(syncs.database, copy)
    syncs.crawl()
    syncs.finish()
    shutil.copyfile(copy, syncs.database)  # into the same file, as cp does
    del syncs.lines[known:]
    assert syncs.sync("--dry-run")[0] == 0
    assert syncs.target.content() != fold(syncs.lines)
    assert "compared with the crawl database" in syncs.finish()
    assert syncs.finish() == ""


@pytest.mark.parametrize("syncs", ["sqlite"], indirect=True)
@pytest.mark.behaviour("SY-24")
def test_a_database_that_was_moved_costs_a_comparison_only(syncs: KilledSyncs) -> None:
    new = syncs.database.with_suffix(".new")
    shutil.copyfile(syncs.database, new)
    new.replace(syncs.database)
    assert syncs.finish().endswith("documents written 0, deleted 0.\n")
    assert syncs.finish() == ""


@pytest.mark.parametrize("syncs", ["opensearch", "elasticsearch"], indirect=True)
@pytest.mark.behaviour("SY-23")
def test_documents_of_another_program_stay(syncs: KilledSyncs) -> None:
    engine = syncs.target
    assert isinstance(engine, SearchEngine)
    before = engine.content()
    assert engine.put(f"/{engine.index}/_doc/theirs?refresh=true", {"body": "theirs"}) == 201
    assert syncs.sync() == (0, "")
    engine.remove(list(before))
    assert "documents written 21, deleted 0." in syncs.sync()[1]
    assert engine.content() == {**before, "theirs": "theirs"}
    assert engine.put("/sitecrawl-cursors", {}, method="DELETE") == 200
    status, said = syncs.sync()
    assert (status, "has documents and no cursor" in said) == (2, True)
    assert engine.content() == {**before, "theirs": "theirs"}
