"""Writing the deletions of an origin that has nothing left to visit, unless they are too many."""

from __future__ import annotations

from collections import Counter

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

        Pages whose deletion is held back are due in every run, unless errors wait for a person;
        a run that does not look at them, because of its activity, leaves them as they are.
        """
        deletions, options = self._memory.deletions, self._memory.options
        before, documents = self._deleted[origin], deletions.documents(origin)
        gathered = deletions.of(origin)
        if too_many(options.deletion, before + len(gathered), before + documents):
            if not options.revisit.blacklist:
                deletions.doubt(origin)
            return Settlement([], len(gathered), documents)
        changes = Changes(self._memory.documents, origin)
        unseen = deletions.unseen(origin) if gathered else set()
        Judge(self._memory, changes).carry_out([g for g in gathered if g.url not in unseen])
        return Settlement(self._outbox.write(changes.entries()), 0, documents)

    def note(self, origin: int, settlement: Settlement) -> None:
        """Count what was written; only now, for a transaction may be tried again."""
        deletions = (change for change in settlement.changes if change.op == "delete")
        self._deleted[origin] += sum(1 for _ in deletions)
