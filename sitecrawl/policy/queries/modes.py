"""What is done with a query string as a whole, by the option ``query``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from sitecrawl.policy.queries.parameters import keep_parameters, parameter_name, parameter_names
from sitecrawl.policy.target import Target
from sitecrawl.web.identity import normal_text


@dataclass(slots=True)
class IgnoreQueries:
    """Refuses every URL with a question mark."""

    setting: str
    reason: ClassVar[str] = "query"

    def refusal(self, target: Target) -> str:
        """Refuse a URL with a question mark, even with nothing behind it."""
        return self.setting if "?" in target.url else ""


@dataclass(slots=True)
class StripQueries:
    """Removes the query."""

    setting: str
    reason: ClassVar[str] = "query_strip"

    def change(self, url: str) -> str:
        """``url`` up to its question mark."""
        return url.partition("?")[0]


@dataclass(slots=True)
class FilterQueries:
    """Keeps the parameters that name a page, and removes the others."""

    names: frozenset[str]
    setting: str
    reason: ClassVar[str] = "query_filter"

    def change(self, url: str) -> str:
        """``url`` with only the kept parameters, their names compared with case."""
        return keep_parameters(url, self.names.__contains__)


class CombinationPolicy(NamedTuple):
    """The parameters that may stand together below a prefix; None for any."""

    prefix: re.Pattern[str]
    names: frozenset[str] | None

    def allows(self, url: str, present: frozenset[str]) -> bool:
        """Whether every parameter that is present is listed, and the prefix applies."""
        return self.prefix.match(url) is not None and (self.names is None or present <= self.names)


@dataclass(slots=True)
class QueryPolicies:
    """Refuses a query unless some policy allows its whole combination of parameters."""

    policies: tuple[CombinationPolicy, ...]
    setting: str
    reason: ClassVar[str] = "query_policy"

    def refusal(self, target: Target) -> str:
        """Refuse a combination that no policy allows; the first that does wins."""
        if not target.parts.query:
            return ""
        present = parameter_names(target.parts.query)
        if any(policy.allows(target.url, present) for policy in self.policies):
            return ""
        return f"{self.setting}: no policy allows {'&'.join(sorted(present))}"


def read_combination(entry: str) -> CombinationPolicy:
    """A policy written as a URL: ``?id&page``, ``/shop/?id``, ``https://host/wiki?title``.

    What stands before the question mark is a prefix of the path or of the URL; ``*`` as a
    name allows any parameters. Raises ValueError for anything else.
    """
    prefix, mark, names = entry.partition("?")
    if not mark or not names:
        raise ValueError(f"{entry!r} names no parameters behind a question mark")
    if prefix and not prefix.startswith("/") and "://" not in prefix:
        raise ValueError(f"{entry!r} begins with neither a path from the root nor a URL")
    home = "" if "://" in prefix else "[a-z][a-z0-9+.-]*://[^/]*"
    listed = frozenset(parameter_name(name) for name in names.split("&") if name)
    return CombinationPolicy(
        re.compile(home + re.escape(normal_text(prefix))), None if "*" in listed else listed
    )
