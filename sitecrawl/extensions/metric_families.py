"""The metrics of a crawl in Prometheus' format: names, labels and help texts.

Labels have few values: outcomes, classes of statuses, reasons, targets. Sites are the only ones that
a crawl brings itself; beyond ``MAX_SITES`` there is no metric by site, and never one by URL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from sitecrawl.frontier.change_log import TargetLag
from sitecrawl.frontier.records import SiteCounts
from sitecrawl.policy.outcomes import OUTCOME_STATS, RULE_STATS

MAX_SITES = 500
RETRIES = "sitecrawl/retries/"
STATUSES = "downloader/response_status_count/"


@dataclass(frozen=True, slots=True)
class CrawlMeasurements:
    """State of a crawl at one moment; times are UTC epoch seconds.

    ``success_at`` is the end of the last run that ended normally, None before the first;
    ``exit_status`` is that of the last run, None while one runs. ``documents`` and ``held`` of the
    sites are those from the begin or the end of a run.
    """

    crawl: str
    stats: Mapping[str, Any]
    started_at: float
    running: bool
    waiting: int = 0
    origins: Mapping[str, int] = field(default_factory=dict)
    sites: Iterable[SiteCounts] = ()
    targets: Iterable[TargetLag] = ()
    success_at: float | None = None
    exit_status: int | None = None
    failed_starts: int = 0


class CrawlCollector(Collector):
    """Collector of the last measurements; a thread may read them while the crawl goes on."""

    def __init__(self) -> None:
        self.measurements: CrawlMeasurements | None = None
        self.registry = CollectorRegistry(auto_describe=False)
        self.registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        if self.measurements is not None:
            yield from families(self.measurements)


def families(now: CrawlMeasurements) -> Iterator[Metric]:
    """Yield the metrics of a crawl."""
    yield _counter(now, "pages", "Visits that ended.", "outcome", _named(now.stats, OUTCOME_STATS))
    yield _counter(now, "answers", "Responses, robots.txt included.", "class", _classes(now.stats))
    yield _counter(
        now, "links_refused", "Links refused by a rule.", "reason", _named(now.stats, RULE_STATS)
    )
    yield _counter(now, "retries", "URLs queued again.", "reason", _named(now.stats, RETRIES))
    for name, stat, words in (
        ("bytes", "downloader/response_bytes", "Bytes of responses."),
        ("lines", "item_scraped_count", "Lines written to the output."),
    ):
        family = CounterMetricFamily(f"sitecrawl_{name}", words, labels=["crawl"])
        family.add_metric([now.crawl], float(now.stats.get(stat, 0)))
        yield family
    yield _gauge(now, "running", "1 while a run is under way.", float(now.running))
    yield _gauge(now, "run_started_timestamp_seconds", "Begin of the last run.", now.started_at)
    yield _gauge(now, "waiting", "URLs waiting in this run.", now.waiting)
    yield _gauge(now, "failed_starts", "Starts that produced nothing.", now.failed_starts)
    if now.success_at is not None:
        words = "End of the last run that ended normally."
        yield _gauge(now, "last_success_timestamp_seconds", words, now.success_at)
    if now.exit_status is not None:
        yield _gauge(now, "exit_status", "Exit status of the last run.", now.exit_status)
    yield _gauges(now, "origins", "Origins by state.", "state", now.origins)
    behind = {each.target: each.behind for each in now.targets}
    yield _gauges(now, "delivery_lag", "Changes that a target has not read.", "target", behind)
    yield from _sites(now)


def _sites(now: CrawlMeasurements) -> Iterator[Metric]:
    sites = list(now.sites)
    documents = sum(site.documents for site in sites)
    yield _gauge(now, "documents", "Documents, counted as a run begins and ends.", documents)
    held = sum(site.held for site in sites)
    yield _gauge(now, "changes_held", "Changes that wait for confirmation.", held)
    shown = sites if len(sites) <= MAX_SITES else []
    counts = {site.key: site.documents for site in shown}
    yield _gauges(now, "site_documents", "Documents of a site.", "site", counts)
    read = {site.key: site.read_at for site in shown}
    yield _gauges(
        now, "site_last_read_timestamp_seconds", "Last page read of a site.", "site", read
    )


def _gauge(now: CrawlMeasurements, name: str, words: str, value: float) -> Metric:
    family = GaugeMetricFamily(f"sitecrawl_{name}", words, labels=["crawl"])
    family.add_metric([now.crawl], value)
    return family


def _gauges(
    now: CrawlMeasurements, name: str, words: str, label: str, values: Mapping[str, float]
) -> Metric:
    family = GaugeMetricFamily(f"sitecrawl_{name}", words, labels=["crawl", label])
    for each, value in values.items():
        family.add_metric([now.crawl, each], value)
    return family


def _counter(
    now: CrawlMeasurements, name: str, words: str, label: str, counts: Mapping[str, float]
) -> Metric:
    family = CounterMetricFamily(f"sitecrawl_{name}", words, labels=["crawl", label])
    for value, count in sorted(counts.items()):
        family.add_metric([now.crawl, value], count)
    return family


def _named(stats: Mapping[str, Any], prefix: str) -> dict[str, float]:
    return {name.removeprefix(prefix): n for name, n in stats.items() if name.startswith(prefix)}


def _classes(stats: Mapping[str, Any]) -> Counter[str]:
    """Count the responses by the class of their status, as in ``2xx``."""
    counts: Counter[str] = Counter()
    for status, count in _named(stats, STATUSES).items():
        counts[f"{status[0]}xx"] += int(count)
    return counts
