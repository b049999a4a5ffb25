"""Rules that one origin of a site has the pages of another: ``www.example.org`` and ``example.org``.

A rule belongs to the origin whose URLs it leaves out: who crawls that origin counts the evidence, and
stores it there. Of two origins with the same pages the one that stays is that which the pages of the
other name as canonical or redirect to permanently; without such a word of the site the one of a start,
otherwise the one found first. A rule covers the whole origin, so a single difference withdraws it.

Pure: the caller provides time and database. Every collection is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self
from zlib import crc32

from sitecrawl.policy.learning.duplicate_rules import place_of
from sitecrawl.policy.learning.evidence import Evidence, RuleState
from sitecrawl.policy.learning.origin_learning import MIN_TEXT, EarlierPage, ObservedPage
from sitecrawl.policy.urls.scope import owner_of
from sitecrawl.web.urls.url import is_ip_host, split
from sitecrawl.web.urls.url import origin as origin_of

PREFIXES = ("www", "m", "mobile")
"""First labels of hosts that often have the pages of the host without them."""
MAX_PARTNERS = 8
MAX_UNANSWERED = 100
"""Number of pages that wait for the same page of another origin to be read."""
OPEN_STATES = frozenset({RuleState.PROPOSED, RuleState.TESTED})


class Partner(NamedTuple):
    """Another origin of the crawl that may have the same pages.

    ``comes_first``: it is that of a start, or was found first, and ours is not. ``is_down``: this run
    has given it up. ``folds_into`` are the origins into which active rules fold it.
    """

    key: str
    comes_first: bool = False
    is_down: bool = False
    folds_into: tuple[str, ...] = ()


class HostQuestion(NamedTuple):
    """A page of another origin whose text is needed to judge a rule by the page that was read."""

    rule: HostRule
    page: ObservedPage
    other: str


def partners_of(origin: str) -> list[str]:
    """Return the origins that differ from ``origin`` in scheme or in the first label of the host."""
    parts = split(origin + "/")
    hosts = [parts.host]
    if parts.host and not is_ip_host(parts.host):
        label, _, parent = parts.host.partition(".")
        hosts += [f"{prefix}.{parts.host}" for prefix in PREFIXES]
        if "." in parent or parent == "localhost":
            hosts += [parent, *(f"{prefix}.{parent}" for prefix in PREFIXES if prefix != label)]
    rest = origin.partition("://")[2].removeprefix(parts.host)
    found = [f"{parts.scheme}://{host}{rest}" for host in hosts]
    if not rest:
        found += [f"{'http' if parts.scheme == 'https' else 'https'}://{host}" for host in hosts]
    return [each for each in dict.fromkeys(found) if each != origin]


@dataclass(slots=True)
class HostRule:
    """The rule that an origin has the pages of another, its partner, at the same paths.

    ``claimed``: pages of the origin name the partner's as canonical, or redirect to them.
    """

    origin: str
    partner: str
    claimed: bool = False
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def id(self) -> str:
        """A short identifier, used to forbid the rule."""
        return f"h{crc32(f'{self.origin} {self.partner}'.encode()):08x}"

    @property
    def state(self) -> RuleState:
        """The state that follows from the evidence."""
        return self.evidence.state

    def apply(self, url: str) -> str:
        """Return the URL of the partner that a URL of the origin stands for."""
        return self.partner + place_of(url)

    def in_words(self, url: str) -> str:
        """Return the reason why ``url`` replaces another one in readable form."""
        return f"same as {url} by the learned rule {self}, {self.evidence.in_words}"

    def __str__(self) -> str:
        """Return the rule in readable form: ``http://www.example.org/* => http://example.org/*``."""
        return f"{self.origin}/* => {self.partner}/*"

    def rewriting(self) -> str | None:
        """Return an active rule as an entry of ``url_rewrite``."""
        if self.state is not RuleState.ACTIVE:
            return None
        return f"^{re.escape(self.origin)}(?=/)=>{self.partner}"

    def as_stored(self) -> dict[str, Any]:
        """Return the rule as plain values."""
        return {
            "origin": self.origin,
            "partner": self.partner,
            "claimed": self.claimed,
            "evidence": self.evidence.as_stored(),
        }

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        """Restore the rule from plain values."""
        evidence = Evidence.from_stored(stored["evidence"])
        return cls(stored["origin"], stored["partner"], stored["claimed"], evidence)


