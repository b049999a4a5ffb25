"""Selection of the crawl that a command refers to: its configuration and its database."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitecrawl import typed_program
from sitecrawl.config.assembly import database_url
from sitecrawl.config.configuration import Configuration, load, load_again, with_own_extensions
from sitecrawl.console.crawl_statistics import run_state
from sitecrawl.console.terminal import print_errors
from sitecrawl.frontier.base import FrontierError, NoCrawlError
from sitecrawl.frontier.opening import SQLITE, open_records, shown
from sitecrawl.frontier.records import RunRecord

COMPLETE = frozenset({"start", "config"})
"""Arguments that make a new configuration, as for ``scrapy crawl``."""

MAX_LISTED = 10
REMEDY = (
    "say which crawl is meant with -a start=URL or -a crawl_name=NAME, or where its database is "
    "with -s SITECRAWL_DATABASE=URL."
)


@dataclass(frozen=True, slots=True)
class Source:
    """Crawl that a command refers to: its configuration, its database, and its last run.

    ``run`` is None if nothing was crawled yet.
    """

    configuration: Configuration
    database: str
    run: RunRecord | None

    @property
    def name(self) -> str:
        """The database's URL without its password, for messages."""
        return shown(self.database)


@dataclass(frozen=True, slots=True)
class CrawledSource(Source):
    """Crawl with at least one run."""

    run: RunRecord


def find_source(setting: str, arguments: Mapping[str, str], origin: str = "") -> Source:
    """Return the crawl of the arguments, else the newest with documents that knows ``origin``, if given.

    It is named if there are others. Raises ConfigError, and FrontierError if there is no such crawl
    database.
    """
    if COMPLETE & arguments.keys():
        configuration = load(arguments)
        url = database_url(setting, configuration.params)
        run = _last_run(url, configuration.params.realm)
        stored = run.configuration if run else None
        return Source(with_own_extensions(configuration, stored), url, run)
    crawl = _newest(arguments.get("database") or setting, arguments, origin)
    return Source(load_again(crawl.run.configuration, arguments), crawl.database, crawl.run)


def find_crawl(setting: str, arguments: Mapping[str, str], origin: str = "") -> CrawledSource:
    """Call ``find_source``, but raise FrontierError if nothing was crawled yet."""
    source = find_source(setting, arguments, origin)
    if source.run is None:
        raise NoCrawlError(f"There is no crawl at {source.name} yet.")
    return CrawledSource(source.configuration, source.database, source.run)


@dataclass(frozen=True, slots=True)
class StoredCrawl:
    """The last run in a crawl database, the number of documents, and the name of the crawl.

    ``knows`` is True if the database has the origin that was asked for.
    """

    database: str
    name: str
    run: RunRecord
    documents: int
    knows: bool

    def line(self, width: int) -> str:
        """Return the printed form: name, documents and state."""
        state = run_state(self.run, time.time())
        return f"  {self.name:{width}} {self.documents:9} documents  {state}"


def _newest(setting: str, arguments: Mapping[str, str], origin: str) -> StoredCrawl:
    crawls: list[StoredCrawl] = []
    unusable: list[FrontierError] = []
    name = arguments.get("crawl_name", "")
    for url in _candidates(setting, name):
        try:
            crawls += _stored(setting, url, arguments.get("realm"), origin)
        except FrontierError as error:
            unusable.append(error)
    crawls.sort(key=lambda each: each.run.started_at, reverse=True)
    knowing = [each for each in crawls if each.knows]
    if knowing or len(crawls) == 1 or (crawls and not origin):
        return _announced(knowing or crawls)
    if unusable:
        raise unusable[0]
    if crawls:
        lines = "\n".join([f"None of {len(crawls)} crawls knows {origin}:", *_listed(crawls)])
        raise NoCrawlError(lines)
    place = setting.replace("NAME", name) if name else setting
    wanted = f"crawl of realm {arguments['realm']!r}" if "realm" in arguments else "crawl database"
    first = (
        f"\nThe first one: {typed_program()} crawl https://example.org" if "NAME" in place else ""
    )
    raise NoCrawlError(f"There is no {wanted} at {shown(place)}; {REMEDY}{first}")


def _announced(crawls: Sequence[StoredCrawl]) -> StoredCrawl:
    """Return the newest crawl with documents, after naming it if there is a choice."""
    chosen = next((each for each in crawls if each.documents), crawls[0])
    others = [each for each in crawls if each is not chosen]
    if chosen is not crawls[0] or any(each.documents for each in others):
        head = f"Of {len(crawls)} crawls, the newest with documents is used: {chosen.name}"
        print_errors([head, *_listed([chosen, *others])])
    return chosen


def _listed(crawls: Sequence[StoredCrawl]) -> Iterator[str]:
    """Yield a line for each of the first crawls, and a command that selects the second."""
    listed = crawls[:MAX_LISTED]
    width = max(len(each.name) for each in listed)
    yield from (each.line(width) for each in listed)
    if len(crawls) > MAX_LISTED:
        yield f"  and {len(crawls) - MAX_LISTED} others"
    typed = sys.orig_argv[-len(sys.argv) :]  # Scrapy takes the command from sys.argv
    yield f"For another: {typed_program()} {shlex.join([*typed, '-a', f'crawl_name={crawls[1].name}'])}"


def _candidates(setting: str, name: str) -> list[str]:
    if "NAME" not in setting or name:
        return [setting.replace("NAME", name)]
    if not setting.startswith(SQLITE):
        return []
    path = Path(setting.removeprefix(SQLITE))
    pattern = str(path.relative_to(path.anchor)).replace("NAME", "*")
    return [f"{SQLITE}{each}" for each in sorted(Path(path.anchor).glob(pattern))]


def _stored(setting: str, url: str, realm: str | None, origin: str) -> list[StoredCrawl]:
    before, _, after = setting.partition("NAME")
    name = url.removeprefix(before).removesuffix(after)
    try:
        with open_records(url) as records:
            run = records.last_run(realm)
            if run is None:
                return []
            knows = bool(origin and records.origin(origin, run.realm))
            return [StoredCrawl(url, name, run, records.document_count(realm), knows)]
    except NoCrawlError:
        return []


def _last_run(url: str, realm: str | None) -> RunRecord | None:
    try:
        with open_records(url) as records:
            return records.last_run(realm)
    except NoCrawlError:
        return None
