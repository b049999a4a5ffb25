"""The rule engine: all changes and rules in their order, applied to plain URL strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Self

from sitecrawl.policy.decision import ALLOWED, Admission, Decision, OptionValues, Step
from sitecrawl.policy.http.mime import MediaTypes
from sitecrawl.policy.urls.canonicalization import (
    QUERY_CHANGES,
    QUERY_RULES,
    Domino,
    ListingSort,
    Rewriting,
    has_parameters,
    has_treated_query,
    parameter_names,
)
from sitecrawl.policy.urls.known_views import KnownViews, PageViews
from sitecrawl.policy.urls.login_links import LogoutLinks
from sitecrawl.policy.urls.scope import NumericHosts, Scope
from sitecrawl.policy.urls.session_ids import (
    NamedParameters,
    SessionIds,
    TrackingParameters,
    taken_back,
)
from sitecrawl.policy.urls.url_rules import (
    FORM_RULES,
    PATH_RULES,
    PATTERN_RULES,
    SIZE_RULES,
    Depth,
    OnStarts,
    Rel,
    Target,
    UrlChange,
    UrlRule,
    read_target,
)
from sitecrawl.web.urls.identity import fingerprint, identity_key, normal_form
from sitecrawl.web.urls.url import normalize

LINK_RULES = (Depth, Rel, KnownViews)
"""All rules on the place of a link, in the order in which they apply."""


class StageKinds(NamedTuple):
    """The kinds of changes and rules of one stage, in their order.

    ``concerns`` builds the test of the URLs that the stage applies to; None for all.
    """

    changes: tuple[type[UrlChange], ...] = ()
    rules: tuple[type[UrlRule], ...] = ()
    concerns: Callable[[OptionValues], Callable[[str], bool]] | None = None


STAGES = (
    StageKinds((Rewriting,), (*FORM_RULES, NumericHosts)),
    StageKinds((SessionIds, TrackingParameters, ListingSort), (Domino,), lambda _: has_parameters),
    StageKinds(QUERY_CHANGES, QUERY_RULES, has_treated_query),
    StageKinds((), (*SIZE_RULES, Scope, *PATTERN_RULES, *PATH_RULES, LogoutLinks)),
)
"""All changes and rules on URLs, in the order in which they apply."""


@dataclass(slots=True)
class Stage:
    """Changes to the URL, then rules on the result.

    ``concerns`` limits the stage to the URLs for which it returns True.
    """

    changes: tuple[UrlChange, ...] = ()
    rules: tuple[UrlRule, ...] = ()
    concerns: Callable[[str], bool] | None = None

    @classmethod
    def build(cls, kinds: StageKinds, options: OptionValues) -> Self:
        """Build the stage with the changes and rules that the options require."""
        changes = (kind.build(options) for kind in kinds.changes)
        rules = (kind.build(options) for kind in kinds.rules)
        return cls(
            tuple(change for change in changes if change is not None),
            tuple(rule for rule in rules if rule is not None),
            kinds.concerns(options) if kinds.concerns else None,
        )

    def applies(self, url: str) -> bool:
        """Return True if the stage applies to a URL."""
        return self.concerns is None or self.concerns(url)


@dataclass(slots=True)
class Rules:
    """The one engine for discovery, for stored candidates and for ``scrapy explain``.

    Decisions that depend on the URL alone are cached for up to ``memory`` URLs, because the same
    navigation is on every page of a site.
    """

    stages: Sequence[Stage]
    scope: Scope
    depth: Depth
    rel: Rel
    known_views: KnownViews
    media_types: MediaTypes
    key: Callable[[str], str]
    named: Sequence[NamedParameters]
    memory: int = 20_000
    _known: dict[str, Admission] = field(default_factory=dict, init=False)

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the rules from the options."""
        stages = [Stage.build(kinds, options) for kinds in STAGES]
        rules = [rule for stage in stages for rule in stage.rules]
        return cls(
            stages=[stage for stage in stages if stage.changes or stage.rules],
            scope=next(rule for rule in rules if isinstance(rule, Scope)),
            depth=Depth.build(options),
            rel=Rel.build(options),
            known_views=KnownViews.build(options),
            media_types=MediaTypes.build(options),
            key=partial(
                identity_key,
                default_pages=frozenset(options.value("default_pages")),
                fold=frozenset(options.value("fold")),
            ),
            named=[
                change.named
                for stage in stages
                for change in stage.changes
                if isinstance(change, SessionIds | TrackingParameters)
            ],
        )

    def admit(
        self,
        url: str,
        *,
        depth: int = 0,
        via: str = "link",
        rel: frozenset[str] = frozenset(),
        views: PageViews | None = None,
    ) -> Admission:
        """Decide on an absolute URL found ``depth`` links from a start.

        ``via`` is ``seed`` for a start, to which fewer rules apply; ``views`` are those known of
        the software that made the page with the link. The result does not depend on
        earlier calls. Never raises.
        """
        if via == "seed":
            return self._judge(url, start=True)
        admission = self._known.get(url)
        if admission is None:
            admission = self._remember(url)
        if not admission.decision.allowed:
            return admission
        decision = self.depth.decide(depth)
        if decision.allowed and rel:
            decision = self.rel.decide(rel)
        if decision.allowed and views is not None:
            decision = views.decide(admission.url)
            plain = views.program.plain(admission.url)
            if decision.allowed and plain != admission.url:
                return self.admit(plain, depth=depth, rel=rel)
        return admission if decision.allowed else admission._replace(decision=decision)

    def at_rest(self, admission: Admission) -> bool:
        """Return True if the rules admit a URL and would not rewrite it again."""
        known = self.admit(admission.url).fingerprint == admission.fingerprint
        return known and admission.decision.allowed

    def admit_redirect(self, start: str, target: str) -> str | None:
        """Bring a start's redirect target into scope; return a notice if the scope changed.

        The target counts as a start, and may redirect further.
        """
        notice = self.scope.admit_redirect(start, target)
        if notice:
            self.forget()
        return notice

    def guessed(self, url: str, changed: str) -> tuple[str, ...]:
        """Return the names of parameters that ``changed`` lacks because a default list names them."""
        removed = parameter_names(url.partition("?")[2]) - parameter_names(
            changed.partition("?")[2]
        )
        patterns = [each.guesses for each in self.named if each.guesses]
        return tuple(
            sorted(name for name in removed if any(each.fullmatch(name) for each in patterns))
        )

    def try_as_found(self, urls: Iterable[str]) -> None:
        """Exempt URLs from the default lists of names, for a trial."""
        for each in urls:
            self._exempt({each, normal_form(each)})

    def take_back(self, key: str, names: Iterable[str]) -> None:
        """Exempt names on an origin from the default lists, as they carry a meaning there."""
        self._exempt({taken_back(key, name) for name in names})

    def _exempt(self, entries: set[str]) -> None:
        for each in self.named:
            each.taken_back.update(entries)
        self.forget()

    def forget(self) -> None:
        """Clear the cache of decisions; needed when the rules have changed."""
        self._known.clear()

    def explain(
        self,
        url: str,
        *,
        depth: int = 0,
        via: str = "link",
        rel: frozenset[str] = frozenset(),
        views: PageViews | None = None,
    ) -> list[Step]:
        """Return the verdict of every rule in order; the first refusal decides."""
        steps: list[Step] = []
        for stage in self.stages:
            if not stage.applies(url):
                steps += [_passed(each) for each in stage.changes]
                steps += [_passed(each) for each in stage.rules]
                continue
            for change in stage.changes:
                url, step = _explain_change(change, url)
                steps.append(step)
            target = read_target(url)
            steps += [_explain_rule(rule, target, start=via == "seed") for rule in stage.rules]
        steps.append(_explain_decision(self.depth, self.depth.decide(depth)))
        steps.append(_explain_decision(self.rel, self.rel.decide(rel)))
        seen = views.decide(url) if views is not None else ALLOWED
        steps.append(_explain_decision(self.known_views, seen))
        if views is not None and seen.allowed and (plain := views.program.plain(url)) != url:
            steps[-1] = Step(self.known_views.reason.name, "changed", plain)
        return steps

    def _remember(self, url: str) -> Admission:
        if len(self._known) >= self.memory:
            self._known.clear()
        admission = self._known[url] = self._judge(url, start=False)
        return admission

    def _judge(self, url: str, *, start: bool) -> Admission:
        decision, indexed, target = ALLOWED, True, read_target(url)
        for stage in self.stages:
            if not stage.applies(url):
                continue
            for change in stage.changes:
                url = _changed(change, url)
            if url != target.as_found:
                target = read_target(url)
            decision, indexed = _apply(stage.rules, target, start=start, indexed=indexed)
            if not decision.allowed:
                break
        key = self.key(url)
        return Admission(decision, url, key, fingerprint(key), target.origin, indexed)


