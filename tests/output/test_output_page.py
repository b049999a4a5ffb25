"""docs/output.md: its examples are values of their fields, and its program works."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page
from scripts import output_fields
from sitecrawl.policy.documents.fields import DELETION, DOCUMENT, MINIMAL
from sitecrawl.policy.documents.output_shapes import PRESETS

PAGE = (Path(__file__).parent.parent.parent / "docs" / "output.md").read_text("utf-8")
ROW = re.compile(r"^\| `(\w+)` \| .+ \| `(.+)` \|$", re.MULTILINE)
PROGRAM = re.compile(r"```python\n(.+?)```", re.DOTALL)


def examples(section: str) -> dict[str, Any]:
    """The example of each field in a section."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return {name: json.loads(value) for name, value in ROW.findall(text)}


def test_tables_are_current() -> None:
    assert output_fields.page(PAGE) == PAGE, "run: python -m scripts.output_fields"


def test_every_field_has_an_example() -> None:
    document, deletion = examples("Documents"), examples("Deletions")
    assert tuple(document) == tuple(DOCUMENT)
    assert tuple(deletion) == tuple(DELETION)
    assert (document["op"], deletion["op"]) == ("upsert", "delete")
    assert document["id"] == deletion["id"]
    path = document["url"].partition(document["url_host"])[2]
    assert path == document["url_path"]
    folders = [document[f"url_path_dir{n}"] for n in (1, 2, 3)]
    assert folders == path.split("/")[1:4]
    assert (
        set(re.findall(r"`(\w+)`", PAGE.partition("| `minimal` |")[2].splitlines()[0])) == MINIMAL
    )
    assert PRESETS["elastic"](document)["headings"] == ["Installation"]


@pytest.mark.behaviour("O-01", "O-03", "O-08")
def test_real_lines_have_the_types_of_the_examples(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {
        "/": page("/a/b/c", title="Start"),
        "/a/b/c": Answer(
            "<title>C</title><meta name=keywords content='x, x, y'><h2 id=h>Two</h2>"
            "<p>Text <span lang=de>Auf Deutsch</span>",
            headers={"ETag": '"1"', "Last-Modified": "Sun, 01 Nov 2026 00:00:00 GMT"},
        ),
    }
    origin = server.serve(site)
    run = crawl(f"{origin}/", more_fields="links metas", realm="library")
    example = examples("Documents")
    for line in run.lines:
        assert set(line) <= set(example)
        assert {name: type(value) for name, value in line.items()} == {
            name: type(example[name]) for name in line
        }
        assert line["realm"] == "library"
    assert run.documents[f"{origin}/a/b/c"]["source_url"] == f"{origin}/"
    site["/a/b/c"] = Answer("gone", status=410)
    (deletion,) = (
        line
        for line in crawl(f"{origin}/", force=1, realm="library").lines
        if line["op"] == "delete"
    )
    assert set(deletion) == set(DELETION) - {"moved_to"}


@pytest.mark.behaviour("Q-11")
def test_addresses_that_a_program_may_answer_are_marked(
    server: Server, crawl: CrawlCommand
) -> None:
    paths = ("/plain.html", "/a?id=1", "/a;b.html", "/$a", "/a=b", "/a&b")
    site: dict[str, Page] = {path: page(title=path) for path in paths}
    origin = server.serve({"/": page(*paths, title="Start"), **site})
    documents = crawl(f"{origin}/").documents
    told = {url.removeprefix(origin): each.get("url_dynamic") for url, each in documents.items()}
    assert told == {"/": None, "/plain.html": None, **dict.fromkeys(paths[1:], True)}


def test_the_program_applies_changes_in_any_order_and_twice(tmp_path: Path) -> None:
    found = PROGRAM.search(PAGE)
    assert found is not None
    names: dict[str, Any] = {}
    exec(found[1], names)
    lines = [
        {"op": "upsert", "id": "a", "seq": 1, "title": "old"},
        {"op": "delete", "id": "b", "seq": 5},
        {"op": "upsert", "id": "b", "seq": 4, "title": "late"},
        {"op": "upsert", "id": "a", "seq": 3, "title": "new \u2028 line"},
        {"op": "upsert", "id": "c", "seq": 6, "title": "whole"},
    ]
    feed = tmp_path / "documents.jsonl"
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    feed.write_text(text + '{"op":"upsert","id":"d","seq":7,"tit', encoding="utf-8")
    index: dict[str, Any] = {}
    applied: dict[str, int] = {}
    for _ in range(2):
        names["apply"](feed, index, applied)
        assert {key: each["title"] for key, each in index.items()} == {
            "a": "new \u2028 line",
            "c": "whole",
        }
    assert applied == {"a": 3, "b": 5, "c": 6}
