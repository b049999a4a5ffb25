"""One report over all crawls of a file: their state, and lists with the name of the crawl."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sitecrawl.console.crawl_overview import CrawlOverview
from sitecrawl.console.terminal import stamp
from sitecrawl.frontier.opening import open_survey
from sitecrawl.report import problems
from sitecrawl.report.facts import Facts, FilledList, ReportList, Row
from sitecrawl.statuses import DONE

CRAWLS = ReportList(
    "crawls",
    "Crawls",
    "Each crawl with its last run, those that need a person first: dead starts with reason and remedy, "
    "and the kinds of problems that its site has by importance.",
    (
        *("crawl", "exit_status", "failed_starts", "documents", "waiting"),
        *(problems.HIGH, problems.MEDIUM, problems.LOW, "ended_at", "finish_reason"),
    ),
    lambda _: (),
    group="Overview",
    empty="The file has no crawl.",
)


def read_crawls(
    overviews: Iterable[CrawlOverview], wanted: Sequence[ReportList], show: Callable[[str], object]
) -> list[FilledList]:
    """Read the table of crawls, then each list of all of them, one crawl after the other."""
    crawls: list[Row] = []
    rows: dict[str, list[Row]] = {each.name: [] for each in wanted}
    for each in overviews:
        show(f"Reading the crawl {each.name}")
        counts: Counter[str] = Counter()
        if each.run is not None:
            with open_survey(each.database, each.run.realm) as survey:
                facts = Facts(survey, each.run)
                counts.update(
                    kind.importance for kind in problems.all_problems() if facts.rows(kind)
                )
                for of in wanted:
                    rows[of.name] += ((each.name, *row) for row in facts.rows(of))
        crawls.append(_crawl(each, counts))
    crawls.sort(key=lambda row: row[1] == DONE)
    named = [replace(of, columns=("crawl", *of.columns)) for of in wanted]
    return [FilledList(CRAWLS, crawls), *(FilledList(of, rows[of.name]) for of in named)]


def _crawl(overview: CrawlOverview, counts: Counter[str]) -> Row:
    run = overview.run
    ended = run.finish_reason if run else overview.problem or "not crawled yet"
    starts = tuple(overview.failed_starts)
    state = (overview.name, overview.status, starts, overview.documents, overview.waiting)
    numbers = (counts[each] for each in (problems.HIGH, problems.MEDIUM, problems.LOW))
    at = stamp(run.finished_at) if run else None
    return (*state, *numbers, at, ended)