def _apply(
    rules: Sequence[UrlRule], target: Target, *, start: bool, indexed: bool
) -> tuple[Decision, bool]:
    """Return the first refusal among ``rules``, and True if the URL may become a document."""
    for rule in rules:
        words = rule.refusal(target)
        if not words or (start and rule.on_starts is OnStarts.EXEMPTS):
            continue
        if not (start and rule.on_starts is OnStarts.ONLY_FOR_LINKS):
            return rule.reason.refuse(words), indexed
        indexed = False
    return ALLOWED, indexed


def _passed(each: UrlChange | UrlRule) -> Step:
    name = each.name if isinstance(each, UrlChange) else each.reason.name
    return Step(name, "passed", each.setting)


def _changed(change: UrlChange, url: str) -> str:
    """Return the changed URL, or ``url`` itself if both have the same normal form."""
    changed = change.change(url)
    normal = normal_form(url)
    if normal == url or (by_form := change.change(normal)) == normal_form(changed):
        return changed
    return normalize(by_form) or changed


def _explain_change(change: UrlChange, url: str) -> tuple[str, Step]:
    changed = _changed(change, url)
    if changed == url:
        return url, _passed(change)
    return changed, Step(change.name, "changed", f"{change.setting}: {changed}")


def _explain_rule(rule: UrlRule, target: Target, *, start: bool) -> Step:
    words = rule.refusal(target)
    if not words:
        return _passed(rule)
    exempt = start and rule.on_starts is not OnStarts.REFUSES
    return Step(rule.reason.name, "exempt" if exempt else "refused", words)


def _explain_decision(rule: Depth | Rel | KnownViews, decision: Decision) -> Step:
    if decision.allowed:
        return Step(rule.reason.name, "passed", rule.setting)
    return Step(rule.reason.name, "refused", decision.rule)
