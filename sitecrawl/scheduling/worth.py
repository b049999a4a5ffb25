"""Worth of the parts of each leased origin: mazes are read last, then left out."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from typing import TYPE_CHECKING

from sitecrawl.events import Event
from sitecrawl.frontier.worth_table import StoredWorth
from sitecrawl.policy.learning.mazes import MAZE, GrowingPage, Mazes, Subtree, SubtreeState
from sitecrawl.policy.lifecycle.revisit import WITH_CONTENT
from sitecrawl.policy.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.crawl.frontier_owner import FrontierOwner
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.frontier.base import Candidate, DueUrl, VisitResult
    from sitecrawl.policy.decision import Decision
    from sitecrawl.scheduling.background import BackgroundTasks

DESCENT, SHELF = -2, -3
"""Priorities of the URLs of a suspected subtree: the next page of a descent, and the others."""
PAGES = WITH_CONTENT | {
    Outcome.NON_CANONICAL,
    Outcome.NOINDEX,
    Outcome.NO_CONTENT,
    Outcome.DROPPED,
}
"""Outcomes of pages whose links were read."""
LEFT = "Endless parts of sites were left out (reason maze, see scrapy explain): %s"

logger = logging.getLogger(__name__)


class OriginWorth:
    """Evidence on the parts of one leased origin, and the URLs to be put off."""

    def __init__(self, mazes: Mazes) -> None:
        self.mazes = mazes
        self.put_off: dict[int, int] = {}
        self.lock = asyncio.Lock()

    def as_stored(self) -> list[StoredWorth]:
        """Return the evidence as it is stored."""
        return [StoredWorth("maze", *each) for each in self.mazes.as_stored()]


class Worth:
    """Worth of the parts of all leased origins.

    ``released`` is sent with the key of an origin whose queue has changed.
    """

    def __init__(
        self,
        params: CrawlParams,
        owner: FrontierOwner,
        recorder: Recorder,
        discovery: Discovery,
        tasks: BackgroundTasks,
        *,
        setting: str,
    ) -> None:
        self.released: Event[str] = Event()
        self._share = params.max_maze_share
        self._setting = setting
        self._owner = owner
        self._discovery = discovery
        self._tasks = tasks
        self._origins: dict[str, OriginWorth] = {}
        self._left: dict[str, str] = {}
        recorder.visit_recorded.connect(self.observe)

    async def prepare(self, key: str) -> None:
        """Load the evidence on an origin when its lease begins."""
        if not self._share or key in self._origins:
            return
        stored = await self._owner.frontier.worth(key)
        mazes = Mazes(self._share)
        mazes.restore((each.name, each.value) for each in stored if each.kind == "maze")
        self._origins.setdefault(key, OriginWorth(mazes))
        self._discovery.watch_subtrees(key, mazes.watched)

    def sort(
        self, key: str, dues: Sequence[DueUrl], *, idle: bool
    ) -> tuple[list[DueUrl], dict[int, int]]:
        """Return the URLs to visit now, and the priorities of those to put off, by fingerprint.

        Suspected subtrees are read when the origin is ``idle`` and nothing else is due, one page
        at a time: the next one depends on the links of the page before.
        """
        worth = self._origins.get(key)
        if worth is None or not worth.mazes.watched:
            return list(dues), {}
        mazes = worth.mazes
        if idle:
            mazes.forget_requests()
        now: list[DueUrl] = []
        watched: dict[int, tuple[Subtree, list[DueUrl]]] = {}
        for due in dues:
            subtree = self._watched_subtree(mazes, due)
            if subtree is None or not _is_read(subtree):
                now.append(due)
            else:
                watched.setdefault(id(subtree), (subtree, []))[1].append(due)
        put_off: dict[int, int] = {}
        may_read = idle and not now
        for subtree, found in watched.values():
            waiting = {due.fingerprint: due for due in found}
            chosen = mazes.choose(subtree, waiting) if may_read else None
            for fingerprint in waiting:
                is_next = fingerprint == subtree.descent
                put_off[fingerprint] = DESCENT if is_next else SHELF
            if chosen is not None:
                del put_off[chosen]
                mazes.request(subtree, chosen)
                now.append(waiting[chosen])
        return now, put_off

    def decide(self, key: str, due: DueUrl) -> Decision | None:
        """Refuse a URL of a closed subtree; None to fetch it or put it off."""
        worth = self._origins.get(key)
        if worth is None or not worth.mazes.watched:
            return None
        subtree = self._watched_subtree(worth.mazes, due)
        if subtree is None or _is_read(subtree) or subtree.probe == due.fingerprint:
            return None
        words = worth.mazes.in_words(due.url)
        self._left[f"{key}{worth.mazes.name_of(due.url)}"] = words
        return MAZE.refuse(f"{self._setting}: {words}")

    def puts_off(self, key: str, due: DueUrl) -> bool:
        """Return a prefetched URL to the queue if its subtree was suspected meanwhile."""
        worth = self._origins.get(key)
        if worth is None or not worth.mazes.watched:
            return False
        subtree = self._watched_subtree(worth.mazes, due)
        if subtree is None or subtree.probe == due.fingerprint:
            return False
        if not worth.put_off:
            self._tasks.begin(self._put_off(key, worth))
        worth.put_off[due.fingerprint] = SHELF
        return True

    def observe(self, visit: VisitResult) -> None:
        """Learn from a visit."""
        key = visit.due.origin
        worth = self._origins.get(key)
        fingerprint = visit.due.fingerprint
        repeated = self._discovery.repeated.pop(fingerprint, ())
        if worth is None or visit.again or visit.due.indexed_at is not None:
            return
        mazes = worth.mazes
        mazes.observe(
            GrowingPage(
                visit.due.url,
                fingerprint,
                [
                    (each.url, each.fingerprint)
                    for each in visit.candidates
                    if each.via == "link" and each.origin == key
                ],
                repeated,
                visit.due.referrer,
                is_page=visit.outcome in PAGES,
            )
        )
        self._vouch(key, mazes)
        if mazes.changed or mazes.cleared:
            self._discovery.watch_subtrees(key, mazes.watched)
            self._tasks.begin(self._changed(key, worth))

    async def release(self, key: str) -> None:
        """Store the evidence before the lease of an origin ends."""
        worth = self._origins.pop(key, None)
        if worth is not None:
            self._discovery.watch_subtrees(key, ())
            await self._owner.frontier.save_worth(key, worth.as_stored())

    def report(self) -> None:
        """Log one line about the parts that were left out, if there are any."""
        if self._left:
            logger.warning(LEFT, "; ".join(f"{name}: {said}" for name, said in self._left.items()))

    def _watched_subtree(self, mazes: Mazes, due: DueUrl) -> Subtree | None:
        """Return the watched subtree to which only its own pages lead, None for other URLs.

        Seeds, listed pages, and pages read before (their documents would be lost) are never left.
        """
        if due.via in ("seed", "sitemap", "feed") or due.indexed_at is not None:
            return None
        if not mazes.is_inside(due.url, due.referrer) or mazes.is_vouched(due.fingerprint):
            return None
        return mazes.state_of(due.url)

    def _vouch(self, key: str, mazes: Mazes) -> None:
        """Admit URLs of watched subtrees to which pages elsewhere link."""
        found: dict[str, list[Candidate]] = defaultdict(list)
        for each in self._discovery.pop_vouched():
            found[each.origin].append(each)
        new = [each for each in found[key] if not mazes.is_vouched(each.fingerprint)]
        for each in new:
            mazes.vouch(each.fingerprint)
        if new:
            self._tasks.begin(self._admit(key, [each.fingerprint for each in new]))

    async def _admit(self, key: str, fingerprints: Collection[int] = ()) -> None:
        """Queue URLs again that were left out."""
        if await self._owner.frontier.admit_again(key, MAZE.name, fingerprints):
            self.released.send(key)

    async def _changed(self, key: str, worth: OriginWorth) -> None:
        """Store a change, and admit what was left out of a subtree with an end."""
        mazes = worth.mazes
        async with worth.lock:
            cleared, mazes.cleared, mazes.changed = mazes.cleared, False, False
            await self._owner.frontier.save_worth(key, worth.as_stored())
            if cleared:
                await self._admit(key)

    async def _put_off(self, key: str, worth: OriginWorth) -> None:
        """Return the URLs of a batch to the queue."""
        await asyncio.sleep(0)
        batch, worth.put_off = worth.put_off, {}
        await self._owner.frontier.put_off(key, batch)
        self.released.send(key)


def _is_read(subtree: Subtree) -> bool:
    """Return True if pages of the subtree are still requested, one at a time."""
    return subtree.state is SubtreeState.SUSPECTED or subtree.retests > 0
