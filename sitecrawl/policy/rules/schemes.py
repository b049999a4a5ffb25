"""Only URLs of allowed schemes, and of those only ones that name a host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sitecrawl.policy.target import Target


@dataclass(slots=True)
class Schemes:
    """The schemes that are crawled."""

    allowed: frozenset[str]
    setting: str
    reason: ClassVar[str] = "scheme"

    def refusal(self, target: Target) -> str:
        """Refuse mailto, javascript, ftp and whatever else is not listed."""
        return (
            ""
            if target.parts.scheme in self.allowed
            else f"{self.setting}: {target.parts.scheme or target.url!r}"
        )


@dataclass(slots=True)
class WellFormed:
    """A URL to fetch names a host."""

    setting: str = "every URL needs a host"
    reason: ClassVar[str] = "malformed"

    def refusal(self, target: Target) -> str:
        """Refuse a URL without host."""
        return "" if target.parts.host else f"{self.setting}: {target.url!r}"
