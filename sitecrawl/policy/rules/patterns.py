"""Regular expressions and substrings that a URL must or must not have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sitecrawl.policy.target import Target


@dataclass(slots=True)
class Deny:
    """Regular expressions, each with its words; one that is found refuses."""

    patterns: tuple[tuple[re.Pattern[str], str], ...]
    setting: str
    reason: ClassVar[str] = "deny"

    def refusal(self, target: Target) -> str:
        """Refuse a URL in which any pattern is found, as the rules see it or as it was found.

        A pattern may speak of escapes themselves: ``%[0-9A-F]{2}``, ``100%$``.
        """
        found = self._find(target.url)
        return found or (self._find(target.as_found) if target.as_found != target.url else "")

    def _find(self, url: str) -> str:
        return next((words for pattern, words in self.patterns if pattern.search(url)), "")


@dataclass(slots=True)
class Allow:
    """Regular expressions of which one must be found."""

    patterns: tuple[re.Pattern[str], ...]
    setting: str
    reason: ClassVar[str] = "allow"

    def refusal(self, target: Target) -> str:
        """Refuse a URL in which none is found."""
        found = any(pattern.search(target.url) for pattern in self.patterns)
        return "" if found else f"no match of {self.setting}"


@dataclass(slots=True)
class Contains:
    """Substrings of which the URL, without fragment, must have one."""

    substrings: tuple[str, ...]
    setting: str
    reason: ClassVar[str] = "contains"

    def refusal(self, target: Target) -> str:
        """Refuse a URL that has none of them."""
        found = any(substring in target.url for substring in self.substrings)
        return "" if found else f"none of {self.setting}"


@dataclass(slots=True)
class NotContains:
    """Substrings, each with its words; one that is found refuses."""

    substrings: tuple[tuple[str, str], ...]
    setting: str
    reason: ClassVar[str] = "not_contains"

    def refusal(self, target: Target) -> str:
        """Refuse a URL that has any of them."""
        return next((words for substring, words in self.substrings if substring in target.url), "")
