"""Output that cannot be had at all: nothing is requested, and nothing counts as delivered."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from fixtures.command import Command
from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page

pytestmark = pytest.mark.slow

SITE: dict[str, Page] = {"/": page("/a", title="Start"), "/a": page(title="A")}
LINES = {"format": "jsonlines"}
Closing = Callable[[str, str], tuple[int, str]]


@pytest.mark.parametrize(
    ("feeds", "told"),
    [
        ({"all.jsonl": LINES, "%(nosuch)s.jsonl": LINES}, "KeyError('nosuch')"),
        ({"%(name)d.jsonl": LINES}, "no output can be opened for %(name)d.jsonl: TypeError"),
        ({"http://127.0.0.1/x.jsonl": LINES}, "Unknown feed storage scheme: http"),
        ({"x.jsonl": {"format": "nosuch"}}, "Unknown feed format: nosuch"),
        ({"x.jsonl": {**LINES, "batch_item_count": 5}}, "must be in the feed URI (x.jsonl)"),
        ({"x.jsonl": "jsonlines"}, "nothing is requested: 'str' object has no attribute"),
    ],
)
def test_nothing_is_requested_and_nothing_lost(
    feeds: dict[str, object], told: str, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(SITE)
    log = crawl.directory / "failed.log"
    start = ["-a", f"start={origin}/", "-a", "delay=0", "-s", f"FEEDS={json.dumps(feeds)}"]
    assert Command(["crawl", "site", *start], crawl.directory, errors=log).wait(120) == 1
    said = log.read_text("utf-8")
    assert told in said
    assert "The output (-O, -o, FEEDS) cannot be written, nothing is requested" in said
    assert "Traceback" not in said
    assert server.log.targets() == []
    again = crawl(f"{origin}/")
    assert again.status == 0, again.log[-3000:]
    assert again.documents.keys() == {f"{origin}{path}" for path in SITE}


def test_a_part_of_a_feed_that_does_not_exist_ends_the_crawl_in_a_line(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(SITE)
    log = crawl.directory / "failed.log"
    feeds = {"x.jsonl": {**LINES, "postprocessing": ["nosuch.Plugin"]}}
    start = ["-a", f"start={origin}/", "-a", "delay=0", "-s", f"FEEDS={json.dumps(feeds)}"]
    assert Command(["crawl", "site", *start], crawl.directory, errors=log).wait(120) == 1
    said = log.read_text("utf-8")
    assert "cannot be written and the crawl ends: No module named 'nosuch'" in said
    assert "Traceback" not in said
    assert crawl(f"{origin}/").documents.keys() == {f"{origin}{path}" for path in SITE}


@pytest.fixture
def closing(server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch) -> Closing:
    """A crawl with an output, and streams that a shell closes: its status and errors."""
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    origin = server.serve(SITE)

    def run(output: str, closed: str) -> tuple[int, str]:
        words = ["crawl", "site", "-O", output, "-a", f"start={origin}/", "-a", "delay=0"]
        run = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "scrapy", *words],
            stderr=subprocess.PIPE,
            cwd=crawl.directory,
            text=True,
            timeout=300,
            check=False,
        )
        return run.returncode, run.stderr

    return run


def test_lines_for_a_standard_output_that_is_closed(closing: Closing) -> None:
    status, said = closing("-:jsonlines", ">&-")
    assert status == 1
    assert "standard output is closed" in said
    assert "Traceback" not in said


def test_a_crawl_without_standard_streams(closing: Closing, crawl: CrawlCommand) -> None:
    assert closing("x.jsonl", "<&- >&- 2>&-") == (0, "")
    assert len((crawl.directory / "x.jsonl").read_text("utf-8").splitlines()) == len(SITE)
