"""Debian's Prometheus reads the metrics of a crawl, from the port and through the node exporter."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from fixtures.command import ROOT
from fixtures.crawls import CrawlCommand
from fixtures.prometheus import free_port, node_exporter, prometheus
from fixtures.server import Page, Server, page, refusing_origin

PATHS = [f"/{number}" for number in range(20)]
SITE: dict[str, Page] = {
    "/": page(*PATHS, title="Start"),
    **{path: page(title=path) for path in PATHS},
}
ALERTS = ROOT / "examples" / "monitoring" / "alerts.yml"
OF = 'crawl="shop"'


@pytest.mark.behaviour("MON-07")
def test_prometheus_reads_port_and_file(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    files, rules, port = tmp_path / "files", tmp_path / "alerts.yml", free_port()
    files.mkdir()
    rules.write_text(re.sub(r"for: \w+", "for: 0s", ALERTS.read_text(encoding="utf-8")))
    origin = server.serve(dict(SITE))
    settings = {
        "SITECRAWL_METRICS": files / "shop.prom",
        "SITECRAWL_METRICS_PORT": port,
        "SITECRAWL_STATISTICS_SECONDS": 0.5,
    }
    options = {"crawl_name": "shop", "patience": 1, "delay": 0.5}
    with (
        node_exporter(files) as exporter,
        prometheus(tmp_path, rules, {"crawl": port, "node": exporter}) as metrics,
    ):
        metrics.wait_for('up{job="node"} == 1')
        running = crawl.begin(f"{origin}/ {refusing_origin()}/", settings=settings, **options)
        assert metrics.wait_for(f'sitecrawl_running{{job="crawl", {OF}}}') == 1
        assert metrics.wait_for(f'sitecrawl_waiting{{job="crawl", {OF}}} > 0') > 0
        pages = f'sum(sitecrawl_pages_total{{job="crawl", {OF}}})'
        assert 1 <= metrics.wait_for(f"{pages} > 0") <= len(PATHS) + 1
        run = running.finish()
        assert run.status == 4, run.log[-3000:]
        of_file = f'job="node", {OF}'
        assert metrics.wait_for(f"sitecrawl_exit_status{{{of_file}}}") == 4
        assert metrics.value(f"sitecrawl_documents{{{of_file}}}") == len(PATHS) + 1
        ingested = f'sitecrawl_pages_total{{{of_file}, outcome="file_ingested"}}'
        assert metrics.value(ingested) == len(PATHS) + 1
        site = f'sitecrawl_site_documents{{{of_file}, site="{origin}"}}'
        assert metrics.value(site) == len(PATHS) + 1
        until = time.monotonic() + 30
        while "SitecrawlStartsFailed" not in (firing := metrics.firing()):
            assert time.monotonic() < until, firing
            time.sleep(0.3)
        assert "SitecrawlFailed" not in firing
        assert "SitecrawlSiteNotVisited" not in firing
        assert metrics.value("node_textfile_scrape_error") == 0
