"""Run a command in this process, and collect its output."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from scrapy.cmdline import execute
from scrapy.settings import Settings

import fixtures.installed  # noqa: F401
from fixtures.crawls import Crawl
from fixtures.server import Answer, Page, Server, page, redirect


@dataclass(frozen=True, slots=True)
class Said:
    """The output of a command, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines of standard output."""
        return self.out.splitlines()

    @property
    def records(self) -> list[dict[str, Any]]:
        """Every line of standard output as JSON."""
        return [json.loads(line) for line in self.lines]

    @property
    def record(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        (record,) = self.records
        return record


SITE: dict[str, Page] = {
    "/robots.txt": "User-agent: *\nDisallow: /private/\n",
    "/": page("/a", "/private/x", "/dead", "/gone", "/old", "/a.gif", "/b.gif"),
    "/a": page("/a/b", "/dead"),
    "/a/b": page(title="B"),
    "/gone": Answer("gone", status=410),
    "/old": redirect("/new", status=302),
    "/new": page(title="New"),
}
"""A site with a dead link, a page that is gone, a forbidden one and a redirect."""

Say = Callable[..., Said]


class Crawled(NamedTuple):
    """A finished crawl: the server and its site, what the run left, and in which folder."""

    server: Server
    origin: str
    site: dict[str, Page]
    run: Crawl
    folder: Path


def scrapy(*words: object) -> Said:
    """``scrapy WORDS`` in this process and the current folder."""
    settings = Settings()
    settings.setmodule("sitecrawl.settings", priority="project")
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        execute(["scrapy", *(str(word) for word in words)], settings)
    return Said(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def states(lines: list[str], origin: str) -> dict[str, int]:
    """The states of a pending file by path."""
    words = (line.split() for line in lines)
    return {url.removeprefix(origin): int(state) for url, _, state in words}
