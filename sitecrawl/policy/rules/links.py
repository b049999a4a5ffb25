"""Rules on how a URL was reached, not on the URL itself: depth and rel."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.policy.decision import ALLOWED, Decision, refuse

_SUPPORTING = frozenset({"stylesheet", "icon", "preload", "dns-prefetch", "preconnect"})


@dataclass(slots=True)
class Depth:
    """The most links from a start; None for no limit."""

    limit: int | None
    setting: str

    def decide(self, depth: int) -> Decision:
        """Refuse what is more links away; a start has depth 0."""
        if self.limit is None or depth <= self.limit:
            return ALLOWED
        return refuse("depth", f"{self.setting}: depth {depth}")


@dataclass(slots=True)
class Rel:
    """Tokens of ``rel`` that say not to follow a link."""

    refused: frozenset[str]
    setting: str

    def decide(self, rel: frozenset[str]) -> Decision:
        """Refuse a link whose rel has such a token; tokens compare without case."""
        tokens = {token.lower() for token in rel}
        if found := tokens & _SUPPORTING:
            return refuse("rel", f"rel={min(found)} is no page")
        if found := tokens & self.refused:
            return refuse("rel", f"rel={min(found)}, {self.setting}")
        return ALLOWED
