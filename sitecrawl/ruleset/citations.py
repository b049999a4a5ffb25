"""Says of a value which option it is, and where that was set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sitecrawl.params.rules import RuleParams


@dataclass(frozen=True, slots=True)
class Citations:
    """Names an option with its value and where that came from."""

    params: RuleParams
    sources: Mapping[str, str]

    def setting(self, option: str) -> str:
        """The option as a whole: ``scope 'origin' (default)``."""
        value = getattr(self.params, option)
        shown = " ".join(value) if isinstance(value, tuple) else value
        return self.entry(option, shown)

    def entry(self, option: str, value: object) -> str:
        """One entry of a list: ``deny '/private/' (-a deny)``."""
        return f"{option} {value!r} ({self.sources.get(option, 'default')})"

    def entries(self, option: str) -> list[tuple[str, str]]:
        """Every entry of a list, each with its words."""
        return [(entry, self.entry(option, entry)) for entry in getattr(self.params, option)]
