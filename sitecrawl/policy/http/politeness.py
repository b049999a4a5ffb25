"""How long an origin is left alone after each answer."""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_CRAWL_DELAY = 120.0  # seconds
MAX_ADAPTIVE_DELAY = 120.0  # seconds
MAX_RETRY_AFTER = 7 * 86400.0  # seconds; later than that is a mistake of the server
DEFAULT_MAX_WAIT = 600.0  # seconds
FIRST_POLITENESS = 2
ANSWERS_PER_STEP = 5
MIN_BACKOFF = 2.0  # seconds of the first pause after a 429, at least
RECOVERY = 0.95  # what a good answer leaves of the back-off: half of it after 14
RECOVERED = 0.01  # seconds


@dataclass(slots=True)
class Pace:
    """The pace that one origin is asked at; times are seconds.

    ``delay`` is the configured one; ``crawl_delay``, from robots.txt, takes its place. Politeness
    ``level`` makes the pause at least last response time x 2^level, and falls by one after every
    few good answers.

    ``backoff`` is the pause after the origin said that it has too much to do (429, 503 with
    Retry-After), as congestion control has it (RFC 5681, 3.1): doubled at once; good answers halve
    it down to ``threshold``, twice the pause at which the trouble began, and from there lower it
    by a twentieth each. 0 where there is none.

    ``unavailable_urls`` are those that asked for a rest above ``max_wait`` since the last good
    answer, ``good`` the good answers since the last other one.
    """

    delay: float = 1.0
    crawl_delay: float | None = None
    level: int = FIRST_POLITENESS
    max_wait: float = DEFAULT_MAX_WAIT
    good: int = 0
    backoff: float = 0.0
    threshold: float = 0.0
    ended_at: float = 0.0
    unavailable_urls: set[str] = field(default_factory=set)

    @property
    def promised(self) -> float:
        """The pause that is kept however fast the origin answers."""
        if self.crawl_delay is None:
            return self.delay
        return min(self.crawl_delay, MAX_CRAWL_DELAY)

    @property
    def interval(self) -> float:
        """The shortest time between the beginnings of two requests, where several are in flight."""
        return max(self.promised, self.backoff)

    def learn(self, crawl_delay: float | None) -> float:
        """Take over what robots.txt asks for; when the origin may be asked after the last answer.

        That answer was robots.txt itself, and its pause was not known when it ended.
        """
        self.crawl_delay = crawl_delay
        return self.ended_at + self.promised

    def answered(self, at: float, response_time: float) -> float:
        """When the origin may be asked again after a good answer that ended at ``at``."""
        self.ended_at = at
        self.good += 1
        self.unavailable_urls.clear()
        if self.level and self.good % ANSWERS_PER_STEP == 0:
            self.level -= 1
        self._recover()
        return at + self.pause(response_time)

    def failed(self, at: float, response_time: float) -> float:
        """When it may be asked again after a failure, which is no reason to ask any sooner."""
        self.ended_at = at
        return at + self.pause(response_time)

    def limited(self, at: float, response_time: float, retry_after: float | None = None) -> float:
        """When it may be asked again after a 429, or another sign that it has too much to do.

        ``retry_after`` is the wait in seconds that the origin asks for, if any.
        """
        self.ended_at = at
        doubled = 2.0 * self.pause(response_time)
        if self.good or not self.backoff:  # else the trouble goes on, and began earlier
            self.threshold = doubled
        self.backoff = min(max(doubled, MIN_BACKOFF), max(self.promised, MAX_ADAPTIVE_DELAY))
        self.good = 0
        return at + max(self.pause(response_time), min(retry_after or 0.0, MAX_RETRY_AFTER))

    def unavailable(self, at: float, response_time: float, retry_after: float, url: str) -> float:
        """When it may be asked again after one URL's 503 that says when to come back.

        A page may say so of itself alone: the origin rests for at most ``max_wait``, unless other
        URLs ask for more than that as well.
        """
        if retry_after > self.max_wait:
            self.unavailable_urls.add(url)
        if len(self.unavailable_urls) < 2:
            retry_after = min(retry_after, self.max_wait)
        return self.limited(at, response_time, retry_after)

    def pause(self, response_time: float) -> float:
        """The pause after an answer that took ``response_time``."""
        adaptive = max(response_time * 2.0**self.level, self.backoff)
        return max(self.promised, min(adaptive, MAX_ADAPTIVE_DELAY))

    def _recover(self) -> None:
        if self.backoff > self.threshold:
            self.backoff = max(self.backoff / 2.0, self.threshold)
        else:
            self.backoff *= RECOVERY
        if self.backoff <= max(self.promised, RECOVERED):
            self.backoff = self.threshold = 0.0
