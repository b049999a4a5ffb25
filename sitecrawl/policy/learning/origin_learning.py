"""Learning of duplicate and parameter rules of one origin, from the pages that were read.

Pure: the caller provides time, database and the crawl's rules. Every collection is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import crc32

from sitecrawl.policy.learning.duplicate_rules import (
    DuplicateRule,
    Edit,
    common_start,
    is_hashed,
    place_of,
    reverse,
    script_key,
    script_of,
)
from sitecrawl.policy.learning.evidence import RuleState
from sitecrawl.policy.learning.parameter_rules import (
    ParameterRule,
    parameters_of,
    same_words,
    without_parameter,
)
from sitecrawl.policy.lifecycle.duplicates import rank
from sitecrawl.policy.urls.templates import url_template

MIN_TEXT = 200
"""Minimum length of a text that is evidence, in characters; many pages share shorter ones."""
MAX_PROPOSALS = 400
"""Maximum number of duplicate rules; the oldest ones with a single text are evicted first."""
MAX_PARAMETER_RULES = 400
MAX_REPRESENTATIVES = 20_000
MAX_PAIRS_PER_TEXT = 12
"""Number of pairs of URLs with one text, after which it is taken for that of an error page."""
MAX_TEXTS = 20_000
MAX_REACHED = 12
"""Maximum number of URLs followed from one URL by active rules."""
ROOT = 3
"""Number of slash-separated parts of a URL before its path."""
MAX_PAIRS = 6
"""Number of equal pages that a new page is compared with: those with the nearest URLs."""
MAX_LINKS = 300
"""Number of a page's new links that are checked for links that its equal page lacks."""
LIVE = frozenset({RuleState.TESTED, RuleState.ACTIVE})
Rule = DuplicateRule | ParameterRule


class ObservedPage(NamedTuple):
    """A page that was read: its URL, a hash of its text, and the new URLs that it links to.

    ``size`` is the length of its text in characters. ``equal_to`` are URLs of earlier pages with
    the same text, ``canonical`` is the page's canonical URL or the target of its permanent
    redirect: then ``moved`` is True, and ``text`` a hash of that URL.
    """

    url: str
    text: int
    size: int
    equal_to: tuple[str, ...] = ()
    canonical: str | None = None
    links: tuple[str, ...] = ()
    words: str = ""
    moved: bool = False


class EarlierPage(NamedTuple):
    """Another page, with the hash of its text (None if it was not read); ``is_gone``: it is missing."""

    text: int | None
    canonical: str | None = None
    words: str = ""
    is_gone: bool = False


class Question(NamedTuple):
    """A URL that a rule maps to the same page as the one that was read.

    ``later`` is True if the page that was read is the one that the rule would refuse: only then
    do its new links show that something would be lost.
    """

    rule: Rule
    page: ObservedPage
    other: str
    later: bool = True
    value: str = ""


class Fold(NamedTuple):
    """A URL that replaces another one by a learned rule."""

    url: str
    rule: Rule

    @property
    def in_words(self) -> str:
        """The reason in readable form."""
        return f"same as {self.url} by the learned rule {self.rule}, {self.rule.evidence.in_words}"


