"""`scrapy sync`: a target ends equal to the fold of the log, whatever happened."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from saying import Crawled, Say

from fixtures.command import Command
from fixtures.crawls import CrawlCommand
from fixtures.databases import KINDS, Databases
from fixtures.server import Answer, Page, Server, page
from sitecrawl.frontier.base import Change, FrontierError
from sitecrawl.frontier.opening import open_change_log
from sitecrawl.search.search_index import open_index
from sitecrawl.sync.synchronizer import Synchronizer
from sitecrawl.sync.target import Cursor, TargetBusyError, TargetOptions, open_target

SITE: dict[str, Page] = {
    "/": page("/a", "/b", "/c", title="Home", text="start"),
    "/a": page(title="A", text="apples"),
    "/b": page(title="B", text="bananas"),
    "/c": page(title="C", text="cherries"),
}
OPTIONS: dict[str, object] = {}
GONE = Answer("gone", status=410)


def pages(path: Path) -> dict[str, dict[str, Any]]:
    """The pages of a search file, by id."""
    with open_index(path) as index:
        return {each.id: {"url": each.url, **each.content} for each in index.pages()}


def fold(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Fields that a search file keeps of what a reader of all lines has in the end."""
    last = {line["id"]: line for line in sorted(lines, key=lambda line: line["seq"])}
    names = ("url", "title", "description", "headings", "body", "site_name", "image")
    return {
        id_: {name: line[name] for name in names if line.get(name)}
        for id_, line in last.items()
        if line["op"] == "upsert"
    }


@pytest.fixture(params=KINDS)
def setting(request: pytest.FixtureRequest, databases: Databases, tmp_path: Path) -> str:
    return databases.url(request.param, tmp_path)


@pytest.mark.slow
@pytest.mark.behaviour("SY-01", "SY-02")
def test_two_targets_at_their_own_pace(
    server: Server, crawl: CrawlCommand, say: Say, setting: str, tmp_path: Path
) -> None:
    site = dict(SITE)
    origin, place = server.serve(site), {"SITECRAWL_DATABASE": setting}
    given = ["-s", f"SITECRAWL_DATABASE={setting}"]
    one, other = (tmp_path / name for name in ("one.sqlite", "folder/other.sqlite"))
    lines = crawl(f"{origin}/", settings=place).lines
    said = say("sync", f"sqlite:///{one}", *given)
    assert (said.status, said.err) == (0, "")
    assert said.out == f"sqlite:///{one} got 4 documents and 0 deletions.\n"
    site.update({"/a": page(title="A", text="changed"), "/b": GONE})
    lines += crawl(f"{origin}/", settings=place, force=1).lines
    dry = say("sync", f"sqlite:///{one}", "--dry-run", *given)
    assert dry.out == f"sqlite:///{one} would get 1 document and 1 deletion.\n"
    assert len(pages(one)) == 4
    behind = say("frontier", *given).out
    assert f"sqlite:///{one}: 2 changes behind" in behind
    for target in (one, other):
        assert say("sync", f"sqlite:///{target}", "--batch", 1, *given).status == 0
        assert pages(target) == fold(lines)
    again = say("sync", f"sqlite:///{one}", *given)
    assert again.out.endswith("has every change; there was nothing to write.\n")
    targets = json.loads(say("frontier", "--json", *given).out)["targets"]
    assert [each["behind"] for each in targets] == [0, 0]


