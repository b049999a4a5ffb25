"""`scrapy search`: what a person types, and what is found."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from saying import Crawled, Say

from fixtures.server import Page, page

GERMAN = (
    '<html lang="de"><title>Häuser</title><body><p>Das alte Haus am Hafen steht leer.</p></body>'
)
JAPANESE = '<html lang="ja"><title>検索</title><body><p>日本語の全文検索エンジンです。</p></body>'
GUIDE = """<html lang="en"><title>Guide</title><body><h1 id="top">Guide</h1>
<p>Read on about Removal.</p><h2 id="install">Installation</h2><p>Unpack the archive. <b>Running</b> it
creates a folder.</p><h2 id="remove">Removal</h2><p>Delete the folder, and its archives.</p></body>"""
REFERENCE = """<html lang="en"><title>Reference</title><body><h1 id="top">Reference</h1><p>Functions.</p>
<dl><dt id="lib.Pool.acquire_slot">class acquire_slot(count)</dt><dd>Waits for a turn.</dd>
<dt id="lib.drop">drop()</dt><dd>Ends the waiting.</dd>
<dt id="opt-vv">-vv</dt><dd>Tells more of them.</dd></dl></body>"""
HOSTILE = "<html lang=en><title>Bad \x1b[2J\u202etitle</title><body><p>escape \x1b]0;x\x07 here</p></body>"
SITE: dict[str, Page] = {
    "/": page(
        "/docs/guide",
        "/docs/de",
        "/ja",
        "/hostile",
        "/reference",
        "/en/quay",
        "/de/quay",
        title="Home",
        text="the start page",
    ),
    "/docs/guide": GUIDE,
    "/docs/de": GERMAN,
    "/ja": JAPANESE,
    "/hostile": HOSTILE,
    "/reference": REFERENCE,
    "/en/quay": "<html lang=en><title>Quay</title><body><p>The lighthouse stands on the mole.</p>",
    "/de/quay": "<html lang=de><title>Kai</title><body><p>Der Leuchtturm steht auf der Mole.</p>",
}
OPTIONS: dict[str, object] = {}


@pytest.mark.behaviour("SY-09")
def test_a_hit_has_a_snippet_and_leads_to_its_section(known: Crawled, say: Say) -> None:
    found = say("search", "folders archive", "--json")
    assert found.status == 0, found.err
    (hit,) = found.records
    assert hit["url"] == f"{known.origin}/docs/guide"
    assert (hit["target"], hit["section"]) == (f"{hit['url']}#install", "Installation")
    marked = {hit["snippet"][start:stop].lower() for start, stop in hit["marks"]}
    assert marked == {"archive", "folder", "archives"}
    printed = say("search", "folder archive").lines
    assert printed[:2] == ["Guide › Installation", f"  {hit['target']}"]
    assert "*archive*" in printed[2]


@pytest.mark.behaviour("SY-09")
@pytest.mark.usefixtures("known")
def test_words_by_which_pages_are_left_out_are_named(say: Say) -> None:
    found = say("search", "archive -folder")
    assert "Without pages that have: folder" in found.err
    assert "Without" not in say("search", "archive --folder").err


@pytest.mark.behaviour("SY-25")
@pytest.mark.parametrize(
    ("words", "anchor"),
    [
        ("lib.Pool.acquire_slot", "lib.Pool.acquire_slot"),
        ("pool.acquire_slot", "lib.Pool.acquire_slot"),
        ("acquire_slot", "lib.Pool.acquire_slot"),
        ("Pool.acq", "lib.Pool.acquire_slot"),
        ("lib.dr", "lib.drop"),
        ("acquire_slto", "lib.Pool.acquire_slot"),
        ("ends", "lib.drop"),
    ],
)
def test_a_definition_is_found_at_its_own_anchor(
    known: Crawled, say: Say, words: str, anchor: str
) -> None:
    (hit,) = say("search", words, "--json").records
    assert hit["target"] == f"{known.origin}/reference#{anchor}"


@pytest.mark.behaviour("SY-10")
@pytest.mark.parametrize(
    ("words", "path"),
    [("häuser", "/docs/de"), ("hauses", "/docs/de"), ("run", "/docs/guide"), ("全文検索", "/ja")],
)
def test_inflections_are_found(known: Crawled, say: Say, words: str, path: str) -> None:
    found = say("search", words, "--json").records
    assert [hit["url"] for hit in found] == [f"{known.origin}{path}"]
    assert found[0]["marks"] or words == "häuser"


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-09")
@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ('"unpack the archive"', ["Guide"]),
        ('"archive the unpack"', []),
        ("folder -archive", []),
        ("instal*", ["Guide"]),
        ("installa", ["Guide"]),
        ("instalation", ["Guide"]),
        ("archive.folder", ["Guide"]),
        ("folder --remove", ["Guide"]),
        ('" * : ^ { ( )', []),
        ("folder AND NOT(", ["Guide"]),
        ("folder NEAR(", ["Guide"]),
        ("folder." * 5_000, ["Guide"]),
        ("functions -vv", ["Reference"]),
    ],
)
def test_every_query_has_an_answer(say: Say, words: str, titles: list[str]) -> None:
    found = say("search", words, "--json")
    assert [hit["title"] for hit in found.records] == titles
    assert found.status == (0 if titles else 1)


@pytest.mark.usefixtures("known")
def test_some_words_are_better_than_none(say: Say) -> None:
    found = say("search", "unpack nonexistent")
    assert found.lines[0].startswith("Guide")
    assert "No page has all of these words" in found.err
    nothing = say("search", "nonexistent")
    assert (nothing.status, nothing.out) == (1, "")
    assert nothing.err == "No page has these words: nonexistent.\n"


@pytest.mark.behaviour("SY-27")
@pytest.mark.parametrize(
    ("words", "path"), [("mole lighthouse", "/en/quay"), ("mole leuchtturm", "/de/quay")]
)
def test_translations_of_a_page_are_one_hit(
    known: Crawled, say: Say, words: str, path: str
) -> None:
    (hit,) = say("search", words, "--json").records
    assert hit["url"] == f"{known.origin}{path}"
    (german,) = say("search", words, "--json", "--language", "de").records
    assert german["url"] == f"{known.origin}/de/quay"


@pytest.mark.behaviour("SY-11")
def test_filters(known: Crawled, say: Say) -> None:
    host = known.origin.partition("://")[2].partition(":")[0]

    def paths(*filters: str) -> set[str]:
        found = say("search", "start OR guide haus", "--json", *filters).records
        return {hit["url"].removeprefix(known.origin) for hit in found}

    assert paths() == {"/", "/docs/guide", "/docs/de"}
    assert paths("--under", "/docs/") == {"/docs/guide", "/docs/de"}
    assert paths("--under", f"{known.origin}/docs/g") == {"/docs/guide"}
    assert paths("--language", "de-AT") == {"/docs/de"}
    assert paths("--site", host) == paths()
    assert paths("--site", "example.org") == set()


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-12")
def test_pages_do_not_control_the_terminal(say: Say) -> None:
    found = say("search", "escape")
    assert found.lines[0].startswith("Bad")
    assert "\x1b" not in found.out
    assert "\u202e" not in found.out


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-03")
def test_a_file_of_another_crawl_is_filled_anew(say: Say, tmp_path: Path) -> None:
    assert say("search", "guide").status == 0
    (path,) = (tmp_path / ".sitecrawl").glob("*.search.sqlite")
    with closing(sqlite3.connect(path)) as connection, connection:
        [(cursor,)] = connection.execute("SELECT value FROM meta WHERE key = 'cursor'").fetchall()
        other = json.dumps({**json.loads(cursor), "crawl": "another"})
        connection.execute("UPDATE meta SET value = ? WHERE key = 'cursor'", (other,))
    assert say("search", "guide").lines[0].startswith("Guide")


@pytest.mark.usefixtures("known")
def test_a_file_that_is_none(say: Say, tmp_path: Path) -> None:
    missing = say("search", "x", "--file", tmp_path / "missing")
    assert (missing.status, missing.err.count("\n")) == (3, 1)
    (tmp_path / "text").write_text("no database, as one sees")
    other = say("search", "x", "--file", tmp_path / "text")
    assert other.status == 3
    assert "Traceback" not in other.err
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE t (x)")
    assert "is not a search index" in say("search", "x", "--file", tmp_path / "other.db").err
    assert say("search").status == 2


READ_ONLY = """
import os, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from sitecrawl.search.search_index import open_index

if os.getuid() == 0:
    os.setuid(65534)
with open_index(Path(sys.argv[1])) as index:
    print(index.count())
"""


@pytest.mark.usefixtures("known")
@pytest.mark.behaviour("SY-09")
def test_a_file_in_a_folder_that_is_read_only(say: Say) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "one.sqlite"
        assert say("sync", f"sqlite:///{file}").status == 0
        Path(folder).chmod(0o555)
        command = [sys.executable, "-c", READ_ONLY, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        Path(folder).chmod(0o755)
    assert (done.stdout, done.stderr) == ("8\n", "")