@dataclass(slots=True)
class OriginLearning:
    """The learned rules of one origin.

    ``known`` tests if a URL is in the crawl, ``stands`` if it is and may be a page; ``distinct``
    tests if the page at the second of two URLs calls the first another version
    (``rel=alternate``): no rule applies to such a pair.
    ``changed`` counts changes that are not stored yet; ``withdrawn`` is True from the withdrawal
    of an active rule until the caller has requeued the URLs that it refused. ``unproven`` rules
    are to be checked against the pages that were read before.
    """

    origin: str
    known: Callable[[str], bool]
    stands: Callable[[str], bool]
    distinct: Callable[[str, str], bool]
    learns_duplicates: bool = True
    learns_parameters: bool = True
    forbidden: frozenset[str] = frozenset()
    duplicates: dict[str, DuplicateRule] = field(default_factory=dict)
    parameters: dict[str, ParameterRule] = field(default_factory=dict)
    changed: int = 0
    urgent: bool = False
    withdrawn: bool = False
    unproven: list[DuplicateRule] = field(default_factory=list)
    _representatives: dict[int, str] = field(default_factory=dict)
    _pairs: dict[int, int] = field(default_factory=dict)
    _live: list[DuplicateRule] = field(default_factory=list)

    @property
    def has_rules(self) -> bool:
        """True if any URL may be folded or tested."""
        return bool(self._live) or bool(self.parameters)

    def observe(self, page: ObservedPage) -> list[Question]:
        """Learn from a page; return the URLs whose text is needed to test the rules on it."""
        if self.learns_duplicates and page.size >= MIN_TEXT:
            if page.canonical is not None:
                self._pair(page, page.canonical, claimed=True)
            elif page.equal_to and self._counts(page.text):
                for other in nearest(page.url, page.equal_to):
                    self._pair(page, other, claimed=False)
        if page.moved:
            self._check_move(page)
            return []
        questions = [*self._duplicate_questions(page)]
        if self.learns_parameters and "?" in page.url:
            questions += self._parameter_questions(page)
        return questions

    def answer(self, question: Question, other: EarlierPage) -> None:
        """Count the answer to a question for or against its rule."""
        rule, page = question.rule, question.page
        if other.text is None or rule.state not in (*LIVE, RuleState.PROPOSED):
            return
        pair = (page.url, question.other) if question.later else (question.other, page.url)
        if isinstance(rule, DuplicateRule) and self.distinct(*pair):
            return
        if (
            other.text == page.text
            or question.other == page.canonical
            or page.url == other.canonical
        ):
            same = True
        elif isinstance(rule, ParameterRule) and page.words and other.words:
            same = same_words(page.words, other.words, (question.value,))
        else:
            same = False
        if not same:
            self._contradict(rule, page.url if question.later else question.other)
        elif page.size >= MIN_TEXT:
            self._confirm(question)

    def review(self, pages: Mapping[str, int]) -> None:
        """Check rules whose test begins against the pages that were read before.

        ``pages`` maps URLs to the hash of their text.
        """
        unproven, self.unproven = self.unproven, []
        for rule in unproven:
            for url, text in pages.items():
                made = rule.apply(place_of(url))
                target = self.origin + made if made else ""
                other = pages.get(target, text)
                if other != text and not self.distinct(url, target):
                    self._contradict(rule, url)
                    break

    def fold(self, url: str, is_read: Callable[[str], bool]) -> Iterator[Fold]:
        """Yield the URLs that may replace ``url`` by active rules: pages already read, then the
        others that rank above it, so that no two URLs ever replace each other.
        """
        if not self.has_rules:
            return
        reached = self._reach(url)
        yield from (each for each in reached if is_read(each.url))
        better = (each for each in reached if rank(each.url) < rank(url))
        yield from sorted(better, key=lambda each: rank(each.url))

    def _reach(self, url: str) -> list[Fold]:
        """Return the URLs to which active rules lead from ``url``, the nearest first.

        Where several rules apply, the most specific ones are followed alone. A way that ends at
        another version of the page is wrong from its first step.
        """
        reached: dict[str, Fold] = {}
        before: dict[str, str] = {}
        wrong: set[str] = set()
        waiting = [url]
        while waiting and len(reached) < MAX_REACHED:
            place = waiting.pop(0)
            specific = 0
            for size, step in self._steps(place):
                if size < specific:
                    break
                specific = size
                if self.distinct(url, step.url):
                    wrong.update(_way(place, before))
                elif step.url != url and step.url not in reached:
                    reached[step.url], before[step.url] = step, place
                    waiting.append(step.url)
        return [step for found, step in reached.items() if wrong.isdisjoint(_way(found, before))]

    def named(self, url: str) -> Iterator[str]:
        """Yield the URLs that rules make of ``url`` in a single step, known or not."""
        place = place_of(url)
        for rule in self._live:
            made = rule.apply(place, rule.acting)
            if made is not None:
                yield self.origin + made
        template = str(url_template(url)) if "?" in url and self.parameters else ""
        for name, _ in parameters_of(url) if template else ():
            each = self.parameters.get(f"{template} {name}")
            if each is not None and each.state in LIVE:
                yield without_parameter(url, name)

    def _check_move(self, page: ObservedPage) -> None:
        """Withdraw rules learned from canonical links or redirects that a redirect contradicts."""
        place = place_of(page.url)
        for rule in list(self._live):
            made = rule.apply(place) if rule.claimed else None
            if made is not None and self.origin + made != page.canonical:
                self._contradict(rule, page.url)

    def _steps(self, url: str) -> Iterator[tuple[int, Fold]]:
        """Yield what the active rules make of ``url``, the most specific first, each with the
        number of tokens that the rule deletes."""
        place = place_of(url)
        for rule in self._live:
            if rule.acting is not None:
                made = rule.apply(place, rule.acting)
                if made is not None and self._may_stand(self.origin + made, url):
                    yield rule.size, Fold(self.origin + made, rule)
        if self.parameters and "?" in url:
            for step in self._parameter_steps(url):
                yield 1, step

    def _may_stand(self, other: str, url: str) -> bool:
        """Return True if ``other`` may be a page and ``url`` is not another version of it."""
        return self.stands(other) and not self.distinct(url, other)

    def _parameter_steps(self, url: str) -> Iterator[Fold]:
        template = str(url_template(url))
        for name, value in parameters_of(url):
            rule = self.parameters.get(f"{template} {name}")
            if rule is not None and rule.state is RuleState.ACTIVE and rule.covers(value):
                base = without_parameter(url, name)
                yield Fold(self._representatives.get(_class(base, name), base), rule)

    # Duplicate rules

    def _pair(self, page: ObservedPage, other: str, *, claimed: bool) -> None:
        """Learn from two URLs of one page, in both directions unless it is ``claimed``."""
        if not other.startswith(self.origin + "/"):
            return
        script = script_of(place_of(page.url), place_of(other))
        if script is None:
            return
        rule = self._support(page, script, (page.url, other), later=True)
        if claimed and rule is not None:
            rule.claimed = True
        if not claimed:
            self._support(page, reverse(script), (other, page.url), later=False)

    def _support(
        self, page: ObservedPage, script: Sequence[Edit], pair: tuple[str, str], *, later: bool
    ) -> DuplicateRule | None:
        """Count a pair in favour of the rule that would refuse the first of its URLs."""
        left, other = pair
        if self.distinct(left, other):
            return None
        rule = self._rule_for(script, hashed=is_hashed(place_of(left)))
        if rule is None:
            return None
        foretold = rule.fits(script) and later and rule.is_general
        if rule.widen(script) and rule.state in LIVE:
            self._retest(rule)
        elif rule.state is RuleState.ACTIVE:
            rule.act()
        foretold = foretold and rule.state is RuleState.TESTED
        if foretold and self._leads_elsewhere(page, other):
            foretold = False
        self._count(rule, changed=rule.evidence.add(page.text, foretold=foretold))
        return rule

    def _rule_for(self, script: Sequence[Edit], *, hashed: bool) -> DuplicateRule | None:
        """Return the rule that a script supports, for all languages if that one still stands.

        If those for any name are withdrawn, ``hashed`` names have one of their own.
        """
        for languages, own in ((True, False), (False, False), (False, True)):
            if own and not hashed:
                return None
            rule = self.duplicates.get(script_key(script, languages=languages, hashed=own))
            if rule is None:
                rule = self._propose(DuplicateRule.of(script, languages=languages, hashed=own))
            if rule.state is not RuleState.WITHDRAWN:
                return rule if rule.state is not RuleState.FORBIDDEN else None
        return None

    def _retest(self, rule: DuplicateRule) -> None:
        """Test a generalised rule again; the form that was tested before stays active."""
        rule.evidence.retest()
        if rule.acting is None or rule.acting != rule.rewriting():
            rule.evidence.state = RuleState.TESTED
            self.unproven.append(rule)

    def _propose(self, rule: DuplicateRule) -> DuplicateRule:
        if len(self.duplicates) >= MAX_PROPOSALS:
            weak = (key for key, each in self.duplicates.items() if each.evidence.support < 2)
            del self.duplicates[next(weak, next(iter(self.duplicates)))]
        if self.forbidden & {rule.id, "*"}:
            rule.evidence.state = RuleState.FORBIDDEN
        return self.duplicates.setdefault(rule.key, rule)

    def _counts(self, text: int) -> bool:
        """Return True if few pages share the text."""
        pairs = self._pairs.pop(text, 0) + 1
        if len(self._pairs) >= MAX_TEXTS:
            del self._pairs[next(iter(self._pairs))]
        self._pairs[text] = pairs
        return pairs <= MAX_PAIRS_PER_TEXT

    def _duplicate_questions(self, page: ObservedPage) -> Iterator[Question]:
        if not self._live:
            return
        place = place_of(page.url)
        for rule in self._live:
            made = rule.apply(place)
            if made is not None and self.origin + made not in page.equal_to:
                yield Question(rule, page, self.origin + made)
            for left in rule.duplicates_of(place):
                if self.origin + left not in page.equal_to and self.known(self.origin + left):
                    yield Question(rule, page, self.origin + left, later=False)

    # Parameters

    def _parameter_questions(self, page: ObservedPage) -> Iterator[Question]:
        template = str(url_template(page.url))
        for name, value in parameters_of(page.url):
            rule = self._parameter_rule(template, name)
            if rule is None or rule.state in (RuleState.WITHDRAWN, RuleState.FORBIDDEN):
                continue
            base = without_parameter(page.url, name)
            yield Question(rule, page, base, value=value)
            if len(self._representatives) >= MAX_REPRESENTATIVES:
                del self._representatives[next(iter(self._representatives))]
            first = self._representatives.setdefault(_class(base, name), page.url)
            if first != page.url:
                yield Question(rule, page, first, value=value)

    def _parameter_rule(self, template: str, name: str) -> ParameterRule | None:
        rule = self.parameters.get(f"{template} {name}")
        if rule is None and len(self.parameters) < MAX_PARAMETER_RULES:
            rule = ParameterRule(template, name)
            if self.forbidden & {id_of(rule), "*"}:
                rule.evidence.state = RuleState.FORBIDDEN
            self.parameters[rule.key] = rule
        return rule

    # Evidence

    def _confirm(self, question: Question) -> None:
        rule, page = question.rule, question.page
        foretold = rule.state is RuleState.TESTED and question.later
        if foretold and self._leads_elsewhere(page, question.other):
            if isinstance(rule, ParameterRule):
                self._contradict(rule, page.url)
                return
            foretold = False
        if isinstance(rule, ParameterRule):
            self._count(rule, changed=rule.add(page.text, question.value, foretold=foretold))
        else:
            self._count(rule, changed=rule.evidence.add(page.text, foretold=foretold))

    def _contradict(self, rule: Rule, example: str) -> None:
        acted = rule.evidence.contradict(example)
        if isinstance(rule, DuplicateRule):
            acted = acted or rule.acting is not None
            rule.acting = None
        self.withdrawn |= acted
        self._count(rule, changed=True)

    def _count(self, rule: Rule, *, changed: bool) -> None:
        self.changed += 1
        if not changed:
            return
        self.urgent = True
        if isinstance(rule, DuplicateRule):
            if rule.state is RuleState.ACTIVE:
                rule.act()
            elif rule.state is RuleState.TESTED:
                self.unproven.append(rule)
            self._sort()

    def _sort(self) -> None:
        """List the rules that are tested or active, the most specific ones first."""
        live = [each for each in self.duplicates.values() if each.state in LIVE]
        self._live = sorted(live, key=lambda each: -each.size)

    def _leads_elsewhere(self, page: ObservedPage, other: str) -> bool:
        """Return True if a page links to URLs to which its equal, ``other``, does not link.

        Relative links lead to another URL from each of the two: such a link counts as known if the
        URL that it resolves to from ``other`` is known.
        """
        here, there = differing_bases(page.url, other)
        return not all(
            (link.startswith(here) and self.known(there + link[len(here) :]))
            or self._is_explained(link)
            for link in page.links[:MAX_LINKS]
        )

    def _is_explained(self, link: str) -> bool:
        """Return True if a rule that two texts support maps the URL to a known one."""
        place = place_of(link)
        for rule in self.duplicates.values():
            if rule.evidence.support < 2 or rule.state is RuleState.WITHDRAWN:
                continue
            made = rule.apply(place)
            if made is not None and self.known(self.origin + made):
                return True
        if "?" not in link:
            return False
        template = str(url_template(link))
        for name, _ in parameters_of(link):
            each = self.parameters.get(f"{template} {name}")
            supported = each is not None and each.evidence.support and not each.evidence.against
            if supported and self.known(without_parameter(link, name)):
                return True
        return False

    # Storage

    @property
    def rules(self) -> Iterator[Rule]:
        """All rules worth storing."""
        for rule in self.duplicates.values():
            if rule.evidence.support > 1 or rule.evidence.against:
                yield rule
        yield from self.parameters.values()

    def restore(self, stored: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Restore rules of an earlier run, each with its kind."""
        for kind, values in stored:
            if kind == "parameter":
                parameter = ParameterRule.from_stored(values)
                self._forbid(parameter)
                if self.learns_parameters:
                    self.parameters[parameter.key] = parameter
            elif kind == "duplicate" and self.learns_duplicates:
                rule = DuplicateRule.from_stored(values)
                self._forbid(rule)
                self.duplicates[rule.key] = rule
        self._sort()

    def _forbid(self, rule: Rule) -> None:
        """Apply the configured list of forbidden rules, and forget earlier prohibitions."""
        if self.forbidden & {id_of(rule), "*"}:
            rule.evidence.state = RuleState.FORBIDDEN
        elif rule.state is RuleState.FORBIDDEN:
            rule.evidence.state = RuleState.PROPOSED


def nearest(url: str, others: Sequence[str]) -> list[str]:
    """Return the URLs that differ from ``url`` in the fewest characters."""

    def difference(other: str) -> tuple[int, str]:
        head = len(common_start(url, other))
        tail = len(common_start(url[:head:-1], other[:head:-1]))
        return max(len(url), len(other)) - head - tail, other

    return sorted(others, key=difference)[:MAX_PAIRS]


def _way(url: str, before: Mapping[str, str]) -> Iterator[str]:
    """Yield a URL and those through which it was reached, without the first."""
    while url in before:
        yield url
        url = before[url]


def differing_bases(url: str, other: str) -> tuple[str, str]:
    """Return the directories of two URLs, without their common trailing ones."""
    one, two = url.partition("?")[0].split("/")[:-1], other.partition("?")[0].split("/")[:-1]
    while len(one) > ROOT and len(two) > ROOT and one[-1] == two[-1]:
        one.pop()
        two.pop()
    return "/".join([*one, ""]), "/".join([*two, ""])


def id_of(rule: Rule) -> str:
    """Return the short identifier of a rule, used to forbid it."""
    if isinstance(rule, DuplicateRule):
        return rule.id
    return f"p{crc32(rule.key.encode('utf-8', 'surrogatepass')):08x}"


def kind_of(rule: Rule) -> str:
    """Return the kind of a rule: duplicate or parameter."""
    return "parameter" if isinstance(rule, ParameterRule) else "duplicate"


def _class(base: str, name: str) -> int:
    return hash((base, name))


def rewriting_of(rule: DuplicateRule, origin: str) -> str | None:
    """Return an active rule as an entry of ``url_rewrite``."""
    if rule.acting is None:
        return None
    pattern, replacement = rule.acting
    return f"^{re.escape(origin)}{pattern}$=>{origin}{replacement}"
