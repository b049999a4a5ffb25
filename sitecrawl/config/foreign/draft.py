"""Draft of a ``site.toml``: options, hints, and settings without counterpart."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

MATCH_ALL = frozenset({".", ".*", "^.*", "^.*$", ".*$", "^", "^."})
"""Patterns that every URL matches."""


class ForeignConfigError(Exception):
    """A file that is not a configuration of the crawler that its name promises."""


@dataclass(slots=True)
class Draft:
    """Options for a ``site.toml``, hints for the reader, and the settings that were left out."""

    program: str
    options: dict[str, Any] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def take(
        self,
        settings: Mapping[str, Any],
        same: Mapping[str, str],
        otherwise: Mapping[str, tuple[str, Callable[[Any], Any]]],
        answered: Mapping[str, str],
    ) -> None:
        """Take settings by their names: as an option, in another form, as a hint; else leave them out."""
        for name, value in settings.items():
            if name in answered:
                self.hints.append(f"{name}: {answered[name]}")
            elif name in same:
                self.options[same[name]] = value
            elif name in otherwise:
                option, meaning = otherwise[name]
                self.options[option] = meaning(value)
            else:
                self.left_out.append(name)

    def lines(self) -> Iterator[str]:
        """Yield the lines of a TOML file."""
        yield f"# Read from a configuration of {self.program}."
        yield from (f"# {line}" for line in self.hints)
        yield from (f"# Without counterpart: {line}" for line in self.left_out)
        yield ""
        tables = {n: v for n, v in self.options.items() if isinstance(v, Mapping)}
        for name, value in self.options.items():
            if name not in tables:
                yield f"{name} = {_written(value)}"
        for name, table in tables.items():
            yield from ("", f"[{name}]")
            yield from (f"{_text(key)} = {_written(value)}" for key, value in table.items())


def _written(value: Any) -> str:
    """Write a value as TOML: a list with several entries has a line for each."""
    if isinstance(value, (list, tuple)):
        if len(value) < 2:
            return f"[{', '.join(map(_written, value))}]"
        return "[\n" + "".join(f"    {_written(each)},\n" for each in value) + "]"
    if isinstance(value, str):
        return f"'{value}'" if "\\" in value and re.fullmatch(r"[ -&(-~]+", value) else _text(value)
    return json.dumps(value)


def _text(value: str) -> str:
    """Write a basic string of TOML, whose escapes are those of JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


class OrderedRule(NamedTuple):
    """A rule of a list whose first match decides; the pattern is searched for in the URL."""

    allows: bool
    pattern: str


def allow_and_deny(
    rules: Sequence[OrderedRule], *, default: bool
) -> tuple[list[str], list[str], list[str]]:
    """Return ``allow`` and ``deny`` that admit the same URLs, and the patterns that cannot be read.

    ``default`` is the answer where nothing matches. A URL that an earlier rule allows passes a
    later ``deny``, whose pattern therefore excludes it.
    """
    allow: list[str] = []
    deny: list[str] = []
    unreadable: list[str] = []
    for rule in rules:
        if rule.pattern in MATCH_ALL:
            default = rule.allows
            break
        if not _compiles(rule.pattern) or (rule.allows and re.search(r"\\[1-9]", rule.pattern)):
            unreadable.append(rule.pattern)
        elif rule.allows:
            allow.append(rule.pattern)
        else:
            guards = "".join(f"(?!.*?(?:{each}))" for each in allow)
            deny.append(f"^(?=.*?(?:{rule.pattern})){guards}" if guards else rule.pattern)
    return ([] if default else allow or ["(?!)"]), deny, unreadable


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the settings of nested tables by their dotted names."""
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def texts(value: Any) -> list[str]:
    """Return a list of texts of a setting that may also be a single one."""
    if value is None:
        return []
    many: Iterable[Any] = value if isinstance(value, list) else [value]
    return [str(each) for each in many]
