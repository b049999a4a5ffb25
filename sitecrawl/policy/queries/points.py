"""Points of server-side image maps, as in ``/map?10,27``: no parameters, whatever ``query`` says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.policy.rules.base import UrlChange, UrlRule
    from sitecrawl.policy.target import Target

_POINT = re.compile(r"[^?]+\?\d+,\d+")


@dataclass(slots=True)
class RuleButPoints:
    """A rule on queries that lets points pass."""

    rule: UrlRule

    @property
    def reason(self) -> str:
        """The word of the rule."""
        return self.rule.reason

    @property
    def setting(self) -> str:
        """The option of the rule."""
        return self.rule.setting

    def refusal(self, target: Target) -> str:
        """What the rule says of anything but a point."""
        return "" if _POINT.fullmatch(target.url) else self.rule.refusal(target)


@dataclass(slots=True)
class ChangeButPoints:
    """A change of queries that leaves points as they are."""

    treatment: UrlChange

    @property
    def reason(self) -> str:
        """The word of the change."""
        return self.treatment.reason

    @property
    def setting(self) -> str:
        """The option of the change."""
        return self.treatment.setting

    def change(self, url: str) -> str:
        """The changed URL, if it is no point."""
        return url if _POINT.fullmatch(url) else self.treatment.change(url)
