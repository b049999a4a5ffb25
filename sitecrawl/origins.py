"""The origins that this worker has in hand, and whose turn it is."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field, replace
from itertools import count

from scrapy import Request

from sitecrawl.frontier.base import DueUrl, OriginState
from sitecrawl.policy.patience import Patience
from sitecrawl.policy.politeness import Pace
from sitecrawl.web.robots_txt import RobotsTxt


@dataclass(slots=True)
class RobotsFile:
    """An origin's robots.txt as last read. Times are seconds of the event loop's clock.

    ``rules`` is None until the file was read; ``url`` is where to ask next.
    """

    url: str
    rules: RobotsTxt | None = None
    text: str | None = None
    status: int | None = None
    expires_at: float = 0.0
    redirects: int = 0
    failures: int = 0
    asking: bool = False


@dataclass(slots=True, eq=False)
class Origin:
    """One origin in hand: its to-do list, its pace, and what is in flight.

    ``ready_at`` is in seconds of the event loop's clock. ``open_visits`` counts URLs that
    left the to-do list and are not committed yet. ``dry`` means that the frontier had
    nothing due when last asked; ``ended`` says why the origin is given up.
    """

    state: OriginState
    pace: Pace
    patience: Patience
    robots: RobotsFile
    ready_at: float
    todo: deque[DueUrl] = field(default_factory=deque)
    foreign: deque[Request] = field(default_factory=deque)
    in_flight: int = 0
    open_visits: int = 0
    standing: bool = False
    refilling: bool = False
    dry: bool = False
    ended: str = ""

    @property
    def key(self) -> str:
        """Scheme, host and port, as in ``https://example.org``."""
        return self.state.key

    def stored(self, loop_now: float, now: float) -> OriginState:
        """What is worth remembering of it; ``now`` is the same moment in UTC epoch seconds.

        A robots.txt that could not be read has no text and an expiry that is not zero.
        """
        ready_at = now + self.ready_at - loop_now
        if self.robots.rules is None and not self.robots.failures:
            return replace(self.state, ready_at=ready_at)
        return replace(
            self.state,
            robots_text=self.robots.text,
            robots_status=self.robots.status,
            robots_expires_at=now + max(0.0, self.robots.expires_at - loop_now),
            delay=self.pace.crawl_delay,
            ready_at=ready_at,
        )

    @property
    def has_work(self) -> bool:
        """Whether there is something to send when its turn comes."""
        if self.robots.asking:
            return False
        return bool(self.foreign or (self.todo and not self.ended))

    @property
    def is_done(self) -> bool:
        """Whether nothing of it is waiting, on its way or unwritten."""
        waiting = self.foreign or self.in_flight or self.open_visits or self.refilling
        return not waiting and bool(self.ended or (self.dry and not self.todo))


class Turns:
    """Origins with work, by the time from which each may be asked."""

    def __init__(self, in_flight_per_origin: int = 1) -> None:
        self._heap: list[tuple[float, int, Origin]] = []
        self._order = count()
        self._in_flight = in_flight_per_origin

    def stand(self, origin: Origin) -> None:
        """Line the origin up, unless it has nothing to send, or enough in flight."""
        if origin.standing or not origin.has_work or origin.in_flight >= self._in_flight:
            return
        origin.standing = True
        heapq.heappush(self._heap, (origin.ready_at, next(self._order), origin))

    def take(self, now: float) -> Origin | None:
        """The first origin that may be asked at ``now``, no longer in the line."""
        while self._heap and self._heap[0][0] <= now:
            origin = heapq.heappop(self._heap)[2]
            origin.standing = False
            if origin.ready_at <= now:
                return origin
            self.stand(origin)
        return None

    @property
    def next_ready_at(self) -> float | None:
        """When the first origin in the line may be asked; None when nobody waits."""
        return self._heap[0][0] if self._heap else None

    def __len__(self) -> int:
        return len(self._heap)
