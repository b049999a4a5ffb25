"""Makes examples/monitoring/dashboard.json, a dashboard for Grafana: python -m scripts.dashboard"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "examples" / "monitoring" / "dashboard.json"
SOURCE = {"type": "prometheus", "uid": "${source}"}
OF = 'crawl=~"$crawl"'
AGE = "time() - {}"
PANELS: list[tuple[str, str, str, str, list[tuple[str, str]]]] = [
    (
        "stat",
        "Since the last normal end",
        "s",
        "Age of the last run that ended normally.",
        [(AGE.format(f"sitecrawl_last_success_timestamp_seconds{{{OF}}}"), "{{crawl}}")],
    ),
    (
        "stat",
        "Exit status of the last run",
        "none",
        "0 done, 1 no document, 3 the database failed, 4 some starts produced nothing.",
        [(f"sitecrawl_exit_status{{{OF}}}", "{{crawl}}")],
    ),
    (
        "stat",
        "Changes held back",
        "none",
        "They wait for scrapy frontier confirm.",
        [(f"sitecrawl_changes_held{{{OF}}}", "{{crawl}}")],
    ),
    (
        "timeseries",
        "Pages by outcome",
        "ops",
        "Visits that ended, per second.",
        [(f"sum by (outcome) (rate(sitecrawl_pages_total{{{OF}}}[5m]))", "{{outcome}}")],
    ),
    (
        "timeseries",
        "Answers by status",
        "ops",
        "Responses per second, robots.txt included.",
        [(f"sum by (class) (rate(sitecrawl_answers_total{{{OF}}}[5m]))", "{{class}}")],
    ),
    (
        "timeseries",
        "Waiting URLs",
        "none",
        "URLs and origins of the run under way.",
        [
            (f"sitecrawl_waiting{{{OF}}}", "{{crawl}}"),
            (f'sitecrawl_origins{{{OF}, state="given_up"}}', "{{crawl}}: sites given up"),
        ],
    ),
    (
        "timeseries",
        "Documents",
        "none",
        "Counted as a run begins and ends.",
        [(f"sitecrawl_documents{{{OF}}}", "{{crawl}}")],
    ),
    (
        "timeseries",
        "Bytes received",
        "Bps",
        "Bodies of responses as they arrived.",
        [(f"sum by (crawl) (rate(sitecrawl_bytes_total{{{OF}}}[5m]))", "{{crawl}}")],
    ),
    (
        "timeseries",
        "Lag of targets",
        "none",
        "Changes that a target of scrapy sync has not read.",
        [(f"sitecrawl_delivery_lag{{{OF}}}", "{{crawl}} {{target}}")],
    ),
    (
        "timeseries",
        "Links refused",
        "ops",
        "By the reason.",
        [(f"sum by (reason) (rate(sitecrawl_links_refused_total{{{OF}}}[5m]))", "{{reason}}")],
    ),
    (
        "bargauge",
        "Sites read longest ago",
        "s",
        "Age of the last page read.",
        [
            (
                f"topk(15, time() - sitecrawl_site_last_read_timestamp_seconds{{{OF}}})",
                "{{site}}",
            )
        ],
    ),
    (
        "bargauge",
        "Sites with most documents",
        "none",
        "Counted as a run begins and ends.",
        [(f"topk(15, sitecrawl_site_documents{{{OF}}})", "{{site}}")],
    ),
]
COLUMNS, WIDTH, HEIGHT = 3, 8, 8


def panel(number: int) -> dict[str, Any]:
    """One panel with its place."""
    kind, title, unit, description, queries = PANELS[number]
    return {
        "id": number + 1,
        "type": kind,
        "title": title,
        "description": description,
        "datasource": SOURCE,
        "gridPos": {
            "x": number % COLUMNS * WIDTH,
            "y": number // COLUMNS * HEIGHT,
            "w": WIDTH,
            "h": HEIGHT,
        },
        "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + place),
                "datasource": SOURCE,
                "expr": expression,
                "legendFormat": legend,
                "instant": kind != "timeseries",
                "range": kind == "timeseries",
            }
            for place, (expression, legend) in enumerate(queries)
        ],
    }


def dashboard() -> dict[str, Any]:
    """The dashboard, as Grafana imports it."""
    return {
        "uid": "sitecrawl",
        "title": "sitecrawl",
        "tags": ["sitecrawl"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "1m",
        "time": {"from": "now-24h", "to": "now"},
        "templating": {
            "list": [
                {"name": "source", "type": "datasource", "query": "prometheus"},
                {
                    "name": "crawl",
                    "type": "query",
                    "datasource": SOURCE,
                    "query": "label_values(sitecrawl_running, crawl)",
                    "multi": True,
                    "includeAll": True,
                    "allValue": ".*",
                    "refresh": 2,
                },
            ]
        },
        "panels": [panel(number) for number in range(len(PANELS))],
    }


def main() -> None:
    """Write the file."""
    PAGE.write_text(json.dumps(dashboard(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
