"""Makes the rules and limits of a crawl out of its options."""

from sitecrawl.ruleset.limits import build_limits
from sitecrawl.ruleset.rules import build_rules

__all__ = ["build_limits", "build_rules"]
