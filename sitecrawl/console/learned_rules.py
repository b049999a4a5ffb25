"""Lists of learned rules, and of the equivalent options."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitecrawl.policy.learning.duplicate_rules import DuplicateRule
from sitecrawl.policy.learning.evidence import RuleState
from sitecrawl.policy.learning.host_rules import HostRule
from sitecrawl.policy.learning.origin_learning import rewriting_of
from sitecrawl.policy.learning.parameter_rules import ParameterRule

if TYPE_CHECKING:
    from sitecrawl.console.terminal import Entry
    from sitecrawl.frontier.records import Records


KINDS: dict[str, type[DuplicateRule | HostRule | ParameterRule]] = {
    "duplicate": DuplicateRule,
    "host": HostRule,
    "parameter": ParameterRule,
}


def list_rules(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield the learned rules, each with its state and evidence."""
    for origin, rule in records.learned_rules(realm):
        evidence = KINDS[rule.kind].from_stored(rule.value).evidence
        if evidence.state is RuleState.PROPOSED and rule.kind != "parameter":
            continue
        record = {
            "name": rule.name,
            "kind": rule.kind,
            "origin": origin,
            "state": rule.state,
            "rule": rule.words,
            "support": evidence.support,
            "against": evidence.against,
            "folded": evidence.folded,
        }
        example = evidence.counterexample
        counted = f"{evidence.in_words}, {evidence.folded} left out"
        line = f"{rule.name} {rule.state} {origin} {rule.words} ({counted})"
        yield {**record, "counterexample": example}, f"{line}; not {example}" if example else line


def list_options(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield the options equivalent to the learned rules, as lines of a configuration file.

    A parameter is dropped if no page depends on any of its values, and kept if a page does or a
    few values only are known.
    """
    rewriting: list[str] = []
    kept: set[str] = set()
    dropped: set[str] = set()
    for origin, rule in records.learned_rules(realm):
        if rule.kind == "duplicate":
            entry = rewriting_of(DuplicateRule.from_stored(rule.value), origin)
            rewriting += [entry] if entry else []
            continue
        if rule.kind == "host":
            entry = HostRule.from_stored(rule.value).rewriting()
            rewriting += [entry] if entry else []
            continue
        parameter = ParameterRule.from_stored(rule.value)
        if parameter.state is RuleState.ACTIVE and parameter.covers_all:
            dropped.add(parameter.name)
        elif parameter.evidence.support or parameter.evidence.against:
            kept.add(parameter.name)
    for name, values in (
        ("url_rewrite", rewriting),
        ("query_keep", sorted(kept)),
        ("query_drop", sorted(dropped - kept)),
    ):
        if values:
            yield {name: values}, _toml(name, values)


def _toml(name: str, values: list[str]) -> str:
    return "\n".join([f"{name} = [", *(f"    {json.dumps(value)}," for value in values), "]"])
