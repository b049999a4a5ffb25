"""`scrapy report`: the lists against a site whose faults are known, from the command's output."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from saying import Crawled, Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect
from sitecrawl.report.lists import all_lists
from sitecrawl.report.report_list import csv_lines

MAP = "<urlset><url><loc>/</loc></url><url><loc>/orphan</loc></url></urlset>"
EVIL = "<script>alert(1)</script>\"'=1+1"
SITE: dict[str, Page] = {
    "/robots.txt": "User-agent: *\nDisallow: /secret\nSitemap: /sitemap.xml\n",
    "/sitemap.xml": lambda asked: Answer(
        MAP.replace("<loc>", f"<loc>http://{asked.headers['host']}"),
        headers={"Content-Type": "application/xml"},
    ),
    "/": page("/a", "/b", "/gone", "/moved", "/secret", "/twin", "/zip.zip", title="Home"),
    "/a": page("/b", "/gone", "/old", title="Same", text="One of two with a title."),
    "/b": page("/", title="Same", text="The other of the two."),
    "/twin": page("/", title="Same", text="The other of the two."),
    "/orphan": page(title=EVIL, text="Nobody links here."),
    "/gone": Answer("gone", status=404),
    "/old": redirect("/older"),
    "/older": redirect("/b"),
    "/moved": redirect("/gone", 301),
    "/secret": page(title="Secret"),
}
OPTIONS: dict[str, Any] = {"sitemaps": "yes"}
REQUESTS = 11
"""robots.txt, its sitemap, and every URL but the one that robots.txt forbids."""


def rows(known: Crawled, say: Say, name: str) -> list[dict[str, Any]]:
    """A list, with paths in place of URLs."""
    said = say("report", "--list", name, "--format", "json")
    found: list[dict[str, Any]] = json.loads(said.out.replace(known.origin, ""))
    assert all(tuple(row) == tuple(all_lists()[name].columns) for row in found)
    return found


def pairs(found: list[dict[str, Any]], *names: str) -> set[tuple[Any, ...]]:
    """Some columns of a list."""
    return {tuple(row[name] for name in names) for row in found}


@pytest.mark.behaviour("REP-04")
def test_broken_links_have_all_pages_that_link_there(known: Crawled, say: Say) -> None:
    [gone] = rows(known, say, "dead_links")
    assert (gone["url"], gone["status"], gone["pages"]) == ("/gone", 404, 2)
    assert gone["linked_from"] == ["/", "/a"]


@pytest.mark.behaviour("REP-04")
def test_redirects_are_followed_to_their_end(known: Crawled, say: Say) -> None:
    found = {row["url"]: row for row in rows(known, say, "redirects")}
    assert pairs([*found.values()], "url", "status", "target", "hops", "ends_as") == {
        ("/old", 301, "/b", 2, "file_ingested"),
        ("/older", 301, "/b", 1, "file_ingested"),
        ("/moved", 301, "/gone", 1, "file_not_found"),
    }
    assert found["/old"]["on_the_way"] == ["/older"]


@pytest.mark.behaviour("REP-04")
def test_the_structure_of_the_site(known: Crawled, say: Say) -> None:
    assert pairs(rows(known, say, "orphans"), "url") == {("/orphan",)}
    assert pairs(rows(known, say, "unlisted"), "url") == {("/a",), ("/b",)}
    assert pairs(rows(known, say, "duplicates"), "url", "because", "kept") == {
        ("/twin", "duplicate", "/b")
    }
    clicks = {row["url"]: row["clicks"] for row in rows(known, say, "pages")}
    assert (clicks["/"], clicks["/a"], clicks["/older"]) == (0, 1, 2)
    assert clicks["/orphan"] is None
    titles = pairs(rows(known, say, "titles"), "url", "problem", "pages", "title")
    assert titles == {("/a", "double", 2, "Same"), ("/b", "double", 2, "Same")}
    [start] = rows(known, say, "starts")
    assert (start["start"], start["outcome"]) == ("/", "file_ingested")
    refused = pairs(rows(known, say, "refused"), "reason", "url", "linked_from")
    assert ("robots_txt", "/secret", "/") in refused
    assert any(url == "/zip.zip" for _, url, _ in refused)


@pytest.mark.behaviour("REP-04")
def test_changes_and_politeness_of_the_last_run(known: Crawled, say: Say) -> None:
    changed = pairs(rows(known, say, "changes"), "change", "url")
    assert changed - {("metadata", "/b")} == {("new", url) for url in ("/", "/a", "/b", "/orphan")}
    [receipt] = rows(known, say, "politeness")
    assert (receipt["origin"], receipt["429"], receipt["503"]) == ("", 0, 0)
    assert receipt["requests"] == REQUESTS
    [robots] = rows(known, say, "robots")
    assert "Disallow: /secret" in robots["text"]


@pytest.mark.behaviour("REP-05")
@pytest.mark.parametrize("name", all_lists())
@pytest.mark.usefixtures("known")
def test_every_list_in_every_format(say: Say, name: str) -> None:
    said = {
        form: say("report", "--list", name, "--format", form) for form in ("csv", "json", "jsonl")
    }
    lines = [json.loads(line) for line in said["jsonl"].lines]
    assert json.loads(said["json"].out) == lines
    assert {each.status for each in said.values()} == {0 if lines else 1}
    head, *table = csv.reader(io.StringIO(said["csv"].out))
    assert tuple(head) == tuple(all_lists()[name].columns)
    assert len(table) == len(lines)


@pytest.mark.behaviour("REP-05")
@pytest.mark.usefixtures("known")
def test_a_workbook_has_a_sheet_for_each_list(say: Say, tmp_path: Path) -> None:
    assert say("report", "-O", "report.xlsx").status == 0
    with ZipFile(tmp_path / "report.xlsx") as book:
        sheets = re.findall(r'<sheet name="(\w+)"', book.read("xl/workbook.xml").decode())
        first = book.read("xl/worksheets/sheet1.xml").decode()
    assert sheets[:2] == ["problems", "dead_links"]
    assert "Broken links" in first
    assert "<f>" not in first
    assert say("report", "--list", "titles", "-O", "titles.xlsx").status == 0
    assert say("report", "-O", "nowhere/report.xlsx").status == 2


@pytest.mark.behaviour("REP-05")
def test_a_spreadsheet_evaluates_nothing() -> None:
    text = ("=1+1", "+1", "-1", "@a", "\t=1", "a=1")
    rows = [(each, None, None, None) for each in text]
    _, *lines = csv_lines(all_lists()["titles"], rows)
    cells = [row[0] for row in csv.reader(lines)]
    assert cells == ["'=1+1", "'+1", "'-1", "'@a", "'\t=1", "a=1"]


@pytest.mark.behaviour("REP-05")
@pytest.mark.usefixtures("known")
def test_without_a_file_it_prints_the_figures(say: Say) -> None:
    said = say("report")
    assert said.status == 0, said.err
    assert "4 documents, 4 new, 1 changed, 0 deleted, 1 broken links" in said.out
    assert "Broken links: scrapy report --list dead_links" in said.out
    figures = json.loads(say("report", "--json").out)
    assert figures["lists"]["dead_links"] == 1


@pytest.mark.behaviour("REP-09")
def test_problems_come_first_and_an_unfinished_crawl_says_so(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(dict(SITE))
    crawl(f"{origin}/", max_pages=2)
    first = say("report").lines[0]
    assert first.startswith("Unfinished: ")
    assert first.endswith(" not visited yet, and this report knows nothing of their pages.")
    assert say("report", "-O", "report.html").status == 0
    html = (crawl.directory / "report.html").read_text()
    assert html.index("Unfinished: ") < html.index('<p class="run">')
    assert html.index("Broken links") < html.index("What changed in the last run")
    crawl(f"{origin}/")
    assert "Unfinished" not in say("report").out


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (("--list", "nothing"), 2, "there is no list 'nothing'; known: problems, dead_links"),
        (("--format", "csv"), 2, "--format is for --list"),
        (("words",), 2, "there is nothing to do with 'words'"),
        (("-O", "/dev/null/report.html"), 2, "Not a directory"),
    ],
)
@pytest.mark.usefixtures("known")
def test_wrong_usage(say: Say, words: tuple[str, ...], status: int, text: str) -> None:
    said = say("report", *words)
    assert said.status == status
    assert text in said.err


def test_without_a_crawl(say: Say) -> None:
    assert say("report").status == 3


@pytest.mark.behaviour("REP-13")
def test_any_earlier_run_can_be_compared(server: Server, crawl: CrawlCommand, say: Say) -> None:
    site: dict[str, Page] = {"/": page("/a", "/b"), "/a": page(text="A page"), "/b": page(text="B")}
    origin = server.serve(site)
    crawl(f"{origin}/")
    site["/a"] = Answer("gone", status=410)
    crawl(f"{origin}/", force="yes")
    site["/b"] = redirect("/")
    crawl(f"{origin}/", force="yes")

    def differences(*words: str) -> set[tuple[Any, ...]]:
        said = say("report", *words, "--list", "differences", "--json").out.replace(origin, "")
        return {(row["url"], row["outcome"]) for row in map(json.loads, said.splitlines())}

    assert differences() == {("/b", "permanent_redirect")}
    assert differences("--against", "1") == {("/b", "permanent_redirect"), ("/a", "file_gone")}
    assert differences("--against", "3") == set()
    changes = say("report", "--against", "1", "--list", "changes", "--json").lines
    assert {json.loads(line)["change"] for line in changes} >= {"deleted"}
    runs = say("report", "--list", "runs", "--json").records
    assert [(run["run"], run["new"], run["deleted"]) for run in runs][1:] == [(2, 0, 1), (1, 3, 0)]
    for age, expected in (("0s", set()), ("1d", differences("--against", "0"))):
        assert differences("--against", age) == expected
    assert differences("--against", "2100-01-01") == set()
    assert say("report", "--against", "yesterday").status == 2
