"""No files whose extension says that they hold no text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sitecrawl.policy.extensions import extension
from sitecrawl.policy.target import Target


@dataclass(slots=True)
class Extensions:
    """Ignored extensions, each with the words of the list that names it."""

    ignored: Mapping[str, str]
    setting: str
    reason: ClassVar[str] = "extension"

    def refusal(self, target: Target) -> str:
        """Refuse by the end of the path; host and query do not count."""
        suffix = extension(target.parts.path)
        return self.ignored.get(suffix, "") if suffix else ""
