"""Failure budget of an origin, a circuit breaker for the rest of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.policy.http.answers import FetchResult
from sitecrawl.policy.outcomes import Outcome

DEFAULT_PATIENCE = 5
MAX_RATE_LIMITED_IN_ROW = 2


@dataclass(slots=True)
class FailureBudget:
    """Number of failures that an origin has left; each other response gives one back.

    So an origin that is down is given up, and one with some broken pages is not. Repeated failures
    of one URL count once: two such URLs would otherwise stop a healthy site. A 429 neither costs
    nor gives, but an origin that keeps refusing after two doubled pauses counts as failing.

    ``has_new_failures``: part of the budget was spent on URLs that had not failed in the last run.
    """

    left: int = DEFAULT_PATIENCE
    limits_in_row: int = 0
    has_new_failures: bool = False
    failed: set[int] = field(default_factory=set)
    full: int = field(init=False)

    def __post_init__(self) -> None:
        self.full = self.left

    def record_failure(self) -> bool:
        """Count one failure; return True when the budget is exhausted."""
        self.left = max(self.left - 1, 0)
        return self.exhausted

    def record_result(
        self,
        answer: FetchResult,
        fingerprint: int | None = None,
        *,
        failed_before: bool = False,
        is_excused: bool = False,
    ) -> bool:
        """Count one result of a known URL; return True when the budget is exhausted.

        ``failed_before``: its last visit in an earlier run failed too. ``is_excused``: all pages of
        its kind fail, which was charged before.
        """
        limited = answer.outcome is Outcome.RATE_LIMITED
        self.limits_in_row = self.limits_in_row + 1 if limited else 0
        known = fingerprint in self.failed or is_excused
        fails = answer.counts_against_budget and not known
        if answer.counts_against_budget and fingerprint is not None:
            self.failed.add(fingerprint)
        elif not (limited or answer.counts_against_budget or self.exhausted):
            self.left = min(self.left + 1, self.full)
        if fails or self.limits_in_row > MAX_RATE_LIMITED_IN_ROW:
            self.has_new_failures = self.has_new_failures or limited or not failed_before
            return self.record_failure()
        return self.exhausted

    @property
    def is_charged(self) -> bool:
        """True if failures, or a 429, were counted."""
        return bool(self.failed or self.limits_in_row or self.left < self.full)

    @property
    def exhausted(self) -> bool:
        """True if the origin is to be skipped for the rest of the run."""
        return self.left == 0

    @property
    def failed_like_last_run(self) -> bool:
        """True if only URLs exhausted it that had failed in the last run as well."""
        return self.exhausted and not self.has_new_failures
