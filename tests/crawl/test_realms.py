"""Realms of one database that share URLs: each has its own documents, ids and lines."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from fixtures.crawls import Crawl, CrawlCommand, read
from fixtures.server import Answer, Server, Site, page


def index(*runs: Crawl) -> dict[str, dict[str, object]]:
    """Fold the lines of all files in the order of ``seq``."""
    return fold(line for run in runs for line in run.lines)


def fold(lines: Iterable[dict[str, object]]) -> dict[str, dict[str, object]]:
    """The documents by id after these lines, in the order of ``seq``."""
    documents: dict[str, dict[str, object]] = {}
    for line in sorted(lines, key=lambda line: int(str(line["seq"]))):
        documents.pop(str(line["id"]), None)
        if line["op"] == "upsert":
            documents[str(line["id"])] = line
    return documents


def exported(crawl: CrawlCommand, *words: str) -> dict[str, dict[str, object]]:
    """The documents that ``scrapy export`` writes."""
    output = crawl.directory / "exported.jsonl"
    output.unlink(missing_ok=True)
    crawl.command("export", "-O", str(output), *words)
    return fold(read(output))


@pytest.mark.behaviour("K-34")
def test_the_files_of_two_realms_together_are_the_export(
    server: Server, crawl: CrawlCommand
) -> None:
    pages: Site = {
        "/": page("/a", "/b", text="Home"),
        "/a": page(text="Page a."),
        "/b": page(text="Page b."),
    }
    origin = server.serve(pages)
    runs = [crawl(origin), crawl(origin, realm="docs")]
    assert len(index(*runs)) == 6
    assert runs[0].documents[f"{origin}/a"]["id"] != runs[1].documents[f"{origin}/a"]["id"]
    pages["/b"] = Answer(status=410)
    runs.append(crawl(origin, realm="docs", force=1))
    assert runs[-1].deletions == {f"{origin}/b": "gone"}
    assert {line["realm"] for line in runs[-1].lines} == {"docs"}
    assert index(*runs) == exported(crawl)
    assert {str(line["url"]) for line in exported(crawl, "-a", "realm=docs").values()} == {
        f"{origin}/",
        f"{origin}/a",
    }
    runs.append(crawl(origin, force=1))
    assert index(*runs) == exported(crawl)
    assert {line["realm"] for line in runs[-1].lines} == {"default"}


@pytest.mark.behaviour("K-34")
def test_what_a_realm_has_to_deliver_waits_for_its_own_crawl(
    server: Server, crawl: CrawlCommand
) -> None:
    pages: Site = {"/": page("/a", text="Home"), "/a": page(text="Page a.")}
    origin = server.serve(pages)
    runs = [crawl(origin, realm="docs"), crawl(origin, realm="blog")]
    crawl.command("reindex", "-a", "realm=docs", "-a", "deny=/a$")
    assert crawl(origin, realm="blog").lines == []
    runs.append(crawl(origin, realm="docs", deny="/a$"))
    assert [(line["op"], line["realm"]) for line in runs[-1].lines] == [("delete", "docs")]
    assert index(*runs) == exported(crawl)
