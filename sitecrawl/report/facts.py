"""Facts of a crawl that the lists of a report are made of, each read once and only if needed."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

from sitecrawl.console.crawl_statistics import refused_links
from sitecrawl.frontier.link_table import Inlinks, inverted
from sitecrawl.frontier.records import RunRecord
from sitecrawl.frontier.survey import (
    OutsideAddress,
    Survey,
    SurveyedDocument,
    SurveyedUrl,
)
from sitecrawl.policy.documents.audit import PageAudit
from sitecrawl.policy.documents.output_shapes import TEXTS, text_of
from sitecrawl.policy.http.politeness import ReceiptSummary
from sitecrawl.policy.outcomes import REDIRECTS, Outcome

MAX_PAGES = 1000
"""Pages listed of those that link to one URL; their number is exact."""
MAX_RUNS = 60
BROKEN = frozenset(
    {
        *(Outcome.SERVER_BLAMED_CLIENT, Outcome.FILE_GONE),
        *(Outcome.DID_NOT_UNDERSTAND_ANSWER, Outcome.FILE_NOT_FOUND, Outcome.SOFT_404),
        *(Outcome.SERVER_INTERNAL_ERROR, Outcome.ERROR_PAGE, Outcome.PARKED),
        *(Outcome.CONNECTION_FAILED, Outcome.REQUEST_TIMEOUT),
    }
)
"""Outcomes that make the links to a URL broken."""
REFUSING = frozenset(
    {Outcome.SERVER_BLAMED_CLIENT, Outcome.DID_NOT_UNDERSTAND_ANSWER, Outcome.ERROR_PAGE}
)
"""Outcomes by which another site may refuse a crawler only."""


Cell = str | int | float | None | tuple[str, ...]
Row = tuple[Cell, ...]
Reader: TypeAlias = "Callable[[Facts], Iterable[Row]]"


@dataclass(frozen=True, slots=True)
class ReportList:
    """One list: its columns, and a function that reads its rows.

    ``about`` is one sentence for readers; ``empty`` is shown in place of an empty table. A list of
    the places of a problem, whose first column is the URL, also says why it matters and what to do.
    """

    name: str
    title: str
    about: str
    columns: Sequence[str]
    rows: Reader
    group: str = "Problems"
    empty: str = "None."
    importance: str = ""
    why: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class FilledList:
    """A list with all its rows."""

    of: ReportList
    rows: Sequence[Row]


class Transfer(NamedTuple):
    """Seconds and bytes of the last visit of a URL with content."""

    seconds: float
    size: int


class DocumentSummary(NamedTuple):
    """Fields of a document that lists show; ``words`` counts those of its text."""

    title: str
    language: str
    words: int


@dataclass(slots=True)
class Chain:
    """Redirects from a URL on: the URLs that follow it, and the outcome of the last one.

    ``outcome`` is None if the last one is not known to the crawl or was not visited.
    """

    urls: list[str]
    outcome: Outcome | None
    loops: bool = False


class Facts:
    """Facts of one realm as it is stored; ``run`` is its last run.

    ``against`` is the run that it is compared with, by default the one before. ``reading`` gets the
    name of each list before it is read.
    """

    def __init__(
        self, survey: Survey, run: RunRecord, reading: Callable[[str], object] | None = None
    ) -> None:
        self.survey = survey
        self._reading = reading
        self.run = run
        self._rows: dict[str, list[Row]] = {}
        before = [each.id for each in self.runs if each.id < run.id]
        self.against = max(before, default=0)

    @cached_property
    def urls(self) -> Mapping[int, SurveyedUrl]:
        """Every known URL by row."""
        return {each.id: each for each in self.survey.urls()}

    @cached_property
    def documents(self) -> Mapping[int, SurveyedDocument]:
        """Every stored document by the row of its URL."""
        return {each.url: each for each in self.survey.documents()}

    @cached_property
    def current(self) -> frozenset[int]:
        """Rows of the URLs with a current document."""
        return frozenset(row for row, each in self.documents.items() if each.seq is not None)

    @cached_property
    def transfers(self) -> Mapping[int, Transfer]:
        """Last transfer of each URL with content."""
        return {row: Transfer(seconds, size) for row, seconds, size in self.survey.transfers()}

    @cached_property
    def heads(self) -> Mapping[int, DocumentSummary]:
        """Title, language and words of each current document."""
        return {
            row: DocumentSummary(
                str(fields.get("title") or ""),
                str(fields.get("language") or ""),
                len(text_of(fields, TEXTS).split()),
            )
            for row, fields in self.survey.bodies()
        }

    @cached_property
    def audited(self) -> Mapping[int, PageAudit]:
        """Audits of pages and files as they were last read."""
        return dict(self.survey.audits())

    @cached_property
    def audits(self) -> Mapping[int, PageAudit]:
        """Texts and flaws of each page of HTML."""
        return {row: each for row, each in self.audited.items() if not each.file}

    @cached_property
    def read(self) -> Mapping[int, PageAudit]:
        """Audits of the pages that are documents."""
        return {row: each for row, each in self.audits.items() if row in self.current}

    @cached_property
    def by_address(self) -> Mapping[str, SurveyedUrl]:
        """Every known URL by its address."""
        return {each.url: each for each in self.urls.values()}

    @cached_property
    def listed(self) -> Sequence[SurveyedUrl]:
        """URLs in the sitemaps of their origin as they were last read."""
        newest: dict[int, int] = defaultdict(int)
        for each in self.urls.values():
            newest[each.origin] = max(newest[each.origin], each.listed)
        return [each for each in self.urls.values() if 0 < each.listed == newest[each.origin]]

    def rows(self, wanted: ReportList) -> list[Row]:
        """Return the rows of a list, which are read once."""
        if wanted.name not in self._rows:
            if self._reading is not None:
                self._reading(wanted.name)
            self._rows[wanted.name] = list(wanted.rows(self))
        return self._rows[wanted.name]

    @cached_property
    def waiting(self) -> int:
        """Number of URLs that were not visited yet."""
        return sum(each.waiting == 1 for each in self.urls.values())

    @cached_property
    def runs(self) -> list[RunRecord]:
        """The last runs, oldest first."""
        return self.survey.records.runs(self.survey.realm, MAX_RUNS)[::-1]

    @cached_property
    def refusals(self) -> list[tuple[str, int, list[dict[str, str]]]]:
        """Links that rules refused in the last run, by reason, with the first examples."""
        examples = self.run.counters.get("refusals") or {}
        most = sorted(refused_links(self.run).items(), key=lambda each: -each[1])
        return [(reason, number, examples.get(reason, [])) for reason, number in most]

    @cached_property
    def receipts(self) -> list[tuple[str, ReceiptSummary]]:
        """Politeness receipts of the last run."""
        return list(self.survey.receipts(self.run.id))

    @cached_property
    def inlink_counts(self) -> Counter[int]:
        """Number of pages that link to each URL."""
        pages = (targets for _, targets in self.survey.links.pages(self.survey.realm))
        return Counter(chain.from_iterable(pages))

    def inlinks(self, urls: Iterable[int]) -> Mapping[int, Inlinks]:
        """Pages that link to each of ``urls``; the first referrer where no links are stored."""
        wanted = list(urls)
        found = self.survey.links.inlinks_of(wanted, self.survey.realm, MAX_PAGES)
        for row in wanted:
            referrer = self.urls[row].referrer
            if row not in found and referrer is not None:
                found[row] = Inlinks(1, (referrer,))
        return found

    @cached_property
    def outside_pages(self) -> Mapping[int, Inlinks]:
        """Pages that refer to each address outside of the crawl, by its row."""
        found = inverted(self.survey.links.outside(self.survey.realm), MAX_PAGES)
        return defaultdict(lambda: Inlinks(0, ()), found)

    @cached_property
    def outside(self) -> Sequence[OutsideAddress]:
        """Addresses outside of the crawl, with what they answered."""
        return list(self.survey.outside())

    @property
    def broken_outside(self) -> Sequence[OutsideAddress]:
        """Those that are broken for every reader."""
        return [each for each in self.outside if each.outcome in BROKEN - REFUSING]

    @cached_property
    def clicks(self) -> Mapping[int, int]:
        """Links and redirects from the nearest start to each URL; sitemaps are no way."""
        graph = {
            page: list(targets) for page, targets in self.survey.links.pages(self.survey.realm)
        }
        distance = {row: 0 for row, each in self.urls.items() if each.via == "seed"}
        queue = deque(distance)
        while queue:
            row = queue.popleft()
            url = self.urls.get(row)
            if url is None:
                continue
            if url.outcome in REDIRECTS and url.target is not None:
                if url.target not in distance:
                    distance[url.target] = distance[row]
                    queue.appendleft(url.target)
                continue
            for target in graph.get(row, ()):
                if target not in distance:
                    distance[target] = distance[row] + 1
                    queue.append(target)
        return distance

    @cached_property
    def start_of(self) -> Mapping[int, int]:
        """The start that led to each URL by the first path known, if one did and no listing."""
        below = defaultdict[int, list[int]](list)
        for each in self.urls.values():
            if each.referrer is not None and each.via != "seed":
                below[each.referrer].append(each.id)
        found = {row: row for row, each in self.urls.items() if each.via == "seed"}
        queue = deque(found)
        while queue:
            row = queue.popleft()
            found |= dict.fromkeys(below[row], found[row])
            queue += below[row]
        return found

    def chain(self, url: SurveyedUrl) -> Chain:
        """Follow the redirects from a URL."""
        seen, step = {url.id}, url
        found = Chain([], None)
        while step.outcome in REDIRECTS and step.redirect_to:
            found.urls.append(step.redirect_to)
            target = self.urls.get(step.target) if step.target is not None else None
            if target is None:
                return found
            if target.id in seen:
                found.loops = True
                return found
            seen.add(target.id)
            step = target
        found.outcome = step.outcome
        return found

    def address(self, row: int | None) -> str:
        """Address of a row, "" if it is unknown."""
        url = self.urls.get(row) if row is not None else None
        return url.url if url is not None else ""

    def addresses(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Addresses of rows."""
        return tuple(map(self.address, rows))

    @cached_property
    def redirects(self) -> Sequence[tuple[SurveyedUrl, Chain]]:
        """URLs that redirect, each with the redirects from it on."""
        urls = self.urls.values()
        return [(each, self.chain(each)) for each in urls if each.outcome in REDIRECTS]
