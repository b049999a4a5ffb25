"""Crawls of a natural site in process: the product's reader, rules and law, without network or database.

An approximation of a crawl, some ten times quicker. It imitates of ``scheduling/yields.py`` what
comes when: URLs by depth and discovery; then those of kinds that bring little, each two depths in random
order; then random descents into parts that look endless. Evidence is stored and restored between runs. It
leaves out: robots.txt and sitemaps, failures, batches (one URL at a time is judged and read, of each origin by turns), limits of paths, validators, and
files other than HTML. Documents are told apart by their text.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from time import thread_time
from typing import NamedTuple, Self
from urllib.parse import urljoin, urlsplit

from benchmarks.natural_sites.site import NEUTRAL, NaturalSite, Reply, Visit
from sitecrawl.config.assembly import Citations, build_rules, read_options
from sitecrawl.config.configuration import load
from sitecrawl.policy.decision import Admission
from sitecrawl.policy.worth.endless import EndlessParts, GrowingPage, Part, State, part_of
from sitecrawl.policy.worth.evidence import Evidence, Read, Verdict
from sitecrawl.policy.worth.wanted import Wanted
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page


@dataclass(slots=True)
class Stopwatch:
    """CPU seconds and number of the ``with`` blocks under it."""

    seconds: float = 0.0
    times: int = 0
    _began: float = 0.0

    def __enter__(self) -> Self:
        """Begin to measure."""
        self._began = thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        """Add the time since the beginning."""
        self.seconds += thread_time() - self._began
        self.times += 1

    def add(self, other: Stopwatch) -> None:
        """Add the blocks of another one."""
        self.seconds += other.seconds
        self.times += other.times

    @property
    def mean(self) -> float:
        """CPU microseconds of a block."""
        return 1e6 * self.seconds / self.times if self.times else 0.0


class Answered(NamedTuple):
    """The facts of an answer: name of the true page, text if it is a document, admitted links.

    ``elsewhere`` is the redirect target, or the canonical URL if it is another one.
    """

    page: str = ""
    text: str | None = None
    links: Sequence[Admission] = ()
    translations: Sequence[tuple[str, Admission]] = ()
    pictures: Sequence[str] = ()
    elsewhere: Admission | None = None


class AnsweredSite:
    """The answers of a site, each read once. ``number`` varies the names of hosts, and so random orders."""

    def __init__(self, site: NaturalSite, number: int = 0) -> None:
        self.site = site
        self.origins = {host: f"http://{host or 'main'}{number}.test" for host in ("", *site.hosts)}
        self._hosts = {urlsplit(origin).netloc: host for host, origin in self.origins.items()}
        options = dict(each.split("=", 1) for each in site.options)
        options["start"] = self.origins[""] + site.start
        if site.hosts:
            options["allowed_domains"] = " ".join(self._hosts)
        configured = load(options)
        self.rules = build_rules(configured.params, configured.sources)
        self.wanted = Wanted.build(Citations(configured.params, configured.sources))
        self.effort = configured.params.effort
        self.start = self.rules.admit(options["start"], via="seed")
        self.reading = Stopwatch()
        self._options = read_options(configured.params)
        self._answers: dict[tuple[int, str], Answered] = {}

    def answer(self, run: int, url: str) -> Answered:
        """Return the facts of the answer to a URL in a run."""
        if (run, url) not in self._answers:
            self._answers[run, url] = self.fresh_answer(run, url)
        return self._answers[run, url]

    def fresh_answer(self, run: int, url: str) -> Answered:
        """Return the facts of another answer to a URL."""
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        visit = Visit(run, target, self._hosts.get(parts.netloc, ""), self.origins)
        return self._read(url, self.site.reply(visit))

    def _read(self, url: str, reply: Reply) -> Answered:
        headers = {name.lower(): value for name, value in reply.headers.items()}
        if 300 <= reply.status < 400 and "location" in headers:
            target = self.rules.admit(urljoin(url, headers["location"]), depth=1, via="redirect")
            return Answered(elsewhere=target if target.decision.allowed else None)
        kind = headers.get("content-type", "text/html; charset=utf-8")
        if reply.status != 200 or "html" not in kind:
            return Answered()
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        values = {name: [value] for name, value in headers.items()}
        with self.reading:
            page = read_page(
                body, url=url, content_type=kind, headers=values, options=self._options
            )
        elsewhere = self._canonical(url, page)
        is_document = elsewhere is None and not page.directives.noindex
        text = f"{page.title}\n{page.whole_text}" if is_document else None
        translations = [
            (each.hreflang, self.rules.admit(each.url, depth=1, rel=each.rel))
            for each in page.links
            if each.hreflang and "alternate" in each.rel
        ]
        return Answered(
            reply.page, text, self._links(url, page), translations, page.images, elsewhere
        )

    def _canonical(self, url: str, page: Page) -> Admission | None:
        if not page.canonical:
            return None
        canonical = self.rules.admit(page.canonical, depth=1, via="canonical")
        is_other = canonical.fingerprint != self.rules.admit(url).fingerprint
        return canonical if is_other and canonical.decision.allowed else None

    def _links(self, url: str, page: Page) -> list[Admission]:
        if page.directives.nofollow:
            return []
        views = self.rules.known_views.on_page(url, page.generators)
        links = (
            self.rules.admit(each.url, depth=1, rel=each.rel, views=views) for each in page.links
        )
        return list({each.fingerprint: each for each in links if each.decision.allowed}.values())


@dataclass(slots=True)
class Due:
    """A URL that was found; ``order`` is its place in the order of discovery."""

    url: str
    fingerprint: int
    origin: str
    depth: int
    order: int
    referrer: str | None = None
    has_document: bool | None = None


class Order(NamedTuple):
    """The parts of the queue that can be switched off.

    ``is_random``: URLs of kinds that bring little come in random order, two depths at a
    time. ``postpones``: they come after all others.
    """

    is_random: bool = True
    postpones: bool = True


SHIPPED = Order()


class OriginQueue:
    """The queue of an origin, and the evidence on it."""

    def __init__(self, site: AnsweredSite, order: Order, evidence: Evidence) -> None:
        self.evidence = evidence
        self.parts = EndlessParts()
        self.judging, self.learning = Stopwatch(), Stopwatch()
        self._wanted = site.wanted
        self._order = order
        self._ahead: list[tuple[int, int, Due]] = []
        self._later: list[tuple[tuple[int, int], Due]] = []
        self._shelf: defaultdict[str, dict[int, Due]] = defaultdict(dict)

    def add(self, due: Due) -> None:
        """Queue a URL."""
        heappush(self._ahead, (due.depth, due.order, due))

    def pop(self) -> Due | None:
        """Return the next URL to request, None if there is none."""
        while True:
            due = self._next_ahead() or self._next_on_shelf() or self._next_later()
            if due is not None or not (self._ahead or self._later or self._shelf):
                return due

    def learn(self, due: Due, answered: Answered, growing: GrowingPage, *, is_moved: bool) -> None:
        """Learn from an answer."""
        text = answered.text
        if due.has_document and text is None:
            return
        with self.learning:
            again = bool(due.has_document)
            urls = [url for url, _ in growing.new]
            page = Read(due.url, due.referrer, text, urls, again, is_moved, answered.pictures)
            if self.evidence.read(page) and due.has_document is None:
                self.parts.read(growing)

    def may_leave(self, due: Due) -> bool:
        """Return True for a page without a document that nothing else asks for."""
        return due.depth > 0 and not due.has_document and not self._wanted.names(due.url)

    def restored(self, site: AnsweredSite, evidence: Evidence) -> OriginQueue:
        """Return an empty queue with the evidence of this one, as it is stored between runs."""
        new = OriginQueue(site, self._order, evidence)
        for basis, name, values in json.loads(json.dumps(list(self.evidence.as_stored()))):
            new.evidence.restore(basis, name, values)
        for name, values in self.parts.as_stored():
            new.parts.restore(name, values)
        return new

    def _judge(self, due: Due) -> tuple[Verdict, Part | None]:
        if not self.may_leave(due):
            return Verdict.FETCH, None
        with self.judging:
            verdict = self.evidence.verdict(due.url, due.referrer)
            part = self.parts.part(due.url, due.referrer)
        return verdict, part if verdict is Verdict.FETCH else None

    def _next_ahead(self) -> Due | None:
        """Return the next of the URLs that nothing is said against."""
        while self._ahead:
            due = heappop(self._ahead)[-1]
            verdict, part = self._judge(due)
            if part is not None:
                self._shelf[part_of(due.url)][due.fingerprint] = due
            elif verdict is Verdict.FETCH:
                return due
            elif self._order.postpones:
                heappush(self._later, (self._rank(due), due))
            elif verdict is Verdict.LEAVE:
                self.evidence.leave(due.url)
            else:
                return due
        return None

    def _rank(self, due: Due) -> tuple[int, int]:
        return due.depth // 2, due.fingerprint if self._order.is_random else due.order

    def _next_later(self) -> Due | None:
        """Return the next of the URLs of kinds that bring little."""
        while self._later:
            due = heappop(self._later)[-1]
            verdict, part = self._judge(due)
            if part is not None:
                self._shelf[part_of(due.url)][due.fingerprint] = due
            elif verdict is Verdict.LEAVE:
                self.evidence.leave(due.url)
            else:
                return due
        return None

    def _next_on_shelf(self) -> Due | None:
        """Return the next URL of a descent into a part that looks endless."""
        descents = {name: self.parts.parts[name].descent for name in self._shelf}
        for name in sorted(self._shelf, key=lambda name: descents[name] not in self._shelf[name]):
            part, waiting = self.parts.parts[name], self._shelf[name]
            part.probe = None
            is_closed = part.state is State.CLOSED and part.retests <= 0
            if is_closed or part.state is State.OPEN:
                del self._shelf[name]
                self._put_back(part, waiting.values())
                continue
            due = waiting.pop(part.descent if part.descent in waiting else min(waiting))
            if not waiting:
                del self._shelf[name]
            if self._judge(due)[0] is Verdict.FETCH:
                self.parts.choose(part, (due.fingerprint,))
                return due
            heappush(self._later, (self._rank(due), due))
        return None

    def _put_back(self, part: Part, dues: Iterable[Due]) -> None:
        """Leave out the URLs of a closed part, or queue those of an open one."""
        for due in dues:
            if part.state is State.OPEN:
                self.add(due)
            else:
                part.left += 1


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """Result of a run: ``bound`` is the number of requests within which an endless site should end.

    ``judging`` and ``learning`` are the CPU of the law, by URL judged and by page.
    """

    pages: int
    missing: Sequence[str]
    wrong: int
    requests: int
    bound: int
    ended: bool
    judging: Stopwatch
    learning: Stopwatch


class Simulation:
    """A crawl of a site in several runs, each of at most twice the requests of ``bound``."""

    def __init__(self, site: AnsweredSite, order: Order = SHIPPED) -> None:
        self._site = site
        self._order = order
        self._known: dict[int, Due] = {}
        self._evidence = Evidence(site.effort)
        self._queues: dict[str, OriginQueue] = {}
        self._pages: dict[int, tuple[str, tuple[str, str]]] = {}
        self._equals: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        self._gone: set[tuple[str, str]] = set()
        self._order_of = count()

    def runs(self, number: int) -> Iterator[SimulatedRun]:
        """Crawl the site ``number`` times, and yield the result of each run."""
        for run in range(number):
            yield self._run(run)

    def _run(self, run: int) -> SimulatedRun:
        self._evidence = Evidence(self._site.effort)
        self._queues = {
            key: each.restored(self._site, self._evidence.beside())
            for key, each in self._queues.items()
        }
        for each in self._known.values():
            self._queue(each.origin).add(each)
        self._find(self._site.start, 0, None)
        truth = self._site.site.truth(run)
        bound = 4 * len(truth) + 150
        requests = 0
        ended = False
        while requests < 2 * bound and not ended:
            ended = True
            for queue in list(self._queues.values()):
                if (due := queue.pop()) is not None:
                    ended = False
                    requests += 1
                    self._visit(run, due, queue)
        documents = [self._pages[equals[0]][0] for equals in self._equals.values() if equals]
        shown = [page for page in documents if page != NEUTRAL]
        found = truth.keys() & set(shown)
        return SimulatedRun(
            len(truth),
            sorted(truth.keys() - found),
            len(shown) - len(found),
            requests,
            bound,
            ended,
            _total(each.judging for each in self._queues.values()),
            _total(each.learning for each in self._queues.values()),
        )

    def _queue(self, origin: str) -> OriginQueue:
        if origin not in self._queues:
            self._queues[origin] = OriginQueue(self._site, self._order, self._evidence.beside())
        return self._queues[origin]

    def _find(self, link: Admission, depth: int, referrer: str | None) -> bool:
        """Queue a URL; return True if it was unknown."""
        if link.fingerprint in self._known:
            return False
        order = next(self._order_of)
        due = Due(link.url, link.fingerprint, link.origin, depth, order, referrer)
        self._known[link.fingerprint] = due
        self._queue(link.origin).add(due)
        return True

    def _visit(self, run: int, due: Due, queue: OriginQueue) -> None:
        answered = self._site.answer(run, due.url)
        if answered.elsewhere is not None:
            self._find(answered.elsewhere, due.depth, due.url)
        new: list[tuple[str, int]] = []
        repeated: list[tuple[str, int]] = []
        for link in answered.links:
            is_new = self._find(link, due.depth + 1, due.url)
            if link.origin == due.origin and link.fingerprint != due.fingerprint:
                (new if is_new else repeated).append((link.url, link.fingerprint))
        growing = GrowingPage(due.url, due.fingerprint, new, repeated, due.referrer)
        queue.learn(due, answered, growing, is_moved=self._is_moved(due, answered))
        is_excess = queue.evidence.is_excess and queue.may_leave(due)
        is_document = not is_excess and self._store(due, answered)
        has_text = answered.text is not None
        text = queue.evidence.novelty.last_text if has_text else due.fingerprint
        for language, link in answered.translations:
            self._queue(link.origin).evidence.kinds.add_translation(link.url, language, text)
        due.has_document = is_document
        self._read_again(run, due, queue, answered)

    def _read_again(self, run: int, due: Due, queue: OriginQueue, answered: Answered) -> None:
        """Read a page again, and learn the noise of the site from it."""
        if answered.text is None:
            return
        if queue.evidence.wants_second_reading():
            again = self._site.fresh_answer(run, due.url)
            if again.text is not None:
                first, second = (each.partition("\n")[2] for each in (answered.text, again.text))
                queue.evidence.noise.learn(first, second)

    def _is_moved(self, due: Due, answered: Answered) -> bool:
        """Return True if a page has the text of a document that is gone."""
        if answered.text is not None:
            return (due.origin, answered.text.partition("\n")[2]) in self._gone
        if due.has_document:
            self._gone.add(self._pages[due.fingerprint][1])
            self._queues[due.origin].evidence.kinds.copies.gone(due.url)
        return False

    def _store(self, due: Due, answered: Answered) -> bool:
        """Make a document of a page; return False if it is none, or has the text of another.

        That one takes its place when it is gone.
        """
        key = due.origin, (answered.text or "").partition("\n")[2]
        _, known = self._pages.pop(due.fingerprint, ("", None))
        if known is not None and (answered.text is None or known != key):
            equals = self._equals[known]
            equals.remove(due.fingerprint)
            if equals:
                self._known[equals[0]].has_document = True
        if answered.text is None:
            return False
        self._pages[due.fingerprint] = answered.page, key
        if known != key:
            self._equals[key].append(due.fingerprint)
        return self._equals[key][0] == due.fingerprint


def _total(stopwatches: Iterable[Stopwatch]) -> Stopwatch:
    total = Stopwatch()
    for each in stopwatches:
        total.add(each)
    return total
