"""The metrics of a crawl in Prometheus' format: names, labels and help texts.

Labels have few values: outcomes, classes of statuses, reasons, targets. Sites are the only ones that
a crawl brings itself; beyond ``MAX_SITES`` there is no metric by site, and never one by URL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from sitecrawl.crawl.progress import STATUSES
from sitecrawl.frontier.change_log import TargetLag
from sitecrawl.frontier.records import SiteCounts
from sitecrawl.policy.outcomes import OUTCOME_STATS, RULE_STATS

KINDS = GaugeMetricFamily, CounterMetricFamily
MAX_SITES = 500
RETRIES = "sitecrawl/retries/"


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

    def single(kind: type[Any], name: str, words: str, value: float) -> Any:
        made = kind(f"sitecrawl_{name}", words, labels=["crawl"])
        made.add_metric([now.crawl], float(value))
        return made

    def family(
        kind: type[Any], name: str, words: str, label: str, values: Mapping[str, float]
    ) -> Any:
        made = kind(f"sitecrawl_{name}", words, labels=["crawl", label])
        for each, value in sorted(values.items()):
            made.add_metric([now.crawl, each], value)
        return made

    gauge, counter = (partial(single, each) for each in KINDS)
    gauges, counters = (partial(family, each) for each in KINDS)
    yield counters("pages", "Visits that ended.", "outcome", _named(now.stats, OUTCOME_STATS))
    yield counters("answers", "Responses, robots.txt included.", "class", _classes(now.stats))
    refused = _named(now.stats, RULE_STATS)
    yield counters("links_refused", "Links refused by a rule.", "reason", refused)
    yield counters("retries", "URLs queued again.", "reason", _named(now.stats, RETRIES))
    size = now.stats.get("downloader/response_bytes", 0)
    yield counter("bytes", "Bytes of responses.", size)
    yield counter("lines", "Lines written to the output.", now.stats.get("item_scraped_count", 0))
    yield gauge("running", "1 while a run is under way.", now.running)
    yield gauge("run_started_timestamp_seconds", "Begin of the last run.", now.started_at)
    yield gauge("waiting", "URLs waiting in this run.", now.waiting)
    yield gauge("failed_starts", "Starts that produced nothing.", now.failed_starts)
    if now.success_at is not None:
        words = "End of the last run that ended normally."
        yield gauge("last_success_timestamp_seconds", words, now.success_at)
    if now.exit_status is not None:
        yield gauge("exit_status", "Exit status of the last run.", now.exit_status)
    yield gauges("origins", "Origins by state.", "state", now.origins)
    behind = {each.target: each.behind for each in now.targets}
    yield gauges("delivery_lag", "Changes that a target has not read.", "target", behind)
    sites = list(now.sites)
    documents, held = sum(each.documents for each in sites), sum(each.held for each in sites)
    yield gauge("documents", "Documents, counted as a run begins and ends.", documents)
    yield gauge("changes_held", "Changes that wait for confirmation.", held)
    shown = sites if len(sites) <= MAX_SITES else []
    counts = {site.key: site.documents for site in shown}
    yield gauges("site_documents", "Documents of a site.", "site", counts)
    read = {site.key: site.read_at for site in shown}
    yield gauges("site_last_read_timestamp_seconds", "Last page read of a site.", "site", read)


def _named(stats: Mapping[str, Any], prefix: str) -> dict[str, float]:
    return {name.removeprefix(prefix): n for name, n in stats.items() if name.startswith(prefix)}


def _classes(stats: Mapping[str, Any]) -> Counter[str]:
    """Count the responses by the class of their status, as in ``2xx``."""
    counts: Counter[str] = Counter()
    for status, count in _named(stats, STATUSES).items():
        counts[f"{status[0]}xx"] += int(count)
    return counts