@pytest.mark.behaviour("SY-08")
def test_a_crawl_without_a_feed_prunes_what_its_targets_have(
    known: Crawled, say: Say, tmp_path: Path
) -> None:
    for number in range(3):
        known.site["/a"] = page(title="A", text=f"changed {number}")
        crawl_without_feed(f"{known.origin}/", tmp_path)
    one = f"sqlite:///{tmp_path}/one.sqlite"
    say("sync", one)
    assert "Forgot" in say("frontier", "prune", 0).out
    fresh = say("sync", f"sqlite:///{tmp_path}/two.sqlite")
    assert fresh.out.startswith(f"sqlite:///{tmp_path}/two.sqlite got 4 documents")
    assert pages(tmp_path / "one.sqlite") == pages(tmp_path / "two.sqlite")


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-03", "SY-04")
def test_a_target_of_another_crawl(say: Say, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path}/one.sqlite"
    assert say("sync", target).status == 0
    assert "all realms" in say("sync", target, "-a", "realm=default").err
    before = pages(tmp_path / "one.sqlite")
    (database,) = (
        path for path in (tmp_path / ".sitecrawl").glob("*.db") if "search" not in path.name
    )
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE crawl SET uid = 'other'")
    refused = say("sync", target)
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == (
        f"{target} was filled from another crawl database; add --rebuild to rebuild it from the "
        "crawl database (nothing is fetched).\n"
    )
    rebuilt = say("sync", target, "--rebuild")
    assert rebuilt.out == f"{target} was rebuilt with 4 documents and 0 deletions.\n"
    assert pages(tmp_path / "one.sqlite") == before


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-03")
def test_wrong_targets(say: Say, tmp_path: Path) -> None:
    for uri in (
        *("ftp://host/x", "one.sqlite", "sqlite:///", "opensearch://u:geheim@host"),
        *("opensearch://u:ge/geheim@host/x", "opensearch://u:geheim/#@host/x"),
        *("ftp://u:a?geheim@host/x", "opensearch://u:a@geheim@host"),
    ):
        said = say("sync", uri)
        assert said.status == 2, uri
        assert "geheim" not in said.err
        assert "Traceback" not in said.err
    (tmp_path / "text").write_text("no database at all")
    assert say("sync", f"sqlite:///{tmp_path}/text").status == 3
    assert say("sync", f"sqlite:///{tmp_path}/a", "--follow", "--rebuild").status == 2


@pytest.mark.slow
@pytest.mark.behaviour("SY-07")
def test_following(known: Crawled, crawl: CrawlCommand, tmp_path: Path) -> None:
    target = tmp_path / "one.sqlite"
    arguments = ["sync", f"sqlite:///{target}", "--follow"]
    command = Command(arguments, tmp_path, output=tmp_path / "out", errors=tmp_path / "err")
    try:
        wait_for(target, 4)
        known.site["/b"] = GONE
        known.site["/a"] = page(title="A", text="new words")
        crawl(f"{known.origin}/", force=1)
        wait_for(target, 3)
        command.terminate()
        assert command.wait(60) == 0, (tmp_path / "err").read_text()
    finally:
        command.kill()
    assert {each["title"] for each in pages(target).values()} == {"Home", "A", "C"}
    assert "got 5 documents and 1 deletion." in (tmp_path / "out").read_text()


def crawl_without_feed(start: str, folder: Path) -> None:
    given = ["-a", f"start={start}", "-a", "force=1", "-a", "delay=0", "-a", "allow_private=1"]
    command = Command(["crawl", "site", *given], folder, errors=folder / "log")
    assert command.wait(60) == 0, (folder / "log").read_text()


