"""No URLs longer than a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sitecrawl.policy.target import Target


@dataclass(slots=True)
class Length:
    """The most characters that a URL may have, counted when it is absolute."""

    limit: int
    setting: str
    reason: ClassVar[str] = "length"

    def refusal(self, target: Target) -> str:
        """Refuse a URL of more than ``limit`` characters as it would be requested."""
        length = len(target.as_found)
        return "" if length <= self.limit else f"{self.setting}: {length} characters"
