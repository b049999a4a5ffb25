"""What every rule is, and what it looks at."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from sitecrawl.web.urls import UrlParts, origin, split


class Target(NamedTuple):
    """A resolved URL with its parts, taken apart once for all rules."""

    url: str
    origin: str
    parts: UrlParts


def read_target(url: str) -> Target:
    """The parts of a resolved URL."""
    return Target(url, origin(url), split(url))


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
