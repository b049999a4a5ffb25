"""`scrapy sync lancedb:///FOLDER`: sections with vectors that the user's function makes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from saying import Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page
from sitecrawl.sync.target import TargetOptions, open_target

WORDS = "Enough words to be a section of its own. " * 8
MODULE = """
from pathlib import Path

def embed(texts):
    with open("embedded.txt", "a") as log:
        log.writelines(text.split("\\n")[0] + "\\n" for text in texts)
    return [vector(text) for text in texts]

def vector(text):
    if "not a number" in text:
        return [float("nan"), 0.0]
    return [float(len(text)), float(text.count("a"))]

def broken(texts):
    raise RuntimeError("quota exceeded")
"""
SITE: dict[str, Page] = {"/": page("/a", text="start"), "/a": page(title="A", text="apples")}
OPTIONS: dict[str, object] = {}


def sections(*headings: str, title: str = "Guide", text: str = WORDS) -> Page:
    """A page with a section for each heading."""
    parts = "".join(f"<h2 id={name.lower()}>{name}</h2><p>{name}: {text}" for name in headings)
    return f"<title>{title}</title><h1>{title}</h1><p>{text}{parts}"


@pytest.fixture
def embed(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The option for the function, in a module of its own for each test."""
    name = f"embed_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    return f"embed={name}:embed"


def embedded(folder: Path) -> list[str]:
    """First lines of the texts that were embedded since the last call."""
    log = folder / "embedded.txt"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return lines


def rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of the table, by address."""
    import lancedb

    found = lancedb.connect(folder).open_table("sections").search().to_list()
    return sorted(found, key=lambda row: (row.get("url", ""), row.get("seq", 0)))


@pytest.mark.slow
@pytest.mark.behaviour("SY-01", "SY-13")
def test_only_changed_sections_are_embedded_again(
    server: Server, crawl: CrawlCommand, say: Say, tmp_path: Path, embed: str
) -> None:
    site: dict[str, Page] = {
        "/": page("/guide", "/b", title="Home", text="start"),
        "/guide": sections("One", "Two"),
        "/b": page(title="B", text="bananas"),
    }
    origin, store = server.serve(site), tmp_path / "store"
    crawl(f"{origin}/")
    done = say("sync", f"lancedb:///{store}", "-a", embed)
    assert (done.status, done.err) == (0, ""), done.err
    assert done.out == f"lancedb:///{store} got 3 documents and 0 deletions.\n"
    assert len(embedded(tmp_path)) == 5
    one = next(row for row in rows(store) if row["headings"] == ["Guide", "One"])
    assert one["url"] == f"{origin}/guide#one"
    assert one["text"].startswith("One\nOne: Enough")
    assert one["vector"][0] == float(len("Guide › One\n\n") + len(one["markdown"] or one["text"]))
    site["/guide"] = sections("One", "Three")
    site["/b"] = Answer("gone", status=410)
    crawl(f"{origin}/", force=1)
    assert say("sync", f"lancedb:///{store}", "-a", embed).status == 0
    assert embedded(tmp_path) == ["Guide › Three"]
    assert {(row["url"], *row["headings"]) for row in rows(store)} == {
        (f"{origin}/", "Home"),
        (f"{origin}/guide", "Guide"),
        (f"{origin}/guide#one", "Guide", "One"),
        (f"{origin}/guide#three", "Guide", "Three"),
    }
    before = rows(store)
    assert say("sync", f"lancedb:///{store}", "-a", embed, "--rebuild").status == 0
    assert (rows(store), embedded(tmp_path)) == (before, [])
    again = say("sync", f"lancedb:///{store}", "-a", embed)
    assert again.out.endswith("has every change; there was nothing to write.\n")


@pytest.mark.behaviour("SY-03")
def test_a_sync_goes_on_that_was_killed_while_it_made_the_table(
    server: Server, crawl: CrawlCommand, say: Say, tmp_path: Path, embed: str
) -> None:
    crawl(f"{server.serve(SITE)}/")
    (tmp_path / "store" / "sections.lance" / "data").mkdir(parents=True)
    done = say("sync", f"lancedb:///{tmp_path}/store", "-a", embed)
    assert (done.status, done.err) == (0, "")
    assert len(rows(tmp_path / "store")) == 2


@pytest.mark.behaviour("SY-01")
def test_lines_that_are_sections(
    server: Server, crawl: CrawlCommand, say: Say, tmp_path: Path, embed: str
) -> None:
    site: dict[str, Page] = {"/": sections("One", "Two")}
    origin, store = server.serve(site), tmp_path / "store"
    options = {"split": "sections", "preset": "rag", "force": 1}
    crawl(f"{origin}/", **options)
    assert say("sync", f"lancedb:///{store}", "-a", embed).status == 0
    embedded(tmp_path)
    site["/"] = sections("One", "Three")
    crawl(f"{origin}/", **options)
    assert say("sync", f"lancedb:///{store}", "-a", embed).status == 0
    assert embedded(tmp_path) == ["Guide › Three"]
    assert [row["headings"][-1] for row in rows(store)] == ["Guide", "One", "Three"]
    crawl(f"{origin}/", force=1)
    assert say("sync", f"lancedb:///{store}", "-a", embed).status == 0
    assert [row["headings"][-1] for row in rows(store)] == ["Guide", "One", "Three"]
    assert len({row["document"] for row in rows(store)}) == 1


@pytest.mark.behaviour("SY-06")
def test_a_vector_that_cannot_be_stored(
    server: Server, crawl: CrawlCommand, say: Say, tmp_path: Path, embed: str
) -> None:
    site: dict[str, Page] = {"/": page("/b", text="start"), "/b": page(text="not a number")}
    origin = server.serve(site)
    crawl(f"{origin}/")
    target = f"lancedb:///{tmp_path}/store"
    assert say("sync", target, "-a", embed).status == 1
    listed = say("frontier", "refused").out
    assert listed == f"{target} {origin}/b its vector has a number that is not finite\n"
    assert len(rows(tmp_path / "store")) == 1


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-03")
def test_targets_that_are_refused(say: Say, tmp_path: Path, embed: str) -> None:
    target = f"lancedb:///{tmp_path}/store"
    assert "give -a embed=package.module:function" in say("sync", target).err
    assert say("sync", target, "-a", "embed=os").status == 2
    missing = say("sync", target, "-a", "embed=no_such_module:embed")
    assert (missing.status, missing.err.count("\n")) == (2, 1)
    broken = say("sync", target, "-a", embed.replace(":embed", ":broken"))
    assert (broken.status, broken.out) == (3, "")
    assert "failed: RuntimeError: quota exceeded." in broken.err
    assert say("sync", target, "-a", embed).status == 0
    assert "another shape" in say("sync", target, "-a", embed.replace(":embed", ":broken")).err
    (database,) = (tmp_path / ".sitecrawl").glob("*.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE crawl SET uid = 'other'")
    embedded(tmp_path)
    assert say("sync", target, "-a", embed).status == 2
    assert say("sync", target, "-a", embed, "--rebuild").status == 0
    assert embedded(tmp_path) == []
    import lancedb

    lancedb.connect(tmp_path / "theirs").create_table("sections", [{"id": "x"}])
    for words in ([], ["--rebuild"]):
        refused = say("sync", f"lancedb:///{tmp_path}/theirs", "-a", embed, *words)
        assert refused.status == 2
        assert "another program's" in refused.err
    assert rows(tmp_path / "theirs") == [{"id": "x"}]
    lags = json.loads(say("frontier", "--json").out)["targets"]
    assert [(each["target"], each["behind"]) for each in lags] == [(target, 0)]


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-20")
def test_a_dry_run_makes_nothing(say: Say, tmp_path: Path, embed: str) -> None:
    target = f"lancedb:///{tmp_path}/made/here"
    said = say("sync", target, "--dry-run", "-a", embed)
    assert (said.status, said.err) == (0, "")
    assert said.out == f"{target} would get 2 documents and 0 deletions.\n"
    assert not (tmp_path / "made").exists()


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-19")
def test_one_process_at_a_time(say: Say, tmp_path: Path, embed: str) -> None:
    store = tmp_path / "store"
    options = TargetOptions(embed=embed.partition("=")[2])
    target = f"lancedb:///{store}"
    for words in ([], ["--rebuild"]):
        with closing(open_target(target, options)) as holder:
            holder.open()
            refused = say("sync", target, "-a", embed, *words)
            assert (refused.status, refused.out) == (3, "")
            assert refused.err == f"Another scrapy sync writes to {store}; run one at a time.\n"
        assert say("sync", target, "-a", embed, *words).status == 0
        assert len(rows(store)) == 2


@pytest.mark.behaviour("SY-01")
def test_small_files_are_merged_whichever_sync_wrote_them(
    server: Server, crawl: CrawlCommand, say: Say, tmp_path: Path, embed: str
) -> None:
    import lancedb

    paths = [f"/{letter}" for letter in "abcdefghijklmnopqrstuvw"]
    site: dict[str, Page] = {path: page(title=path, text=f"page {path}") for path in paths}
    origin = server.serve({"/": page(*paths, text="start"), **site})
    crawl(f"{origin}/")
    target = f"lancedb:///{tmp_path / 'store'}"
    assert say("sync", target, "-a", embed, "--batch", 1).status == 0
    table: Any = lancedb.connect(tmp_path / "store").open_table("sections")
    assert table.stats()["fragment_stats"]["num_fragments"] < 10
    assert {row["url"] for row in rows(tmp_path / "store")} >= {f"{origin}{path}" for path in paths}
