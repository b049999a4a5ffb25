"""How far a chain of redirects is followed."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.policy.decision import ALLOWED, Decision, refuse


@dataclass(slots=True)
class RedirectChains:
    """Counts the redirects that led to each URL in this run; URLs are fingerprints.

    Targets are visited later and one by one, so the chain has to be remembered. One entry
    for each redirect followed; a chain begins anew in the next run.
    """

    limit: int
    setting: str
    _lengths: dict[int, int] = field(default_factory=dict)

    def follow(self, source: int, target: int) -> Decision:
        """Whether the redirect from ``source`` to ``target`` may be followed."""
        length = self._lengths.get(source, 0) + 1
        if length > self.limit:
            return refuse("redirect_chain", self.setting)
        self._lengths[target] = length
        return ALLOWED
