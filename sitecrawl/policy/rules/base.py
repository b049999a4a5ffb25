"""What every rule is."""

from __future__ import annotations

from typing import Protocol

from sitecrawl.policy.target import Target


class UrlRule(Protocol):
    """A rule that looks at nothing but the URL."""

    @property
    def reason(self) -> str:
        """The word it refuses under."""

    @property
    def setting(self) -> str:
        """The option that it applies, with value and source."""

    def refusal(self, target: Target) -> str:
        """The rule's words with the value that decided, or "" if the URL passes."""


class UrlChange(Protocol):
    """A treatment that gives the URL to go on with."""

    @property
    def reason(self) -> str:
        """The word it is known by."""

    @property
    def setting(self) -> str:
        """The option that it applies, with value and source."""

    def change(self, url: str) -> str:
        """The URL after the treatment; the same text if it does not apply."""
