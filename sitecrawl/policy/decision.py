"""Decisions of the crawler, the reasons for refusals, and the steps that led to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol


class Decision(NamedTuple):
    """Permission or refusal, with the reason of a refusal.

    ``reason`` is one snake_case word, used in stats, log and database and by
    ``scrapy explain``. ``rule`` names the option or robots.txt line that decided, as its
    author wrote it, with its value and source.
    """

    allowed: bool
    reason: str = ""
    rule: str = ""


ALLOWED = Decision(allowed=True)


def refuse(reason: str, rule: str = "") -> Decision:
    """Return a refusal under ``reason``, decided by ``rule``."""
    return Decision(allowed=False, reason=reason, rule=rule)


class OptionValues(Protocol):
    """The options of a crawl from which rules are built, with the source of each.

    A setting is the text that names an option, its value and where it was set:
    ``scope 'origin' (default)``.
    """

    def value(self, option: str) -> Any:
        """Return the value of an option."""

    def setting(self, option: str) -> str:
        """Return the setting of an option."""

    def entries(self, option: str) -> list[tuple[str, str]]:
        """Return the entries of a list option, each with its own setting."""


@dataclass(frozen=True, slots=True)
class RefusalReason:
    """A reason for refusing links: its name, its meaning, and the options that it applies.

    ``meaning`` is the row of docs/outcomes.md. The first of ``options`` decides; ``premise``
    replaces the setting of a reason without options.
    """

    name: str
    meaning: str
    options: tuple[str, ...] = ()
    premise: str = ""

    def refuse(self, rule: str = "") -> Decision:
        """Return a refusal under this reason, decided by ``rule``."""
        return Decision(allowed=False, reason=self.name, rule=rule)

    def setting(self, options: OptionValues) -> str:
        """Return the setting that decides, or the premise of a reason without options."""
        return options.setting(self.options[0]) if self.options else self.premise


class Admission(NamedTuple):
    """The verdict on one URL, and the URL to request and store if it is allowed.

    ``url`` is the URL after rewriting and query treatment, ``key`` its identity key,
    ``fingerprint`` the key's signed 64-bit hash, ``origin`` its origin ("" if it has none).
    ``indexed`` is False for a start that may be fetched for its links, but does not match the
    patterns that a document must match.
    """

    decision: Decision
    url: str
    key: str = ""
    fingerprint: int = 0
    origin: str = ""
    indexed: bool = True


class Step(NamedTuple):
    """One rule's part in a decision, as ``scrapy explain`` prints it.

    ``rule`` is the reason under which the rule refuses, ``verdict`` one of ``passed``,
    ``changed``, ``exempt`` (a start, to which the rule does not apply) or ``refused``;
    ``detail`` is the option with its value and source, or for a change the new URL.
    """

    rule: str
    verdict: str
    detail: str


class Example(NamedTuple):
    """One refused URL, the rule that refused it, and the page that links to it, if any."""

    url: str
    rule: str
    referrer: str | None


@dataclass(slots=True)
class Refusals:
    """Refusals of a run by reason, with the first ``kept`` different URLs of each."""

    kept: int = 5
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Example]] = field(default_factory=dict)

    def note(self, decision: Decision, url: str, referrer: str | None = None) -> None:
        """Count a refusal, and keep it while its reason has few examples."""
        self.counts[decision.reason] += 1
        known = self.examples.setdefault(decision.reason, [])
        if len(known) < self.kept and all(example.url != url for example in known):
            known.append(Example(url, decision.rule, referrer))

    def as_stored(self) -> dict[str, list[dict[str, str | None]]]:
        """Return the examples by reason, as plain values."""
        return {
            reason: [example._asdict() for example in examples]
            for reason, examples in self.examples.items()
        }
