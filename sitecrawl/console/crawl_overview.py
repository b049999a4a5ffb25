"""Overview of several crawls, a line each: documents, waiting URLs, and how the last run ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitecrawl.config.config_errors import ConfigError
from sitecrawl.config.layers import read_file
from sitecrawl.console.crawl_sources import Source, find_source
from sitecrawl.console.crawl_statistics import FAILED, CrawlStatistics, run_state
from sitecrawl.console.terminal import stamp
from sitecrawl.frontier.base import FrontierError
from sitecrawl.frontier.opening import open_records
from sitecrawl.frontier.records import RunRecord


@dataclass(frozen=True, slots=True)
class CrawlOverview:
    """State of one crawl; ``run`` is None before its first run, ``problem`` is why it is unknown."""

    name: str
    run: RunRecord | None = None
    database: str = ""
    documents: int = 0
    waiting: int = 0
    given_up: Sequence[str] = ()
    problem: str = ""

    def record(self) -> dict[str, Any]:
        """Return the JSON form."""
        if self.problem:
            return {"crawl": self.name, "problem": self.problem}
        run = self.run
        return {
            "crawl": self.name,
            "documents": self.documents,
            "waiting": self.waiting,
            "started_at": stamp(run.started_at) if run else None,
            "finished_at": stamp(run.finished_at) if run else None,
            "finish_reason": run.finish_reason if run else None,
            "stopped_at": stamp(run.stopped_at) if run else None,
            "exit_status": self.status,
            "given_up": list(self.given_up),
            "failed_starts": list(self.failed_starts),
        }

    def line(self, width: int, now: float) -> str:
        """Return the printed form, with the name padded to ``width``."""
        name = f"{self.name:{width}}"
        if self.problem:
            return f"{name}  {self.problem}"
        if self.run is None:
            return f"{name}  not crawled yet"
        counts = f"{self.documents:9} documents {self.waiting:9} waiting"
        given_up = f"; given up: {', '.join(self.given_up)}" if self.given_up else ""
        status = f", status {self.status}" if self.status else ""
        line = f"{name} {counts}  {run_state(self.run, now)}{status}{given_up}"
        return "\n".join([line, *(f"  {each}" for each in self.failed_starts)])

    @property
    def status(self) -> int | None:
        """The exit status of the last run; None if it has not ended by itself."""
        status = self.run.counters.get("sitecrawl/exit_status") if self.run else None
        return None if status is None else int(status)

    @property
    def failed_starts(self) -> Sequence[str]:
        """A line for each start that produced nothing, with reason and remedy."""
        return self.run.counters.get("failed_starts", ()) if self.run else ()


def read_overviews(
    setting: str, path: str, arguments: Mapping[str, str]
) -> Iterator[CrawlOverview]:
    """Yield the state of each crawl of a file; raises ConfigError for all that are wrong."""
    names = list(read_file(path, "--config").crawls) or [""]
    problems: list[str] = []
    found: list[CrawlOverview] = []
    for name in names:
        given = {**arguments, "config": path, **({"crawl": name} if name else {})}
        try:
            source = find_source(setting, given)
            found.append(_overview(name or source.configuration.params.database_name, source))
        except ConfigError as error:
            problems += error.problems
        except FrontierError as error:
            found.append(CrawlOverview(name or path, problem=str(error)))
    if problems:
        raise ConfigError(dict.fromkeys(problems))
    yield from found


def _overview(name: str, source: Source) -> CrawlOverview:
    if source.run is None:
        return CrawlOverview(name)
    with open_records(source.database) as records:
        origins = records.origins(source.run.realm)
    statistics = CrawlStatistics(source.run, {}, origins)
    return CrawlOverview(
        name,
        source.run,
        source.database,
        sum(each.documents for each in origins),
        sum(each.waiting for each in origins),
        [each.key for each in origins if statistics.ended(each) in FAILED],
    )
