"""One crawl by the Scrapyd daemons of two machines, which share a PostgreSQL database."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from scrapyd_server import Scrapyd

from fixtures.databases import Databases
from fixtures.server import Page, Server, page
from sitecrawl.frontier.base import FrontierError
from sitecrawl.frontier.opening import open_records

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
PATHS = [f"/{one}-{other}" for one in WORDS[:5] for other in WORDS[:6]]


def site(number: int) -> dict[str, Page]:
    """Pages with texts of their own."""
    pages: dict[str, Page] = {"/": page(*PATHS, text=f"Home of {number}")}
    for place, path in enumerate(PATHS):
        text = " ".join(f"word{(number * 977 + place * 31 + n * n * 7) % 9000}" for n in range(60))
        pages[path] = page(text=text)
    return pages


def both_at_work(url: str) -> bool:
    """Return True if two workers have fetched pages."""
    try:
        with open_records(url) as records:
            return sum(each.pages > 0 for each in records.workers()) == 2
    except FrontierError:
        return False


@pytest.mark.behaviour("W-08")
def test_two_daemons_share_a_crawl_and_one_is_lost(
    server: Server, databases: Databases, tmp_path: Path
) -> None:
    url = databases.postgres.url("daemons")
    origins = [server.serve(site(n), address=f"127.0.4.{n + 1}") for n in range(8)]
    daemons = []
    for number in (1, 2):
        folder = tmp_path / f"machine{number}"
        folder.mkdir()
        daemons.append(Scrapyd(folder, f"127.1.0.{number}"))
    lost, other = daemons
    settings = [f"SITECRAWL_DATABASE={url}", 'FEEDS={"documents.jsonl": {"format": "jsonlines"}}']
    call = {
        "project": "sitecrawl",
        "spider": "site",
        "setting": settings,
        "start": " ".join(f"{origin}/" for origin in origins),
        "crawl_name": "daemons",
        "delay": "0.7",
        "politeness": "0",
    }
    try:
        jobs = [daemon.ask("schedule.json", **call)["jobid"] for daemon in daemons]
        deadline = time.monotonic() + 60
        while not both_at_work(url) and time.monotonic() < deadline:
            time.sleep(0.2)
        lost.kill()
        log = other.finished("sitecrawl", jobs[1])
    finally:
        other.close()
    assert "'finish_reason': 'finished'" in log
    with open_records(url) as records:
        found = {record["url"] for record in records.documents()}
        workers = {each.finish for each in records.workers()}
    assert found == {f"{origin}{path}" for origin in origins for path in ("/", *PATHS)}
    assert workers == {"died", "finished"}
    for origin in origins:
        assert server.log.most_in_flight(origin) == 1
        assert server.log.shortest_gap(origin) >= 0.69
    lines = (tmp_path / "machine2" / "documents.jsonl").read_text().splitlines()
    seqs = [json.loads(line)["seq"] for line in lines]
    assert len(set(seqs)) == len(seqs)
