"""What a command says, and a way to run it in this process."""

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

from fixtures.crawls import Crawl
from fixtures.server import Page, Server


@dataclass(frozen=True, slots=True)
class Said:
    """What a command printed, and its exit status."""

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
