"""Links that the last runs left out by what they had seen, or by where the links stood.

Unlike what a URL alone decides, that cannot be judged again afterwards. Each run keeps a
count for each reason, and the first URLs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sitecrawl.config.assembly import agent
from sitecrawl.config.configuration import Configuration, changed_options
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.rules_from_options import Citations, widen_scope
from sitecrawl.frontier.base import OriginState
from sitecrawl.frontier.records import Records, RunRecord, UrlState
from sitecrawl.policy.decision import Admission, Example, Step
from sitecrawl.policy.lifecycle.revisit import FAILED
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.refusal_reasons import LIMIT_REASONS, LINK_REASONS
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.web.robots.robots_txt import RobotsTxt
from sitecrawl.web.urls.url import normalize

CIRCUMSTANCES = {reason.name: reason for reason in (*LIMIT_REASONS, *LINK_REASONS)}
"""The reasons that cannot be judged again after the run."""
COUNTED = "sitecrawl/rules/"
LOOKED_AT = 100
"""Runs that are asked: with one a day, those since each page was read, which is max_revisit."""


class Left(NamedTuple):
    """A link that was left out: the reason, the rule and the page, and the run that says so."""

    reason: str
    example: Example
    run: str


@dataclass(slots=True)
class LeftOut:
    """How many links were left out by reason, the kept examples by URL, and the origins that
    the last run gave up, with why.

    A run counts the links of the pages that it read. Those that had not changed are told of by
    the runs before, as far back as the options are the same: of each reason the most counts.
    """

    counts: dict[str, tuple[int, str]] = field(default_factory=dict)
    examples: dict[str, Left] = field(default_factory=dict)
    given_up: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Sequence[RunRecord]) -> LeftOut:
        """What the last of the runs, which comes first, left out, and what those before it did."""
        found = cls()
        for run in runs:
            if changed_options(run.configuration, runs[0].configuration):
                break
            found.add(run, "the last run" if run is runs[0] else f"run {run.id}")
        if runs:
            found.given_up = dict[str, Any](runs[0].counters).get("given_up") or {}
        return found

    def add(self, run: RunRecord, name: str) -> None:
        """Note what a run left out, which ``name`` calls in words."""
        counters: dict[str, Any] = dict(run.counters)
        kept = counters.get("refusals") or {}
        for reason in CIRCUMSTANCES:
            count = int(counters.get(COUNTED + reason, 0))
            if count > self.counts.get(reason, (0, ""))[0]:
                self.counts[reason] = count, name
            for each in kept.get(reason, ()):
                self.examples.setdefault(each["url"], Left(reason, Example(**each), name))

    def blame(self, steps: list[Step], url: str) -> list[Step]:
        """The steps, with the one refused that left ``url`` out, if its option is unchanged."""
        left = self.examples.get(url)
        if left is None:
            return steps
        words = f"{left.example.rule} (in {left.run}, on {left.example.referrer})"
        return [blamed(step, left.reason, left.example.rule, words) for step in steps]

    def __str__(self) -> str:
        """The links that were left out for what cannot be judged again; empty without any."""
        if not self.counts:
            return ""
        reasons = ", ".join(f"{count} {reason}" for reason, (count, _) in self.counts.items())
        runs = {run for _, run in self.counts.values()}
        which = runs.pop() if len(runs) == 1 else "the last runs"
        return f"among the links that {which} left out ({reasons})"


def blamed(step: Step, reason: str, rule: str, words: str) -> Step:
    """The step refused with ``words`` if it is the one that ``rule`` speaks of."""
    if step.rule != reason or step.verdict != "passed" or step.detail not in rule:
        return step
    return Step(step.rule, "refused", words)


@dataclass(frozen=True, slots=True)
class Prospects:
    """What mode, activity, force and reading make of one URL; ``start``: it is a start.

    ``read_before`` is the reading of the last run (None: not known).
    """

    params: CrawlParams
    cite: Citations
    start: bool
    read_before: str | None = None

    @property
    def follows(self) -> bool:
        """Whether a page's link may bring it in."""
        return self.params.follows

    @property
    def findable(self) -> bool:
        """Whether there is a way on which a URL that is not stored yet comes into the crawl."""
        if self.params.lists_pages:
            return self.params.activity != "refresh"
        return self.start or self.follows

    def unknown(self) -> str:
        """How a URL that is not stored yet comes into the crawl."""
        params = self.params
        listed = params.lists_pages
        if listed and params.activity == "refresh":
            return f"would not be found: {self.cite.setting('activity')} reads no {listed}"
        if listed:
            also = " or a page links to it" if self.follows else ""
            once = f"would be crawled once a {listed} names it{also}"
            return f"would be read as a {listed}: it is a start" if self.start else once
        if self.start:
            return "would be crawled: it is a start"
        if not self.follows:
            return f"would not be found: no links are followed by {self._stops_following()}"
        if params.considers in ("starts", "refresh"):
            return f"would wait once a page links to it: {self._considers()}"
        return "would be crawled once a page links to it"

    def left_alone(self, stored: UrlState) -> str:
        """Why a run passes over a stored URL, due or not; empty if it does not."""
        considers = self.params.considers
        if considers == "starts" and not self.start:
            return self._considers()
        if considers == "refresh" and stored.outcome is None:
            return self._considers()
        if considers == "discover" and not (self.start or stored.waiting):
            return f"{self.cite.setting('activity')} visits starts and what was never visited"
        return ""

    def hurried(self, stored: UrlState) -> str:
        """Why a run visits a stored URL that it considers before its time; empty if not."""
        params = self.params
        if self.start and stored.outcome is not Outcome.FILE_GONE:
            if params.considers == "discover":
                return f"{self.cite.setting('activity')} visits starts"
            if params.mode == "page":
                return f"{self.cite.setting('mode')} visits starts"
        if stored.due is None:
            return ""
        if params.force or params.mode == "check":
            return self.cite.setting("force") if params.force else self.cite.setting("mode")
        if params.considers != "starts" and self._reread(stored):
            return "it was read with other options"
        return ""

    def _reread(self, stored: UrlState) -> bool:
        reading = self.params.reading
        unlike = stored.reading is not None and stored.reading != reading
        return unlike and not stored.failures and self.read_before != reading

    def _considers(self) -> str:
        if self.params.considers == "starts":
            return f"{self.cite.setting('mode')} visits starts alone"
        return f"{self.cite.setting('activity')} visits what was visited before"

    def _stops_following(self) -> str:
        return self.cite.setting("mode" if self.params.discover is None else "discover")


