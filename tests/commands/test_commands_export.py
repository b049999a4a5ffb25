"""`scrapy export`: the same lines as the feeds, from the crawl database alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from saying import Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page


@pytest.fixture
def site() -> dict[str, Page]:
    return {
        "/": page("/a", "/b", title="Größe"),
        "/a": page(title="A"),
        "/b": page(title="B"),
    }


def feed(crawl: CrawlCommand, number: int) -> list[str]:
    """The lines that a run wrote, by seq."""
    text = (crawl.directory / f"documents-{number}.jsonl").read_text("utf-8")
    return sorted(text.splitlines(), key=lambda line: json.loads(line)["seq"])


def test_it_writes_the_lines_that_the_crawl_wrote(
    server: Server, crawl: CrawlCommand, say: Say, site: dict[str, Page]
) -> None:
    crawl(f"{server.serve(site)}/")
    server.log.clear()
    said = say("export")
    assert said.status == 0, said.err
    assert said.lines == feed(crawl, 1)
    assert "Größe" in said.out
    assert server.log.targets() == []


def test_the_fields_have_the_names_of_the_crawl(
    server: Server, crawl: CrawlCommand, say: Say, site: dict[str, Page]
) -> None:
    crawl(f"{server.serve(site)}/", field_map="title:headline")
    assert {record["headline"] for record in say("export").records} == {"Größe", "A", "B"}
    assert say("export").lines == feed(crawl, 1)


def test_changes_since_a_seq(
    server: Server, crawl: CrawlCommand, say: Say, site: dict[str, Page]
) -> None:
    origin = server.serve(site)
    crawl(f"{origin}/")
    site["/a"] = page(title="A", text="changed")
    site["/b"] = Answer("gone", status=410)
    crawl(f"{origin}/", force=1)
    assert say("export", "--since", 3).lines == feed(crawl, 2)
    everything = say("export", "--since", 0).records
    assert [(record["op"], record["url"].removeprefix(origin)) for record in everything[1:]] == [
        ("upsert", "/a"),
        ("delete", "/b"),
    ] or {record["url"].removeprefix(origin) for record in everything} == {"/", "/a", "/b"}
    assert {record["url"].removeprefix(origin) for record in say("export").records} == {"/", "/a"}
    last = max(record["seq"] for record in everything)
    assert (say("export", "--since", last).status, say("export", "--since", last).out) == (1, "")


def test_files_are_written_whole(
    server: Server, crawl: CrawlCommand, say: Say, site: dict[str, Page], tmp_path: Path
) -> None:
    crawl(f"{server.serve(site)}/")
    lines = feed(crawl, 1)
    out = tmp_path / "out.jsonl"
    out.write_text("old\n")
    assert say("export", "-O", out).status == 0
    assert out.read_text("utf-8").splitlines() == lines
    out.write_text("whole\nhal")
    assert say("export", "-o", out, "--since", 1).status == 0
    assert out.read_text("utf-8").splitlines() == ["whole", *lines[1:]]
    assert say("export", "-O", out, "--since", 99).status == 1
    assert out.read_text("utf-8") == ""
    assert not list(tmp_path.glob("*.part"))


def test_what_is_wrong_is_one_line(
    server: Server, crawl: CrawlCommand, say: Say, site: dict[str, Page]
) -> None:
    assert say("export").status == 3
    assert "give -o or -O, not both" in say("export", "-o", "a", "-O", "b").err
    assert "there is nothing to do with 'file'" in say("export", "file").err
    crawl(f"{server.serve(site)}/")
    for option in ("-o", "-O"):
        said = say("export", option, "no/such/folder")
        assert (said.status, said.err) == (
            2,
            "no/such/folder cannot be written: No such file or directory.\n",
        )
