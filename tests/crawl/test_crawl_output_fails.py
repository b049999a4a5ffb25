"""Output that cannot be written: nothing counts as delivered, and the next run writes it."""

from __future__ import annotations

import asyncio
import fcntl
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from scrapy.utils.test import get_crawler
from twisted.internet.defer import Deferred

from fixtures.command import Command
from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page
from sitecrawl.items import Record
from sitecrawl.output.feeds import Feeds

PATHS = [f"/{number}" for number in range(20)]
LONG = "word " * 200
SITE: dict[str, Page] = {"/": page(*PATHS, title="Start")}
SITE |= {path: page(title=f"Page {path}", text=f"{path} {LONG}") for path in PATHS}


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("a-file/documents.jsonl", "cannot be written and the crawl ends: [Errno 20]"),
        ("/dev/full:jsonlines", "cannot be written and the crawl ends: [Errno 28]"),
        ("ftp://me:secret@127.0.0.1:9/documents.jsonl", "Not all output could be stored."),
    ],
)
def test_what_a_feed_could_not_take_is_written_by_the_next_run(
    output: str, told: str, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(SITE)
    (crawl.directory / "a-file").touch()
    log = crawl.directory / "failed.log"
    start = ["-a", f"start={origin}/", "-a", "delay=0"]
    command = Command(["crawl", "site", "-O", output, *start], crawl.directory, errors=log)
    assert command.wait(120) == 1
    said = log.read_text("utf-8")
    assert told in said
    assert "secret" not in said
    assert " 0 lines; answers" in said or "[Errno 20]" not in told
    assert said.count("Error caught on signal handler") == 0
    again = crawl(f"{origin}/")
    assert again.status == 0, again.log[-3000:]
    assert again.documents.keys() == {f"{origin}{path}" for path in ("/", *PATHS)}


def test_a_crawl_that_cannot_write_what_is_left_of_the_last_one_ends(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(SITE)
    start = ["-a", f"start={origin}/", "-a", "delay=0"]
    log = crawl.directory / "failed.log"
    left = Command(["crawl", "site", *start], crawl.directory, errors=log)
    assert left.wait(120) == 0
    full = ["crawl", "site", *start, "-O", "/dev/full:jsonlines"]
    command = Command(full, crawl.directory, errors=log)
    try:
        assert command.wait(120) == 1
    finally:
        command.kill()
    assert "[Errno 28]" in log.read_text("utf-8")
    assert len(crawl(f"{origin}/").documents) == len(SITE)


@pytest.mark.parametrize("way", ["-O", "-o"])
def test_two_crawls_do_not_write_one_file(way: str, server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(SITE)
    output = crawl.directory / "documents.jsonl"
    output.write_text("", "utf-8")
    with output.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        log = crawl.directory / "failed.log"
        start = ["-a", f"start={origin}/", "-a", "delay=0"]
        command = Command(["crawl", "site", way, str(output), *start], crawl.directory, errors=log)
        assert command.wait(120) == 1
        assert "another crawl is writing this file" in log.read_text("utf-8")
        file.write(b'{"url": "kept"}\n')
    assert output.read_text("utf-8") == '{"url": "kept"}\n'
    assert len(crawl(f"{origin}/").documents) == len(SITE)


@pytest_twisted.inlineCallbacks
def test_feeds_are_stored_when_the_last_lines_have_come(
    tmp_path: Path,
) -> Generator[Any, Any, None]:
    async def close() -> list[int]:
        crawler = get_crawler(
            settings_dict={"FEEDS": {str(tmp_path / "feed.jsonl"): {"format": "jsonlines"}}}
        )
        feeds = Feeds(crawler)
        spider = crawler._create_spider("site")
        feeds.open_spider(spider)
        feeds.item_scraped(Record(1, {"seq": 1}), spider)

        async def send_last_line() -> None:
            await asyncio.sleep(0.05)
            feeds.item_scraped(Record(2, {"seq": 2}), spider)
            feeds.end_lines()

        feeds.expect_lines()
        await asyncio.gather(feeds.close_spider(spider), send_last_line())
        stored = [feeds.stored]
        await feeds.take_safe_lines()
        assert [*stored, feeds.stored] == [False, True]
        lines = (tmp_path / "feed.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line)["seq"] for line in lines]

    assert (yield Deferred.fromFuture(asyncio.ensure_future(close()))) == [1, 2]


@pytest_twisted.inlineCallbacks
def test_a_line_that_comes_while_others_are_written_out_is_not_safe_yet(
    tmp_path: Path,
) -> Generator[Any, Any, None]:
    async def write() -> list[list[int]]:
        path = tmp_path / "feed.jsonl"
        storages = {"": "sitecrawl.output.feeds.LocalFeedStorage"}
        given = {"FEEDS": {str(path): {"format": "jsonlines"}}, "FEED_STORAGES": storages}
        feeds = Feeds(get_crawler(settings_dict=given))
        spider = feeds.crawler._create_spider("site")
        feeds.open_spider(spider)
        feeds.item_scraped(Record(1, {"seq": 1}), spider)
        first = asyncio.ensure_future(feeds.take_safe_lines())
        await asyncio.sleep(0)  # what was taken is flushed now, and not yet written out
        feeds.item_scraped(Record(2, {"seq": 2}), spider)
        safe = [lines for _, lines, _ in await first]
        assert path.read_text("utf-8") == '{"seq": 1}\n'
        safe += [lines for _, lines, _ in await feeds.take_safe_lines()]
        await feeds.close_spider(spider)
        return safe

    found = yield Deferred.fromFuture(asyncio.ensure_future(write()))
    assert found == [[1], [2]]
