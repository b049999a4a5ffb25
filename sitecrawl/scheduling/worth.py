"""Worth of the parts of each leased origin: mazes and barren templates come last or are left."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from sitecrawl.events import Event
from sitecrawl.frontier.withdrawals import WITHDRAWN_AT_ONCE, Withdrawal
from sitecrawl.frontier.worth_table import StoredWorth
from sitecrawl.policy.learning.assembled_pages import AssembledPages
from sitecrawl.policy.learning.broken_kinds import BrokenKinds
from sitecrawl.policy.learning.facet_mixes import find_mixes, mixes_among, repeated_mixes
from sitecrawl.policy.learning.mazes import MAZE, GrowingPage, Mazes, Subtree, SubtreeState
from sitecrawl.policy.learning.near_copies import NearCopies, Novelty, names_of
from sitecrawl.policy.learning.repeated_pages import COPY, ComparedPage, RepeatedPages
from sitecrawl.policy.learning.template_worth import (
    BARREN_TEMPLATE,
    NEAR_COPY,
    Templates,
    TemplateVisit,
    TemplateWorth,
)
from sitecrawl.policy.lifecycle.listed_dates import ListedDates, is_after
from sitecrawl.policy.lifecycle.revisit import WITH_CONTENT
from sitecrawl.policy.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence

    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.crawl.frontier_owner import FrontierOwner
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.frontier.base import Candidate, Change, DueUrl, VisitResult
    from sitecrawl.policy.decision import Decision, OptionValues
    from sitecrawl.policy.learning.repeated_pages import CurrentPage, Repetition, StoredText
    from sitecrawl.scheduling.background import BackgroundTasks

LOW, DESCENT, SHELF, MIXED = -1, -2, -3, -4
"""Priorities of the URLs of templates of low worth, and of the URLs of a suspected subtree: the next
page of a descent, and the others; and of the mixes of facets."""
PAGES = WITH_CONTENT | {
    Outcome.NON_CANONICAL,
    Outcome.NOINDEX,
    Outcome.NO_CONTENT,
    Outcome.DROPPED,
}
"""Outcomes of pages whose links were read."""
RESULTS = (PAGES - {Outcome.DUPLICATE}) | {
    Outcome.REDIRECT,
    Outcome.PERMANENT_REDIRECT,
    Outcome.SERVER_BLAMED_CLIENT,
    Outcome.FILE_NOT_FOUND,
    Outcome.FILE_GONE,
    Outcome.SOFT_404,
    Outcome.LOGIN_WALL,
    Outcome.CONSENT_WALL,
    Outcome.SCRIPT_SHELL,
    Outcome.ERROR_PAGE,
    Outcome.UNWANTED_TYPE,
    Outcome.FILE_OF_UNKNOWN_TYPE,
    Outcome.TOO_LARGE,
}
"""Outcomes that tell something about a template, and not about the server or the network; duplicates
are evidence for the learned rules instead."""
LEFT = "Endless parts of sites were left out (reason maze, see scrapy explain): %s"
BARREN = "%d URLs of kinds of pages that bring nothing were left out (reason barren_template): %s"
WITHDRAWN = (
    "%d documents were withdrawn, as other pages have their texts or they belong to an endless part "
    "(see scrapy explain): %s"
)
UNCHANGED = (
    "%d known pages were not visited, as reliable dates of a sitemap say that they are unchanged"
)
EXAMPLES = 5
MAX_COMPARED, BATCH = 5000, 200
"""Documents of an origin that are compared at its end, and of them read at once."""
MAX_HASHES = 3_000_000
"""Hashes of the documents that are compared; about 90 bytes each."""
MAX_CHARACTERS = 30_000_000
"""Length of the lists of a path that are compared together."""
MAX_LINKED = 200_000
"""Linked pages without a document, whose URLs are read."""
MAX_DATES = 200_000
MAX_RESTING = 100
"""Origins without a lease whose texts are kept for the next one."""
READ = frozenset(int(each) for each in (Outcome.FILE_INGESTED, Outcome.FILE_DID_NOT_CHANGE))

logger = logging.getLogger(__name__)


class OriginWorth:
    """Evidence on the parts of one leased origin, and the URLs to be put off.

    By fingerprint: ``observed`` are visits that were learned from before their commit,
    ``uncommitted`` pages with content, with the names of the templates on which these are evidence.
    """

    def __init__(self, mazes: Mazes, templates: Templates, copies: NearCopies) -> None:
        self.mazes = mazes
        self.templates = templates
        self.copies = copies
        self.dates = ListedDates()
        self.broken = BrokenKinds()
        self.put_off: dict[int, int] = {}
        self.skipped: set[int] = set()
        self.observed: set[int] = set()
        self.uncommitted: dict[int, frozenset[str]] = {}
        self.lock = asyncio.Lock()

    def expect(self, visit: VisitResult) -> None:
        """Keep the templates of a page with content, and of the page that led to it, from a verdict
        until it is known whether it became a document."""
        names = self.templates.names_of(visit.due.url)
        if visit.due.referrer is not None:
            names |= self.templates.names_of(visit.due.referrer)
        self.uncommitted[visit.due.fingerprint] = names

    def is_premature(self, name: str, template: TemplateWorth) -> bool:
        """Return True if the verdict on a template has to wait for pages that are uncommitted.

        What is no document is known at once. Near copies are known when they are committed, as other
        documents are.
        """
        if template.is_copied:
            return False
        return any(name in names for names in self.uncommitted.values())

    def observe(self, visit: VisitResult) -> None:
        """Learn from a page that was requested for the first time."""
        url, referrer = visit.due.url, visit.due.referrer
        result = visit.outcome.name.lower()
        if visit.outcome is not Outcome.FILE_INGESTED:
            self.templates.observe(TemplateVisit(url, referrer, result, is_new=False))
            return
        was_comparing = self.copies.is_comparing
        text, template = visit.document.get("body") or "", self.templates.name_of(url)
        title = visit.document.get("title") or ""
        novelty, original, superseded = self.copies.observe(
            url,
            referrer,
            text,
            template,
            title=title,
            links=(each[2] for each in visit.links or ()),
        )
        self.templates.supersede(superseded, url)
        if self.copies.is_comparing and not was_comparing:
            self.templates.start_comparing()
        if not self.copies.is_comparing and self.templates.has_copies(url):
            novelty = Novelty.UNKNOWN
        is_copy = novelty is Novelty.NEAR_COPY
        self.templates.observe(
            TemplateVisit(
                url,
                referrer,
                NEAR_COPY if is_copy else result,
                is_new=not is_copy and not original,
                original=original,
                is_counted=novelty is not Novelty.UNKNOWN,
            )
        )

    def as_stored(self) -> list[StoredWorth]:
        """Return the evidence as it is stored."""
        return [
            *(StoredWorth("maze", *each) for each in self.mazes.as_stored()),
            *(StoredWorth("template", *each) for each in self.templates.as_stored()),
            *(StoredWorth("broken", *each) for each in self.broken.as_stored()),
            StoredWorth("dates", "lastmod", "", self.dates.as_stored()),
        ]


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
        settings: OptionValues,
    ) -> None:
        self.released: Event[str] = Event()
        self._share = params.max_maze_share
        self._judges = params.learn_worth and params.mode != "check"
        self._settings = {each: each.setting(settings) for each in (MAZE, BARREN_TEMPLATE, COPY)}
        self._owner = owner
        self._discovery = discovery
        self._tasks = tasks
        self._origins: dict[str, OriginWorth] = {}
        self._resting: dict[str, NearCopies] = {}
        self._comparing = asyncio.Lock()
        self._trusts = params.trust_lastmod and not params.force and params.mode != "check"
        self._max_age = params.max_revisit
        self._reading = params.reading or None
        self._following = params.following
        self._dates: dict[int, float] = {}
        self._skipped = 0
        self._left: dict[str, str] = {}
        self._barren: Counter[str] = Counter()
        self._withdrawn: Counter[str] = Counter()
        self._recorder = recorder
        recorder.batch_committed.connect(self.committed)
        recorder.visit_recorded.connect(self.observe)

    async def prepare(self, key: str) -> None:
        """Load the evidence on an origin when its lease begins."""
        if not (self._share or self._judges or self._trusts) or key in self._origins:
            return
        stored = await self._owner.frontier.worth(key)
        mazes = Mazes(self._share)
        templates = Templates()
        if self._share:
            mazes.restore((each.name, each.value) for each in stored if each.kind == "maze")
        if self._judges:
            templates.restore((each.name, each.value) for each in stored if each.kind == "template")
        copies = self._resting.pop(key, None) or NearCopies()
        templates.is_comparing = copies.is_comparing
        worth = self._origins.setdefault(key, OriginWorth(mazes, templates, copies))
        if self._judges:
            worth.broken.restore(
                (each.name, each.state) for each in stored if each.kind == "broken"
            )
        for each in stored:
            if each.kind == "dates" and self._trusts:
                worth.dates = ListedDates.from_stored(each.value)
        self._discovery.watch_subtrees(key, mazes.watched)

    def sort(
        self, key: str, dues: Sequence[DueUrl], *, idle: bool
    ) -> tuple[list[DueUrl], dict[int, int]]:
        """Return the URLs to visit now, and the priorities of those to put off, by fingerprint.

        Suspected subtrees are read when the origin is ``idle`` and nothing else is due, one page
        at a time: the next one depends on the links of the page before.
        """
        worth = self._origins.get(key)
        if worth is None:
            return list(dues), {}
        mazes = worth.mazes
        if idle:
            mazes.forget_requests()
        now: list[DueUrl] = []
        low: list[DueUrl] = []
        watched: dict[int, tuple[Subtree, list[DueUrl]]] = {}
        for due in dues:
            subtree = self._watched_subtree(mazes, due)
            if subtree is not None and _is_read(subtree):
                watched.setdefault(id(subtree), (subtree, []))[1].append(due)
            elif subtree is None and self._is_low(worth, due):
                low.append(due)
            else:
                now.append(due)
        low, mixed = self._split_mixed(low)
        if idle and not now and all(due.priority == LOW for due in low):
            now, low = _few_of_each(worth.templates, low)
        put_off = {due.fingerprint: LOW for due in low}
        may_read = idle and not now and not low
        for subtree, found in watched.values():
            put_off |= _descend(mazes, subtree, found, now, may_read=may_read)
        may_read = may_read and not watched
        return _with_mixed(now, put_off, mixed, may_read=may_read)

    def _split_mixed(self, dues: Iterable[DueUrl]) -> tuple[list[DueUrl], list[DueUrl]]:
        """Separate the mixes of facets from the others."""
        parts: tuple[list[DueUrl], list[DueUrl]] = ([], [])
        for due in dues:
            parts[self._discovery.limits.comes_last(due.url)].append(due)
        return parts

    def decide(self, key: str, due: DueUrl) -> Decision | None:
        """Refuse a URL of a closed subtree or a kind that fails; None to fetch it or put it off."""
        worth = self._origins.get(key)
        if worth is None:
            return None
        if self._is_withdrawn(due):
            return COPY.refuse(due.detail or self._settings[COPY])
        mazes = worth.mazes
        subtree = self._watched_subtree(mazes, due)
        if subtree is not None:
            if _is_read(subtree) or subtree.probe == due.fingerprint:
                return None
            words = mazes.in_words(due.url)
            self._left[f"{key}{mazes.name_of(due.url)}"] = words
            return MAZE.refuse(f"{self._settings[MAZE]}: {words}")
        broken = worth.broken.verdict(due.url, due.fingerprint) if self._may_leave(due) else None
        return self._leave_barren(key, *broken) if broken is not None else None

    def decide_kind(self, key: str, due: DueUrl) -> Decision | None:
        """Refuse a URL of a kind of page that brings nothing, unless it is a sample."""
        worth = self._origins.get(key)
        if worth is None or due.priority not in (LOW, MIXED) or not self._is_low(worth, due):
            return None
        if self._watched_subtree(worth.mazes, due) is not None:
            return None
        judged = worth.templates.judge(due.url)
        if judged is None or not judged[1].is_barren or worth.is_premature(*judged):
            return None
        if judged[1].sample():
            return None
        name, template = judged
        return self._leave_barren(key, name, template.in_words(name))

    def _leave_barren(self, key: str, name: str, words: str) -> Decision:
        """Refuse a URL of a kind of page that brings nothing."""
        self._barren[f"{key}{name}"] += 1
        return BARREN_TEMPLATE.refuse(f"{self._settings[BARREN_TEMPLATE]}: {words}")

    def broken_kinds(self, key: str) -> BrokenKinds | None:
        """Return the kinds of pages of a leased origin that fail, None if they are not judged."""
        worth = self._origins.get(key) if self._judges else None
        return worth.broken if worth is not None else None

    def skips(self, key: str, due: DueUrl) -> bool:
        """Skip a known page that a reliable sitemap calls unchanged, up to ``max_revisit``."""
        date = self._dates.get(due.fingerprint)
        worth = self._origins.get(key)
        if date is None or worth is None or not worth.dates.rule_out_changes:
            return False
        read_at = due.indexed_at
        if due.document_id is None or read_at is None or due.via == "seed":
            return False
        if read_at < time.time() - self._max_age or is_after(date, read_at):
            return False
        if due.outcome not in READ or not self._is_read_alike(due):
            return False
        if not worth.skipped:
            self._tasks.begin(self._skip(key, worth))
        worth.skipped.add(due.fingerprint)
        self._skipped += 1
        return True

    def puts_off(self, key: str, due: DueUrl) -> bool:
        """Return a prefetched URL to the queue if it comes after others by now."""
        worth = self._origins.get(key)
        if worth is None:
            return False
        subtree = self._watched_subtree(worth.mazes, due)
        if subtree is None:
            if due.priority in (LOW, MIXED) or not self._is_low(worth, due):
                return False
        elif subtree.probe == due.fingerprint:
            return False
        if not worth.put_off:
            self._tasks.begin(self._put_off(key, worth))
        worth.put_off[due.fingerprint] = LOW if subtree is None else SHELF
        return True

    def note_dates(self, entries: Iterable[tuple[Candidate, float]]) -> None:
        """Keep the dates of a sitemap, in UTC epoch seconds; those in the future say nothing."""
        now = time.time() if self._trusts else 0.0
        for each, date in entries:
            if date <= now and len(self._dates) < MAX_DATES:
                self._dates[each.fingerprint] = date

    async def queue_changed(self, entries: Sequence[tuple[Candidate, float]]) -> None:
        """Queue the pages of a sitemap that changed since their visit, if its dates are reliable."""
        frontier = self._owner.frontier
        by_origin: dict[str, list[tuple[Candidate, float]]] = defaultdict(list)
        for each, date in entries:
            if each.fingerprint in self._dates:
                by_origin[each.origin].append((each, date))
        for key, own in by_origin.items():
            if frontier.holds(key):
                await self.prepare(key)
            worth = self._origins.get(key)
            if worth is not None and worth.dates.announce_changes:
                await frontier.mark_modified(own)

    def committed(self, key: str, visits: Sequence[VisitResult]) -> None:
        """Learn from committed visits: the worth of templates, and the truth of dates."""
        worth = self._origins.get(key)
        if worth is None:
            return
        for visit in visits:
            due = visit.due
            date = self._dates.get(due.fingerprint)
            if date is not None and due.indexed_at and visit.outcome in WITH_CONTENT:
                changed = visit.outcome is Outcome.FILE_INGESTED and not visit.unchanged
                changed = changed and visit.content_hash != due.content_hash
                worth.dates.observe(announced=is_after(date, due.indexed_at), changed=changed)
            worth.uncommitted.pop(due.fingerprint, None)
            if due.fingerprint in worth.observed:
                worth.observed.discard(due.fingerprint)
            elif self._is_evidence(visit):
                worth.observe(visit)
        if worth.templates.revived or worth.broken.revived:
            worth.templates.revived = worth.broken.revived = False
            self._tasks.begin(self._admit(key, BARREN_TEMPLATE.name))

    def observe(self, visit: VisitResult) -> None:
        """Learn from a visit."""
        key = visit.due.origin
        worth = self._origins.get(key)
        fingerprint = visit.due.fingerprint
        repeated = self._discovery.repeated.pop(fingerprint, ())
        if worth is not None and self._is_evidence(visit):
            if visit.outcome in WITH_CONTENT:  # it may prove to be a duplicate when committed
                worth.expect(visit)
            else:
                worth.observe(visit)
                worth.observed.add(fingerprint)
        if worth is None or not self._share or visit.again or visit.due.indexed_at is not None:
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

    def _is_evidence(self, visit: VisitResult) -> bool:
        """Return True for a page that was requested for the first time, and tells something."""
        is_first = not visit.again and visit.due.indexed_at is None
        return self._judges and is_first and visit.outcome in RESULTS

    async def withdraw(self, key: str, *, is_down: bool = False) -> list[Change]:
        """Withdraw the documents of an origin's mazes, and of kinds of pages that repeat others.

        Of an origin that ``is_down`` only pages read in this run are, and only in favour of such.
        """
        worth = self._origins.get(key)
        if worth is None:
            return []
        copied, mixed = worth.templates.has_copied_kinds, worth.templates.has_mixes
        if not (worth.mazes.closed or copied or mixed):
            return []
        frontier = self._owner.frontier
        await frontier.save_worth(key, worth.as_stored())  # a run after a kill begins here again
        pages = await frontier.current_pages(key)
        found = [] if is_down else await asyncio.to_thread(self._of_mazes, worth.mazes, pages)
        readmitted: list[str] = []
        if self._judges and (copied or mixed):
            async with self._comparing:  # one origin at a time has its texts in memory
                repeated, readmitted = await self._find_repeated(key, worth.templates, pages)
            found += self._withdrawn_of(pages, repeated)
        if is_down:
            sound = {each.row for each in pages if each.is_sound}
            found = [each for each in found if sound.issuperset((each.row, each.by))]
            readmitted = []
        changes: list[Change] = []
        for start in range(0, len(found), WITHDRAWN_AT_ONCE):
            changes += await frontier.withdraw(key, found[start : start + WITHDRAWN_AT_ONCE], [])
        if readmitted:
            changes += await frontier.withdraw(key, [], readmitted)
        withdrawn = (each.record["url"] for each in changes if each.op == "delete")
        self._withdrawn.update(f"{key}{worth.templates.group_of(url)}" for url in withdrawn)
        return changes

    async def _find_repeated(
        self, key: str, templates: Templates, pages: Sequence[CurrentPage]
    ) -> tuple[list[Repetition], list[str]]:
        """Return the documents that repeat others, and the withdrawn URLs to be queued again."""
        before = await self._owner.frontier.withdrawn_copies(key)
        mixes = await asyncio.to_thread(mixes_among, before, pages)
        repeated = await self._find_mixes(pages, mixes)
        if not templates.has_copied_kinds:
            return repeated, []
        before = [url for url in before if url not in mixes]
        copies, readmitted = await self._find_copies(templates, pages, before)
        return repeated + copies, readmitted

    def _withdrawn_of(
        self, pages: Iterable[CurrentPage], found: Iterable[Repetition]
    ) -> list[Withdrawal]:
        """Return the pages to be withdrawn: those that repeat others, but no starts and listed pages."""
        may_go = {each.row for each in pages if each.via == "link" and each.depth > 0}
        return [
            Withdrawal(each.page, COPY.name, f"{self._settings[COPY]}: {each.words}", each.original)
            for each in found
            if each.page in may_go
        ]

    async def _find_mixes(
        self, pages: Sequence[CurrentPage], before: Iterable[str]
    ) -> list[Repetition]:
        """Return the mixes of facets that repeat other lists; ``before`` were withdrawn earlier."""
        repeated: list[Repetition] = []
        for found in await asyncio.to_thread(list, find_mixes(pages, before)):
            compared = (*found.mixes, *found.others)
            if len(compared) <= MAX_COMPARED:
                texts: dict[int, StoredText] = {}
                characters = 0
                async for batch in self._texts(compared):
                    texts.update((page.row, stored) for page, stored in batch)
                    characters += sum(len(stored.body) for _, stored in batch)
                    if characters > MAX_CHARACTERS:
                        return repeated
                rows = {each.row for each in compared}
                elsewhere = frozenset(each.row for each in pages if each.row not in rows)
                repeated += await asyncio.to_thread(repeated_mixes, found, texts, elsewhere)
        return repeated

    async def _find_copies(
        self, templates: Templates, pages: Sequence[CurrentPage], before: Sequence[str]
    ) -> tuple[list[Repetition], list[str]]:
        """Return the documents that repeat others, and the withdrawn URLs of kinds that do so no more."""
        in_thread = asyncio.to_thread  # other origins go on meanwhile
        chosen, groups = await in_thread(_to_compare, pages, templates, before)
        compared: list[ComparedPage] = []
        hashes = 0
        async for batch in self._texts(chosen):
            found = await in_thread(_as_compared, templates, batch)
            compared += found
            hashes += sum(each.text.size for each in found)
            if hashes > MAX_HASHES:
                break
        linked = await in_thread(_linked_rows, compared)
        urls = await self._owner.frontier.urls_of(linked)
        repeated = await in_thread(RepeatedPages, compared, Counter(groups.values()), urls)
        if repeated.is_site_of_views:
            assembled = AssembledPages(repeated)
            rows = {each.row for each in compared}
            async for batch in self._texts([each for each in chosen if each.row in rows]):
                await in_thread(_add_phrases, assembled, batch)
            await in_thread(assembled.find, urls)
        copies = await in_thread(repeated.judge)
        return copies, [url for url, group in groups.items() if group in repeated.cleared]

    async def _texts(
        self, pages: Sequence[CurrentPage]
    ) -> AsyncIterator[list[tuple[CurrentPage, StoredText]]]:
        """Yield batches of the pages with the texts of their documents."""
        for start in range(0, len(pages), BATCH):
            batch = pages[start : start + BATCH]
            texts = await self._owner.frontier.texts_of([each.row for each in batch])
            yield [(each, texts[each.row]) for each in batch if each.row in texts]

    def _of_mazes(self, mazes: Mazes, pages: Iterable[CurrentPage]) -> list[Withdrawal]:
        """Return the documents of closed subtrees to which only pages of these lead."""
        return [
            Withdrawal(each.row, MAZE.name, f"{self._settings[MAZE]}: {mazes.in_words(each.url)}")
            for each in pages
            if each.via == "link"
            and mazes.is_inside(each.url, each.referrer)
            and not mazes.is_vouched(each.fingerprint)
            and mazes.state_of(each.url).state is SubtreeState.CLOSED
        ]

    async def release(self, key: str) -> None:
        """Store the evidence before the lease of an origin ends."""
        worth = self._origins.pop(key, None)
        if worth is not None:
            self._discovery.watch_subtrees(key, ())
            if len(self._resting) >= MAX_RESTING:
                del self._resting[next(iter(self._resting))]
            self._resting[key] = worth.copies
            await self._owner.frontier.save_worth(key, worth.as_stored())

    def note_withdrawn(self, kind: str, changes: Iterable[Change]) -> None:
        """Count documents that a learned rule has withdrawn, for the summary of the run."""
        if deleted := sum(each.op == "delete" for each in changes):
            self._withdrawn[kind] += deleted

    def as_stored(self) -> dict[str, Any]:
        """Return what was left out, as plain values."""
        return {
            "mazes": self._left,
            "unchanged": self._skipped,
            "barren": dict(self._barren),
            "withdrawn": dict(self._withdrawn),
        }

    async def _skip(self, key: str, worth: OriginWorth) -> None:
        """Remove a batch of URLs from the queue."""
        await asyncio.sleep(0)
        batch, worth.skipped = worth.skipped, set()
        await self._owner.frontier.skip(key, batch)
        self.released.send(key)

    def _is_read_alike(self, due: DueUrl) -> bool:
        """Return True if a page was read, and its links judged, with the options of this run."""
        following = self._following.at(due.depth) or None
        return due.reading == self._reading and due.following == following

    def _is_low(self, worth: OriginWorth, due: DueUrl) -> bool:
        """Return True for a link never requested before that probably brings little."""
        if not self._may_leave(due):
            return False
        judged = worth.templates.judge(due.url)
        if judged is not None and judged[1].comes_last:
            return True
        if worth.templates.may_be_view(due.url):
            return True
        return self._discovery.limits.comes_last(due.url)

    def _may_leave(self, due: DueUrl) -> bool:
        """Return True for a link never requested before, unless its document was withdrawn."""
        if not self._judges or due.via != "link" or due.depth == 0 or self._is_withdrawn(due):
            return False
        return due.outcome in (None, int(Outcome.BLOCKED_URL_BY_LOCAL_POLICY))

    def _is_withdrawn(self, due: DueUrl) -> bool:
        """Return True for a page that was withdrawn because another one has its text."""
        return self._judges and due.reason == COPY.name and due.via == "link"

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
            self._tasks.begin(self._admit(key, MAZE.name, [each.fingerprint for each in new]))

    async def _admit(self, key: str, reason: str, fingerprints: Collection[int] = ()) -> None:
        """Queue URLs again that were left out for a reason."""
        await self._recorder.flush(key)  # those left out a moment ago, too
        if await self._owner.frontier.admit_again(key, reason, fingerprints):
            self.released.send(key)

    async def _changed(self, key: str, worth: OriginWorth) -> None:
        """Store a change, and admit what was left out of a subtree with an end."""
        mazes = worth.mazes
        async with worth.lock:
            cleared, mazes.cleared, mazes.changed = mazes.cleared, False, False
            await self._owner.frontier.save_worth(key, worth.as_stored())
            if cleared:
                await self._admit(key, MAZE.name)

    async def _put_off(self, key: str, worth: OriginWorth) -> None:
        """Return the URLs of a batch to the queue."""
        await asyncio.sleep(0)
        batch, worth.put_off = worth.put_off, {}
        await self._owner.frontier.put_off(key, batch)
        self.released.send(key)


def _few_of_each(templates: Templates, dues: Iterable[DueUrl]) -> tuple[list[DueUrl], list[DueUrl]]:
    """Separate as many URLs of each kind as are needed to judge it, and those that need no verdict,
    from the others.

    What these bring is known when they are committed; more of them would be requested in vain.
    """
    chosen: Counter[str] = Counter()
    parts: tuple[list[DueUrl], list[DueUrl]] = ([], [])
    for due in dues:
        name, awaited = templates.awaited(due.url)
        chosen[name] += 1
        parts[awaited > 0 and chosen[name] > awaited].append(due)
    return parts


def _with_mixed(
    now: list[DueUrl], put_off: dict[int, int], mixed: list[DueUrl], *, may_read: bool
) -> tuple[list[DueUrl], dict[int, int]]:
    """Add mixes of facets: to the URLs to visit if nothing else is due (``may_read``)."""
    if may_read and all(due.priority == MIXED for due in mixed):
        return now + mixed, put_off
    return now, put_off | dict.fromkeys((due.fingerprint for due in mixed), MIXED)


def _is_read(subtree: Subtree) -> bool:
    """Return True if pages of the subtree are still requested, one at a time."""
    return subtree.state is SubtreeState.SUSPECTED or subtree.retests > 0


def _descend(
    mazes: Mazes, subtree: Subtree, found: Sequence[DueUrl], now: list[DueUrl], *, may_read: bool
) -> dict[int, int]:
    """Add at most one URL of a watched subtree to ``now``; return the priorities of the others."""
    waiting = {due.fingerprint: due for due in found}
    chosen = mazes.choose(subtree, waiting) if may_read else None
    put_off = {each: DESCENT if each == subtree.descent else SHELF for each in waiting}
    if chosen is not None:
        del put_off[chosen]
        mazes.request(subtree, chosen)
        now.append(waiting[chosen])
    return put_off


def _to_compare(
    pages: Sequence[CurrentPage], templates: Templates, withdrawn: Iterable[str]
) -> tuple[list[CurrentPage], dict[str, str]]:
    """Return the pages to be compared, and the groups of the withdrawn URLs.

    Those are all of a small origin, otherwise copies and pages that share their names. Pages of one
    name come together, those of copies first, as only the first ones may fit into the memory.
    """
    copied = [each for each in pages if templates.copied_kind(each.url)]
    names = {name for each in copied for name in names_of(each.url)}
    by_name: defaultdict[str, dict[int, CurrentPage]] = defaultdict(dict)
    others: list[CurrentPage] = []
    for page in pages:
        name = next((each for each in names_of(page.url) if each in names), None)
        if name is not None:
            by_name[name][page.row] = page
        else:
            others.append(page)
    found = [page for group in by_name.values() for page in group.values()]
    if len(pages) <= MAX_COMPARED:
        found += others
    return found[:MAX_COMPARED], {url: templates.group_of(url) for url in withdrawn}


def _as_compared(
    templates: Templates, batch: Iterable[tuple[CurrentPage, StoredText]]
) -> list[ComparedPage]:
    return [ComparedPage.of(templates, page, stored) for page, stored in batch]


def _linked_rows(pages: Sequence[ComparedPage]) -> list[int]:
    """Return the rows of the other pages to which pages link."""
    linked = {row for each in pages for row in each.links} - {each.row for each in pages}
    return sorted(linked)[:MAX_LINKED]


def _add_phrases(
    assembled: AssembledPages, batch: Iterable[tuple[CurrentPage, StoredText]]
) -> None:
    for page, stored in batch:
        assembled.add(page.row, stored.body)


def log_left_out(stored: Mapping[str, Any]) -> None:
    """Log one line for each way in which parts of sites were left out."""
    if stored["mazes"]:
        parts = (f"{name}: {words}" for name, words in sorted(stored["mazes"].items()))
        logger.warning(LEFT, "; ".join(parts))
    if stored["unchanged"]:
        logger.info(UNCHANGED, stored["unchanged"])
    for words, counts in ((BARREN, stored["barren"]), (WITHDRAWN, stored["withdrawn"])):
        if counts:
            names = sorted(counts, key=lambda name: (-counts[name], name))[:EXAMPLES]
            kinds = (f"{counts[name]} {name}" for name in names)
            logger.info(words, sum(counts.values()), "; ".join(kinds))
