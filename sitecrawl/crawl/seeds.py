"""Report on the starts of a crawl, and the redirects of those starts."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sitecrawl import typed_program
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier_owner import FrontierOwner
from sitecrawl.crawl.recorder import Recorder
from sitecrawl.frontier.base import Candidate, LastVisit, VisitResult
from sitecrawl.frontier.runs import PageCounts, most_common, total
from sitecrawl.frontier.threaded import Frontier
from sitecrawl.policy.advice import all_advice, in_words
from sitecrawl.policy.decision import Decision
from sitecrawl.policy.outcomes import OUTCOME_STATS, READ, Outcome
from sitecrawl.policy.urls.scope import owner_of
from sitecrawl.web.urls.url import origin

SETTLED = READ | {Outcome.DROPPED, Outcome.LEASE_LOST}
"""Outcomes of a start that need nobody's attention."""
NO_DOCUMENT = "No document: none of the %d pages that were read is wanted in an index: %s"
KEPT_OUT = frozenset({Outcome.NOINDEX, Outcome.USAGE_FORBIDDEN, Outcome.NON_CANONICAL})

ELSEWHERE = "start there: -a start={}"

logger = logging.getLogger(__name__)


class SeedReport:
    """Report on each start that produced nothing, with the reason and a remedy."""

    def __init__(self, recorder: Recorder) -> None:
        self._starts: dict[str, None] = {}
        self._seeds: Sequence[Candidate] = ()
        self._watched: dict[int, str] = {}
        self._led_to: dict[str, str] = {}
        self._results: dict[str, str] = {}
        self._remedies: dict[str, str] = {}
        self._origins_given_up: dict[str, tuple[str, str]] = {}
        self._visited: set[str] = set()
        self._failed_listings: dict[str, str] = {}
        self._kept_out = PageCounts()
        recorder.visit_committed.connect(self.note)

    def begin(self, seeds: Sequence[Candidate]) -> None:
        """Watch the admitted starts."""
        self._seeds = seeds
        self._watched = {seed.fingerprint: seed.url for seed in seeds}
        self._starts.update(dict.fromkeys(self._watched.values()))

    def refused(self, url: str, decision: Decision) -> None:
        """Record a start that the rules refuse."""
        self._starts[url] = None
        self._fail(url, decision.reason, decision.rule)

    def failed(self, url: str, why: str) -> None:
        """Record a start that is an unreadable sitemap or feed."""
        self._starts[url] = None
        self._results[url] = self._failed_listings[url] = why

    def note(self, visit: VisitResult) -> None:
        """Process an ended visit; the redirect target of a start is watched like a start."""
        if visit.outcome in KEPT_OUT:
            self._kept_out.add(visit.reason, visit.due.url)
        target = visit.target and (visit.target.fingerprint, visit.target.url)
        facts = (visit.status, visit.reason, visit.detail, visit.redirect_to, target)
        self._judge(LastVisit(visit.due.fingerprint, visit.outcome, *facts))

    async def load_results(self, frontier: Frontier, counters: Mapping[str, Any]) -> None:
        """Judge the starts by what all workers of the run have found."""
        for visit in await frontier.last_visits(self._seeds):
            self._judge(visit)
        for key, words in counters["given_up"].items():
            self._origins_given_up[key] = words, counters["given_up_for"].get(key, "")
        for url, why in counters["failed_listings"].items():
            self.failed(url, why)

    def as_stored(self) -> dict[str, Any]:
        """Return what other workers need to know of this one, as plain values."""
        return {
            "failed_listings": dict(self._failed_listings),
            "kept_out": self._kept_out.as_stored(),
        }

    def _judge(self, visit: LastVisit) -> None:
        url = self._watched.get(visit.fingerprint)
        if url is None:
            return
        self._visited.add(url)
        if visit.outcome in SETTLED:
            self._results.pop(url, None)  # recorded for an earlier attempt
            self._led_to.pop(url, None)
            return
        status = f"status {visit.status}" if visit.status else ""
        sent = f"to {visit.redirect_to}" if visit.redirect_to else ""
        detail = ", ".join(filter(None, (sent, visit.detail or status)))
        self._fail(url, visit.reason, detail)
        if visit.target is not None:
            self._led_to[url] = self._watched.setdefault(*visit.target)
        elif visit.redirect_to:
            self._remedies[url] = ELSEWHERE.format(visit.redirect_to)

    def _fail(self, url: str, reason: str, detail: str) -> None:
        self._results[url] = format_reason(reason, detail)
        self._remedies[url] = _remedy(reason, url)

    def read_nothing(self, counters: Mapping[str, Any], failed: Sequence[str]) -> bool:
        """Return True if no worker has read a page, and every start has failed."""
        return not _pages_read(counters) and 0 < self.starts == len(failed)

    @property
    def starts(self) -> int:
        """The number of starts."""
        return len(self._starts)

    def no_document(self, counters: Mapping[str, Any]) -> str:
        """Return the reasons why the pages that were read are no documents; empty if unknown."""
        read, kept_out = _pages_read(counters), counters["kept_out"]
        if not 0 < read == total(kept_out):
            return ""
        reasons = (
            f"{format_reason(reason, '')} ({count}, one is {example})"
            for reason, count, example in most_common(kept_out)
        )
        return NO_DOCUMENT % (read, "; ".join(reasons))

    def problems(self) -> dict[str, str]:
        """Return a line for each start that produced nothing, by its URL.

        A start that this run did not visit is one only if its origin was given up. One that
        redirects is judged by the last URL of its redirects.
        """
        for url in self._watched.values():
            given_up = self._origins_given_up.get(origin(url))
            if given_up is not None and url not in self._visited:
                words, reason = given_up
                self._results.setdefault(url, words)
                self._remedies.setdefault(url, _remedy(reason, url))
        return {url: line for url in self._starts if (line := self._line(url))}

    def _line(self, url: str) -> str:
        """Return the line of a start; empty if it needs none."""
        way = [url]
        while (after := self._led_to.get(way[-1])) is not None and after not in way:
            way.append(after)
        end = way[-1]
        if end not in self._results:
            return ""
        steps = [f"{each}: {self._results.get(each, '')}" for each in way]
        remedy = self._remedies.get(end) or _remedy("", end)
        if after is not None and len(way) > 1:  # it comes back
            steps.append(all_advice()["redirect_loop"].words)
            remedy = all_advice()["redirect_loop"].remedy
        words = "; ".join(steps).removeprefix(f"{url}: ")
        return f"start {url} produced nothing: {words}: {remedy}"


