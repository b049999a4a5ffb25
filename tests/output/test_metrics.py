"""Metrics for Prometheus, JSON logs, and the examples of docs/monitoring.md."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from fixtures.command import ROOT
from fixtures.crawls import CrawlCommand, Running
from fixtures.own_spider import OwnCrawl
from fixtures.prometheus import free_port
from fixtures.server import Answer, Page, Server, page, redirect, refusing_origin
from scripts import dashboard
from sitecrawl.extensions.metric_families import (
    MAX_SITES,
    CrawlCollector,
    CrawlMeasurements,
    families,
)
from sitecrawl.frontier.change_log import TargetLag
from sitecrawl.frontier.records import SiteCounts

PATHS = [f"/{number}" for number in range(8)]
SITE: dict[str, Page] = {
    "/": page(*PATHS, "/gone", "/moved", "/broken", "/song.mp3", title="Start"),
    **{path: page(title=path) for path in PATHS},
    "/moved": redirect("/0"),
    "/broken": Answer("broken", status=500),
}
ONCE: dict[str, object] = {"politeness": 0, "retries": 0, "crawl_name": "shop"}
EXAMPLES = ROOT / "examples" / "monitoring"
FULL = CrawlMeasurements(
    "shop",
    {
        "sitecrawl/outcomes/file_ingested": 3,
        "sitecrawl/rules/scope": 2,
        "sitecrawl/retries/timeout": 1,
        "downloader/response_status_count/200": 4,
    },
    1.0,
    running=False,
    origins={"waiting": 1},
    sites=[SiteCounts("https://a.test", 3, 1, 5.0)],
    targets=[TargetLag("search", 1.0, 4, 0)],
    success_at=9.0,
    exit_status=0,
)

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(text: str) -> Samples:
    """The values of an exposition by name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float | None:
    """One value of the crawl ``shop``."""
    return found.get((f"sitecrawl_{name}", frozenset({"crawl": "shop", **labels}.items())))


def ask(port: int) -> str:
    """Return the answer of the port."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=9) as answer:
        text: str = answer.read().decode()
    return text


def listening(port: int) -> list[str]:
    """The IPv4 addresses at which something listens on a port, as Linux writes them."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    places = [row[1].split(":") for row in rows if row[3] == "0A"]
    return [address for address, number in places if int(number, 16) == port]


def wait_for(server: Server, requests: int, running: Running) -> None:
    """Return when the server was asked so often."""
    while len(server.log.targets()) < requests:
        assert running.process.poll() is None, "the crawl ended by itself"
        time.sleep(0.02)


