"""`scrapy export`: the same lines as the feeds, from the crawl database alone."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from saying import Crawled, Say

from fixtures.command import Command
from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, page
from sitecrawl.output.feeds import claim

SITE: dict[str, Page] = {
    "/": page("/a", "/b", title="Größe"),
    "/a": page(title="A"),
    "/b": page(title="B"),
}
OPTIONS = {"field_map": "title:headline"}


def feed(folder: Path, number: int = 1) -> list[str]:
    """The lines that a run wrote, by seq."""
    text = (folder / f"documents-{number}.jsonl").read_text("utf-8")
    return sorted(text.splitlines(), key=lambda line: json.loads(line)["seq"])


def test_it_writes_the_lines_that_the_crawl_wrote(known: Crawled, say: Say) -> None:
    said = say("export")
    assert said.status == 0, said.err
    assert said.lines == feed(known.folder)
    assert {record["headline"] for record in said.records} == {"Größe", "A", "B"}
    assert "Größe" in said.out
    assert known.server.log.targets() == []


@pytest.mark.usefixtures("say")
def test_lines_are_utf_8_whatever_the_locale(
    known: Crawled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    command = [sys.executable, "-m", "scrapy", "export"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=300, check=True)
    assert ended.stdout.decode("utf-8").splitlines() == feed(known.folder)


def test_an_empty_export_says_why(known: Crawled, say: Say) -> None:
    said = say("export", "--since", 1200)
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith("No change has a seq above 1200: the last one of ")
    assert said.err.rstrip().endswith(f" is {len(feed(known.folder))}.")
    assert say("frontier", "redirects").err == "No URL redirects.\n"


def test_changes_since_a_seq(known: Crawled, crawl: CrawlCommand, say: Say) -> None:
    known.site["/a"] = page(title="A", text="changed")
    known.site["/b"] = Answer("gone", status=410)
    crawl(f"{known.origin}/", force=1, field_map="title:headline")
    assert say("export", "--since", 3).lines == feed(crawl.directory)
    everything = [(record["op"], record["url"]) for record in say("export", "--since", 0).records]
    a, b, start = (f"{known.origin}/{name}" for name in ("a", "b", ""))
    assert sorted(everything) == [("delete", b), ("upsert", start), ("upsert", a)]
    assert {record["url"] for record in say("export").records} == {start, a}
    last = max(record["seq"] for record in say("export", "--since", 0).records)
    nothing = say("export", "--since", last)
    assert (nothing.status, nothing.out) == (1, "")


def test_files_are_written_whole(known: Crawled, say: Say, tmp_path: Path) -> None:
    lines = feed(known.folder)
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


@pytest.mark.parametrize("option", ["-o", "-O"])
def test_what_is_no_file_is_written_to_and_not_replaced(
    option: str, known: Crawled, say: Say, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as reader:
        read = reader.submit(pipe.read_text, "utf-8")
        assert say("export", option, pipe).status == 0
        assert pipe.is_fifo()
        assert read.result(60).splitlines() == feed(known.folder)


def test_a_link_and_the_permissions_of_a_file_stay(
    known: Crawled, say: Say, tmp_path: Path
) -> None:
    out, link = tmp_path / "out.jsonl", tmp_path / "latest.jsonl"
    out.touch(mode=0o600)
    link.symlink_to(out)
    assert say("export", "-O", link).status == 0
    assert link.is_symlink()
    assert out.read_text("utf-8").splitlines() == feed(known.folder)
    assert out.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("known", "say")
def test_a_full_disk_behind_standard_output_is_not_laid_at_the_databases_door(
    tmp_path: Path,
) -> None:
    full, errors = Path("/dev/full"), tmp_path / "errors"
    assert Command(["export"], tmp_path, output=full, errors=errors).wait(300) == 2
    said = errors.read_text("utf-8")
    assert said == "standard output cannot be written: No space left on device.\n"


@pytest.mark.parametrize("option", ["-o", "-O"])
@pytest.mark.usefixtures("known")
def test_a_file_that_cannot_be_written_is_named(say: Say, option: str) -> None:
    said = say("export", option, "no/such/folder")
    assert said.status == 2
    assert said.err == "no/such/folder cannot be written: No such file or directory.\n"


@pytest.mark.parametrize("name", ["n" * 253, "n" * 400])
@pytest.mark.usefixtures("known")
def test_a_place_that_takes_no_file_is_not_laid_at_the_databases_door(say: Say, name: str) -> None:
    said = say("export", "-O", name)  # to look for it, or to remove it, fails as well
    assert said.status == 2
    assert said.err == f"{name} cannot be written: File name too long.\n"


@pytest.mark.parametrize("option", ["-O", "-o"])
def test_a_file_that_a_crawl_is_writing_is_left_alone(
    known: Crawled, say: Say, tmp_path: Path, option: str
) -> None:
    place = tmp_path / "documents.jsonl"
    place.write_text('{"half":', "utf-8")
    with place.open("ab") as file:
        claim(file, str(place))
        said = say("export", option, str(place))
    assert said.status == 2
    assert "another crawl is writing this file" in said.err
    assert place.read_text("utf-8") == '{"half":'
    assert [path.name for path in tmp_path.glob("documents.jsonl*")] == ["documents.jsonl"]
    assert say("export", option, str(place)).status == 0
    assert place.read_text("utf-8").splitlines() == feed(known.folder)


def test_what_is_wrong_is_one_line(say: Say) -> None:
    assert say("export").status == 3
    assert "give -o or -O, not both" in say("export", "-o", "a", "-O", "b").err
    assert "there is nothing to do with 'file'" in say("export", "file").err
    assert "name the file .jsonl instead of 'all.csv'" in say("export", "-O", "all.csv").err
    said = say("export", "-s", "sitecrawl_database=sqlite:///x.db")
    assert (said.status, said.err.count("Did you mean 'SITECRAWL_DATABASE'?")) == (2, 1)


@pytest.mark.usefixtures("known")
def test_a_damaged_document_is_reported_in_one_line(say: Say, tmp_path: Path) -> None:
    """SQLite notices damage to its own pages, not within what they hold."""
    (database,) = (tmp_path / ".sitecrawl").glob("*.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE document SET body = CAST(X'00' || body AS BLOB)")
    place = tmp_path / "documents.jsonl"
    place.write_text("kept", "utf-8")
    said = say("export", "-O", place)
    assert said.status == 3
    assert said.err.startswith("A document in the crawl database is damaged; restore a copy")
    assert place.read_text("utf-8") == "kept"
