"""Construction of the rules and limits of a crawl from its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.options.rules import RuleParams
from sitecrawl.frontier.records import Records
from sitecrawl.policy.urls.path_limits import PathLimits
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.policy.urls.url_rules import read_target
from sitecrawl.web.urls.url import normalize


@dataclass(frozen=True, slots=True)
class Citations:
    """The values of the options, each with its name and source in readable form."""

    params: RuleParams
    sources: Mapping[str, str]

    def value(self, option: str) -> Any:
        """Return the value of an option."""
        return getattr(self.params, option)

    def setting(self, option: str) -> str:
        """Return the setting of an option: ``scope 'origin' (default)``."""
        value = self.value(option)
        shown = " ".join(value) if isinstance(value, tuple) else value
        return self._entry(option, shown)

    def entries(self, option: str) -> list[tuple[str, str]]:
        """Return the entries of a list, each with its setting: ``deny '/private/' (-a deny)``."""
        return [(entry, self._entry(option, entry)) for entry in self.value(option)]

    def _entry(self, option: str, value: object) -> str:
        return f"{option} {value!r} ({self.sources.get(option, 'default')})"


def build_rules(params: CrawlParams, sources: Mapping[str, str]) -> Rules:
    """Build the rules of a crawl; ``sources`` names the place where each option was set.

    Raises ConfigError with a line for each start that the rules refuse.
    """
    rules = Rules.build(Citations(params, sources))
    if refused := contradictions(rules, params, sources.get("start", "-a start")):
        raise ConfigError(refused)
    return rules


def contradictions(rules: Rules, params: CrawlParams, source: str) -> list[str]:
    """Return one line for each start that the crawl's own rules refuse.

    Starts must be in scope too, although the scope does not bind them; a sitemap or feed that
    only lists pages may be anywhere.
    """
    found = []
    for start in params.start:
        admission = rules.admit(normalize(start) or start, via="seed")
        words = admission.decision.rule
        if admission.decision.allowed and params.lists_pages is None:
            words = rules.scope.refusal(read_target(admission.url))
        if words:
            remedy = "change that option, or leave the start out"
            found.append(f"{source}: {start!r} is refused by {words}; {remedy}.")
    return found


def build_limits(params: RuleParams, sources: Mapping[str, str]) -> PathLimits:
    """Build the limits of a crawl, empty as at the start of a run."""
    return PathLimits.build(Citations(params, sources))


def start_fingerprints(rules: Rules, params: CrawlParams) -> frozenset[int]:
    """Return the fingerprints of the configured starts."""
    starts = (rules.admit(normalize(start) or start, via="seed") for start in params.start)
    return frozenset(start.fingerprint for start in starts)


def apply_learned(rules: Rules, params: CrawlParams, records: Records) -> None:
    """Bring the last known redirect targets of the starts into scope, and keep the parameters that
    proved to carry a meaning.
    """
    starts = [rules.admit(normalize(start) or start, via="seed").url for start in params.start]
    for url, target in records.redirect_chain(starts, realm=params.realm, key=rules.key):
        rules.admit_redirect(url, target)
    for key, name in records.meanings(params.realm):
        rules.take_back(key, (name,))