@pytest.mark.behaviour("MON-01")
def test_the_file_has_the_stats_of_the_run(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    origin = server.serve(dict(SITE))
    file = tmp_path / "shop.prom"
    settings = {"SITECRAWL_METRICS": file}
    run = crawl(f"{origin}/", settings=settings, **ONCE)
    assert run.status == 0, run.log[-3000:]
    found = samples(file.read_text())
    for stat, count in run.stats.items():
        if stat.startswith("sitecrawl/outcomes/"):
            assert value(found, "pages_total", outcome=stat.rpartition("/")[2]) == count
    statuses = [each.status for each in server.log.of(origin)]
    for kind in (2, 3, 4, 5):
        count = sum(status // 100 == kind for status in statuses)
        assert value(found, "answers_total", **{"class": f"{kind}xx"}) == count
    assert value(found, "links_refused_total", reason="extension") == 1
    assert value(found, "bytes_total") == run.stats["downloader/response_bytes"]
    assert value(found, "lines_total") == value(found, "documents") == 9
    for name, expected in (("running", 0), ("exit_status", 0), ("waiting", 0)):
        assert value(found, name) == expected
    success = value(found, "last_success_timestamp_seconds")
    assert success is not None
    assert success == pytest.approx(time.time(), abs=60)
    assert value(found, "site_documents", site=origin) == 9
    read = value(found, "site_last_read_timestamp_seconds", site=origin)
    assert read == pytest.approx(time.time(), abs=60)
    assert not re.search(rf"{origin}/", file.read_text()), "no label holds a URL"
    assert list(tmp_path.glob("shop.prom*")) == [file]


@pytest.mark.behaviour("MON-01")
def test_a_run_that_fails_keeps_the_time_of_the_last_success(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    site: dict[str, Page] = {"/": page(title="Home")}
    origin, file = server.serve(site), tmp_path / "shop.prom"
    settings = {"SITECRAWL_METRICS": file}
    crawl(f"{origin}/", settings=settings, **ONCE)
    before = samples(file.read_text())
    time.sleep(1)
    site["*"] = site["/"] = Answer("down", status=503)
    assert crawl(f"{origin}/", settings=settings, force=1, patience=1, **ONCE).status == 1
    after = samples(file.read_text())
    assert value(after, "exit_status") == 1
    assert value(after, "origins", state="leased") == 0
    assert value(after, "failed_starts") == 1
    success = value(before, "last_success_timestamp_seconds")
    assert value(after, "last_success_timestamp_seconds") == pytest.approx(success, abs=0.9)
    assert value(after, "site_last_read_timestamp_seconds", site=origin) == value(
        before, "site_last_read_timestamp_seconds", site=origin
    )


@pytest.mark.behaviour("MON-01")
def test_the_file_counts_what_all_workers_did(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    origins = [server.serve(dict(SITE), f"127.0.7.{number}") for number in range(1, 5)]
    file = tmp_path / "shop.prom"
    run = crawl(*origins, settings={"SITECRAWL_METRICS": file}, workers=2, **ONCE)
    found = samples(file.read_text())
    outcomes = {"file_ingested": 9, "file_not_found": 1, "server_internal_error": 1}
    assert run.status == 0, run.log[-3000:]
    for outcome, count in outcomes.items():
        assert value(found, "pages_total", outcome=outcome) == 4 * count
    assert value(found, "lines_total") == value(found, "documents") == 36
    assert value(found, "running") == 0


@pytest.mark.behaviour("MON-02")
def test_the_file_is_whole_at_any_time_and_the_port_is_on_loopback(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    origin, file, port = server.serve(dict(SITE)), tmp_path / "shop.prom", free_port()
    settings = {
        "SITECRAWL_METRICS": file,
        "SITECRAWL_METRICS_PORT": port,
        "SITECRAWL_STATISTICS_SECONDS": 0.1,
    }
    running = crawl.begin(f"{origin}/", settings=settings, delay=0.2, **ONCE)
    wait_for(server, 4, running)
    time.sleep(0.3)
    found = samples(ask(port))
    assert listening(port) == ["0100007F"]
    assert value(found, "running") == 1
    assert value(found, "exit_status") is None
    waiting = value(found, "waiting")
    assert waiting is not None
    assert waiting > 0
    names = {name for name, _ in found}
    while running.process.poll() is None:
        assert {name for name, _ in samples(file.read_text())} >= names - {"sitecrawl_waiting"}
    run = running.finish()
    assert listening(port) == []
    assert run.status == 0, run.log[-3000:]
    assert value(samples(file.read_text()), "running") == 0


@pytest.mark.behaviour("MON-02")
def test_a_taken_port_and_an_unwritable_file_do_not_end_the_crawl(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    origin = server.serve(dict(SITE))
    settings = {
        "SITECRAWL_METRICS": tmp_path / "missing" / "shop.prom",
        "SITECRAWL_METRICS_PORT": origin.rpartition(":")[2],
        "SITECRAWL_STATISTICS_SECONDS": 0.1,
    }
    run = crawl(f"{origin}/", settings=settings, **ONCE)
    assert run.status == 0, run.log[-3000:]
    assert run.log.count("shop.prom cannot be written: No such file or directory") == 1
    assert "cannot be opened: Address already in use" in run.log
    assert "Traceback" not in run.log


def exposed(measurements: CrawlMeasurements) -> Mapping[str, list[dict[str, str]]]:
    """The labels of every sample, by the names that Prometheus knows."""
    found: dict[str, list[dict[str, str]]] = {}
    for family in families(measurements):
        for sample in family.samples:
            found.setdefault(sample.name, []).append(sample.labels)
    return found


@pytest.mark.behaviour("MON-03")
def test_many_sites_make_no_label_each() -> None:
    sites = [SiteCounts(f"https://{number}.test", 1, 0, 1.0) for number in range(MAX_SITES + 1)]
    some = CrawlMeasurements("c", {}, 0.0, running=True, sites=sites[:-1])
    assert len(exposed(some)["sitecrawl_site_documents"]) == MAX_SITES
    many = CrawlMeasurements("c", {}, 0.0, running=True, sites=sites)
    assert max(map(len, exposed(many).values())) == 1
    assert list(CrawlCollector().collect()) == []


def metrics_in(expressions: str) -> set[str]:
    return set(re.findall(r"\bsitecrawl_\w+", expressions))


@pytest.mark.behaviour("MON-04")
def test_dashboard_and_alerts_name_metrics_that_exist() -> None:
    known = exposed(FULL).keys()
    board = (EXAMPLES / "dashboard.json").read_text(encoding="utf-8")
    assert json.loads(board) == dashboard.dashboard(), "python -m scripts.dashboard"
    expressions = [
        target["expr"] for each in json.loads(board)["panels"] for target in each["targets"]
    ]
    rules = (EXAMPLES / "alerts.yml").read_text(encoding="utf-8")
    used = metrics_in(" ".join([*expressions, rules]))
    assert used - known == set()
    assert len(used) > 12
    page_of_docs = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(sitecrawl_\w+)", page_of_docs, re.MULTILINE))
    assert documented == set(known)
    alerts = re.findall(r"- alert: (\w+)", rules)
    assert re.findall(r"^\| `(Sitecrawl\w+)`", page_of_docs, re.MULTILINE) == alerts


@pytest.mark.behaviour("MON-04")
@pytest.mark.parametrize(
    "words", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")]
)
def test_the_alerts_fire_as_promtool_says(words: tuple[str, ...]) -> None:
    assert shutil.which("promtool"), "scripts/test installs the package prometheus"
    ended = subprocess.run(
        ["promtool", *words], cwd=EXAMPLES, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.behaviour("MON-05")
def test_the_log_of_workers_is_json_too(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    log, link = tmp_path / "job.log", tmp_path / "link.log"
    log.write_text("of an earlier crawl\n")
    link.symlink_to(log)
    origin = server.serve(SITE)
    settings = {"SITECRAWL_LOG_FORMAT": "json", "LOG_FILE": str(link), "LOG_FILE_APPEND": 0}
    run = crawl(f"{origin}/", settings=settings, workers=2)
    assert run.status == 0
    assert link.is_symlink(), "the file is truncated, as by Scrapy, and not replaced"
    records = [json.loads(line) for line in log.read_text().splitlines()]
    assert all(record.keys() >= {"time", "level", "message", "crawl"} for record in records)


@pytest.mark.behaviour("MON-05")
def test_the_log_is_json_from_its_first_line_to_its_last(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({**SITE, "/evil\x1b": page(title="x")})
    settings = {"SITECRAWL_LOG_FORMAT": "json", "SITECRAWL_STATISTICS_PAGES": 1}
    run = crawl(f"{origin}/", refusing_origin(), settings=settings, patience=1, **ONCE)
    records = [json.loads(line) for line in run.log.splitlines()]
    assert len(records) > 8
    for record in records:
        assert record.keys() >= {"time", "level", "logger", "message", "crawl"}
        assert record.keys().isdisjoint({"crawler", "spider"})
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record["time"])
        assert record["crawl"] == "shop"
    assert [each["message"] for each in records if each["level"] == "ERROR"]
    assert records[-1]["message"].startswith("Ended after")
    refused = crawl(f"{origin}/", settings={"SITECRAWL_LOG_FORMAT": "xml"})
    assert refused.status == 2
    assert "SITECRAWL_LOG_FORMAT=xml: should be one of text, json." in refused.log


MONITORED = """
    custom_settings = {
        "SPIDERMON_ENABLED": True,
        "EXTENSIONS": {"spidermon.contrib.scrapy.extensions.Spidermon": 500},
        "SPIDERMON_ENGINE_STOP_MONITORS": ["monitors.CrawlMonitors"],
    }
"""


@pytest.mark.behaviour("MON-06")
def test_the_example_for_spidermon_judges_a_run(
    server: Server, own: OwnCrawl, tmp_path: Path
) -> None:
    shutil.copy(EXAMPLES / "monitors.py", tmp_path)
    site: dict[str, Page] = {"/": page("/a", title="Home"), "/a": page(title="A")}
    origin = server.serve(site)
    own(MONITORED, "-a", f"start={origin}/")
    for name in ("run_ended_well", "no_deletion_waits", "few_pages_failed"):
        assert f"CrawlMonitor/test_{name}... OK" in own.log
    site["/"] = site["/a"] = Answer("down", status=500)
    own(MONITORED, "-a", f"start={origin}/", "-a", "force=1", "-a", "retries=0")
    assert "CrawlMonitor/test_run_ended_well... FAIL" in own.log
    assert "CrawlMonitor/test_few_pages_failed... FAIL" in own.log
