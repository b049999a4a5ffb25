"""`scrapy browse` under way on a crawl of a test's site."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fixtures.command import Command
from fixtures.crawls import CrawlCommand

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Reply:
    """A response: status, headers, text."""

    status: int
    headers: HTTPMessage
    text: str

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.text)


@dataclass(frozen=True, slots=True)
class Browsing:
    """The address of the running application, and the process that serves it."""

    port: int
    process: Command
    folder: Path

    @property
    def address(self) -> str:
        """Address without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def get(
        self,
        path: str,
        query: Mapping[str, object] | None = None,
        *,
        method: str = "GET",
        **headers: str,
    ) -> Reply:
        """One request; a header's underscores are hyphens."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            target = f"{path}?{urlencode(query)}" if query else path
            connection.request(method, target, headers=named)
            response = connection.getresponse()
            return Reply(response.status, response.headers, response.read().decode())
        finally:
            connection.close()

    def wait_for_index(self, words: str = "") -> None:
        """Wait until the search index has every change, and has pages with ``words``."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            targets = self.get("/crawl.json").json["targets"]
            ready = targets and all(not each["behind"] for each in targets)
            if ready and (not words or self.get("/search.json", {"q": words}).json["total"]):
                return
            time.sleep(0.05)
        raise AssertionError("the index is not up to date")


@dataclass(frozen=True, slots=True)
class Shown:
    """The application, the origin of the crawled site, and a page with the search box of the docs."""

    app: Browsing
    origin: str
    command: CrawlCommand
    embedding: str


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def browsing(folder: Path, *options: str) -> Iterator[Browsing]:
    """``scrapy browse`` in a folder, ended with Ctrl-C."""
    port, output = free_port(), folder / "browse.out"
    process = Command(
        ["browse", "--port", str(port), *options], folder, output=output, errors=output
    )
    try:
        running = Browsing(port, process, folder)
        deadline = time.monotonic() + SECONDS
        while "Ctrl-C" not in output.read_text() if output.exists() else True:
            assert time.monotonic() < deadline, output.read_text()
            time.sleep(0.02)
        yield running
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(SECONDS) == 0, output.read_text()
    finally:
        process.kill()
