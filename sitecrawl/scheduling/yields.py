"""Yield of the kinds of pages of each leased origin: what brings little comes last, or is left out."""

from __future__ import annotations

import logging
from dataclasses import InitVar, dataclass, field, replace
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from sitecrawl.events import Event
from sitecrawl.frontier.evidence_table import MEANING, StoredEvidence
from sitecrawl.policy.documents.output_shapes import TEXTS, text_of
from sitecrawl.policy.lifecycle.revisit import WITH_CONTENT
from sitecrawl.policy.outcomes import REDIRECTS, Outcome
from sitecrawl.policy.worth.endless import EndlessParts, GrowingPage, Part, State, part_of
from sitecrawl.policy.worth.evidence import Evidence, Read, Verdict
from sitecrawl.policy.worth.kinds import is_printed, pattern_of
from sitecrawl.policy.worth.wanted import ENDLESS, LOW_YIELD, Wanted, tried_words
from sitecrawl.scheduling.listed_pages import DATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sitecrawl.config.options.crawl_options import CrawlParams
    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.crawl.frontier_owner import FrontierOwner
    from sitecrawl.crawl.recorder import Recorder
    from sitecrawl.frontier.base import DueUrl, VisitResult
    from sitecrawl.policy.decision import Decision, OptionValues
    from sitecrawl.scheduling.background import BackgroundTasks

DESCENT, SHELF, LATER = -1, -2, -3
"""Priorities of the next page of a descent into a part that looks endless, of the other URLs of such a
part, and of the URLs of kinds that bring little."""
LATER_AT_ONCE = 10
"""Number of URLs of kinds that bring little that are requested before the others are judged again."""
FRUITLESS = REDIRECTS | {
    *(Outcome.NON_CANONICAL, Outcome.NOINDEX, Outcome.USAGE_FORBIDDEN, Outcome.NO_CONTENT),
    *(Outcome.DROPPED, Outcome.SERVER_BLAMED_CLIENT, Outcome.FILE_NOT_FOUND, Outcome.FILE_GONE),
    *(Outcome.SOFT_404, Outcome.LOGIN_WALL, Outcome.CONSENT_WALL, Outcome.SCRIPT_SHELL),
    *(Outcome.ERROR_PAGE, Outcome.UNWANTED_TYPE, Outcome.FILE_OF_UNKNOWN_TYPE, Outcome.TOO_LARGE),
}
"""Outcomes of pages that became no document, and do not only tell something about the network."""
NEVER_REQUESTED = (None, int(Outcome.BLOCKED_URL_BY_LOCAL_POLICY))
NO_DOCUMENT = frozenset(map(int, {*FRUITLESS, Outcome.DUPLICATE, Outcome.NOTHING_NEW}))
"""Outcomes after which a page is requested in later runs as the pages of its kind are that never
were."""
PART = "part"
LEFT = "%s: %d URLs of %s were left out (%s), e.g. %s; -a always_fetch='%s' fetches them"
KNOWN = "all of its text is on other pages, and %s; -a always_fetch='%s' makes a document of it"
MAX_SAID = 10
MAX_HOSTS = 8
"""Number of hosts of one site that are known to each other."""
SAVED_AFTER = 100
"""Pages of an origin after which its evidence is stored, and again after four times as many: a run after one
that was killed begins with it."""


class DueVerdict(Enum):
    """Treatment of a URL that is due."""

    FETCH = auto()
    UNCHANGED = auto()
    """Not visited: reliable dates call it unchanged."""
    LATER = auto()
    """Put off, as its kind brings little."""
    SHELVED = auto()
    """Put off, as its part looks endless."""
    LOW_YIELD = auto()
    """Left out, as its kind brings too little."""
    ENDLESS = auto()
    """Left out, as its part has no end."""


