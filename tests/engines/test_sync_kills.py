"""`scrapy sync` after a kill in mid-work, of a target that somebody emptied, and of a restored crawl
database: the next one makes the target equal.

The kills are a short version of the campaign ``python -m benchmarks.sync_kills``.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from fixtures.killed_syncs import KINDS, KilledSyncs, SearchEngine, SearchFile, Targets, fold
from fixtures.server import Server

PAGES = 80
KILLS = 4
PAGES_OF_FILLED = 20


@pytest.fixture(params=KINDS)
def syncs(
    request: pytest.FixtureRequest, targets: Targets, server: Server, tmp_path: Path
) -> KilledSyncs:
    """A crawl, and a target that it is synchronised to."""
    return KilledSyncs(server, targets.empty(request.param, tmp_path), PAGES, random.Random(18))


@pytest.fixture(params=KINDS)
def filled(
    request: pytest.FixtureRequest, targets: Targets, server: Server, tmp_path: Path
) -> KilledSyncs:
    """A smaller crawl, and a target that has all of it."""
    target = targets.empty(request.param, tmp_path)
    made = KilledSyncs(server, target, PAGES_OF_FILLED, random.Random(9))
    made.crawl()
    made.finish()
    return made


@pytest.mark.behaviour("SY-03", "SY-05")
def test_killed_in_mid_work_equal_afterwards(syncs: KilledSyncs) -> None:
    while syncs.tally.proved < KILLS or not syncs.tally.deletions:
        syncs.crawl()
        while syncs.tally.proved < KILLS and not syncs.is_equal():
            syncs.kill()
    if isinstance(syncs.target, SearchFile):
        assert syncs.tally.torn == 0
    syncs.finish()
    if isinstance(syncs.target, SearchEngine):
        settings = syncs.target.get(f"/{syncs.target.index}-1/_settings")
        assert settings[f"{syncs.target.index}-1"]["settings"]["index"]["gc_deletes"] == "7d"
    syncs.replay()
    syncs.refuse_recreated()


@pytest.mark.behaviour("SY-23")
def test_what_somebody_removed_is_written_again(filled: KilledSyncs) -> None:
    before = filled.target.content()
    for ids in (list(before), list(before)[:1], list(before)[1:]):
        filled.target.remove(ids)
        said = filled.finish()
        assert f"{filled.target.uri} has {len(before) - len(ids)} " in said
        assert f"compared with the crawl database: documents written {len(ids)}, deleted 0." in said
        assert filled.finish() == ""
    known = len(filled.lines)
    filled.crawl()
    filled.target.remove(list(before.keys() - {line["id"] for line in filled.lines[known:]})[:2])
    assert "documents written 2, deleted 0." in filled.finish()
    assert filled.finish() == ""
    filled.crawl()
    assert filled.finish() == ""


@pytest.mark.behaviour("SY-24")
def test_a_restored_database_that_was_crawled_on(filled: KilledSyncs, tmp_path: Path) -> None:
    copy, known = tmp_path / "copy", len(filled.lines)
    shutil.copyfile(filled.database, copy)
    for _ in range(2):
        filled.crawl()
    assert filled.finish() == ""
    lost = filled.newest
    shutil.copyfile(copy, filled.database)  # into the same file, as cp does
    del filled.lines[known:]
    while not filled.lines[known:] or filled.newest <= lost:
        filled.crawl()
    said = filled.finish()
    assert "was filled before the crawl database was copied, moved or restored" in said
    assert filled.finish() == ""
    filled.crawl()
    assert filled.finish() == ""


@pytest.mark.parametrize("filled", ["sqlite"], indirect=True)
@pytest.mark.behaviour("SY-24")
def test_an_older_copy_that_was_not_crawled_on(filled: KilledSyncs, tmp_path: Path) -> None:
    copy, known = tmp_path / "copy", len(filled.lines)
    shutil.copyfile(filled.database, copy)
    filled.crawl()
    filled.finish()
    shutil.copyfile(copy, filled.database)  # into the same file, as cp does
    del filled.lines[known:]
    assert filled.sync("--dry-run")[0] == 0
    assert filled.target.content() != fold(filled.lines)
    assert "compared with the crawl database" in filled.finish()
    assert filled.finish() == ""


@pytest.mark.parametrize("filled", ["sqlite"], indirect=True)
@pytest.mark.behaviour("SY-24")
def test_a_database_that_was_moved_costs_a_comparison_only(filled: KilledSyncs) -> None:
    new = filled.database.with_suffix(".new")
    shutil.copyfile(filled.database, new)
    new.replace(filled.database)
    assert filled.finish().endswith("documents written 0, deleted 0.\n")
    assert filled.finish() == ""
