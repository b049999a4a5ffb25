"""`scrapy sync`, killed at any moment: the next one makes the target equal."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

import pytest

from fixtures.command import Command
from fixtures.crawls import CrawlCommand
from fixtures.opensearch import SearchServer
from fixtures.server import Answer, Page, Server, page
from sitecrawl.search.search_index import open_index

PAGES = 240
ROUNDS = 10
KILLS = 5  # in each round
GONE = Answer("gone", status=410)
Content = dict[str, str]


@pytest.fixture
def sqlite(tmp_path: Path) -> tuple[str, Callable[[], Content]]:
    path = tmp_path / "search.sqlite"

    def content() -> Content:
        with open_index(path) as index:
            return {each.id: each.body for each in index.pages()}

    return f"sqlite:///{path}", content


@pytest.fixture
def opensearch() -> Iterator[tuple[str, Callable[[], Content]]]:
    with SearchServer("opensearch") as engine:

        def content() -> Content:
            return {id_: each["body"] for id_, each in engine.documents("kills").items()}

        yield engine.uri("kills"), content


@pytest.fixture
def store(tmp_path: Path) -> tuple[str, Callable[[], Content]]:
    (tmp_path / "vectors.py").write_text(
        "def embed(texts):\n    return [[float(len(text)), 1.0] for text in texts]\n"
    )

    def content() -> Content:
        import lancedb

        table = lancedb.connect(tmp_path / "store").open_table("sections")
        rows = table.search().select(["page_id", "text"]).to_list()
        assert len({row["page_id"] for row in rows}) == len(rows)
        return {row["page_id"]: row["text"] for row in rows}

    return f"lancedb:///{tmp_path}/store", content


@pytest.fixture(params=["sqlite", "opensearch", "lancedb"])
def target(request: pytest.FixtureRequest) -> tuple[str, Callable[[], Content]]:
    """URI of a target, and what it holds: bodies by id."""
    found: tuple[str, Callable[[], Content]] = request.getfixturevalue(
        {"lancedb": "store"}.get(request.param, request.param)
    )
    return found


def change(site: dict[str, Page], number: int, seeded: random.Random) -> None:
    """Change a third of the pages, remove some, and bring some back."""
    for path in seeded.sample(sorted(site), PAGES // 3):
        if path != "/":
            gone = seeded.random() < 0.2
            site[path] = GONE if gone else page(title=path, text=f"{path} in round {number}")


def fold(lines: list[dict[str, Any]]) -> Content:
    """Bodies of the documents that a reader of all lines has in the end."""
    last = {line["id"]: line for line in sorted(lines, key=lambda line: line["seq"])}
    return {id_: line["body"] for id_, line in last.items() if line["op"] == "upsert"}


@pytest.mark.behaviour("SY-05")
def test_killed_anywhere_equal_afterwards(
    server: Server,
    crawl: CrawlCommand,
    tmp_path: Path,
    target: tuple[str, Callable[[], Content]],
) -> None:
    uri, content = target
    seeded = random.Random(18)
    paths = [f"/{number}" for number in range(PAGES)]
    site: dict[str, Page] = {path: page(title=path, text=path) for path in paths}
    site["/"] = page(*paths)
    origin, lines, killed = server.serve(site), [], 0

    def begin(target: str) -> Command:
        given = ["sync", target, "--batch", "1", "-a", "embed=vectors:embed"]
        return Command(given, tmp_path, errors=tmp_path / "errors")

    for number in range(ROUNDS):
        run = crawl(f"{origin}/", force=1)
        lines += run.lines
        began = time.monotonic()
        assert begin(f"{uri}-other").wait(120) == 0, (tmp_path / "errors").read_text()
        whole = time.monotonic() - began
        for _ in range(KILLS):
            command = begin(uri)
            try:
                command.wait(seeded.uniform(0.2, 0.9) * whole)
            except TimeoutExpired:
                command.kill()
                command.wait()
                killed += 1
        change(site, number, seeded)
    assert killed >= ROUNDS, "too few were still at work"
    last = begin(uri)
    assert last.wait(120) == 0, (tmp_path / "errors").read_text()
    assert content() == fold(lines)
