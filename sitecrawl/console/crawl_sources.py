"""Selection of the crawl that a command refers to: its configuration and its database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitecrawl.config.assembly import database_url
from sitecrawl.config.configuration import Configuration, load, load_again, with_own_extensions
from sitecrawl.frontier import open_records
from sitecrawl.frontier.base import FrontierError, NoCrawlError
from sitecrawl.frontier.opening import SQLITE, shown
from sitecrawl.frontier.records import RunRecord

COMPLETE = frozenset({"start", "config"})
"""Arguments that make a new configuration, as for ``scrapy crawl``."""


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
    """Return the crawl of the arguments, else the newest that knows ``origin``, else the only one.

    Raises ConfigError, and FrontierError if there is no such crawl database.
    """
    if COMPLETE & arguments.keys():
        configuration = load(arguments)
        url = database_url(setting, configuration.params)
        run = _last_run(url, configuration.params.realm)[0]
        stored = run.configuration if run else None
        return Source(with_own_extensions(configuration, stored), url, run)
    url, run = _newest(arguments.get("database") or setting, arguments, origin)
    return Source(load_again(run.configuration, arguments), url, run)


def find_crawl(setting: str, arguments: Mapping[str, str], origin: str = "") -> CrawledSource:
    """Call ``find_source``, but raise FrontierError if nothing was crawled yet."""
    source = find_source(setting, arguments, origin)
    if source.run is None:
        raise NoCrawlError(f"There is no crawl at {source.name} yet.")
    return CrawledSource(source.configuration, source.database, source.run)


def _newest(setting: str, arguments: Mapping[str, str], origin: str) -> tuple[str, RunRecord]:
    crawls: list[tuple[bool, float, str, RunRecord]] = []
    unusable: list[FrontierError] = []
    name = arguments.get("crawl_name", "")
    for url in _candidates(setting, name):
        try:
            run, knows = _last_run(url, arguments.get("realm"), origin)
        except FrontierError as error:
            unusable.append(error)
        else:
            crawls += [(knows, run.started_at, url, run)] if run else []
    knowing = [crawl for crawl in crawls if crawl[0]]
    if knowing or len(crawls) == 1:
        return max(knowing or crawls)[2:]
    if unusable:
        raise unusable[0]
    place = setting.replace("NAME", name) if name else setting
    wanted = f"crawl of realm {arguments['realm']!r}" if "realm" in arguments else "crawl database"
    raise _unknown(f"{wanted} at {shown(place)}", origin, [each[2] for each in crawls])


def _unknown(wanted: str, origin: str, databases: Sequence[str]) -> NoCrawlError:
    meant = (
        "say which crawl is meant with -a start=URL or -a crawl_name=NAME, or where its database is "
        "with -s SITECRAWL_DATABASE=URL."
    )
    if databases:
        knows = f", and none knows {origin}" if origin else ""
        return NoCrawlError(
            f"There is more than one crawl ({' '.join(map(shown, databases))}){knows}; {meant}"
        )
    return NoCrawlError(f"There is no {wanted}; {meant}")


def _candidates(setting: str, name: str) -> list[str]:
    if "NAME" not in setting or name:
        return [setting.replace("NAME", name)]
    if not setting.startswith(SQLITE):
        return []
    path = Path(setting.removeprefix(SQLITE))
    pattern = str(path.relative_to(path.anchor)).replace("NAME", "*")
    return [f"{SQLITE}{each}" for each in sorted(Path(path.anchor).glob(pattern))]


def _last_run(url: str, realm: str | None, origin: str = "") -> tuple[RunRecord | None, bool]:
    """Return the last run in a database, and True if the database knows ``origin``."""
    try:
        with open_records(url) as records:
            run = records.last_run(realm)
            knows = bool(origin and run and records.origin(origin, run.realm))
            return run, knows
    except NoCrawlError:
        return None, False
