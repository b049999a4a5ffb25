"""`scrapy sync`, killed in mid-work: the next one makes the target equal.

A short version of the campaign ``python -m benchmarks.sync_kills``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.killed_syncs import KINDS, KilledSyncs, SearchEngine, SearchFile, target_of
from fixtures.server import Server

PAGES = 80
KILLS = 4


@pytest.fixture(params=KINDS)
def syncs(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> Iterator[KilledSyncs]:
    """A crawl, and a target that it is synchronised to."""
    with target_of(request.param, tmp_path) as target:
        yield KilledSyncs(server, target, PAGES, random.Random(18))


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
