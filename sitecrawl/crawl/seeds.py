"""Report on the starts of a crawl, and the redirects of those starts."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sitecrawl.frontier.base import FrontierError, Outcome
from sitecrawl.policy.documents.placeholders import ADVICE
from sitecrawl.policy.outcomes import PLACEHOLDERS
from sitecrawl.policy.urls.scope import owner_of
from sitecrawl.web.urls.url import origin

if TYPE_CHECKING:
    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.crawl.frontier_owner import FrontierOwner
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.frontier.base import Candidate, VisitResult
    from sitecrawl.policy.decision import Decision


READ = frozenset(
    {
        Outcome.FILE_INGESTED,
        Outcome.FILE_DID_NOT_CHANGE,
        Outcome.NOINDEX,
        Outcome.NON_CANONICAL,
        Outcome.DUPLICATE,
    }
)
NO_DOCUMENT = "No document: none of the %d pages that were read is wanted in an index: %s"
KEPT_OUT = frozenset({Outcome.NOINDEX, Outcome.NON_CANONICAL})

WORDS = {
    "robots_txt": "forbidden by robots.txt",
    "scheme": "this scheme cannot be crawled",
    "not_found": "the server has no such page",
    "mime_ignored": "not a page",
    "content_type": "not a page",
    "start_for_links": "a start that is no wanted page, read for its links",
    "unauthorized": "the server asks for a password, see -a auth=",
}

logger = logging.getLogger(__name__)


class SeedReport:
    """Report on each start that produced nothing, if no page was read at all."""

    def __init__(self, recorder: Recorder) -> None:
        self.pages_read = 0
        self._watched: dict[int, str] = {}
        self._led_to: dict[str, str] = {}
        self._troubles: dict[str, str] = {}
        self._origins_given_up: dict[str, str] = {}
        self._walled: set[str] = set()
        self._kept_out: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        recorder.visit_committed.connect(self.note)

    def begin(self, seeds: Sequence[Candidate]) -> None:
        """Watch the admitted starts."""
        self._watched = {seed.fingerprint: seed.url for seed in seeds}

    def refused(self, url: str, decision: Decision) -> None:
        """Record a start that the rules refuse."""
        self._troubles[url] = format_reason(decision.reason, decision.rule)

    def failed(self, url: str, why: str) -> None:
        """Record a start that is an unreadable sitemap or feed."""
        self._troubles[url] = why

    def given_up(self, key: str, why: str) -> None:
        """Record an origin that was given up for this run."""
        self._origins_given_up[key] = why

    def note(self, visit: VisitResult) -> None:
        """Process an ended visit; the redirect target of a start is watched like a start."""
        self.pages_read += visit.outcome in READ
        if visit.outcome in KEPT_OUT:
            self._kept_out[visit.reason] += 1
            self._examples.setdefault(visit.reason, visit.due.url)
        url = self._watched.get(visit.due.fingerprint)
        if url is None:
            return
        if visit.outcome in READ:
            self._troubles.pop(url, None)  # recorded for an earlier attempt
            self._walled.discard(url)
            return
        status = f"status {visit.status}" if visit.status else ""
        sent = f"to {visit.redirect_to}" if visit.redirect_to else ""
        detail = ", ".join(filter(None, (sent, visit.detail or status)))
        self._troubles[url] = format_reason(visit.reason, detail)
        if visit.outcome in PLACEHOLDERS:
            self._troubles[url] += f": {ADVICE[visit.outcome]}"
            self._walled.add(url)
        if visit.target is not None and visit.target.fingerprint not in self._watched:
            self._watched[visit.target.fingerprint] = visit.target.url
            self._led_to[url] = visit.target.url

    def report(self, written: int, *, first_run: bool) -> bool:
        """Log why the crawl produced nothing; return False if a start has a problem.

        ``written`` is the number of output lines. Without a document the level is lower after the
        first run, in which the due pages may all be pages without documents.
        """
        problems = self.problems()
        for problem in problems:
            logger.error("%s", problem)
        if 0 < self.pages_read == self._kept_out.total() and not written:
            level = logging.WARNING if first_run else logging.INFO
            logger.log(level, NO_DOCUMENT, self.pages_read, "; ".join(self._reasons()))
        return not problems

    def _reasons(self) -> Iterator[str]:
        for reason, count in self._kept_out.most_common():
            yield f"{format_reason(reason, '')} ({count}, one is {self._examples[reason]})"

    def problems(self) -> list[str]:
        """Return a line for each start that produced nothing, if no page was read at all.

        Starts that are placeholder pages are always included.
        """
        if self.pages_read:
            walled = [url for url in self._troubles if self._is_walled(url)]
            return [self._line(url) for url in walled if url not in self._led_to.values()]
        for url in self._watched.values():
            if origin(url) in self._origins_given_up:
                self._troubles.setdefault(url, self._origins_given_up[origin(url)])
        starts = self._troubles.keys() - self._led_to.values()
        return [self._line(url) for url in self._troubles if url in starts]

    def _line(self, url: str) -> str:
        return f"start {url} produced nothing: {'; '.join(self._steps(url))}"

    def _is_walled(self, url: str) -> bool:
        """Tell whether a start is a placeholder page, or redirects to one."""
        while url in self._led_to:
            url = self._led_to[url]
        return url in self._walled

    def _steps(self, url: str) -> Iterator[str]:
        """Yield the result of a start, and of each redirect target after it."""
        yield self._troubles[url]
        while url := self._led_to.get(url, ""):
            yield f"{url}: {self._troubles.get(url, 'not requested in this run')}"


def format_reason(reason: str, detail: str) -> str:
    """Format a reason for people, with its detail."""
    words = WORDS.get(reason, reason.replace("_", " "))
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
        try:
            if self._owner.run_id > 1:
                await self._look(self._starts)
        except FrontierError as error:
            self._owner.fail(error)

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
