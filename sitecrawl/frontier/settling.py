"""Writing the deletions of an origin that has nothing left to visit, unless they are too many."""

from __future__ import annotations

from collections import Counter

from sitecrawl.frontier.answers import leading_to
from sitecrawl.frontier.base import Settlement
from sitecrawl.frontier.changes import Changes
from sitecrawl.frontier.findings import Judge
from sitecrawl.frontier.memory import Memory
from sitecrawl.frontier.outbox import Outbox
from sitecrawl.policy.deletion import too_many


class Settling:
    """What one worker deletes of each origin in a run, or in a round of it."""

    def __init__(self, memory: Memory, outbox: Outbox) -> None:
        self._memory = memory
        self._outbox = outbox
        self._deleted: Counter[int] = Counter()

    def begin_round(self) -> None:
        """Count from nothing again."""
        self._deleted.clear()

    def settle(self, origin: int) -> Settlement:
        """Inside a transaction: write the deletions seen on an origin, or hold them back.

        Held back is what several known pages began to answer, and what remains if it is too
        much; a page for which another one stands is no loss. Pages whose deletion is held back
        are due in every run, unless errors wait for a person; a run that does not look at them,
        because of its activity, leaves them as they are.
        """
        memory = self._memory
        documents = memory.documents.count(origin)
        changes = Changes(memory.documents, origin)
        judge = Judge(memory, changes)
        gathered = memory.deletions.of(origin)
        unseen = memory.deletions.unseen(origin)
        self._write_withheld(judge, origin, unseen)
        withheld = [each for each in memory.withheld.of(origin) if each.held]
        outage = {leading_to("redirect", each.address) for each in withheld}
        shared = [
            each
            for each in gathered
            if each.answer in outage or judge.is_shared(origin, each.answer)
        ]
        alone = [each for each in gathered if each not in shared]
        losses = [each for each in alone if not each.moved]
        before = self._deleted[origin]
        held = 0
        if too_many(memory.options.deletion, before + len(losses), before + documents):
            alone, held = [each for each in alone if each.moved], len(losses)
        if (held or shared) and not memory.options.revisit.blacklist:
            memory.deletions.doubt(origin)
        memory.withheld.doubt(origin)
        judge.carry_out([each for each in alone if each.url not in unseen])
        written = self._outbox.write(changes.entries())
        deleted = sum(1 for each in losses if not held and each.url not in unseen)
        groups = memory.answers.held(origin)
        return Settlement(written, held, documents, deleted, tuple(groups))

    def _write_withheld(self, judge: Judge, origin: int, unseen: set[int]) -> None:
        for each in self._memory.withheld.of(origin):
            if judge.shares_answer(each):
                self._memory.withheld.hold(each.url)
            elif each.url not in unseen and not (each.held and each.change == "new"):
                judge.release([each])

    def note(self, origin: int, settlement: Settlement) -> None:
        """Count what was written; only now, for a transaction may be tried again."""
        self._deleted[origin] += settlement.deleted
