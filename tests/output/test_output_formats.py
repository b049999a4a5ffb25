"""The lines of the output in formats other than JSON lines, written by real crawls."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fixtures.crawls import Running
from fixtures.server import Answer, Page, Server, page

STRANGE = page(
    title="Strange",
    head='<meta name="a b" content="1"><meta name=keywords content="set up, set up">'
    '<script type="application/ld+json">{"@type": "Article", "author": "Jo\\udc00 Doe"}</script>',
    body="<p>&#1;text&#xFFFF;</p>",
)


def run(origin: str, output: Path, *options: str, to: str = "-O") -> str:
    arguments = ["crawl", "site", to, str(output), "-a", f"start={origin}/", "-a", "delay=0"]
    done = Running([*arguments, *options], output.parent, output.parent / "none.jsonl").finish()
    assert done.status == 0, done.log[-3000:]
    assert "Traceback" not in done.log
    return output.read_text(encoding="utf-8")


@pytest.mark.behaviour("O-12")
def test_csv_has_a_column_for_every_field(server: Server, tmp_path: Path) -> None:
    site: dict[str, Page] = {"/": page("/a", title="Start"), "/a": page(title="A")}
    origin = server.serve(site)
    first = run(origin, tmp_path / "1.csv", "-a", "field_map=body:content")
    rows = list(csv.DictReader(StringIO(first)))
    assert [row["source_url"] for row in rows] == ["", f"{origin}/"]
    assert [row["content"].split()[0] for row in rows] == ["Start", "A"]
    site["/a"] = Answer(status=410)
    second = run(origin, tmp_path / "2.csv", "-a", "force=1", "-a", "preset=minimal")
    (row,) = csv.DictReader(StringIO(second))
    assert (row["op"], row["reason"], row["title"]) == ("delete", "gone", "")
    site["/"] = page("/b", title="Anew")
    site["/b"] = page(title="B")
    third = run(origin, tmp_path / "2.csv", "-a", "force=1", "-a", "preset=minimal", to="-o")
    rows = list(csv.DictReader(StringIO(third)))
    assert [row["title"] for row in rows] == [
        "",
        "B",
        "Anew",
    ]  # a text that was replaced comes last


@pytest.mark.behaviour("O-12")
def test_strange_names_and_characters_break_no_format(server: Server, tmp_path: Path) -> None:
    origin = server.serve({"/": STRANGE})
    written = run(origin, tmp_path / "1.xml", "-a", "more_fields=metas")
    (item,) = ElementTree.fromstring(written)
    assert item.findtext("body") == "Strange\n\ufffdtext\ufffd"
    names = [name.text for name in item.findall("metas/value/name")]
    assert names == ["a b", "keywords"]
    again = run(origin, tmp_path / "1.json", "-a", "force=1", "-a", "realm=again")
    assert [line["author"] for line in json.loads(again)] == ["Jo\ufffd Doe"]
