"""`scrapy frontier prune`: a crawl goes on after it as if nothing had been forgotten."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from saying import Say

from fixtures.crawls import CrawlCommand
from fixtures.databases import KINDS, Databases
from fixtures.server import Answer, Page, Server, page, redirect

pytestmark = pytest.mark.slow

SITE: dict[str, Page] = {
    "/": page("/a", "/b", "/c", "/dead", "/old", title="Home"),
    "/a": page(title="A"),
    "/b": page(title="B"),
    "/c": page(title="C"),
    "/old": redirect("/a", status=302),
}
GONE = Answer("gone", status=410)
HIDDEN = page(title="B", head='<meta name="robots" content="noindex">')
CHANGES: list[dict[str, Page]] = [
    {"/a": page(title="A", text="changed"), "/b": HIDDEN, "/c": GONE},
    {"/b": page(title="B", text="back")},
    {"/a": page(title="A", text="again"), "/b": HIDDEN},
    {"/b": page(title="B", text="back again")},
]


@pytest.fixture(params=KINDS)
def setting(request: pytest.FixtureRequest, databases: Databases, tmp_path: Path) -> str:
    """The setting of the crawl database; every test runs once on each kind."""
    return databases.url(request.param, tmp_path)


def applied(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The documents of a reader that keeps the last line of each id."""
    last = {line["id"]: line for line in sorted(lines, key=lambda line: line["seq"])}
    return {id_: line for id_, line in last.items() if line["op"] == "upsert"}


def test_all_is_as_before(server: Server, crawl: CrawlCommand, say: Say, setting: str) -> None:
    site = dict(SITE)
    origin, place = server.serve(site), {"SITECRAWL_DATABASE": setting}
    given = ["-s", f"SITECRAWL_DATABASE={setting}"]
    runs = [crawl(f"{origin}/", settings=place).lines]
    for change in CHANGES:
        site.update(change)
        runs.append(crawl(f"{origin}/", settings=place, force=1).lines)
    everything = [line for lines in runs for line in lines]
    lists = ("errors", "redirects", "pending", "mirrors")
    asked = [["export"], ["frontier", "stats", "--json"], *(["frontier", each] for each in lists)]
    asked += [["explain", f"{origin}{path}", "--json"] for path in ("/a", "/b", "/c", "/x")]

    def answer(words: list[str]) -> tuple[int, str]:
        said = say(*words, *given)
        return said.status, re.sub(r"\d+ (s|min|h|d)\b", "a while", said.out)

    before = [answer(words) for words in asked]
    said = say("frontier", "prune", "0", *given)
    assert said.status == 0, said.err
    assert said.out.startswith("Forgot 24 attempts, "), said.out
    assert [answer(words) for words in asked] == before
    seqs = sorted(line["seq"] for line in everything)
    for since in [0, *seqs]:
        known = [line for line in everything if line["seq"] <= since]
        later = say("export", "--since", since, *given).records
        assert applied(known + later) == applied(everything)
    assert say("frontier", "prune", "0", *given).status == 1
    site["/a"] = page(title="A", text="after that")
    server.log.clear()
    next_run = crawl(f"{origin}/", settings=place, force=1)
    assert set(server.log.targets()) >= {"/", "/a", "/b", "/c"}
    [line] = next_run.lines
    assert (line["url"], line["change"], line["seq"]) == (f"{origin}/a", "changed", seqs[-1] + 1)


def test_what_no_feed_has_is_still_delivered(
    server: Server, crawl: CrawlCommand, say: Say, tmp_path: Path
) -> None:
    site = dict(SITE)
    origin = server.serve(site)
    crawl(f"{origin}/")
    site.update(CHANGES[0])
    crawl(f"{origin}/", force=1)
    assert say("reindex", "-a", "deny=/a").status == 0
    other = tmp_path / "other"
    shutil.copytree(tmp_path / ".sitecrawl", other / ".sitecrawl")
    assert say("frontier", "prune", "1ms").status == 0
    pruned, whole = (
        [(line["op"], line["url"], line["seq"]) for line in run(f"{origin}/", deny="/a").lines]
        for run in (crawl, CrawlCommand(other))
    )
    assert pruned == whole
    assert [line[:2] for line in pruned] == [("delete", f"{origin}/a")]


def test_a_crawl_at_work_is_left_alone(server: Server, crawl: CrawlCommand, say: Say) -> None:
    origin = server.serve({"*": page(*(f"/{number}" for number in range(50)))})
    running = crawl.begin(origin, delay=0.3)
    try:
        while len(server.log.targets()) < 4:
            assert running.process.poll() is None, "the crawl ended by itself"
        said = say("frontier", "prune", "0")
    finally:
        running.process.kill()
        running.process.wait()
    assert (said.status, said.out) == (3, "")
    assert said.err.endswith(" is being crawled; prune it when the run has ended.\n")
    assert say("frontier", "prune", "90d").out.startswith("There is nothing to prune from before ")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "write scrapy frontier prune DURATION"),
        (["often"], "DURATION should be seconds, or a number with a unit such as"),
        (["2000y"], "DURATION should be at most 1000 years"),
    ],
)
def test_what_is_wrong_is_one_line(
    server: Server, crawl: CrawlCommand, say: Say, words: list[str], line: str
) -> None:
    crawl(f"{server.serve({'*': page()})}/")
    said = say("frontier", "prune", *words)
    assert (said.status, said.out) == (2, "")
    assert line in said.err
