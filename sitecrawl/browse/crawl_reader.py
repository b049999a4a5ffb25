"""Read access to one crawl: search, documents, folders, explanations, status."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from os import stat_result
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sitecrawl.config.configuration import Configuration
from sitecrawl.console.crawl_sources import CrawledSource, Source
from sitecrawl.console.crawl_statistics import CrawlStatistics
from sitecrawl.explain.explanation import Explainer, Explanation, verdict
from sitecrawl.frontier.change_log import TargetLag
from sitecrawl.frontier.opening import open_change_log, open_records
from sitecrawl.frontier.records import Attempt
from sitecrawl.policy.documents.sections import FENCE
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.search.search_index import (
    Folder,
    IndexedPage,
    IndexFileError,
    SearchIndex,
    open_index,
)
from sitecrawl.search.search_results import SearchFilters, SearchResults, search
from sitecrawl.sync.embedding import query_vector
from sitecrawl.sync.target import SyncError, shown_target

T = TypeVar("T")
KEPT_RESULTS = 500
MAX_ATTEMPTS = 50
MAX_INLINKS = 50
MAX_SPLIT = 1_000_000  # characters of a text that is split at its headings
MAX_SECTIONS = 2_000
HEADING = re.compile(r"#{1,6} (.*)")
LINK_TARGET = re.compile(r"\]\([^()\s]*\)")
WORDS = re.compile(r"[^\W_]+")


class HeadedSection(NamedTuple):
    """A section of a page: its heading, anchor, and Markdown or text."""

    heading: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class PageRecord:
    """The stored facts on a URL, and the decisions about it.

    ``documents`` is empty if the URL has no document; a page that is written section by section
    has one for each section. ``attempts`` are rows of the last visits, newest first. ``inlinks`` are the first
    pages that link to it.
    """

    explanation: Explanation
    verdict: str
    source: Source
    documents: Sequence[Mapping[str, Any]]
    attempts: Sequence[Attempt]
    inlinks: Sequence[str]

    @property
    def url(self) -> str:
        """URL of the document, else as asked for."""
        whole = str(self.documents[0].get("url", "")) if self.documents else ""
        return whole.partition("#")[0] or self.explanation.url

    @property
    def title(self) -> str:
        """Title of the document, else the URL."""
        return str(self.documents[0].get("title") or self.url) if self.documents else self.url

    @property
    def body(self) -> str:
        """Text of the document."""
        return "\n\n".join(str(each.get("body") or "") for each in self.documents).strip()

    @property
    def comments(self) -> str:
        """Text that readers wrote below it; as sections, it is the end of the text."""
        return str(self.fields.get("comments") or "")

    @property
    def whole_text(self) -> str:
        """Text of the document with the comments below it."""
        return "\n\n".join(filter(None, (self.body, self.comments)))

    @property
    def markdown(self) -> str:
        """Markdown of the document; empty if the crawl does not make it."""
        return "\n\n".join(str(each.get("markdown") or "") for each in self.documents).strip()

    @property
    def fields(self) -> Mapping[str, Any]:
        """Fields of the document, or those that its first section has."""
        return self.documents[0] if self.documents else {}

    def lines(self, length: int) -> Iterator[tuple[int, str, str]]:
        """Yield the lines of the text as level, text and anchor; the level is 0 except for headings.

        ``length`` is the number of characters that are read. A first line that repeats the title is
        left out.
        """
        headings = _Headings(self.fields.get("headings"))
        for number, line in enumerate(self.body[:length].split("\n")):
            text = line.strip()
            level, anchor, _ = headings.match(text) or (0, "", "")
            if text and (number or text != self.title):
                yield level, text, anchor

    def sections(self) -> Sequence[HeadedSection]:
        """Return the sections that begin at the headings of the Markdown, else of the text.

        Each includes those below it. A crawl that stores small sections as one has fewer.
        """
        headings = _Headings(self.fields.get("headings"))
        lines = (self.markdown or self.body)[:MAX_SPLIT].split("\n")
        found: list[tuple[int, str, str, int]] = []  # level, anchor, heading, line
        for number, heading in _headings_of(lines, is_markdown=bool(self.markdown)):
            if matched := headings.match(heading):
                found.append((*matched, number))
        sections = []
        for place, (level, anchor, heading, start) in enumerate(found[:MAX_SECTIONS], 1):
            following = islice(found, place, None)
            end = next((line for other, *_, line in following if other <= level), len(lines))
            sections.append(HeadedSection(heading, anchor, "\n".join(lines[start:end]).strip()))
        return sections

    def stored_section(self, id_: str) -> str | None:
        """Return the Markdown or text of the section with an id, as the crawl stored it."""
        for each in [*self.documents, *(self.fields.get("sections") or ())]:
            if isinstance(each, Mapping) and each.get("id") == id_:
                return str(each.get("markdown") or each.get("text") or each.get("body") or "")
        return None


class _Headings:
    """The headings of a document, matched with its lines in their order."""

    def __init__(self, headings: Any) -> None:
        self._headings = [each for each in headings or () if isinstance(each, Mapping)]
        self._position = 0

    def match(self, line: str) -> tuple[int, str, str] | None:
        """Return level, anchor and text if a line is the next heading."""
        if self._position == len(self._headings):
            return None
        heading = self._headings[self._position]
        text = str(heading.get("text") or "")
        if not line or _plain(line) != _plain(text):
            return None
        self._position += 1
        level = min(max(int(heading.get("level") or 2), 1), 6)
        return level, str(heading.get("anchor") or ""), text


def _headings_of(lines: Sequence[str], *, is_markdown: bool) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines that may be headings."""
    fence = ""
    for number, line in enumerate(lines):
        if not is_markdown:
            yield number, line.strip()
        elif fenced := FENCE.match(line):
            if not fence:
                fence = fenced[1]
            elif fenced[1].startswith(fence):
                fence = ""
        elif not fence and (heading := HEADING.match(line)):
            yield number, heading[1]


