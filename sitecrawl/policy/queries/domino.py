"""Lotus Domino: many views of one document, told apart by their URLs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sitecrawl.policy.target import Target

_ONLY_AT_THE_END = ("opendocument", "openview&collapseview")
_NOWHERE = ("expandview", "openview&start")


@dataclass(slots=True)
class Domino:
    """Refuses the expanded, collapsed and paged forms of Domino's views and documents."""

    setting: str
    reason: ClassVar[str] = "domino"

    def refusal(self, target: Target) -> str:
        """Refuse a command with more behind it, and the commands that only fold views."""
        text = target.url.lower().replace("&amp;", "&")  # what was escaped twice
        for word in _ONLY_AT_THE_END:
            if word in text and not text.endswith(word):
                return f"{self.setting}: {word} is not at the end"
        return next((f"{self.setting}: {word}" for word in _NOWHERE if word in text), "")
