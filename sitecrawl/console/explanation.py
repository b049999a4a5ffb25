"""Every decision about one URL, in the order in which a crawl takes them."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.assembly import agent
from sitecrawl.config import Configuration
from sitecrawl.console.homes import widen_scope
from sitecrawl.console.left_out import LIMITS, LOOKED_AT, LeftOut, blamed
from sitecrawl.console.prospects import Prospects
from sitecrawl.frontier.base import OriginState, Outcome
from sitecrawl.frontier.records import Records
from sitecrawl.frontier.states import UrlState
from sitecrawl.params.crawl import CrawlParams
from sitecrawl.policy.admission import Admission, Step
from sitecrawl.policy.engine import Rules
from sitecrawl.policy.revisit import FAILED
from sitecrawl.ruleset.citations import Citations
from sitecrawl.web.robots_txt import RobotsTxt
from sitecrawl.web.urls import normalize

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
        cite = self._cite
        steps = [
            Step(limit, "passed", cite.setting(option) if hasattr(self._params, option) else option)
            for limit, option in LIMITS.items()
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
