"""Kills of `scrapy sync` between its first and its last write, and the target afterwards.

    python -m benchmarks.sync_kills [TARGET...] [--kills 50] [--seed N]

A site of 240 pages changes between crawls; every crawl is synchronised by a process that is killed
at random moments, with batches of 1 to 40 changes. Only kills count that the target proves: its
content or its cursor has changed, and the cursor is not at the end. After each one nothing below
the cursor may be missing; in the end the content equals the fold of the lines that the crawls
wrote. Each target is then replayed from half of the log with its deletes forgotten, and meets a
recreated crawl database. A search engine also gets an older write than a deletion after it would
by itself have forgotten that.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.results import recorded
from fixtures.killed_syncs import KINDS, KilledSyncs, SearchEngine, Tally, Targets
from fixtures.server import Server

PAGES = 240
KILLS_PER_CRAWL = 6
FORGETTING = 75  # seconds; a search engine forgets a deletion after 60 by itself


def campaign(kind: str, kills: int, seed: int) -> Tally:
    """Kill syncs of one target until so many were in mid-work, then make every other check."""
    with (
        TemporaryDirectory(prefix="sync-kills-") as folder,
        Server() as server,
        Targets() as targets,
    ):
        target = targets.empty(kind, Path(folder))
        syncs = KilledSyncs(server, target, PAGES, random.Random(seed))
        while syncs.tally.proved < kills:
            syncs.crawl()
            goal = min(syncs.tally.proved + KILLS_PER_CRAWL, kills)
            while syncs.tally.proved < goal and not syncs.is_equal():
                syncs.kill()
            print(kind, syncs.tally, flush=True)
        syncs.finish()
        assert syncs.tally.deletions, "nothing was ever deleted"
        if kind == "sqlite":
            assert syncs.tally.torn == 0, "a batch was seen half written"
        if isinstance(target, SearchEngine):
            older_write(syncs, target)
        syncs.replay()
        syncs.refuse_recreated()
        return syncs.tally


def older_write(syncs: KilledSyncs, engine: SearchEngine) -> None:
    """Assert that a deletion still refuses an older write, where a plain index has forgotten it."""
    line = next(line for line in reversed(syncs.lines) if line["op"] == "delete")
    place = f"_doc/{line['id']}?version_type=external_gte&version="
    plain, ours = "plain", f"{engine.index}-1"
    engine.put(f"/{plain}/{place}1", {"body": "first"})
    engine.put(f"/{plain}/{place}{line['seq']}", {}, method="DELETE")
    time.sleep(FORGETTING)
    for index in (plain, ours):
        engine.put(f"/{index}/_refresh", {}, method="POST")
    assert engine.put(f"/{plain}/{place}{line['seq'] - 1}", {"body": "zombie"}) == 201
    assert engine.put(f"/{ours}/{place}{line['seq'] - 1}", {"body": "zombie"}) == 409


def main() -> int:
    """Run the campaign for each target; an AssertionError tells what is not equal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(KINDS))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with recorded("sync_kills", whole=not options.targets) as figures:
        for kind in options.targets or KINDS:
            tally = campaign(kind, options.kills, options.seed)
            figures[kind] = asdict(tally)
    return 0


if __name__ == "__main__":
    sys.exit(main())
