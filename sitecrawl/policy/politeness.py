"""How long an origin is left alone after each answer."""

from __future__ import annotations

from dataclasses import dataclass

MAX_CRAWL_DELAY = 120.0  # seconds
MAX_ADAPTIVE_DELAY = 120.0  # seconds
MAX_RETRY_AFTER = 7 * 86400.0  # seconds; later than that is a mistake of the server
FIRST_POLITENESS = 2
MAX_POLITENESS = 16
ANSWERS_PER_STEP = 5


@dataclass(slots=True)
class Pace:
    """The pace that one origin is asked at; times are seconds.

    ``delay`` is the configured one; ``crawl_delay``, from robots.txt, takes its place.
    Politeness ``level`` makes the pause at least last response time x 2^level. It falls
    by one after every few untroubled answers, until a 429 raises it and ends the fall.
    """

    delay: float = 1.0
    crawl_delay: float | None = None
    level: int = FIRST_POLITENESS
    limits: int = 0
    calm: int = 0
    ended_at: float = 0.0

    @property
    def promised(self) -> float:
        """The pause that is kept however fast the origin answers."""
        if self.crawl_delay is None:
            return self.delay
        return min(self.crawl_delay, MAX_CRAWL_DELAY)

    def learn(self, crawl_delay: float | None) -> float:
        """Take over what robots.txt asks for; when the origin may be asked after the last answer.

        That answer was robots.txt itself, and its pause was not known when it ended.
        """
        self.crawl_delay = crawl_delay
        return self.ended_at + self.promised

    def answered(self, at: float, response_time: float) -> float:
        """When the origin may be asked again after an answer that ended at ``at``."""
        self.ended_at = at
        if self.level and not self.limits:
            self.calm += 1
            if self.calm % ANSWERS_PER_STEP == 0:
                self.level -= 1
        return at + self.pause(response_time)

    def limited(self, at: float, response_time: float, retry_after: float | None = None) -> float:
        """When it may be asked again after a 429, or a 503 that says when to come back.

        ``retry_after`` is the wait in seconds that the origin asks for, if any.
        """
        self.ended_at = at
        self.limits = min(self.limits + 1, MAX_POLITENESS)
        self.level = min(self.level + 1, MAX_POLITENESS)
        return at + max(self.pause(response_time), min(retry_after or 0.0, MAX_RETRY_AFTER))

    def pause(self, response_time: float) -> float:
        """The pause after an answer that took ``response_time``."""
        adaptive = response_time * 2.0**self.level
        if self.limits:
            adaptive = max(adaptive, max(self.promised, 1.0) * 2.0**self.limits)
        return max(self.promised, min(adaptive, MAX_ADAPTIVE_DELAY))
