"""When to give an origin up for the rest of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.policy.http.answers import FetchResult
from sitecrawl.policy.outcomes import Outcome

DEFAULT_PATIENCE = 5
MAX_RATE_LIMITED_IN_ROW = 2


@dataclass(slots=True)
class FailureBudget:
    """How many more failures an origin may show; never grows within a run.

    A URL that fails again when it is asked again costs no more: two of them would else be the
    end of a site that is well. A 429 is an answer, and costs nothing; but an origin that goes
    on refusing after it was left alone twice as long each time is treated like one that fails.

    ``has_new_failures``: not all that was spent went to what had failed last time as well.
    """

    left: int = DEFAULT_PATIENCE
    limits_in_row: int = 0
    has_new_failures: bool = False
    failed: set[int] = field(default_factory=set)

    def record_failure(self) -> bool:
        """Count one failure; True when no patience is left."""
        self.left = max(self.left - 1, 0)
        return self.exhausted

    def record_result(
        self, answer: FetchResult, fingerprint: int | None = None, *, failed_before: bool = False
    ) -> bool:
        """Count one answer, to the request for a known URL; True when no patience is left.

        ``failed_before``: it was no page at its last visit in an earlier run either.
        """
        limited = answer.outcome is Outcome.RATE_LIMITED
        self.limits_in_row = self.limits_in_row + 1 if limited else 0
        known = fingerprint in self.failed
        if answer.counts_against_budget and fingerprint is not None:
            self.failed.add(fingerprint)
        if (
            answer.counts_against_budget and not known
        ) or self.limits_in_row > MAX_RATE_LIMITED_IN_ROW:
            self.has_new_failures = self.has_new_failures or limited or not failed_before
            return self.record_failure()
        return self.exhausted

    @property
    def exhausted(self) -> bool:
        """Whether the origin is to be left alone until the next run."""
        return self.left == 0

    @property
    def failed_like_last_run(self) -> bool:
        """Whether what ended it had failed in the run before: the origin is no worse than then."""
        return self.exhausted and not self.has_new_failures
