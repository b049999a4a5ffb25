"""Paths that nest too deep, or that repeat themselves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from sitecrawl.policy.target import Target


@dataclass(slots=True)
class RepeatedDirectories:
    """The most often that one directory name may stand in a path.

    Repeats of several names add up, so that ``/a/b/a/b`` ends as ``/a/a/a`` does; names of
    digits only (dates, ids) count for themselves alone.
    """

    limit: int
    setting: str
    reason: ClassVar[str] = "repeated_directory"

    def refusal(self, target: Target) -> str:
        """Refuse a path in which a name, or all names together, repeat too often."""
        if target.parts.path.count("/") <= self.limit + 1:
            return ""
        names = Counter(name for name in target.parts.path.split("/")[1:-1] if name)
        name, times = max(names.items(), key=_times, default=("", 0))
        repeats = sum(count - 1 for name, count in names.items() if not name.isdecimal())
        if times <= self.limit and repeats <= self.limit:
            return ""
        return f"{self.setting}: {name!r} {times} times, {repeats} repeats in all"


@dataclass(slots=True)
class PathDepth:
    """The most directories that a path may have."""

    limit: int
    setting: str
    reason: ClassVar[str] = "path_depth"

    def refusal(self, target: Target) -> str:
        """Refuse a path of more directories than ``limit``."""
        directories = target.parts.path.count("/") - 1
        return "" if directories <= self.limit else f"{self.setting}: {directories} directories"


def _times(item: tuple[str, int]) -> int:
    return item[1]
