"""Lists of learned rules, and of the equivalent options."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sitecrawl.policy.learning.duplicate_rules import DuplicateRule
from sitecrawl.policy.learning.evidence import RuleState
from sitecrawl.policy.learning.origin_learning import rewriting_of
from sitecrawl.policy.learning.parameter_rules import ParameterRule

if TYPE_CHECKING:
    from sitecrawl.console.terminal import Entry
    from sitecrawl.frontier.records import Records


def list_rules(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield the learned rules, each with its state and evidence."""
    for origin, rule in records.learned_rules(realm):
        read = ParameterRule if rule.kind == "parameter" else DuplicateRule
        evidence = read.from_stored(rule.value).evidence
        if evidence.state is RuleState.PROPOSED and rule.kind == "duplicate":
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
    """Yield the options equivalent to the learned rules, as lines of a configuration file."""
    rewriting: list[str] = []
    parameters: dict[str, set[bool]] = {}
    for origin, rule in records.learned_rules(realm):
        if rule.kind == "duplicate":
            entry = rewriting_of(DuplicateRule.from_stored(rule.value), origin)
            rewriting += [entry] if entry else []
        elif rule.state in (RuleState.ACTIVE, RuleState.WITHDRAWN):
            name = ParameterRule.from_stored(rule.value).name
            parameters.setdefault(name, set()).add(rule.state == RuleState.WITHDRAWN)
    if rewriting:
        yield {"url_rewrite": rewriting}, _toml("url_rewrite", rewriting)
    kept = sorted(name for name, changes in parameters.items() if True in changes)
    if kept:
        yield {"query_keep": kept}, _toml("query_keep", kept)


def _toml(name: str, values: list[str]) -> str:
    return "\n".join([f"{name} = [", *(f"    {json.dumps(value)}," for value in values), "]"])
