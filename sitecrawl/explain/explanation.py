"""The decisions about one URL, and its state in the crawl database."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.config.assembly import agent
from sitecrawl.config.configuration import Configuration
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.rules_from_options import Citations, apply_learned
from sitecrawl.explain.past_refusals import MAX_RUNS, PastRefusals, stored_refusal
from sitecrawl.explain.schedule_forecast import ScheduleForecast
from sitecrawl.frontier.base import OriginState
from sitecrawl.frontier.records import Records, RunRecord, UrlState
from sitecrawl.policy.decision import Admission, Step
from sitecrawl.policy.lifecycle.revisit import FAILED
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.policy.refusal_reasons import LIMIT_REASONS, ROBOTS_TXT, ROBOTS_TXT_UNREACHABLE
from sitecrawl.policy.urls.known_views import PageViews
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.web.robots.robots_txt import RobotsTxt
from sitecrawl.web.urls.url import normalize


@dataclass(slots=True)
class Explanation:
    """The decisions about one URL, and its stored state.

    ``robots`` is a step with the verdict ``passed``, ``refused``, ``exempt`` (not obeyed) or
    ``unknown``. ``referrers`` begins at a start and ends with the first page that linked to the
    URL. ``attempts`` counts the requests of the last run for a URL that failed.
    ``left_out`` counts the refused links, which may include one to an unknown URL;
    ``has_other_rules`` is True if pages that link to it may have been read with other options;
    ``given_up`` is the reason why the last run gave the origin up, if it did; ``deleted`` has time
    and reason of the deletion of a document that was not written again.
    """

    url: str
    admission: Admission
    rules: list[Step]
    limits: list[Step]
    robots: Step
    forecast: ScheduleForecast
    origin: OriginState | None = None
    stored: UrlState | None = None
    referrers: list[str] = field(default_factory=list)
    attempts: int = 0
    left_out: str = ""
    has_other_rules: bool = False
    given_up: str = ""
    deleted: tuple[float, str] | None = None

    @property
    def refusal(self) -> Step | None:
        """The first refusal, which decides."""
        steps = [*self.rules, *self.limits, self.robots]
        return next((step for step in steps if step.verdict == "refused"), None)

    @property
    def refused_link(self) -> bool:
        """True if links to the URL are refused, and not only its fetch."""
        return any(step.verdict == "refused" for step in (*self.rules, *self.limits))


class Explainer:
    """Explainer of URLs under one configuration, with the crawl database if there is one."""

    def __init__(self, configuration: Configuration, rules: Rules, records: Records | None) -> None:
        self._params = configuration.params
        self._stored_params = configuration.stored()["params"]
        self._rules = rules
        self._records = records
        self._fresh: dict[str, OriginState] = {}
        self._cite = Citations(self._params, configuration.sources)
        self._runs = records.runs(self._params.realm, MAX_RUNS) if records else []
        self._read_before = self._runs[0].reading if self._runs else None
        self._past = PastRefusals.of(self._runs)
        self._starts = {self._seed(start).fingerprint for start in self._params.start}
        if records:
            apply_learned(rules, self._params, records)

    def know(self, origin: OriginState | None) -> None:
        """Use this state of an origin instead of that of the crawl database."""
        if origin is not None:
            self._fresh[origin.key] = origin

    def explain(
        self,
        url: str,
        *,
        depth: int = 0,
        rel: frozenset[str] = frozenset(),
        views: PageViews | None = None,
    ) -> Explanation:
        """Explain a URL, as the target of a link with ``rel`` on a page with known ``views``.

        ``depth`` is that of the link; stored URLs and starts have their own.
        """
        url = normalize(url) or url
        stored = self._stored(self._rules.admit(url))
        start = self._seed(url).fingerprint in self._starts
        via = "seed" if start else stored.via if stored else "link"
        if start or stored:
            depth = stored.depth if stored and not start else 0
        if via == "seed" and not start:  # no longer in the configuration
            via, depth = "link", 1
        admission = self._rules.admit(url, depth=depth, via=via)
        origin = self._origin(admission.origin)
        explanation = Explanation(
            url,
            admission,
            self._rules.explain(url, depth=depth, via=via, rel=rel, views=views),
            self._limits(stored),
            self._robots(admission.url, origin),
            ScheduleForecast(
                self._params, self._cite, start, self._read_before, self._spent(admission.origin)
            ),
            origin,
            stored,
            self._records.referrers(stored.id) if stored and self._records else [],
            self._tries(stored),
            given_up=self._past.given_up.get(admission.origin, ""),
            deleted=self._deleted(stored),
        )
        return explanation if stored or start else self._missing(explanation)

    def _deleted(self, stored: UrlState | None) -> tuple[float, str] | None:
        if self._records is None or stored is None or stored.seq is not None:
            return None
        return self._records.last_deletion(stored.id)

    def _spent(self, origin: str) -> str:
        """Describe the budget of an origin if it is spent for today; empty if it is not."""
        most = self._params.max_pages_per_day
        if not most or self._records is None:
            return ""
        visits = self._records.visits_today(origin, self._params.realm)
        if visits < most:
            return ""
        return f"{visits} pages were visited today (UTC), {self._cite.setting('max_pages_per_day')}"

    def _missing(self, explanation: Explanation) -> Explanation:
        """Add the refusals that runs recorded of links to a URL that is not stored."""
        for url in (explanation.url, explanation.admission.url):
            explanation.rules = self._past.mark(explanation.rules, url, self._stored_params)
            explanation.limits = self._past.mark(explanation.limits, url, self._stored_params)
        explanation.left_out = str(self._past)
        explanation.has_other_rules = self._past.is_cut
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
        blocked = Outcome.BLOCKED_URL_BY_LOCAL_POLICY
        if self._records is None or stored is None or stored.outcome is not blocked:
            return steps
        run = self._last_run_of(stored, self._records)
        past = stored_refusal(stored.reason or "", stored.detail or "", run) if run else None
        return past.mark(steps, self._stored_params) if past else steps

    def _last_run_of(self, stored: UrlState, records: Records) -> RunRecord | None:
        """Return the run that visited a URL last; the last run if that is not known."""
        attempts = [run for run, *_ in records.attempts(stored.id)]
        visited = [run for run in self._runs if attempts and run.id == attempts[-1]]
        return next(iter(visited or self._runs), None)

    def _robots(self, url: str, origin: OriginState | None) -> Step:
        if not self._params.obey_robots:
            return Step(ROBOTS_TXT.name, "exempt", self._cite.setting("obey_robots"))
        if origin is None or not origin.robots_expires_at:
            return Step(ROBOTS_TXT.name, "unknown", "not known yet; a crawl asks for it first")
        return _judged(url, origin, self._params)


def _judged(url: str, origin: OriginState, params: CrawlParams) -> Step:
    if origin.robots_text is None:
        status = f"status {origin.robots_status}" if origin.robots_status else "no answer"
        words = f"{origin.key}/robots.txt could not be read: {status}"
        return Step(ROBOTS_TXT_UNREACHABLE.name, "refused", words)
    rules = RobotsTxt.parse(
        origin.robots_text,
        origin=origin.key,
        case_insensitive_disallow=params.robots_case_insensitive,
    )
    match = rules.match(url, agent(params))
    words = f"line {match.line_number} of robots.txt: {match.line}"
    if not match.line_number:
        words = f"no line of robots.txt matches it (status {origin.robots_status})"
    return Step(ROBOTS_TXT.name, "passed" if match.allowed else "refused", words)
