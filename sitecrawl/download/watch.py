"""Watches how quickly a server answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sitecrawl.download.failures import SilenceError, TooSlowError
from sitecrawl.download.limits import Limits


class Watch:
    """Calls ``give_up`` when a server takes too long over an answer.

    It is given ``silence`` seconds. Each byte earns it 1/rate seconds more, but never more
    than ``silence`` ahead, nor beyond ``total``: one timer bounds head and body alike, and
    a server that is slow to begin has its time to do so. The deadline only ever moves on, from
    one answer to the next too, so the timer is left to run, and looks again when it rings.
    """

    __slots__ = (
        "_deadline",
        "_give_up",
        "_heard",
        "_last",
        "_limits",
        "_loop",
        "_timer",
        "_waiting",
    )

    def __init__(self, limits: Limits, give_up: Callable[[Exception], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._limits = limits
        self._give_up = give_up
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = self._last = 0.0
        self._waiting = self._heard = False

    def begin(self) -> None:
        """A request has been sent."""
        now = self._loop.time()
        self._heard = False
        self._last = now + self._limits.total
        self._deadline = min(now + self._limits.silence, self._last)
        self._waiting = True
        if self._timer is None:
            self._timer = self._loop.call_at(self._deadline, self._look)

    def hear(self, size: int) -> None:
        """Some bytes of the answer have come."""
        limits = self._limits
        earned = size / limits.rate if limits.rate else limits.silence
        ahead = self._loop.time() + limits.silence
        self._deadline = min(self._deadline + earned, ahead, self._last)
        self._heard = True

    def rest(self) -> None:
        """The answer is complete; another request may follow."""
        self._waiting = False

    def end(self) -> None:
        """No other follows."""
        self._waiting = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        if not self._waiting:
            return
        if self._deadline > self._loop.time():
            self._timer = self._loop.call_at(self._deadline, self._look)
        elif self._heard:
            self._give_up(TooSlowError("the server sends below min_rate or beyond max_time"))
        else:
            self._give_up(SilenceError("the server was silent for longer than timeout"))