class OriginYields:
    """The evidence on one leased origin.

    So many ``pages`` were visited, and the evidence is stored when they are ``saved_at``. ``gone`` are
    the hashes of the documents that were gone in this run.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.parts = EndlessParts()
        self.pages = 0
        self.saved_at = SAVED_AFTER
        self.gone: set[str | None] = set()


@dataclass(eq=False, repr=False)
class Yields:
    """The evidence on all leased origins.

    ``second_reading`` is sent once for each, with its key, and URL and text of a page to be read again.
    """

    params: InitVar[CrawlParams]
    _owner: FrontierOwner
    recorder: InitVar[Recorder]
    _discovery: Discovery
    _tasks: BackgroundTasks
    settings: InitVar[OptionValues]
    second_reading: Event[str, str, str] = field(default_factory=Event)
    _origins: dict[str, OriginYields] = field(default_factory=dict)
    _left: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(
        self, params: CrawlParams, recorder: Recorder, settings: OptionValues
    ) -> None:
        self._effort = params.effort if params.mode != "check" else 0
        self._wanted = Wanted.build(settings)
        self._reading = params.reading or None
        self._settings = {each: each.setting(settings) for each in (LOW_YIELD, ENDLESS)}
        self._site = Evidence(self._effort)
        recorder.judge = self.judged

    async def prepare(self, key: str) -> None:
        """Load the evidence on an origin when its lease begins."""
        if not self._effort or key in self._origins:
            return
        stored = await self._owner.frontier.evidence(key)
        own = OriginYields(self._evidence())
        for each in stored:
            if each.basis == PART:
                own.parts.restore(each.name, each.values)
            elif each.basis not in (DATES, MEANING):
                own.evidence.restore(each.basis, each.name, each.values)
        self._origins.setdefault(key, own)

    def _evidence(self) -> Evidence:
        """Return evidence on a further origin; a few hosts found from one start are one site."""
        if len(self._discovery.start_origins) > 1 or len(self._origins) >= MAX_HOSTS:
            return Evidence(self._effort)
        return self._site.beside()

    def sort(
        self, key: str, dues: Sequence[DueUrl], *, idle: bool
    ) -> tuple[list[DueUrl], dict[int, int]]:
        """Return the URLs to visit now, and the priorities of those to put off, by fingerprint.

        When the origin is ``idle`` and nothing else is due, pages of a part that looks endless are read,
        one at a time, for the next one depends on the links of the page before; then what brings little.
        """
        own = self._origins.get(key)
        if own is None:
            return list(dues), {}
        now, later, inside = self._split(own, dues)
        put_off: dict[int, int] = {}
        for name, found in inside.items():
            part = own.parts.parts[name]
            if idle:
                part.probe = None
            if part.state is State.CLOSED and part.retests <= 0:
                now += found  # to be left out
            else:
                put_off |= _descend(own.parts, part, found, now, may_read=idle)
        if idle and not now and all(due.priority == LATER for due in later):
            tried = [
                due
                for due in later
                if own.evidence.verdict(due.url, due.referrer) is not Verdict.LEAVE
            ]
            put_off |= dict.fromkeys((due.fingerprint for due in tried[LATER_AT_ONCE:]), LATER)
            now = [due for due in later if due.fingerprint not in put_off]
        else:
            put_off |= {due.fingerprint: LATER for due in later}
        return now, put_off

    def _split(
        self, own: OriginYields, dues: Sequence[DueUrl]
    ) -> tuple[list[DueUrl], list[DueUrl], dict[str, list[DueUrl]]]:
        """Separate the URLs to visit from those that come later and, by name, those of watched parts."""
        now: list[DueUrl] = []
        later: list[DueUrl] = []
        inside: dict[str, list[DueUrl]] = {}
        for due in dues:
            may_leave = self._may_leave(due)
            if may_leave and own.evidence.verdict(due.url, due.referrer) is not Verdict.FETCH:
                later.append(due)
            elif may_leave and own.parts.part(due.url, due.referrer) is not None:
                inside.setdefault(part_of(due.url), []).append(due)
            elif may_leave and is_printed(due.url):
                later.append(due)
            else:
                now.append(due)
        return now, later, inside

    def verdict(self, key: str, due: DueUrl) -> DueVerdict:
        """Judge a URL that is due by the yield of its kind and the end of its part."""
        own = self._origins.get(key)
        if own is None or not self._may_leave(due):
            return DueVerdict.FETCH
        kind = own.evidence.verdict(due.url, due.referrer)
        if kind is not Verdict.FETCH:
            if due.priority != LATER:
                return DueVerdict.LATER
            return DueVerdict.LOW_YIELD if kind is Verdict.LEAVE else DueVerdict.FETCH
        part = own.parts.part(due.url, due.referrer)
        if part is None or part.probe == due.fingerprint:
            is_early = part is None and due.priority != LATER and is_printed(due.url)
            return DueVerdict.LATER if is_early else DueVerdict.FETCH
        return DueVerdict.ENDLESS if part.state is State.CLOSED else DueVerdict.SHELVED

    def leave_out(self, key: str, due: DueUrl, verdict: DueVerdict) -> Decision:
        """Count and refuse a URL that is left out."""
        own = self._origins[key]
        if verdict is DueVerdict.LOW_YIELD:
            return LOW_YIELD.refuse(f"{self._settings[LOW_YIELD]}: {own.evidence.leave(due.url)}")
        part = own.parts.parts[part_of(due.url)]
        part.left += 1
        part.example = part.example or due.url
        return ENDLESS.refuse(f"{self._settings[ENDLESS]}: {own.parts.in_words(due.url)}")

    def answered(self, due: DueUrl, *, failed: bool) -> bool:
        """Count an answer; return True for a failure that all pages of its kind share."""
        own = self._origins.get(due.origin)
        if own is None:
            return False
        if not failed:
            own.evidence.answered()
            return False
        if due.depth == 0 or due.indexed_at is not None or not own.evidence.excuses(due.url):
            return False
        own.evidence.read(Read(due.url, due.referrer, None))
        return True

    def judged(self, visit: VisitResult) -> VisitResult:
        """Learn from a visit that has ended; return its result."""
        due = visit.due
        repeated = self._discovery.repeated.pop(due.fingerprint, ())
        declared = self._discovery.translations.pop(due.fingerprint, ())
        pictures = self._discovery.pictures.pop(due.fingerprint, ())
        own = self._origins.get(due.origin)
        if own is None or visit.again:
            return visit
        page = due.fingerprint  # pages with one text are one
        if visit.outcome in WITH_CONTENT and visit.document:
            self._read(own, visit, repeated, pictures)
            page = own.evidence.novelty.last_text
            if own.evidence.is_excess and self._may_leave(due):
                visit = _unwritten(visit, own.evidence)
        elif visit.outcome in FRUITLESS:
            _miss(own, due)
        for language, each in declared:
            if each.origin in self._origins:
                self._origins[each.origin].evidence.kinds.add_translation(each.url, language, page)
        own.pages += 1
        if own.pages >= own.saved_at:
            own.saved_at *= 4
            self._tasks.begin(self._owner.frontier.save_evidence(due.origin, _stored(own)))
        return visit

    def _read(
        self,
        own: OriginYields,
        visit: VisitResult,
        repeated: Sequence[tuple[str, int]],
        pictures: Sequence[str],
    ) -> None:
        """Learn from a document; ``repeated`` are its links to known URLs."""
        due, document = visit.due, visit.document
        is_moved = visit.content_hash in own.gone
        found = (each for each in visit.candidates if each.via == "link")
        links = [(each.url, each.fingerprint) for each in found if each.origin == due.origin]
        urls = [url for url, _ in links]
        page = Read(
            due.url, due.referrer, text_of(document), urls, _is_known(due), is_moved, pictures
        )
        is_new = own.evidence.read(page)
        if is_new and due.outcome in NEVER_REQUESTED:
            own.parts.read(GrowingPage(due.url, due.fingerprint, links, repeated, due.referrer))
        if own.evidence.wants_second_reading():
            self.second_reading.send(due.origin, due.url, text_of(document, TEXTS))

    def learn_noise(self, key: str, first: str, second: str) -> None:
        """Learn what an origin says anew at each request, from two texts of one page."""
        if (own := self._origins.get(key)) is not None:
            own.evidence.noise.learn(first, second)

    def release(self, key: str) -> list[StoredEvidence]:
        """Drop the evidence on an origin, and return it to be stored."""
        own = self._origins.pop(key, None)
        if own is None:
            return []
        self._note_left(key, own)
        return _stored(own)

    def _note_left(self, key: str, own: OriginYields) -> None:
        """Keep what was left out of an origin, for the summary of the run."""
        for name, each in own.evidence.left_out():
            self._left[f"{key}{name.removeprefix(key)}"] = {
                "urls": each.left + each.unwritten,
                "reason": LOW_YIELD.name,
                "tried": each.now,
                "new": each.fresh,
                "example": each.example,
                "always_fetch": pattern_of(name),
            }
        for name, part in own.parts.parts.items():
            if part.left:
                self._left[f"{key}{name}"] = {
                    "urls": part.left,
                    "reason": ENDLESS.name,
                    "tried": part.pages,
                    "new": part.pages,
                    "example": part.example,
                    "always_fetch": pattern_of(name).rstrip("$"),
                }

    def as_stored(self) -> dict[str, Any]:
        """Return what was left out, by kind, as plain values."""
        for key, own in self._origins.items():
            self._note_left(key, own)
        return dict(self._left)

    def _may_leave(self, due: DueUrl) -> bool:
        """Return True for a link without a document that nothing else asks for."""
        if due.via in ("seed", "sitemap", "feed") or due.depth == 0:
            return False
        is_reread = due.outcome not in NEVER_REQUESTED and due.reading not in (None, self._reading)
        if _is_known(due) or is_reread:
            return False
        return not self._wanted.names(due.url)


def _descend(
    parts: EndlessParts, part: Part, found: Sequence[DueUrl], now: list[DueUrl], *, may_read: bool
) -> dict[int, int]:
    """Add at most one URL of a part to ``now`` if it is empty; return the priorities of the others."""
    waiting = {due.fingerprint: due for due in found}
    may_read = may_read and not now and all(due.priority < 0 for due in found)
    put_off = {each: DESCENT if each == part.descent else SHELF for each in waiting}
    chosen = parts.choose(part, waiting) if may_read else None
    if chosen is not None:
        del put_off[chosen]
        now.append(waiting[chosen])
    return put_off


def _stored(own: OriginYields) -> list[StoredEvidence]:
    return [
        *(StoredEvidence(*each) for each in own.evidence.as_stored()),
        *(StoredEvidence(PART, *each) for each in own.parts.as_stored()),
    ]


def _miss(own: OriginYields, due: DueUrl) -> None:
    """Learn from a page that is no document."""
    if due.document_id is not None:
        own.gone.add(due.content_hash)
        own.evidence.kinds.copies.gone(due.url)
    if not _is_known(due):
        own.evidence.read(Read(due.url, due.referrer, None))


def _unwritten(visit: VisitResult, evidence: Evidence) -> VisitResult:
    """Return the result of the visit of a page that mixes the lines of others, where a pool of its
    kind brings nothing: no document, like the others that are left out.
    """
    name = evidence.kinds.of(visit.due.url).name
    detail = KNOWN % (evidence.unwritten(visit.due.url), pattern_of(name))
    outcome = Outcome.NOTHING_NEW
    return replace(
        visit, outcome=outcome, reason=outcome.name.lower(), detail=detail, document={}, html=None
    )


def _is_known(due: DueUrl) -> bool:
    """Return True for a page that was requested before, and brought something or tells nothing yet."""
    is_fruitless = due.outcome in NO_DOCUMENT and due.document_id is None
    return due.outcome not in NEVER_REQUESTED and not is_fruitless


def left_out_lines(stored: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """Yield a line for each kind of page of which URLs were left out, the largest first."""
    ordered = sorted(stored.items(), key=lambda each: (-each[1]["urls"], each[0]))
    for name, left in ordered[:MAX_SAID]:
        words, example, option = tried_words(left), left["example"], left["always_fetch"]
        yield (logging.WARNING, LEFT % (left["reason"], left["urls"], name, words, example, option))
    if len(ordered) > MAX_SAID:
        rest = sum(left["urls"] for _, left in ordered[MAX_SAID:])
        kinds = len(ordered) - MAX_SAID
        yield logging.WARNING, f"{rest} URLs of {kinds} other kinds were left out"
