"""The rules in their order, applied to plain URL strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sitecrawl.policy.decision import ALLOWED, Admission, Decision, Step, refuse
from sitecrawl.policy.http.mime import MediaTypes
from sitecrawl.policy.urls.scope import Scope
from sitecrawl.policy.urls.url_rules import Depth, Rel, Target, UrlChange, UrlRule, read_target
from sitecrawl.web.urls.identity import fingerprint, normal_form
from sitecrawl.web.urls.url import normalize

# A start was asked for by name: these do not apply to it...
_NOT_FOR_STARTS = frozenset({"extension", "scope", "numeric_host", "query", "query_policy"})
# ...and these only keep it out of the index, not its links from being followed.
_FOR_DOCUMENTS = frozenset({"allow", "contains"})


@dataclass(slots=True)
class Stage:
    """Changes to the URL, then rules on the result.

    ``concerns`` limits the stage to URLs of which it is true.
    """

    changes: tuple[UrlChange, ...] = ()
    rules: tuple[UrlRule, ...] = ()
    concerns: Callable[[str], bool] | None = None

    def applies(self, url: str) -> bool:
        """Whether this stage has anything to look at."""
        return self.concerns is None or self.concerns(url)


@dataclass(slots=True)
class Rules:
    """One engine for discovery, for stored candidates and for ``scrapy explain``.

    What the URL alone decides is remembered for up to ``memory`` URLs, because the same
    navigation stands on every page of a site.
    """

    stages: Sequence[Stage]
    scope: Scope
    depth: Depth
    rel: Rel
    media_types: MediaTypes
    key: Callable[[str], str]
    memory: int = 20_000
    _known: dict[str, Admission] = field(default_factory=dict, init=False)

    def admit(
        self,
        url: str,
        *,
        depth: int = 0,
        via: str = "link",
        rel: frozenset[str] = frozenset(),
    ) -> Admission:
        """The verdict on an absolute URL found ``depth`` links from a start.

        ``via`` is ``seed`` for a start, to which fewer rules apply. Nothing depends on
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
        return admission if decision.allowed else admission._replace(decision=decision)

    def recheck(self, url: str, *, depth: int, via: str) -> Admission:
        """The verdict of today's rules on a URL stored earlier."""
        return self.admit(url, depth=depth, via=via)

    def at_rest(self, admission: Admission) -> bool:
        """Whether the rules admit an address and would not rewrite it once more."""
        known = self.admit(admission.url).fingerprint == admission.fingerprint
        return known and admission.decision.allowed

    def content_type(self, url: str, content_type: str | None) -> Decision:
        """Whether the body of an answer is wanted, by its Content-Type header (None: none)."""
        return self.media_types.decide(url, content_type)

    def admit_redirect(self, start: str, target: str) -> str | None:
        """Bring a start's redirect target into scope; the line that says so, if it did.

        Where a start was sent stands for it, and may send on.
        """
        notice = self.scope.admit_redirect(start, target)
        if notice:
            self.forget()
        return notice

    def forget(self) -> None:
        """Judge every URL anew; needed when the scope was widened."""
        self._known.clear()

    def explain(
        self,
        url: str,
        *,
        depth: int = 0,
        via: str = "link",
        rel: frozenset[str] = frozenset(),
    ) -> list[Step]:
        """Every rule in its order with its verdict; the first refusal is what decides."""
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
        steps.append(_explain_decision("depth", self.depth.setting, self.depth.decide(depth)))
        steps.append(_explain_decision("rel", self.rel.setting, self.rel.decide(rel)))
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
    """The first refusal among ``rules``, and whether a document may come of the URL."""
    for rule in rules:
        words = rule.refusal(target)
        if not words or (start and rule.reason in _NOT_FOR_STARTS):
            continue
        if not (start and rule.reason in _FOR_DOCUMENTS):
            return refuse(rule.reason, words), indexed
        indexed = False
    return ALLOWED, indexed


def _passed(rule: UrlChange | UrlRule) -> Step:
    return Step(rule.reason, "passed", rule.setting)


def _changed(change: UrlChange, url: str) -> str:
    """What a treatment makes of a URL, by its normal form; as found where that is the same."""
    changed = change.change(url)
    normal = normal_form(url)
    if normal == url or (by_form := change.change(normal)) == normal_form(changed):
        return changed
    return normalize(by_form) or changed


def _explain_change(change: UrlChange, url: str) -> tuple[str, Step]:
    changed = _changed(change, url)
    if changed == url:
        return url, _passed(change)
    return changed, Step(change.reason, "changed", f"{change.setting}: {changed}")


def _explain_rule(rule: UrlRule, target: Target, *, start: bool) -> Step:
    words = rule.refusal(target)
    if not words:
        return _passed(rule)
    exempt = start and rule.reason in _NOT_FOR_STARTS | _FOR_DOCUMENTS
    return Step(rule.reason, "exempt" if exempt else "refused", words)


def _explain_decision(reason: str, setting: str, decision: Decision) -> Step:
    if decision.allowed:
        return Step(reason, "passed", setting)
    return Step(reason, "refused", decision.rule)
