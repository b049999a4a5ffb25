"""An index kept over many runs, some cut short, is in the end what a first crawl would write."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from evolving import EvolvingSite
from workers import candidate

from sitecrawl.frontier.administration import Administration
from sitecrawl.frontier.base import Change, HeldGroup, StateOptions
from sitecrawl.frontier.opening import backend, open_records
from sitecrawl.frontier.store import Store
from sitecrawl.policy.lifecycle.losses import Deletion
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.outcomes import Outcome

SEEDS = range(120)
CYCLES, RUNS, CHANGES = 2, 3, 5
SURE = Deletion(share=1.0)
CONFIRMED = 5  # runs after which no deletion waits for another answer
ALWAYS_DUE = Revisit(interval=0.0, minimum=0.0, maximum=0.0, refused=0.0, broken=0.0)
ENVELOPE = frozenset({"seq", "run_id", "change", "last_changed_at"})


class Index:
    """Documents of a consumer who applies every line in its order."""

    def __init__(self) -> None:
        self.documents: dict[str, dict[str, Any]] = {}
        self.rewritten: list[str] = []

    def apply(self, changes: Iterable[Change]) -> None:
        """Apply lines, and note documents that were written as they were."""
        for change in changes:
            before = self.documents.pop(change.id, None)
            if change.op == "upsert":
                self.documents[change.id] = change.record
                if before is not None and bare(before) == bare(change.record):
                    self.rewritten.append(change.record["url"])

    def bare(self) -> dict[str, dict[str, Any]]:
        """The documents without what differs from run to run."""
        return {id_: bare(document) for id_, document in self.documents.items()}


def bare(document: dict[str, Any]) -> dict[str, Any]:
    """A document without what differs from run to run."""
    return {name: value for name, value in document.items() if name not in ENVELOPE}


class Evolution:
    """Runs on one database while the site changes."""

    def __init__(self, url: str, site: EvolvingSite, chance: random.Random) -> None:
        self.url = url
        self.index = Index()
        self.held: list[HeldGroup] = []
        self._site = site
        self._chance = chance

    def run(self, *, limit: int | None = None, deletion: Deletion = SURE) -> int:
        """Crawl what is due, to the end or ``limit`` visits; how many lines came of it."""
        database = backend(self.url).connect()
        options = StateOptions(revisit=ALWAYS_DUE, deletion=deletion, delay=0.0)
        store = Store(database, "evolving", {}, options)
        store.add([candidate(url, via="seed") for url in self._site.starts])
        changes = self._crawl(store, limit)
        store.delivered([change.seq for change in changes])
        store.close("finished", {})
        self.index.apply(changes)
        return len(changes)

    def _crawl(self, store: Store, limit: int | None) -> list[Change]:
        changes: list[Change] = []
        visits = 0
        self.held = []
        while keys := [state.key for state in store.lease(10)]:
            for key in keys:
                while dues := store.pop(key, self._chance.choice((1, 2, 50))):
                    changes += store.commit(key, [self._site.visit(due) for due in dues]).changes
                    visits += len(dues)
                    if limit is not None and visits >= limit:
                        return changes
                settlement = store.settle(key)
                changes += settlement.changes
                self.held += settlement.held
                store.release(key)
        return changes

    def confirm(self) -> None:
        """Accept the losses that are held, as ``scrapy frontier confirm`` does."""
        database = backend(self.url).connect()
        self.index.apply(Administration(database).confirm())
        database.close()

    def forgive_gone(self) -> None:
        """Let be asked again what answered 410, as ``clear-errors`` does."""
        database = backend(self.url).connect()
        database.execute("UPDATE url SET due = 0 WHERE outcome = ?", (int(Outcome.FILE_GONE),))
        database.close()

    def known(self) -> list[str]:
        """All URLs that were ever found."""
        with open_records(self.url) as records:
            return [url for url, _, _ in records.pending()]


def disturb(evolution: Evolution, site: EvolvingSite, chance: random.Random) -> None:
    """Some runs of an evolving site: whole, cut short, or with deletions held back."""
    for _ in range(chance.randrange(1, RUNS + 1)):
        for _ in range(chance.randrange(CHANGES)):
            site.change()
        limit = chance.choice((None, None, chance.randrange(1, 12)))
        held = Deletion(share=chance.choice((0.0, 0.1)))
        evolution.run(limit=limit, deletion=chance.choice((SURE, SURE, held)))


def first_crawl(url: str, site: EvolvingSite, known: list[str]) -> Index:
    """Lines written of the unchanged site when every known URL is requested."""
    fresh = Evolution(url, site, random.Random(0))
    starts, site.starts = site.starts, [*site.starts, *known]
    for _ in range(2):  # a claim on a page that had to give way itself is weighed in the second
        fresh.run()
    site.starts = starts
    return fresh.index


@pytest.mark.slow
@pytest.mark.behaviour("RC-04", "RC-10", "DEL-11", "DU-02", "DU-05", "DU-11", "DB-20")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_index_is_what_a_first_crawl_would_write(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    site = EvolvingSite(chance, origins=chance.choice((1, 2)))
    evolution = Evolution(f"sqlite:///{tmp_path}/evolving.db", site, chance)
    for cycle in range(CYCLES):
        disturb(evolution, site, chance)
        site.heal()
        evolution.forgive_gone()
        lines = [evolution.run() for _ in range(CONFIRMED)]
        while evolution.held:  # the pages that remain may be lost in turn
            evolution.confirm()
            lines = [evolution.run() for _ in range(CONFIRMED)]
        fresh = first_crawl(f"sqlite:///{tmp_path}/first-{cycle}.db", site, evolution.known())
        story = "\n".join(site.happened)
        assert evolution.index.bare() == fresh.bare(), story
        assert lines[-1] == 0, story
        assert evolution.index.rewritten == [], story
