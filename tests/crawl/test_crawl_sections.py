"""Crawls that write Markdown and sections, over several runs while their site changes."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server
from sitecrawl.policy.documents.section_documents import GAP, orders

OPTIONS = {"split": "sections", "section_min": 0, "force": 1}
TEXT = "Some words about it that say enough to be read."


def markup(title: str, sections: Iterable[str], rest: str = "") -> str:
    parts = "".join(
        f"<h2 id={each.split()[0]}>{each}</h2><p>{TEXT} {each}</p>" for each in sections
    )
    return f"<html><title>{title}</title><h1>{title}</h1><p>{TEXT}</p>{parts}{rest}"


def fold(files: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """An index that was given all lines in the order of the files."""
    index: dict[str, dict[str, Any]] = {}
    applied: dict[str, int] = {}
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            change = json.loads(line)
            if change["seq"] <= applied.get(change["id"], 0):
                continue
            applied[change["id"]] = change["seq"]
            index.pop(change["id"], None)
            if change["op"] == "upsert":
                index[change["id"]] = change
    return index


def check_fold(crawl: CrawlCommand) -> dict[str, dict[str, Any]]:
    """All lines together are what the database exports; the answer is that index."""
    index = fold(sorted(crawl.directory.glob("documents-*.jsonl"), key=number))
    target = crawl.directory / "export.jsonl"
    target.unlink(missing_ok=True)
    status, printed = crawl.command("export", "-O", str(target))
    assert status in (0, 1), printed
    exported = [json.loads(line) for line in target.read_text().splitlines()] if status == 0 else []
    assert {each["id"]: each for each in exported} == index
    return index


def number(path: Path) -> int:
    return int(path.stem.partition("-")[2])


def headings(lines: Iterable[dict[str, Any]], op: str = "upsert") -> list[str]:
    return [(line.get("heading_path") or [""])[-1] for line in lines if line["op"] == op]


@pytest.mark.behaviour("MK-04", "SE-01")
def test_the_preset_for_retrieval(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": markup("Home", ["A", "B"], "<table><tr><th>x<th>y</table>")})
    line = crawl(f"{origin}/", preset="rag", section_min=0).documents[f"{origin}/"]
    assert line["markdown"].startswith("# Home\n\nSome words")
    assert line["markdown"].endswith("| x | y |\n| --- | --- |")
    assert [each["heading_path"] for each in line["sections"]] == [
        ["Home"],
        ["Home", "A"],
        ["Home", "B"],
    ]
    assert line["sections"][1]["url"] == f"{origin}/#A"
    assert line["body"].split() == " ".join(each["text"] for each in line["sections"]).split()
    assert not line.keys() & {"headings", "url_path", "status_code", "depth"}


@pytest.mark.behaviour("SE-02", "SE-05")
def test_a_renamed_heading_changes_one_section(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Any] = {"/": markup("Home", ["A", "B", "C"])}
    origin = server.serve(site)
    first = crawl(f"{origin}/", **OPTIONS)
    [b] = [line for line in first.lines if line["heading_path"][-1] == "B"]
    site["/"] = site["/"].replace(">B<", ">Renamed<")
    for _ in range(2):  # and again, from the renamed one
        [line] = crawl(f"{origin}/", **OPTIONS).lines
        assert (line["op"], line["change"], line["id"]) == ("upsert", "changed", b["id"])
        site["/"] = site["/"].replace(">Renamed<", ">Another<")
    assert check_fold(crawl)[b["id"]]["heading_path"] == ["Home", "Another"]


@pytest.mark.behaviour("SE-05", "SE-06")
def test_only_changed_sections_are_written_again(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Any] = {"/": markup("Home", ["A", "B", "C"], "<a href=/two>two</a>")}
    site["/two"] = markup("Two", ["D"])
    origin = server.serve(site)
    first = crawl(f"{origin}/", **OPTIONS)
    assert sorted(headings(first.lines)) == ["A", "B", "C", "D", "Home", "Two"]
    index = check_fold(crawl)
    by_name = {line["heading_path"][-1]: line for line in index.values()}
    assert by_name["A"]["url"] == f"{origin}/#A"
    assert by_name["A"]["body"] == f"A\n{TEXT} A"
    assert by_name["A"]["markdown"] == f"## A\n\n{TEXT} A"
    assert by_name["A"]["parent"] == by_name["Home"]["id"]
    assert by_name["A"]["page_id"] == by_name["Home"]["page_id"] != by_name["Two"]["page_id"]
    assert by_name["Home"]["order"] < by_name["A"]["order"] < by_name["B"]["order"]
    assert not crawl(f"{origin}/", **OPTIONS).lines

    site["/"] = markup("Home", ["A", "New", "B changed", "C"], "<a href=/two>two</a>").replace(
        f"{TEXT} A", f"{TEXT} A edited"
    )
    again = crawl(f"{origin}/", **OPTIONS)
    assert sorted(headings(again.lines)) == ["A", "B changed", "New"]
    assert [line["id"] for line in again.lines if line["op"] == "delete"] == [by_name["B"]["id"]]
    assert [line["reason"] for line in again.lines if line["op"] == "delete"] == ["section_removed"]
    assert {line["change"] for line in again.lines if "change" in line} == {"new", "changed"}
    index = check_fold(crawl)
    ordered = sorted(
        (line for line in index.values() if line["page_id"] == by_name["A"]["page_id"]),
        key=lambda line: line["order"],
    )
    assert headings(ordered) == ["Home", "A", "New", "B changed", "C"]


@pytest.mark.behaviour("SE-05", "SE-06")
def test_sections_end_with_their_page(server: Server, crawl: CrawlCommand) -> None:
    """A page that is gone, noindex or a duplicate takes its sections along."""
    links = "".join(f"<a href=/{name}>{name}</a>" for name in ("gone", "noindex", "copy", "stays"))
    site: dict[str, Any] = {"/": markup("Home", [], links)}
    site |= {
        f"/{name}": markup(name, [f"{name} a", f"{name} b"])
        for name in ("gone", "noindex", "copy", "stays")
    }
    origin = server.serve(site)
    crawl(f"{origin}/", **OPTIONS)
    before = check_fold(crawl)
    assert len(before) == 13
    del site["/gone"]
    site["/noindex"] = site["/noindex"].replace(
        "<html>", "<html><meta name=robots content=noindex>"
    )
    site["/copy"] = site["/stays"]
    again = crawl(f"{origin}/", **OPTIONS, purge_404_after=1)
    reasons = sorted(line["reason"] for line in again.lines if line["op"] == "delete")
    assert reasons == ["duplicate"] * 3 + ["noindex"] * 3 + ["not_found"] * 3
    assert sorted(set(headings(check_fold(crawl).values()))) == [
        "Home",
        "stays",
        "stays a",
        "stays b",
    ]


@pytest.mark.behaviour("SE-05", "SE-06")
def test_pages_become_sections_and_pages_again(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": markup("Home", ["A"])})
    (page,) = crawl(f"{origin}/", force=1).lines
    split = crawl(f"{origin}/", **OPTIONS)
    assert [(line["op"], line.get("reason")) for line in split.lines[:1]] == [("delete", "split")]
    assert split.lines[0]["id"] == page["id"]
    assert sorted(headings(split.lines)) == ["A", "Home"]
    check_fold(crawl)
    back = crawl(f"{origin}/", force=1)
    assert [line["op"] for line in back.lines] == ["delete", "delete", "upsert"]
    assert list(check_fold(crawl)) == [page["id"]]


@pytest.mark.behaviour("SE-05", "SE-06")
def test_other_names_write_every_section_again(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": markup("Home", ["A"])})
    crawl(f"{origin}/", **OPTIONS)
    assert crawl.command("reindex", "-a", "field_map=body:content")[0] == 0
    again = crawl(f"{origin}/", **OPTIONS, field_map="body:content")
    assert len(again.lines) == 2
    assert all("content" in line and "body" not in line for line in again.lines)


@pytest.mark.slow
@pytest.mark.behaviour("SE-06")
def test_kills_lose_no_section(server: Server, crawl: CrawlCommand) -> None:
    links = "".join(f"<a href=/{n}>{n}</a>" for n in range(40))
    site: dict[str, Any] = {"/": markup("Home", [], links)}
    site |= {f"/{n}": markup(f"Page {n}", [f"{n} {each}" for each in "abcd"]) for n in range(40)}
    origin = server.serve(site)
    for after in (3.0, 4.0, 5.0):
        run = crawl.begin(f"{origin}/", **OPTIONS, delay=0)
        time.sleep(after)
        run.process.send_signal(signal.SIGKILL)
        run.process.wait(30)
    crawl(f"{origin}/", **OPTIONS)
    assert len(check_fold(crawl)) == 1 + 40 * 5


@pytest.mark.behaviour("SE-05")
def test_orders_stay_when_sections_come_and_go() -> None:
    before = orders({}, ["a", "b", "c"])
    assert before == {"a": GAP, "b": 2 * GAP, "c": 3 * GAP}
    after = orders(before, ["a", "x", "y", "c"])
    assert (after["a"], after["c"]) == (before["a"], before["c"])
    assert sorted(after, key=after.__getitem__) == ["a", "x", "y", "c"]
    moved = orders(before, ["c", "a", "b"])
    assert (moved["a"], moved["b"]) == (before["a"], before["b"])
    assert moved["c"] < moved["a"]
    tight = orders({"a": 1, "b": 2}, ["a", "x", "b"])
    assert sorted(tight, key=tight.__getitem__) == ["a", "x", "b"]