@dataclass(slots=True)
class HostRules:
    """The host rules of one origin.

    ``changed`` is True if a rule has changed since it was stored, ``urgent`` if a state has, ``withdrawn`` from the withdrawal
    of an active rule until the caller has requeued the URLs that it refused. ``owed`` counts samples
    that are due, but whose replacement was not read yet.
    """

    origin: str
    forbidden: frozenset[str] = frozenset()
    rules: dict[str, HostRule] = field(default_factory=dict)
    changed: bool = False
    urgent: bool = False
    withdrawn: bool = False
    owed: int = 0
    _unanswered: dict[str, ObservedPage] = field(default_factory=dict)
    _resting: set[str] = field(default_factory=set)
    _down: set[str] = field(default_factory=set)

    def note_partners(self, partners: Iterable[Partner]) -> None:
        """Propose rules for the partners that come first, and note which of all partners are down.

        A rule rests while its partner is itself folded into the origin.
        """
        for each in partners:
            if each.comes_first:
                self._rule(each.key)
            for states, applies in (
                (self._resting, self.origin in each.folds_into),
                (self._down, each.is_down),
            ):
                (states.add if applies else states.discard)(each.key)

    @property
    def active(self) -> Iterator[HostRule]:
        """The rules that leave URLs out now."""
        for rule in self.rules.values():
            if rule.state is RuleState.ACTIVE and rule.partner not in self._resting:
                yield rule

    def may_replace(self, rule: HostRule, *, is_read: bool) -> bool:
        """Return True if a page of the partner may replace one: it was read, or can be now."""
        return is_read or rule.partner not in self._down

    def note_down(self, partner: str) -> None:
        """Replace no further pages by those of a partner that is given up."""
        self._down.add(partner)

    @property
    def folded_into(self) -> list[str]:
        """The partners into which an active rule folds the origin, also one that rests."""
        active = (rule for rule in self.rules.values() if rule.state is RuleState.ACTIVE)
        return [rule.partner for rule in active]

    def observe(self, page: ObservedPage) -> None:
        """Learn from a page of the origin."""
        if page.size < MIN_TEXT:
            return
        named = page.canonical or ""
        there = origin_of(named)
        if there not in ("", self.origin) and place_of(named) == place_of(page.url):
            if owner_of(named) == owner_of(page.url) and (rule := self._rule(there)) is not None:
                rule.claimed = True
                self._count(rule, page.text)
        elif self.rules and not page.moved:
            if len(self._unanswered) >= MAX_UNANSWERED:
                del self._unanswered[next(iter(self._unanswered))]
            self._unanswered[page.url] = page

    def questions(self) -> list[HostQuestion]:
        """Return what has to be known to judge the rules by the pages read so far."""
        rules = [
            each
            for each in self.rules.values()
            if each.state not in (RuleState.WITHDRAWN, RuleState.FORBIDDEN)
        ]
        pages = self._unanswered.values()
        return [HostQuestion(rule, page, rule.apply(page.url)) for page in pages for rule in rules]

    def answer(self, question: HostQuestion, other: EarlierPage) -> None:
        """Count a page of the partner that has been read for or against a rule."""
        rule, page = question.rule, question.page
        if rule.state is RuleState.WITHDRAWN or (other.text is None and not other.is_gone):
            return
        self._unanswered.pop(page.url, None)
        if other.canonical == page.url or other.text != page.text:
            self._contradict(rule, page.url)
        else:
            self._count(rule, page.text)

    def _count(self, rule: HostRule, text: int) -> None:
        self.changed = True
        self.urgent |= rule.evidence.add(text, foretold=rule.state is not RuleState.PROPOSED)

    def _contradict(self, rule: HostRule, example: str) -> None:
        self.withdrawn |= rule.evidence.contradict(example)
        self.changed = self.urgent = True

    def _rule(self, partner: str) -> HostRule | None:
        rule = self.rules.get(partner)
        if rule is None and len(self.rules) < MAX_PARTNERS:
            rule = self.rules[partner] = HostRule(self.origin, partner)
            self._forbid(rule)
        if rule is None or rule.state is RuleState.FORBIDDEN:
            return None
        return rule

    def _forbid(self, rule: HostRule) -> None:
        """Apply the configured list of forbidden rules, and forget earlier prohibitions."""
        if self.forbidden & {rule.id, "*"}:
            rule.evidence.state = RuleState.FORBIDDEN
        elif rule.state is RuleState.FORBIDDEN:
            rule.evidence.state = RuleState.PROPOSED

    def fold(self, rule: HostRule, *, is_read: bool, before: bool) -> bool:
        """Count a URL that a rule refuses; return False if it is a sample, to be fetched.

        A sample needs a replacement that was read, to be compared with; otherwise the next one that
        has such a replacement is fetched instead.
        """
        if not is_read:
            if not before:
                self.owed += not rule.evidence.fold()
                self.changed = True
            return True
        self.changed = True
        if rule.evidence.fold(before=before) and not self.owed:
            return True
        self.owed = max(0, self.owed - 1)
        return False

    # Storage

    @property
    def stored(self) -> Iterator[HostRule]:
        """All rules worth storing."""
        for rule in self.rules.values():
            if rule.evidence.support or rule.evidence.against:
                yield rule

    def restore(self, stored: Iterable[Mapping[str, Any]]) -> None:
        """Restore rules of an earlier run."""
        for values in stored:
            rule = HostRule.from_stored(values)
            self._forbid(rule)
            self.rules[rule.partner] = rule
