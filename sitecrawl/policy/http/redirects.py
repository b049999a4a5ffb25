"""Limit on the length of redirect chains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Self

from sitecrawl.policy.decision import ALLOWED, Decision, OptionValues, RefusalReason


@dataclass(slots=True)
class RedirectChains:
    """Number of redirects that led to each URL in this run; URLs are fingerprints.

    Targets are visited later and one by one, so the length has to be remembered: one entry for
    each redirect followed. The next run starts at 0.
    """

    limit: int
    setting: str
    _lengths: dict[int, int] = field(default_factory=dict)
    reason: ClassVar[RefusalReason] = RefusalReason(
        "redirect_chain",
        "too many redirects in a row (`max_redirects`)",
        options=("max_redirects",),
    )

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the configured limit."""
        return cls(options.value("max_redirects"), cls.reason.setting(options))

    def follow(self, source: int, target: int) -> Decision:
        """Decide about following the redirect from ``source`` to ``target``."""
        length = self._lengths.get(source, 0) + 1
        if length > self.limit:
            return self.reason.refuse(self.setting)
        self._lengths[target] = length
        return ALLOWED
