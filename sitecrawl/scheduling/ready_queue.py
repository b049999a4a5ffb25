"""The ready queue: whose turn it is next."""

from __future__ import annotations

import heapq
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.scheduling.origin import Origin


class ReadyQueue:
    """Origins with work, ordered by the time from which each may be asked."""

    def __init__(self, in_flight_per_origin: int = 1) -> None:
        self._heap: list[tuple[float, int, Origin]] = []
        self._order = count()
        self._in_flight = in_flight_per_origin

    def push(self, origin: Origin) -> None:
        """Queue the origin, unless it has nothing to send, or enough is in flight."""
        if not origin.has_work:
            return
        when = origin.turn_at
        if origin.queued_at is not None and origin.queued_at <= when:
            return
        if origin.slot.in_flight >= self._in_flight:
            origin.wait_in_slot()
            return
        origin.queued_for(when)  # an entry for a later time, if there is one, is passed over
        heapq.heappush(self._heap, (when, next(self._order), origin))

    def pop_ready(self, now: float) -> Origin | None:
        """Remove and return the first origin whose time came by ``now``.

        It may have to wait again, because its pace has changed meanwhile: see ``may_acquire``.
        """
        while self._heap and self._heap[0][0] <= now:
            when, _, origin = heapq.heappop(self._heap)
            if when == origin.queued_at:
                origin.dequeued()
                return origin
        return None

    def may_acquire(self, origin: Origin, now: float) -> bool:
        """Tell an origin that may be asked at ``now`` from one that has to wait."""
        return origin.turn_at <= now and origin.slot.in_flight < self._in_flight

    def acquire(self, origin: Origin, now: float) -> None:
        """Begin a request of the origin; where several may be in flight, the next waits too."""
        origin.request_sent(now)

    def rollback(self, origin: Origin, ready_at: float, now: float) -> None:
        """Take back the pause of a request that was acquired at ``now`` and never sent.

        ``ready_at`` is when the origin might have been asked before.
        """
        origin.request_withdrawn(ready_at, now)

    def release(self, origin: Origin) -> list[Origin]:
        """End a request of the origin; returns the others that waited for that."""
        return [each for each in origin.request_ended() if each is not origin]

    @property
    def next_ready_at(self) -> float | None:
        """The time of the first entry; None in an empty queue."""
        return self._heap[0][0] if self._heap else None

    def __len__(self) -> int:
        return len(self._heap)
