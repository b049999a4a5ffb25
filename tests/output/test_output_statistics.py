"""Reports of a running crawl: figures, a progress line, and a short log."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.command import Command
from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect

PATHS = [f"/{number}" for number in range(8)]
SITE: dict[str, Page] = {
    "/robots.txt": "User-agent: *\nDisallow: /private/\n",
    "/": page(
        *PATHS, "/gone", "/moved", "/broken", "/song.mp3", "/private/1", "/private/2", title="Start"
    ),
    **{path: Answer(page(title=path), delay=0.1) for path in PATHS},
    "/moved": redirect("/0"),
    "/broken": Answer("broken", status=500),
}
FIGURES = re.compile(
    r"\[sitecrawl\.extensions\.progress_log\] INFO: (\d+) pages \([\d.]+/s\), (\d+) waiting, "
    r"(\d+) errors, (\d+) lines; answers: 2xx (\d+), 3xx (\d+), 4xx (\d+), 5xx (\d+); "
    r"links refused: (\d+); after \d:\d\d; \d sites? left.*\n"
)
END = re.compile(
    r"INFO: Ended after \d+ s: (\d+) pages \([\d.]+/s\), (\d+) errors, (\d+) lines; "
    r"answers: 2xx (\d+), 3xx (\d+), 4xx (\d+), 5xx (\d+); links refused: (\d+)\n$"
)
ONCE = {"patience": 9, "politeness": 0, "retries": 0}


@pytest.mark.behaviour("O-10")
def test_figures_are_logged_every_so_many_pages_and_at_the_end(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(dict(SITE))
    settings = {"SITECRAWL_STATISTICS_PAGES": 3, "SITECRAWL_STATISTICS_SECONDS": 0.05}
    run = crawl(f"{origin}/", settings=settings, **ONCE)
    assert run.status == 0, run.log[-3000:]
    lines = [tuple(map(int, found)) for found in FIGURES.findall(run.log)]
    pages = [line[0] for line in lines]
    assert len(pages) >= 2
    assert all(later - earlier >= 3 for earlier, later in zip([0, *pages], pages, strict=False))
    assert all(line[0] + line[1] <= 14 for line in lines)
    end = END.search(run.log)
    assert end is not None, run.log[-1500:]
    statuses = [each.status for each in server.log.of(origin)]
    counts = [sum(status // 100 == kind for status in statuses) for kind in (2, 3, 4, 5)]
    done, errors, written, *answers, refused = map(int, end.groups())
    assert (written, refused, answers) == (9, 3, counts)
    assert (done, errors) == (sum(line for line in counts) - 1, 2)


def test_records_without_a_feed_are_reported_as_stored_in_the_database(
    server: Server, tmp_path: Path
) -> None:
    start = f"start={server.serve({'/': page(title='Start')})}/"
    log = tmp_path / "log"
    assert Command(["crawl", "site", "-a", start], tmp_path, errors=log).wait(300) == 0
    assert "No feed is set: 1 lines are in the crawl database alone." in log.read_text()
    wanted = ["crawl", "site", "-a", start, "-O", "documents.jsonl"]
    assert Command(wanted, tmp_path, errors=log).wait(300) == 0
    assert "No feed is set" not in log.read_text()
    assert len((tmp_path / "documents.jsonl").read_text().splitlines()) == 1


def test_a_run_that_leaves_its_file_alone_says_how_to_have_all(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/": page("/a", title="Start"), "/a": page(title="A")}
    origin = server.serve(site)
    hint = "No line was written: nothing that this run visited is new, changed or gone."
    assert hint not in crawl(f"{origin}/").log
    second = crawl(f"{origin}/").log
    assert hint in second
    assert "No page was due: " in second
    assert hint not in crawl(f"{origin}/", mode="check").log
    site["/"] = Answer(status=403)
    assert hint not in crawl(f"{origin}/", force=1, activity="discover").log


@pytest.mark.behaviour("O-10")
def test_no_figures_in_between_where_none_are_asked_for(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(dict(SITE))
    settings = {"SITECRAWL_STATISTICS_PAGES": 0, "SITECRAWL_STATISTICS_SECONDS": 0.05}
    run = crawl(f"{origin}/", settings=settings, **ONCE)
    assert FIGURES.findall(run.log) == []
    assert END.search(run.log)


def test_the_log_of_a_crawl_is_calm(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page(title="Start")})
    log = crawl(f"{origin}/", contact="https://example.org/bot").log
    for word in ("Overridden settings", "Enabled ", "Versions:", "Scrapy 2.", "pages/min"):
        assert word not in log
    assert "WARNING" not in log
    told = crawl(f"{origin}/", settings={"LOG_LEVEL": "DEBUG"}).log
    assert "Overridden settings" in told


def watch(directory: Path, *words: str) -> str:
    """Run ``scrapy crawl`` with a terminal as standard error, and return its output."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "scrapy", "crawl", "site", *words]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings", "COLUMNS": "120"}
    with subprocess.Popen(command, cwd=directory, env=environment, stderr=theirs) as process:
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 4096):
                written += piece
        except OSError:  # as Linux says that the other side has closed
            pass
        finally:
            process.kill()
            os.close(ours)
    return written.decode("utf-8")


@pytest.mark.slow
def test_a_terminal_shows_how_the_crawl_gets_on(server: Server, tmp_path: Path) -> None:
    origin = server.serve(dict(SITE))
    words = [f"start={origin}/", "delay=0.2", *(f"{n}={value}" for n, value in ONCE.items())]
    written = watch(tmp_path, *(part for word in words for part in ("-a", word)))
    shown = re.findall(
        r"\r\x1b\[K\d:\d\d (\d+) pages, (\d+) waiting, [\d.]+/s, \d+ errors", written
    )
    assert len(shown) >= 2
    assert int(shown[0][0]) < int(shown[-1][0])
    assert "\r\x1b[K20" in written  # a log line takes the place of the progress line
    assert FIGURES.findall(written) == []
    assert re.search(r"; 127\.[\d.:]+ every 0\.2 s by delay 0\.2", written)
    told = written.partition("Spider closed")[2].replace("\x1b[K", "").split("\r")
    assert any(line.startswith("Ended after") for line in told)
    assert any(line.startswith("No feed is set: 9 lines") for line in told)
    assert any(line.startswith("Next: ") for line in told)
    assert "Dumping Scrapy stats" not in written
