"""Learned rules of the leased origins: derived from visits, applied before each fetch, stored."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

from sitecrawl.events import Event
from sitecrawl.frontier.base import Candidate, StandIn
from sitecrawl.frontier.learned import FOLDED, StoredRule
from sitecrawl.frontier.withdrawals import WITHDRAWN_AT_ONCE, ReplacedPage
from sitecrawl.policy.learning.host_rules import HostQuestion, HostRule, HostRules, partners_of
from sitecrawl.policy.learning.learned_duplicates import LEARNED_DUPLICATE
from sitecrawl.policy.learning.origin_learning import (
    MAX_PAIRS_PER_TEXT,
    MIN_TEXT,
    EarlierPage,
    Fold,
    ObservedPage,
    OriginLearning,
    Question,
    id_of,
    kind_of,
)
from sitecrawl.policy.learning.parameter_rules import ParameterRule
from sitecrawl.policy.lifecycle.revisit import WITH_CONTENT
from sitecrawl.policy.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.crawl.frontier_owner import FrontierOwner
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.frontier.base import Change, DueUrl, VisitResult
    from sitecrawl.frontier.learned import StoredPage
    from sitecrawl.policy.decision import Decision
    from sitecrawl.policy.learning.repeated_pages import CurrentPage
    from sitecrawl.scheduling.background import BackgroundTasks

READ = WITH_CONTENT | {Outcome.NON_CANONICAL}
SAVE_AFTER = 50
"""Observations after which the rules are stored although no state changed."""
MAX_KNOWN = 100_000
MAX_STEPS = 3
"""Number of rules in succession for whose results the database is asked."""
MAX_CHAIN = 20
EARLY_COMMITS = 500
"""Pages of an origin that do not wait for a full batch, because they are evidence for a rule."""
MAX_RESTING = 500
"""Origins without a lease whose evidence is kept, valid unless another worker has changed it."""


class Learned:
    """Learned rules of one leased origin, and known facts about the URLs that they name."""

    def __init__(
        self, learning: OriginLearning, hosts: HostRules, known: set[int], no_pages: set[int]
    ) -> None:
        self.rules = learning
        self.hosts = hosts
        self.of_partners: dict[int, StoredPage] = {}
        self.samples: dict[int, StandIn] = {}
        self.known = known
        self.folded: dict[int, Candidate] = {}
        self.targets: dict[int, int] = {}
        self.no_pages = no_pages
        self.read: set[int] = set()
        self.looked_up: set[int] = set()
        self.questions: list[Question] = []
        self.early_commits = 0
        self.sample: int | None = None
        self.lock = asyncio.Lock()
        self.stored: dict[tuple[str, str], str] = {}

    @property
    def must_save(self) -> bool:
        """True if enough was learned to justify a transaction."""
        return self.rules.urgent or self.rules.changed >= SAVE_AFTER or self.hosts.urgent

    def note(self, visit: VisitResult) -> None:
        """Record that a page was read, or that its URL has no content."""
        if visit.again or visit.reason == FOLDED:
            return
        if visit.outcome not in WITH_CONTENT:
            self.no_pages.add(visit.due.fingerprint)
            return
        self.no_pages.discard(visit.due.fingerprint)
        if self.rules.has_rules and len(self.read) < MAX_KNOWN:
            self.read.add(visit.due.fingerprint)

    def observe_host(self, visit: VisitResult, page: ObservedPage | None) -> None:
        """Learn from a page about the hosts that have the same pages, also from one that is unchanged."""
        if page is None and self.hosts.rules:
            page = _unchanged_page(visit)
        if page is not None:
            self.hosts.observe(page)

    def keep_out(self, due: DueUrl, other: Candidate) -> None:
        """Record that another URL replaces a due one."""
        if len(self.folded) >= MAX_KNOWN:
            first = next(iter(self.folded))
            del self.folded[first]
            self.targets.pop(first, None)
        self.targets[due.fingerprint] = other.fingerprint
        self.folded[due.fingerprint] = Candidate(due.origin, due.fingerprint, due.url)

    def leads_to(self, fingerprint: int, end: int) -> bool:
        """Return True if ``end`` replaces a URL, directly or through others."""
        for _ in range(MAX_CHAIN):
            if fingerprint == end:
                return True
            if fingerprint not in self.folded:
                return False
            fingerprint = self.targets[fingerprint]
        return True

    def look_up(self, found: Mapping[int, StoredPage], asked: set[int]) -> None:
        """Add what the crawl database stores about the URLs of ``asked``.

        A page that failed meanwhile stays out: the database may have answered before that.
        """
        if len(self.looked_up) >= MAX_KNOWN:
            self.looked_up.clear()
        self.looked_up |= asked
        for fingerprint, page in found.items():
            (self.known if page.stands else self.no_pages).add(fingerprint)
            if page.read:
                self.read.add(fingerprint)


class Learning:
    """Learned rules of all leased origins.

    ``released`` is sent with the key of an origin whose skipped URLs are due again.
    """

    def __init__(
        self,
        params: CrawlParams,
        owner: FrontierOwner,
        recorder: Recorder,
        discovery: Discovery,
        tasks: BackgroundTasks,
    ) -> None:
        self.released: Event[str] = Event()
        self._duplicates = params.learn_duplicates
        self._parameters = params.query == "learn"
        self._forbidden = frozenset(params.forbidden_rules)
        self._realm_rules = discovery.rules
        self._owner = owner
        self._recorder = recorder
        self._discovery = discovery
        self._tasks = tasks
        self._origins: dict[str, Learned] = {}
        self._resting: dict[str, Learned] = {}
        self._texts: dict[int, int] = {}
        recorder.visit_recorded.connect(self.recorded)
        recorder.batch_committed.connect(self.committed)

    @property
    def _learns(self) -> bool:
        return self._duplicates or self._parameters

    async def prepare(self, key: str, dues: Sequence[DueUrl]) -> None:
        """Load the rules of an origin, and look up the URLs that may replace the due ones."""
        if not self._learns:
            return
        learned = self._origins.get(key)
        if learned is None:
            learned = await self._load(key)
        if learned.hosts.folded_into:
            await self._look_at_partners(key, learned, dues)
        if not learned.rules.has_rules:
            return
        urls = {due.url for due in dues if _may_fold(due)}
        for _ in range(MAX_STEPS):
            named = {made for url in urls for made in learned.rules.named(url)}
            prints = {url: self._fingerprint(url) for url in named}
            new = set(prints.values()) - learned.looked_up
            if not new:
                return
            learned.look_up(await self._owner.frontier.stored_pages(key, new), new)
            urls = {url for url in named if prints[url] in new and learned.rules.stands(url)}

    def decide(self, key: str, due: DueUrl) -> tuple[Decision, Candidate] | None:
        """Refuse a URL that another one replaces, and return both; None to fetch it."""
        learned = self._origins.get(key)
        if learned is None:
            return None
        learned.sample = None
        refusal = self._fold_into_partner(learned, due) if learned.hosts.rules else None
        if refusal is not None or not learned.rules.has_rules or not _may_fold(due):
            return refusal

        def is_read(url: str) -> bool:
            return self._fingerprint(url) in learned.read

        for fold in learned.rules.fold(due.url, is_read):
            candidate = self._stands(learned, due, fold)
            if candidate is None:
                continue
            learned.rules.changed += 1
            linked = due.referrer is not None and (
                self._fingerprint(due.referrer) == candidate.fingerprint
            )
            before = due.outcome == Outcome.BLOCKED_URL_BY_LOCAL_POLICY
            if not fold.rule.evidence.fold(linked=linked, before=before):
                learned.sample = due.fingerprint
                return None
            learned.keep_out(due, candidate)
            return LEARNED_DUPLICATE.refuse(fold.in_words), candidate
        return None

    def is_sample(self, key: str, due: DueUrl) -> bool:
        """Return True if the URL decided last is requested to test a rule on paths or parameters."""
        learned = self._origins.get(key)
        return learned is not None and learned.sample == due.fingerprint

    def as_sample(self, key: str, due: DueUrl) -> DueUrl:
        """Return a URL to be requested with the page that replaces it, if it is a sample of a rule on
        hosts."""
        learned = self._origins.get(key)
        other = learned.samples.pop(due.fingerprint, None) if learned is not None else None
        return replace(due, same_as=other) if other is not None else due

    def recorded(self, visit: VisitResult) -> None:
        """Commit a page soon that is evidence: a rule learned from it saves requests."""
        learned = self._origins.get(visit.due.origin)
        if learned is None or learned.early_commits >= EARLY_COMMITS:
            return
        if visit.outcome is Outcome.PERMANENT_REDIRECT or self._is_repeated(visit):
            learned.early_commits += 1
            self._recorder.flush_soon(visit.due.origin)

    def _is_repeated(self, visit: VisitResult) -> bool:
        """Return True if a page has the text of a few others of its origin, read by this process."""
        if not visit.document or visit.content_hash is None:
            return False
        text = hash((visit.due.origin, visit.content_hash))
        if len(self._texts) >= MAX_KNOWN:
            self._texts.clear()
        pages = self._texts[text] = self._texts.get(text, 0) + 1
        return 1 < pages <= MAX_PAIRS_PER_TEXT

    def committed(self, key: str, visits: Sequence[VisitResult]) -> None:
        """Learn from committed visits."""
        learned = self._origins.get(key)
        if any(visit.released for visit in visits):
            if learned is not None:  # the pages that replaced them are none, by the database
                learned.looked_up.clear()
            self._send_released(key)
        self._release_alternates()
        if learned is None:
            return
        for visit in visits:
            learned.note(visit)
            page = _read_page(visit, parameters=self._parameters)
            if page is not None:
                learned.questions += learned.rules.observe(page)
            if self._duplicates:
                learned.observe_host(visit, page)
        if learned.questions or learned.must_save or learned.hosts.questions():
            self._tasks.begin(self._learn(key, learned))

    def _send_released(self, key: str) -> None:
        """Announce queued URLs of an origin, and of those that it replaces."""
        replaced = (other for other, each in self._origins.items() if key in each.hosts.folded_into)
        for each in (key, *replaced):
            self.released.send(each)

    async def withdraw(self, key: str, *, is_down: bool = False) -> list[Change]:
        """Withdraw the documents of an origin that the same pages of another one replace by a rule.

        Of an origin that ``is_down`` only those read in this run are.
        """
        if not self._duplicates:
            return []
        learned = self._origins.get(key) or await self._load(key)
        await self._learn(key, learned)
        hosts, frontier = learned.hosts, self._owner.frontier
        if not hosts.folded_into:
            return []
        hosts.note_partners(await frontier.partners(key, hosts.folded_into))
        changes: list[Change] = []
        for rule in hosts.active:
            if hosts.may_replace(rule, is_read=False):
                pages = await frontier.current_pages(key)
                may_go = [each for each in pages if each.is_sound or not is_down]
                replaced = list(self._replaced(rule, may_go))
                for start in range(0, len(replaced), WITHDRAWN_AT_ONCE):
                    batch = replaced[start : start + WITHDRAWN_AT_ONCE]
                    changes += await frontier.fold_documents(key, rule.partner, batch)
        return changes

    def _replaced(self, rule: HostRule, pages: Iterable[CurrentPage]) -> Iterator[ReplacedPage]:
        """Yield the pages that a host rule replaces by pages that may be crawled."""
        for page in pages:
            if page.via != "seed":
                admission = self._realm_rules.admit(rule.apply(page.url), depth=page.depth)
                if admission.decision.allowed and admission.origin == rule.partner:
                    words = rule.in_words(admission.url)
                    yield ReplacedPage(page.row, admission.fingerprint, words)

    async def note_down(self, key: str) -> None:
        """Let an origin that is given up replace no further pages, and store those that it does."""
        for other, learned in list(self._origins.items()):
            if key in learned.hosts.folded_into:
                learned.hosts.note_down(key)
                await self._recorder.flush(other)

    async def release(self, key: str) -> None:
        """Finish learning and save the rules before the lease of an origin ends."""
        learned = self._origins.pop(key, None)
        if learned is not None:
            await self._learn(key, learned)
            await self._save(key, learned)
            if len(self._resting) >= MAX_RESTING:
                del self._resting[next(iter(self._resting))]
            self._resting[key] = learned

    async def _load(self, key: str) -> Learned:
        """Load the stored rules of an origin, with the evidence that is kept in memory only."""
        stored = await self._owner.frontier.learned(key)
        resting = self._resting.pop(key, None)
        if resting is not None and resting.stored == _as_text(stored):
            return self._origins.setdefault(key, resting)
        known: set[int] = set()
        no_pages: set[int] = set()

        def has_met(url: str) -> bool:
            fingerprint = self._fingerprint(url)
            return fingerprint in known or self._discovery.has_seen(fingerprint)

        def may_stand(url: str) -> bool:
            return has_met(url) and self._fingerprint(url) not in no_pages

        def is_alternate(url: str, page: str) -> bool:
            versions = self._discovery.alternates.get(self._fingerprint(url), ())
            return bool(versions) and self._fingerprint(page) in versions

        rules = OriginLearning(
            key,
            has_met,
            may_stand,
            is_alternate,
            self._duplicates,
            self._parameters,
            self._forbidden,
        )
        rules.restore((rule.kind, rule.value) for rule in stored)
        hosts = HostRules(key, self._forbidden)
        if self._duplicates:
            hosts.restore(rule.value for rule in stored if rule.kind == "host")
            names = {*partners_of(key), *hosts.rules}
            hosts.note_partners(await self._owner.frontier.partners(key, names))
        learned = Learned(rules, hosts, known, no_pages)
        learned.stored = _as_text(stored)
        return self._origins.setdefault(key, learned)

    async def _learn(self, key: str, learned: Learned) -> None:
        """Judge the rules by the texts of the URLs that they name."""
        async with learned.lock:
            questions, learned.questions = learned.questions, []
            if questions:
                await self._answer(key, learned, questions)
            await self._ask_partners(learned)
            if learned.rules.unproven:
                texts = await self._owner.frontier.read_texts(key)
                learned.rules.review({url: _number(text) for url, text in texts.items()})
            if learned.must_save:
                await self._save(key, learned)

    async def _answer(self, key: str, learned: Learned, questions: list[Question]) -> None:
        prints = {question.other: self._fingerprint(question.other) for question in questions}
        words = any(isinstance(question.rule, ParameterRule) for question in questions)
        found = await self._owner.frontier.stored_pages(key, {*prints.values()}, words=words)
        for question in questions:
            stored = found.get(prints[question.other])
            if stored is not None:
                text = _number(stored.text) if stored.text else None
                other = EarlierPage(text, stored.canonical, stored.words)
                learned.rules.answer(question, other)

    async def _save(self, key: str, learned: Learned) -> None:
        rules, hosts = learned.rules, learned.hosts
        withdrawn = rules.withdrawn or hosts.withdrawn
        rules.withdrawn = hosts.withdrawn = False
        if rules.changed or hosts.changed:
            rules.changed, rules.urgent, hosts.changed, hosts.urgent = 0, False, False, False
            stored = [
                StoredRule(
                    kind_of(rule), id_of(rule), rule.state.value, str(rule), rule.as_stored()
                )
                for rule in rules.rules
            ]
            stored += [
                StoredRule("host", rule.id, rule.state.value, str(rule), rule.as_stored())
                for rule in hosts.stored
            ]
            before, learned.stored = learned.stored, _as_text(stored)
            changed = [
                rule
                for rule in stored
                if before.get((rule.kind, rule.name)) != learned.stored[rule.kind, rule.name]
            ]
            gone = before.keys() - learned.stored.keys()
            await self._owner.frontier.save_learned(key, changed, gone)
        if not withdrawn:
            return
        await self._recorder.flush(key)  # URLs that the rule refused a moment ago are released too
        released = await self._owner.frontier.release_folded(key)
        if (
            released and key in self._origins
        ):  # otherwise its lease is ending, and it is leased again
            self.released.send(key)

    async def _look_at_partners(self, key: str, learned: Learned, dues: Sequence[DueUrl]) -> None:
        """Look up the state of the origins that replace this one, and of the pages that replace the
        due ones."""
        hosts, frontier = learned.hosts, self._owner.frontier
        hosts.note_partners(await frontier.partners(key, hosts.folded_into))
        if len(learned.of_partners) >= MAX_KNOWN:
            learned.of_partners.clear()
        for rule in hosts.active:
            prints = {self._fingerprint(rule.apply(due.url)) for due in dues}
            learned.of_partners |= await frontier.stored_pages(rule.partner, prints)

    async def _ask_partners(self, learned: Learned) -> None:
        """Judge the host rules by the pages of the other origins that were read."""
        by_partner: defaultdict[str, list[HostQuestion]] = defaultdict(list)
        for question in learned.hosts.questions():
            by_partner[question.rule.partner].append(question)
        for partner, questions in by_partner.items():
            prints = {each.other: self._fingerprint(each.other) for each in questions}
            found = await self._owner.frontier.stored_pages(partner, {*prints.values()})
            for each in questions:
                stored = found.get(prints[each.other])
                if stored is not None:
                    text = _number(stored.text) if stored.text else None
                    other = EarlierPage(text, stored.canonical, is_gone=stored.gone)
                    learned.hosts.answer(each, other)

    def _fold_into_partner(
        self, learned: Learned, due: DueUrl
    ) -> tuple[Decision, Candidate] | None:
        """Refuse a URL that the same page of another origin replaces; None to fetch it.

        Also a URL that a sitemap lists, as its replacement is requested in its place.
        """
        if due.via == "seed" or due.indexed_at is not None:
            return None
        for rule in learned.hosts.active:
            admission = self._realm_rules.admit(rule.apply(due.url), depth=due.depth)
            page = learned.of_partners.get(admission.fingerprint)
            if not admission.decision.allowed or admission.origin != rule.partner:
                continue
            is_read = page is not None and page.read
            if page is not None and not (page.stands or (is_read and page.fails)):
                continue
            if not learned.hosts.may_replace(rule, is_read=is_read):
                continue
            before = due.outcome == Outcome.BLOCKED_URL_BY_LOCAL_POLICY
            words = rule.in_words(admission.url)
            if not learned.hosts.fold(rule, is_read=is_read, before=before):
                other = self._discovery.stand_in(admission, due)
                learned.samples[due.fingerprint] = StandIn(other, words)
                return None
            return LEARNED_DUPLICATE.refuse(words), self._discovery.stand_in(admission, due)
        return None

    def _stands(self, learned: Learned, due: DueUrl, fold: Fold) -> Candidate | None:
        """Return the URL that replaces a due one if it is known and may be fetched, else None."""
        admission = self._realm_rules.admit(fold.url, depth=due.depth)
        identity = admission.fingerprint
        if not admission.decision.allowed or identity in learned.no_pages:
            return None
        if learned.leads_to(identity, due.fingerprint):
            return None
        if admission.origin != due.origin or not (
            identity in learned.known or self._discovery.has_seen(identity)
        ):
            return None
        return self._discovery.stand_in(admission, due)

    def _release_alternates(self) -> None:
        """Requeue skipped URLs that a page names as alternate versions of itself."""
        new, self._discovery.new_alternates = self._discovery.new_alternates, []
        for learned in self._origins.values() if new else ():
            found = [
                learned.folded.pop(each)
                for each, page in new
                if each in learned.folded and learned.leads_to(learned.targets[each], page)
            ]
            if found:
                self._tasks.begin(self._ask_again(found))

    async def _ask_again(self, found: list[Candidate]) -> None:
        """Queue skipped URLs of an origin again."""
        await self._recorder.flush(found[0].origin)  # those skipped a moment ago, too
        await self._owner.frontier.mark_due(found)
        self.released.send(found[0].origin)

    def _fingerprint(self, url: str) -> int:
        return self._realm_rules.admit(url).fingerprint


def _as_text(rules: Iterable[StoredRule]) -> dict[tuple[str, str], str]:
    return {(rule.kind, rule.name): json.dumps(rule.value) for rule in rules}


def _may_fold(due: DueUrl) -> bool:
    """Return True if a learned rule may skip a URL.

    Seeds, pages read before (their documents would be lost), and pages that the site lists itself
    are never skipped.
    """
    return due.via not in ("seed", "sitemap", "feed") and due.indexed_at is None


def _read_page(visit: VisitResult, *, parameters: bool) -> ObservedPage | None:
    if visit.outcome is Outcome.PERMANENT_REDIRECT and visit.target is not None:
        moved_to = visit.target.url
        return ObservedPage(
            visit.due.url, crc32(moved_to.encode()), MIN_TEXT, canonical=moved_to, moved=True
        )
    is_read = visit.outcome in READ or visit.reason == FOLDED
    if not is_read or not visit.document or visit.content_hash is None:
        return None
    body = visit.document.get("body") or ""
    needs_words = parameters and "?" in visit.due.url
    return ObservedPage(
        visit.due.url,
        _number(visit.content_hash),
        len(body),
        visit.equal_to,
        visit.canonical,
        tuple(each.url for each in _own_links(visit)),
        f"{visit.document.get('title', '')} {body}" if needs_words else "",
    )


def _unchanged_page(visit: VisitResult) -> ObservedPage | None:
    """Return a page whose text the crawl database has, as evidence for a rule on hosts."""
    due = visit.due
    if visit.outcome is not Outcome.FILE_DID_NOT_CHANGE or due.content_hash is None:
        return None
    return ObservedPage(due.url, _number(due.content_hash), MIN_TEXT)


def _own_links(visit: VisitResult) -> Iterable[Candidate]:
    own = visit.due.origin
    return (each for each in visit.candidates if each.origin == own and each.via == "link")


def _number(text: str) -> int:
    return int(text[:12], 16)
