"""No URLs longer than a limit."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.policy.target import Target


@dataclass(frozen=True, slots=True)
class Length:
    """The most characters that a URL may have, counted when it is absolute."""

    limit: int
    setting: str
    reason: str = field(default="length", init=False)

    def refusal(self, target: Target) -> str:
        """Refuse a URL of more than ``limit`` characters."""
        return (
            "" if len(target.url) <= self.limit else f"{self.setting}: {len(target.url)} characters"
        )