def _plain(text: str) -> str:
    """Return a heading's words without markup."""
    return " ".join(WORDS.findall(LINK_TARGET.sub("]", text)))


class CrawlReader:
    """Read access to the crawl that ``find`` returns, and to its search file.

    Every call opens its own connections, so that it can be made from any thread and sees what a
    running crawl has written. ``rules`` builds the rules of a configuration.
    """

    def __init__(
        self,
        find: Callable[[], CrawledSource],
        rules: Callable[[Configuration], Rules],
        index: Path,
    ) -> None:
        self._find = find
        self._rules = rules
        self._index = index
        source = find()
        self.realm = source.configuration.params.realm
        self._found: dict[Hashable, SearchResults] = {}
        self.name = source.name

    def search(self, words: str, filters: SearchFilters, **options: Any) -> SearchResults:
        """Search the realm of the crawl; without a search file yet, nothing is found.

        ``options`` are those of ``search``. The last results are kept until the file changes: people
        who search as they type ask for the same beginnings. This and the next methods raise
        IndexFileError.
        """
        files = (self._index, self._index.with_name(f"{self._index.name}-wal"))
        stamps = tuple((at.st_mtime_ns, at.st_size) for each in files if (at := _status(each)))
        if not stamps:
            return SearchResults(0, ())
        key = (words, filters, tuple(options.items()), stamps)
        found = self._found.get(key)
        if found is None:
            found = self._search(words, replace(filters, realm=self.realm), options)
            if len(self._found) >= KEPT_RESULTS:
                self._found.clear()
            self._found[key] = found
        return found

    def _search(
        self, words: str, filters: SearchFilters, options: Mapping[str, Any]
    ) -> SearchResults:
        with open_index(self._index) as index:
            try:
                vector = query_vector(index, words)
            except SyncError as error:
                raise IndexFileError(str(error)) from error
            return search(index, words, filters, vector=vector, **options)

    def _read(self, read: Callable[[SearchIndex], T], otherwise: T) -> T:
        """Read the search file; without one yet return ``otherwise``."""
        if not self._index.exists():
            return otherwise
        with open_index(self._index) as index:
            return read(index)

    def sites(self) -> dict[str, int]:
        """Return the origins with their numbers of documents."""
        return self._read(lambda index: index.sites(self.realm), {})

    def site_names(self, origins: Sequence[str]) -> dict[str, str]:
        """Return the names that sites give themselves, else their hosts, by origin."""
        return self._read(lambda index: {each: index.site_name(each) for each in origins}, {})

    def languages(self) -> list[str]:
        """Return the languages of the documents, in their order."""
        return self._read(lambda index: sorted(index.languages()), [])

    def folder(self, prefix: str) -> Folder:
        """Return the content of a folder, given as a URL that ends with a slash."""
        return self._read(lambda index: index.folder(prefix, self.realm), Folder(prefix, {}, []))

    def pages(self, numbers: Sequence[int]) -> list[IndexedPage]:
        """Return the pages with these numbers, without those that were deleted meanwhile."""
        with open_index(self._index) as index:
            return list(index.pages(numbers))

    def page(self, url: str, *, inlinks: bool = False) -> PageRecord:
        """Return the stored facts on a URL, known or not, and the decisions about it.

        Its ``inlinks`` are read only if wanted, because all links are searched for them.
        """
        source = self._find()
        rules = self._rules(source.configuration)
        with open_records(source.database) as records:
            explanation = Explainer(source.configuration, rules, records).explain(url)
            stored = explanation.stored
            documents = records.documents_of(stored.id) if stored else []
            attempts = list(records.attempts(stored.id)) if stored else []
            found = records.inlinks(stored.id, MAX_INLINKS) if stored and inlinks else []
        said = verdict(explanation, time.time())
        attempts = attempts[: -MAX_ATTEMPTS - 1 : -1]
        return PageRecord(explanation, said, source, documents, attempts, found)

    def statistics(self) -> CrawlStatistics:
        """Return the statistics of `scrapy frontier`."""
        source = self._find()
        return CrawlStatistics.read(source.database, source.run)

    def behind(self) -> int:
        """Return the number of changes that the search file has not received."""
        with open_change_log(self._find().database) as log:
            name = shown_target(f"sqlite:///{self._index}")
            found: dict[str, TargetLag] = {each.target: each for each in log.targets()}
            return found[name].behind if name in found else log.newest()


def _status(path: Path) -> stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
