"""The decisions about one URL, and its state in the crawl database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sitecrawl.config.assembly import Citations, agent, apply_learned
from sitecrawl.config.configuration import Configuration, changed_options
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.console.terminal import ago, ahead
from sitecrawl.frontier.base import OriginState
from sitecrawl.frontier.records import Records, RunRecord, UrlState
from sitecrawl.policy.decision import Admission, Example, RefusalReason, Step
from sitecrawl.policy.lifecycle.revisit import FAILED
from sitecrawl.policy.lifecycle.selection import SELECTIONS, EarlyVisit, StoredVisit, early_visit
from sitecrawl.policy.outcomes import READ, REDIRECTS, RULE_STATS, Outcome
from sitecrawl.policy.refusal_reasons import (
    LIMIT_REASONS,
    LINK_REASONS,
    ROBOTS_TXT,
    ROBOTS_TXT_UNREACHABLE,
)
from sitecrawl.policy.urls.known_views import PageViews
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.web.feeds.listings import FORMATS
from sitecrawl.web.robots.robots_txt import RobotsTxt
from sitecrawl.web.urls.url import normalize

RECORDED_REASONS = {reason.name: reason for reason in (*LIMIT_REASONS, *LINK_REASONS)}
"""Reasons that cannot be judged again after the run, by name."""
MAX_RUNS = 100
"""Number of runs that are read: with one a day, those within max_revisit."""


@dataclass(frozen=True, slots=True)
class ScheduleForecast:
    """The schedule of one URL under mode, activity, force and reading; ``start``: it is a start.

    ``read_before`` is the reading of the last run; None if it is not known. ``spent`` describes the
    budget of the origin if it is spent for today.
    """

    params: CrawlParams
    cite: Citations
    start: bool
    read_before: str | None = None
    spent: str = ""

    @property
    def findable(self) -> bool:
        """True if a URL that is not stored yet can come into the crawl."""
        if self.params.lists_pages:
            return self.params.activity != "refresh"
        return self.start or self.params.follows

    def unknown(self) -> str:
        """Describe how a URL that is not stored yet can come into the crawl."""
        params = self.params
        listed = params.lists_pages
        if listed and params.activity == "refresh":
            return f"would not be found: {self.cite.setting('activity')} reads no {listed}"
        if listed:
            also = " or a page links to it" if self.params.follows else ""
            one = FORMATS[listed].one
            once = f"would be crawled once {one} names it{also}"
            return f"would be read as {one}: it is a start" if self.start else once
        if self.start:
            return "would be crawled: it is a start"
        if not self.params.follows:
            cause = self.cite.setting("mode" if params.discover is None else "discover")
            return f"would not be found: no links are followed by {cause}"
        if SELECTIONS[params.considers].defers_found_links:
            return f"would wait once a page links to it: {self._considers()}"
        return "would be crawled once a page links to it"

    def skip_reason(self, stored: UrlState) -> str:
        """Return the option by which a run skips a stored URL, due or not; empty if it does not."""
        selected = SELECTIONS[self.params.considers].includes(
            start=self.start, visited=stored.outcome is not None, waiting=stored.waiting
        )
        return "" if selected else self._considers()

    def early_reason(self, stored: UrlState) -> str:
        """Return the cause of a visit to a selected URL before it is due; empty if none."""
        params = self.params
        reading = params.reading
        otherwise = stored.reading is not None and stored.reading != reading
        cause = early_visit(
            SELECTIONS[params.considers],
            StoredVisit(
                stored.outcome,
                stored.due is not None,
                otherwise and not stored.failures and self.read_before != reading,
            ),
            asked_start=self.start and params.revisits_starts,
            force=params.force or params.mode == "check",
        )
        if cause is EarlyVisit.START:
            option = "activity" if params.considers == "discover" else "mode"
            return f"{self.cite.setting(option)} visits starts"
        if cause is EarlyVisit.FORCED:
            return self.cite.setting("force" if params.force else "mode")
        return cause.value if cause else ""

    def _considers(self) -> str:
        if self.params.considers == "starts":
            return f"{self.cite.setting('mode')} visits only starts"
        activity = self.cite.setting("activity")
        if self.params.considers == "discover":
            return f"{activity} visits starts and URLs never visited"
        return f"{activity} visits only URLs visited before"


class PastRefusal(NamedTuple):
    """A refusal under ``reason`` by a run with the options ``params``, without defaults.

    ``detail`` is the readable form: the rule with its value, and the run.
    """

    reason: RefusalReason
    params: Mapping[str, Any]
    detail: str

    def holds(self, params: Mapping[str, Any]) -> bool:
        """Return True if the deciding options have the same values in ``params``."""
        return all(self.params.get(name) == params.get(name) for name in self.reason.options)

    def mark(self, steps: Sequence[Step], params: Mapping[str, Any]) -> list[Step]:
        """Return the steps, with the one of this reason refused if the refusal holds."""
        if not self.holds(params):
            return list(steps)
        return [
            Step(step.rule, "refused", self.detail)
            if step.rule == self.reason.name and step.verdict == "passed"
            else step
            for step in steps
        ]


@dataclass(slots=True)
class PastRefusals:
    """Recorded refusals: counts by reason with the run that counted them, examples by URL, and the
    origins that the last run gave up, with reasons.

    A run counts the links of the pages that it read. Links of unchanged pages were counted by
    earlier runs, which are read as long as the options are the same: the highest count of each
    reason is used. ``is_cut`` tells that runs with other options came before.
    """

    counts: dict[str, tuple[int, str]] = field(default_factory=dict)
    examples: dict[str, PastRefusal] = field(default_factory=dict)
    given_up: Mapping[str, str] = field(default_factory=dict)
    is_cut: bool = False

    @classmethod
    def of(cls, runs: Sequence[RunRecord]) -> PastRefusals:
        """Collect the refusals of the runs, of which the last one comes first."""
        found = cls(given_up=(runs[0].counters.get("given_up") or {}) if runs else {})
        for run in runs:
            if changed_options(run.configuration, runs[0].configuration):
                found.is_cut = True
                break
            found.add(run, "the last run" if run is runs[0] else f"run {run.id}")
        return found

    def add(self, run: RunRecord, name: str) -> None:
        """Add the refusals of a run, shown as ``name``."""
        counters = run.counters
        kept = counters.get("refusals") or {}
        for word, reason in RECORDED_REASONS.items():
            count = int(counters.get(RULE_STATS + word, 0))
            if count > self.counts.get(word, (0, ""))[0]:
                self.counts[word] = count, name
            for each in kept.get(word, ()):
                example = Example(**each)
                detail = f"{example.rule} (in {name}, on {example.referrer})"
                refusal = PastRefusal(reason, run.configuration["params"], detail)
                self.examples.setdefault(example.url, refusal)

    def __str__(self) -> str:
        """Return the refused links by reason, in readable form; empty if there are none."""
        if not self.counts:
            return ""
        reasons = ", ".join(f"{count} {reason}" for reason, (count, _) in self.counts.items())
        runs = {run for _, run in self.counts.values()}
        which = runs.pop() if len(runs) == 1 else "the last runs"
        return f"among the links that {which} dropped ({reasons})"


@dataclass(slots=True)
class Explanation:
    """The decisions about one URL, and its stored state.

    ``robots`` is a step with the verdict ``passed``, ``refused``, ``exempt`` (not obeyed) or
    ``unknown``. ``referrers`` begins at a start and ends with the first page that linked to the
    URL. ``attempts`` counts the requests of the last run for a URL that failed.
    ``left_out`` counts the refused links, which may include one to an unknown URL;
    ``has_other_rules`` is True if pages that link to it may have been read with other options;
    ``given_up`` is the reason why the last run gave the origin up, if it did; ``deleted`` has time,
    reason and successor of the deletion of a document that was not written again.
    """

    url: str
    admission: Admission
    rules: list[Step]
    limits: list[Step]
    robots: Step
    forecast: ScheduleForecast
    stored: UrlState | None = None
    referrers: list[str] = field(default_factory=list)
    attempts: int = 0
    left_out: str = ""
    has_other_rules: bool = False
    given_up: str = ""
    deleted: tuple[float, str, str | None] | None = None

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
        explanation = Explanation(
            url,
            admission,
            self._rules.explain(url, depth=depth, via=via, rel=rel, views=views),
            self._limits(stored),
            self._robots(admission.url, self._origin(admission.origin)),
            ScheduleForecast(
                self._params, self._cite, start, self._read_before, self._spent(admission.origin)
            ),
            stored,
            self._records.referrers(stored.id) if stored and self._records else [],
            self._tries(stored),
            given_up=self._past.given_up.get(admission.origin, ""),
            deleted=self._deleted(stored),
        )
        return explanation if stored or start else self._missing(explanation)

    def _deleted(self, stored: UrlState | None) -> tuple[float, str, str | None] | None:
        if self._records is None or stored is None or stored.seq is not None:
            return None
        return self._records.last_deletion(stored.id)

    def _spent(self, origin: str) -> str:
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
            if past := self._past.examples.get(url):
                explanation.rules = past.mark(explanation.rules, self._stored_params)
                explanation.limits = past.mark(explanation.limits, self._stored_params)
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
        runs = [each.run for each in self._records.attempts(stored.id)]
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
        attempts = [each.run for each in self._records.attempts(stored.id)]
        visited = [run for run in self._runs if attempts and run.id == attempts[-1]]
        run = next(iter(visited or self._runs), None)  # the last one if it is not known
        reason = RECORDED_REASONS.get(stored.reason or "")
        if run is None or reason is None:  # one that is judged again
            return steps
        detail = f"{stored.detail or ''} (in the last run)"
        past = PastRefusal(reason, run.configuration["params"], detail)
        return past.mark(steps, self._stored_params)

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


def verdict(explanation: Explanation, now: float) -> str:
    """Return the treatment of the URL by a crawl that begins at ``now`` (UTC epoch seconds)."""
    refusal, stored = explanation.refusal, explanation.stored
    if refusal is not None:
        sure = (
            refusal.rule != ROBOTS_TXT_UNREACHABLE.name
            and stored is not None
            and stored.seq is not None
        )
        return f"refused: {refusal.detail}{'; its document would be deleted' if sure else ''}"
    why = explanation.given_up
    given_up = f"; the last run gave up its origin: {why}" if why else ""
    if stored is None or stored.outcome is None:
        return f"{_never_asked(explanation)}{given_up}"
    other = f" (asked for as {stored.url})" if stored.url != explanation.admission.url else ""
    due = _due(explanation.forecast, stored, now)
    gone = f", {deletion(*explanation.deleted, now)}" if explanation.deleted else ""
    return f"{_visited(stored, stored.outcome, now)}{other}{gone}, {due}{given_up}"


def deletion(at: float, reason: str, moved_to: str | None, now: float) -> str:
    """Return the words for a document that was deleted at ``at``."""
    successor = f": {moved_to}" if moved_to else ""
    return f"its document was deleted {ago(at, now)} ({reason}{successor})"


def _never_asked(explanation: Explanation) -> str:
    robots = "" if explanation.robots.verdict != "unknown" else ", unless robots.txt forbids it"
    stored, forecast = explanation.stored, explanation.forecast
    if stored is not None:
        reason = forecast.skip_reason(stored)
        if reason:
            return f"waiting, but skipped: {reason}"
        later = f", tomorrow at the earliest: {forecast.spent}" if forecast.spent else ""
        return f"waiting: would be crawled{robots}{later}"
    may_be = forecast.params.follows and explanation.left_out
    left = f"; it may be {explanation.left_out}" if may_be else ""
    return f"{forecast.unknown()}{robots if forecast.findable else ''}{left}"


def _visited(stored: UrlState, outcome: Outcome, now: float) -> str:
    at = ago(stored.visited_at or 0.0, now)
    if outcome in READ:
        return f"crawled {at}{_unwritten(stored)}"
    if outcome in REDIRECTS:
        return f"redirected {at} to {stored.redirect_to}"
    words = "failed" if outcome in FAILED else "produced no document"
    return f"{words} {at} ({format_outcome(stored, outcome)})"


def _unwritten(stored: UrlState) -> str:
    """Return the reason why a page that was read has no document of its own, if any."""
    if stored.seq is not None and not stored.deletion:
        return ""
    if stored.outcome is Outcome.NOINDEX:
        return " (noindex: no document)"
    if stored.outcome in (Outcome.USAGE_FORBIDDEN, Outcome.NOTHING_NEW):
        return f" ({stored.detail}: no document)"
    if stored.kept_for and stored.seq is None:
        words = "duplicate of" if stored.because == "duplicate" else "stands under"
        return f" ({words} {stored.kept_for})"
    if stored.outcome is Outcome.NON_CANONICAL:
        return f" (stands under {stored.canonical or 'another page'})"
    return " (duplicate of another page)" if stored.outcome is Outcome.DUPLICATE else ""


def format_outcome(stored: UrlState, outcome: Outcome) -> str:
    """Return the last outcome with its status and its more precise reason."""
    name = outcome.name.lower()
    reason = None if stored.reason == "ok" or (stored.reason or "") in name else stored.reason
    status = f"status {stored.status}" if stored.status else None
    return ", ".join(word for word in (name, reason, status) if word)


def _due(forecast: ScheduleForecast, stored: UrlState, now: float) -> str:
    if reason := forecast.skip_reason(stored):
        return f"skipped: {reason}"
    if forecast.spent and (stored.waiting or (stored.due or now) <= now):
        return f"would be crawled again tomorrow at the earliest: {forecast.spent}"
    if stored.waiting:
        return "would be crawled again now"
    if stored.outcome is Outcome.RATE_LIMITED and (stored.due or 0.0) > now:
        return f"due {ahead(stored.due or 0.0, now)}, as requested (Retry-After)"
    if why := forecast.early_reason(stored):
        return f"due now: {why}"
    if stored.due is None:
        return "never due unless requeued (scrapy frontier retry URL)"
    return f"due {ahead(stored.due, now)}"