def _remedy(reason: str, url: str) -> str:
    advice = all_advice().get(reason)
    return (advice and advice.remedy) or f"{typed_program()} explain {url}"


def _pages_read(counters: Mapping[str, Any]) -> int:
    return sum(counters.get(OUTCOME_STATS + each.name.lower(), 0) for each in READ)


def format_reason(reason: str, detail: str) -> str:
    """Format a reason for people, with its detail."""
    words = in_words(reason)
    return f"{words} ({detail})" if detail else words


class SeedRedirects:
    """Redirects of starts stored by earlier runs, which extend the scope."""

    def __init__(self, discovery: Discovery, owner: FrontierOwner) -> None:
        self._discovery = discovery
        self._owner = owner
        self._starts: list[str] = []
        self._by_owner: dict[str, list[str]] = {}

    async def begin(self, seeds: Sequence[Candidate]) -> None:
        """Bring into scope the stored redirect targets of the starts; the first run has none."""
        self._starts = [seed.url for seed in seeds]
        with self._owner.failures_end_crawl():
            if self._owner.run_id > 1:
                await self._look(self._starts)

    async def look(self, origin: str) -> None:
        """Bring an origin into scope if the database has a redirect from a start to it.

        Only starts of the same owner are looked up, since the scope admits no other.
        """
        if not self._by_owner:
            by_owner: defaultdict[str, list[str]] = defaultdict(list)
            for start in self._starts:
                by_owner[owner_of(start)].append(start)
            self._by_owner = by_owner
        starts = self._by_owner.get(owner_of(origin))
        if starts:
            await self._look(starts)

    async def _look(self, starts: Sequence[str]) -> None:
        for url, target in await self._owner.frontier.redirect_chain(starts):
            self._discovery.sent(url, target)
