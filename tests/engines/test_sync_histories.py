"""Random histories of crawls, copies, restored copies, removed documents and killed syncs.

After each sync that ends, the target equals the fold of the crawl database that it was made from.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from fixtures.killed_syncs import KINDS, Target, Targets
from sitecrawl.frontier.base import (
    Candidate,
    Change,
    StateOptions,
    VisitResult,
)
from sitecrawl.frontier.change_log import DeadLetter
from sitecrawl.frontier.opening import backend, open_change_log, open_records
from sitecrawl.frontier.store import Store
from sitecrawl.policy.lifecycle.losses import Deletion
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.sync.synchronizer import Synchronizer
from sitecrawl.sync.target import (
    Cursor,
    SyncTarget,
    TargetMismatchError,
    TargetOptions,
    open_target,
)

SITE = "http://site.example"
PATHS = tuple("abcdefghijklmnop")
STEPS = 60
OPTIONS = StateOptions(
    revisit=Revisit(interval=0.0, minimum=0.0, maximum=0.0, refused=0.0, broken=0.0),
    deletion=Deletion(share=1.0),
    delay=0.0,
)


class KilledError(Exception):
    """A sync was killed."""


class Killed:
    """A target whose process is killed in one of its batches, after a part of the changes."""

    def __init__(self, target: Any, batches: int, part: float) -> None:
        self._target = target
        self._batches = batches
        self._part = part
        self._cursor: Cursor | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def open(self) -> Cursor | None:
        """Open the target."""
        self._cursor = self._target.open()
        return self._cursor

    def apply(self, changes: Sequence[Change], cursor: Cursor) -> list[DeadLetter]:
        """Write a batch, or a part of it without its cursor."""
        if not self._batches:
            if self._cursor is not None and self._part < 1:
                self._target.apply(changes[: int(self._part * len(changes))], self._cursor)
            elif self._part >= 1:
                self._target.apply(changes, cursor)
            raise KilledError
        self._batches -= 1
        self._cursor = cursor
        found: list[DeadLetter] = self._target.apply(changes, cursor)
        return found


class History:
    """A crawl database, its copies, and a target; each step changes one of them."""

    def __init__(self, folder: Path, target: Target, seed: int) -> None:
        self._folder = folder
        self._target = target
        self._chance = random.Random(seed)
        self._database = folder / "crawl.db"
        self._copies: list[Path] = []
        self._count = 0
        self.lines: list[str] = []
        self.crawl()

    def step(self) -> None:
        """Make one step at random."""
        steps = (self.crawl, self.crawl, self.copy, self.restore, self.remove, self.kill, self.sync)
        chosen = self._chance.choice(steps)
        self.lines.append(f"-- {chosen.__name__}")
        chosen()

    def crawl(self) -> None:
        """Find some pages new, changed or gone."""
        store = Store(backend(self._url).connect(), "histories", {}, OPTIONS)
        chosen = self._chance.sample(PATHS, self._chance.randint(1, 6))
        store.add([_candidate(path) for path in PATHS])
        store.mark_due([_candidate(path) for path in PATHS])
        store.lease(1)
        for due in store.pop(SITE, 100):
            if due.url.rpartition("/")[2] in chosen:
                self._count += 1
                store.commit(SITE, [self._visit(due)])
        store.settle(SITE)
        store.close("finished", {})

    def _visit(self, due: Any) -> VisitResult:
        if self._chance.random() < 0.35:
            return VisitResult(due, 1.0, 0.1, Outcome.FILE_GONE, reason="gone")
        id_ = f"{PATHS.index(due.url.rpartition('/')[2]):032x}"
        text = f"Visit {self._count} of {due.url} has words of its own."
        return VisitResult(
            due,
            1.0,
            0.1,
            Outcome.FILE_INGESTED,
            200,
            len(text),
            content_hash=text,
            document_hash=text,
            document={"id": id_, "url": due.url, "title": "", "body": text},
        )

    def copy(self) -> None:
        """Keep a copy of the database."""
        path = self._folder / f"copy{len(self._copies)}"
        shutil.copyfile(self._database, path)
        self._copies.append(path)

    def restore(self) -> None:
        """Restore a copy, into the same file or as another one; mostly crawl on."""
        if not self._copies:
            return
        copy = self._chance.choice(self._copies)
        if self._chance.random() < 0.5:
            shutil.copyfile(copy, self._database)
        else:
            new = self._folder / "new"
            shutil.copyfile(copy, new)
            new.replace(self._database)
        for _ in range(self._chance.randint(0, 4)):
            self.crawl()

    def remove(self) -> None:
        """Remove documents behind the back of sync."""
        if known := list(self._target.content()):
            self._target.remove(self._chance.sample(known, self._chance.randint(1, len(known))))

    def kill(self) -> None:
        """Begin a sync, and kill it."""
        with closing(open_target(self._target.uri, EMBED)) as target:
            part = self._chance.choice((0.0, 0.5, 1.0))
            self._run(Killed(target, self._chance.randint(0, 3), part))

    def sync(self) -> None:
        """Synchronise; the target equals the database afterwards, and the next sync finds it so."""
        self._run(None)
        content = self._target.content()
        with open_records(self._url) as records:
            expected = {each["id"]: each["body"] for each in records.documents()}
        assert content == expected, "\n".join(self.lines)
        reported = len(self.lines)
        self._run(None)
        assert self.lines[reported:] == []
        with open_change_log(self._url) as log:
            assert log.expected("", None, log.newest()) == (len(expected), 0)

    def _run(self, killed: Any) -> None:
        batch = self._chance.choice((1, 3, 100))
        with ExitStack() as stack:
            log = stack.enter_context(open_change_log(self._url))
            target: SyncTarget = killed or stack.enter_context(
                closing(open_target(self._target.uri, EMBED))
            )
            synchronizer = Synchronizer(
                log, target, self._target.uri, report=self.lines.append, batch=batch
            )
            try:
                synchronizer.run()
            except KilledError:
                self.lines.append("killed")
            except TargetMismatchError as error:  # the copy is so old that a person must confirm
                self.lines.append(str(error))
                synchronizer.rebuild()

    @property
    def _url(self) -> str:
        return f"sqlite:///{self._database}"


def _candidate(path: str) -> Candidate:
    return Candidate(SITE, PATHS.index(path) + 1, f"{SITE}/{path}")


EMBED = TargetOptions(embed="tests_sync_vectors:embed")


@pytest.fixture(params=KINDS)
def target(request: pytest.FixtureRequest, targets: Targets, tmp_path: Path) -> Target:
    return targets.empty(request.param, tmp_path)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.behaviour("SY-23", "SY-24")
def test_every_sync_ends_with_the_documents_of_the_database(
    target: Target, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tests_sync_vectors.py").write_text(
        "def embed(texts):\n    return [[float(len(text)), 1.0] for text in texts]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    history = History(tmp_path, target, seed)
    for _ in range(STEPS):
        history.step()
    history.sync()
