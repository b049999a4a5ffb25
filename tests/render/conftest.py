"""One crawl of an application in a real Chromium, which many tests look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from fixtures.applications import (
    DIALOGS,
    HIDING,
    LATE,
    LEADING_ON,
    SCROLLING,
    SLOW,
    application,
)
from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import AccessLog, Page, Server

VIEWS = {
    "/": ("/one", "/private"),
    "/one": ("/two", "/late", "/scrolling", "/dialogs"),
    "/two": ("/", "/leading", "/hiding"),
}
SITE: dict[str, Page] = {
    **application(VIEWS),
    "/robots.txt": "User-agent: *\nDisallow: /private\n",
    "/late": LATE,
    "/slow.json": SLOW,
    "/scrolling": SCROLLING,
    "/dialogs": DIALOGS,
    "/leading": LEADING_ON,
    "/arrived": "<title>Arrived</title><p>Arrived",
    "/hiding": HIDING,
}
DENIED = r'["/entry/"]'  # what the endless page links to


@dataclass(frozen=True, slots=True)
class Result:
    """Results of one crawl of the application."""

    origin: str
    crawl: Crawl
    log: AccessLog
    rows: dict[str, tuple[int, str, int | None, str | None, str | None]]

    def text(self, path: str) -> str:
        """The body of the document of a path."""
        body: str = self.crawl.documents[f"{self.origin}{path}"]["body"]
        return body


def crawled(command: CrawlCommand, server: Server, origin: str, render: str) -> Result:
    """One run, and what the crawl database says of each path."""
    done = command(f"{origin}/", deny=DENIED, render=render, render_time=60)
    query = "select url, outcome, reason, status, redirect_to, detail from url"
    rows = {row[0].removeprefix(origin): row[1:] for row in command.rows(query)}
    return Result(origin, done, server.log, rows)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Result]:
    """The application as ``render=playwright`` finds it."""
    with Server() as server:
        command = CrawlCommand(tmp_path_factory.mktemp("rendered"))
        yield crawled(command, server, server.serve(SITE), "playwright")