def wait_for(path: Path, count: int) -> None:
    """Wait until a search file has so many pages."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with open_index(path) as index:
                if index.count() == count:
                    return
        except Exception:  # noqa: BLE001 -- not made yet
            pass
        time.sleep(0.1)
    raise AssertionError(f"{path} has not got {count} pages")


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-19")
def test_a_rebuild_needs_the_search_file_for_itself(say: Say, tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    target = f"sqlite:///{path}"
    with closing(open_target(target, TargetOptions())) as holder:
        assert holder.open() is None
        refused = say("sync", target, "--rebuild")
        assert (refused.status, refused.out) == (3, "")
        assert refused.err == f"Another scrapy sync writes to {path}; run one at a time.\n"
        assert say("sync", target).status == 0  # they may take turns
        with pytest.raises(TargetBusyError):
            holder.apply([], Cursor("", "", "", 1))
    before = pages(path)
    with closing(open_target(target, TargetOptions())) as holder, holder.rebuild():
        assert say("sync", target).err == refused.err
        assert pages(path) == before
    assert say("sync", target, "--rebuild").status == 0
    assert pages(path) == before


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("kind", ["sqlite", "pagefind"])
@pytest.mark.behaviour("SY-20")
def test_a_dry_run_makes_nothing(say: Say, tmp_path: Path, kind: str) -> None:
    target = f"{kind}:///{tmp_path}/made/here"
    said = say("sync", target, "--dry-run", "-a", "embed=os:getcwd")
    assert (said.status, said.err) == (0, "")
    assert said.out == f"{target} would get 4 documents and 0 deletions.\n"
    assert not (tmp_path / "made").exists()


@pytest.mark.behaviour("SY-06")
def test_values_of_any_type_do_not_stop_the_others(tmp_path: Path) -> None:
    fields: list[dict[str, Any]] = [
        {"headings": "one"},
        {"headings": [None, "two"]},
        {"title": ["a"], "language": 5},
        {"modified_at": {"day": 1}},
        {"url": "http://[", "title": "no address"},
        {"title": "a\0b \x1b[31m"},
    ]
    changes = [
        Change(
            seq, "upsert", f"{seq:032x}", {"id": f"{seq:032x}", "url": f"http://h/{seq}", **each}
        )
        for seq, each in enumerate(fields, start=1)
    ]
    path = tmp_path / "one.sqlite"
    with closing(open_target(f"sqlite:///{path}", TargetOptions())) as target:
        target.open()
        refused = target.apply(changes, Cursor("uid", "", "mapping", 6))
    assert [letter.seq for letter in refused] == [4, 5]
    assert sorted(each["url"] for each in pages(path).values()) == [
        f"http://h/{seq}" for seq in (1, 2, 3, 6)
    ]


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-07")
def test_a_database_that_is_deleted_is_not_followed(tmp_path: Path) -> None:
    (database,) = (tmp_path / ".sitecrawl").glob("*.db")
    with (
        open_change_log(f"sqlite:///{database}") as log,
        closing(open_target(f"sqlite:///{tmp_path}/one.sqlite", TargetOptions())) as target,
    ):
        synchronizer = Synchronizer(log, target, "sqlite:///one.sqlite", report=print, poll=0)
        assert synchronizer.run().upserts == 4
        database.unlink()
        with pytest.raises(FrontierError, match="was deleted or replaced"):
            synchronizer.follow(lambda: False)


def emptied(path: Path) -> None:
    """Remove all pages of a search file behind the back of sync."""
    with open_index(path) as index, index.transaction():
        for each in list(index.pages()):
            index.remove(each.id)


@pytest.mark.behaviour("SY-23")
def test_a_search_file_that_was_emptied_is_filled_again(
    server: Server, crawl: CrawlCommand, say: Say, tmp_path: Path
) -> None:
    parts = "".join(
        f"<h2 id={name}>{name}</h2><p>{'Enough words. ' * 40}" for name in ("pears", "plums")
    )
    origin = server.serve({**SITE, "/a": f"<title>A</title><h1>A</h1>{parts}"})
    crawl(f"{origin}/", split="sections", preset="rag")
    target = f"sqlite:///{tmp_path}/one.sqlite"
    assert say("sync", target).err == ""
    before = pages(tmp_path / "one.sqlite")
    assert len(before) > len(SITE)
    assert say("sync", target).err == ""
    emptied(tmp_path / "one.sqlite")
    dry = say("sync", target, "--dry-run").out
    assert dry == f"{target} would get {len(before)} documents and 0 deletions.\n"
    said = say("sync", target)
    assert (said.status, said.err) == (
        0,
        (
            f"{target} has 0 documents instead of {len(before)}; compared with the crawl database: "
            f"documents written {len(before)}, deleted 0.\n"
        ),
    )
    assert pages(tmp_path / "one.sqlite") == before
    assert say("search", "bananas").lines[0].startswith("B")
    (path,) = (tmp_path / ".sitecrawl").glob("*.search.sqlite")
    emptied(path)
    found = say("search", "bananas")
    assert found.lines[0].startswith("B")
    assert "has 0 documents instead of" in found.err


@pytest.mark.behaviour("SY-24")
def test_a_copy_that_lacks_most_documents_needs_a_person(
    server: Server, crawl: CrawlCommand, say: Say, tmp_path: Path
) -> None:
    origin, target = server.serve(dict(SITE)), f"sqlite:///{tmp_path}/one.sqlite"
    crawl(f"{origin}/", max_pages=1)
    (database,) = (tmp_path / ".sitecrawl").glob("*.db")
    copy = tmp_path / "copy"
    shutil.copyfile(database, copy)
    crawl(f"{origin}/")
    say("sync", target)
    before = pages(tmp_path / "one.sqlite")
    shutil.copyfile(copy, database)
    refused = say("sync", target)
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == (
        f"{target} was filled before the crawl database was copied, moved or restored, and 3 of its "
        "4 documents are not in the crawl database; add --rebuild to rebuild it from the crawl "
        "database (nothing is fetched).\n"
    )
    assert pages(tmp_path / "one.sqlite") == before
    assert say("sync", target, "--rebuild").status == 0
    assert len(pages(tmp_path / "one.sqlite")) == 1