UNREACHABLE = "robots_txt_unreachable"


@dataclass(slots=True)
class Explanation:
    """What is decided and known of one URL.

    ``robots`` is a step with the verdict ``passed``, ``refused``, ``exempt`` (not obeyed) or
    ``unknown``. ``referrers`` begins at a start and ends with the page that first named the
    URL. ``tries`` counts the requests of the last run for a URL that failed. ``left_out`` tells of the links among which one to an unknown URL may be;
    ``given_up`` says why the last run gave the origin up, if it did.
    """

    url: str
    admission: Admission
    rules: list[Step]
    limits: list[Step]
    robots: Step
    prospects: Prospects
    origin: OriginState | None = None
    stored: UrlState | None = None
    referrers: list[str] = field(default_factory=list)
    tries: int = 0
    left_out: str = ""
    given_up: str = ""

    @property
    def refusal(self) -> Step | None:
        """The first refusal, which is what decides."""
        steps = [*self.rules, *self.limits, self.robots]
        return next((step for step in steps if step.verdict == "refused"), None)

    @property
    def refused_link(self) -> bool:
        """Whether a link to it is refused where it is found, and not when its turn comes."""
        return any(step.verdict == "refused" for step in (*self.rules, *self.limits))


class Explainer:
    """Explains URLs under one configuration, with what a crawl database knows if there is one."""

    def __init__(self, configuration: Configuration, rules: Rules, records: Records | None) -> None:
        self._params = configuration.params
        self._rules = rules
        self._records = records
        self._fresh: dict[str, OriginState] = {}
        self._cite = Citations(self._params, configuration.sources)
        runs = records.runs(self._params.realm, LOOKED_AT) if records else []
        self._read_before = runs[0].reading if runs else None
        self._left_out = LeftOut.of(runs)
        self._starts = {self._seed(start).fingerprint for start in self._params.start}
        if records:
            widen_scope(rules, self._params, records)

    def know(self, origin: OriginState | None) -> None:
        """Believe this of an origin rather than what the crawl database has."""
        if origin is not None:
            self._fresh[origin.key] = origin

    def explain(
        self, url: str, *, depth: int = 0, rel: frozenset[str] = frozenset()
    ) -> Explanation:
        """All that is decided and known of a URL, which a link with ``rel`` may name.

        ``depth`` is that of the link; what is stored, and a start, has its own.
        """
        url = normalize(url) or url
        stored = self._stored(self._rules.admit(url))
        start = self._seed(url).fingerprint in self._starts
        via = "seed" if start else stored.via if stored else "link"
        if start or stored:
            depth = stored.depth if stored and not start else 0
        if via == "seed" and not start:  # one that was taken out of the configuration
            via, depth = "link", 1
        admission = self._rules.admit(url, depth=depth, via=via)
        origin = self._origin(admission.origin)
        explanation = Explanation(
            url,
            admission,
            self._rules.explain(url, depth=depth, via=via, rel=rel),
            self._limits(stored),
            self._robots(admission.url, origin),
            Prospects(self._params, self._cite, start, self._read_before),
            origin,
            stored,
            self._records.referrers(stored.id) if stored and self._records else [],
            self._tries(stored),
            given_up=self._left_out.given_up.get(admission.origin, ""),
        )
        return explanation if stored or start else self._missing(explanation)

    def _missing(self, explanation: Explanation) -> Explanation:
        """What the last run may have done with a link to a URL that is not stored."""
        blame = self._left_out.blame
        for url in (explanation.url, explanation.admission.url):
            explanation.rules = blame(explanation.rules, url)
            explanation.limits = blame(explanation.limits, url)
        explanation.left_out = str(self._left_out)
        return explanation

    def _seed(self, url: str) -> Admission:
        return self._rules.admit(normalize(url) or url, via="seed")

    def _stored(self, admission: Admission) -> UrlState | None:
        if self._records is None:
            return None
        return self._records.url(
            admission.origin,
            admission.fingerprint,
            realm=self._params.realm,
            revisit=self._params.state_options().revisit,
        )

    def _tries(self, stored: UrlState | None) -> int:
        if stored is None or self._records is None or stored.outcome not in FAILED:
            return 0
        runs = [run for run, *_ in self._records.attempts(stored.id)]
        return runs.count(runs[-1]) if runs else 0

    def _origin(self, key: str) -> OriginState | None:
        if key in self._fresh:
            return self._fresh[key]
        return self._records.origin(key, self._params.realm) if self._records else None

    def _limits(self, stored: UrlState | None) -> list[Step]:
        steps = [
            Step(reason.name, "passed", reason.setting(self._cite)) for reason in LIMIT_REASONS
        ]
        if stored is not None and stored.outcome is Outcome.BLOCKED_URL_BY_LOCAL_POLICY:
            reason, rule = stored.reason or "", stored.detail or ""
            steps = [blamed(step, reason, rule, f"{rule} (in the last run)") for step in steps]
        return steps

    def _robots(self, url: str, origin: OriginState | None) -> Step:
        if not self._params.obey_robots:
            return Step("robots_txt", "exempt", self._cite.setting("obey_robots"))
        if origin is None or not origin.robots_expires_at:
            return Step("robots_txt", "unknown", "not known yet; a crawl asks for it first")
        return _judged(url, origin, self._params)


def _judged(url: str, origin: OriginState, params: CrawlParams) -> Step:
    if origin.robots_text is None:
        status = f"status {origin.robots_status}" if origin.robots_status else "no answer"
        words = f"{origin.key}/robots.txt could not be read: {status}"
        return Step(UNREACHABLE, "refused", words)
    rules = RobotsTxt.parse(
        origin.robots_text,
        origin=origin.key,
        case_insensitive_disallow=params.robots_case_insensitive,
    )
    match = rules.match(url, agent(params))
    words = f"line {match.line_number} of robots.txt: {match.line}"
    if not match.line_number:
        words = f"no line of robots.txt speaks of it (status {origin.robots_status})"
    return Step("robots_txt", "passed" if match.allowed else "refused", words)
