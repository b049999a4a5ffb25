"""`scrapy sync pagefind:///FOLDER`: a search page for any web server, in a real browser."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from shutil import copytree
from subprocess import TimeoutExpired
from subprocess import run as run_process
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import pytest
from saying import Said

from fixtures.accessibility import violations
from fixtures.command import Command, run
from fixtures.crawls import CrawlCommand
from fixtures.nginx import Nginx
from fixtures.server import Answer, Page, Server, page
from sitecrawl.config.installed_browser import find_chromium

WORDS = "Some sentences that every section has, so that it is a section. " * 5
GUIDE = (
    "<html lang=en><title>Guide</title><meta property='article:modified_time' content='2026-02-01'>"
    f"<h1>Guide</h1><p>{WORDS}<h2 id=install>Installing</h2><p>Run the setup of apples. {WORDS}"
    f"<h2 id=remove>Removing</h2><p>Never <b>do</b> &lt;script&gt;alert(1)&lt;/script&gt;. {WORDS}"
)
NEWS = (
    "<html lang=en><title>News</title><meta property='article:modified_time' content='2026-03-01'>"
    "<h1>News</h1><p>There are apples in the news, and apples, and more apples. "
)
GERMAN = f"<html lang=de><title>Häuser</title><h1>Häuser</h1><p>Die alten Häuser am Hafen. {WORDS}"
HOME = "<html lang=en><title>Home</title><h1>Home</h1><p>Start here.</p>"
LINKS = "<a href=/docs/guide>g</a> <a href=/docs/news>n</a> <a href=/de>d</a>"


@pytest.fixture
def site() -> dict[str, Page]:
    return {"/": HOME + LINKS, "/docs/guide": GUIDE, "/docs/news": NEWS, "/de": GERMAN}


@pytest.fixture
def say(tmp_path: Path) -> Callable[..., Said]:
    """A process for each command: Pagefind needs a loop of its own."""

    def scrapy(*words: object) -> Said:
        done = run([*map(str, words)], tmp_path, settings="sitecrawl.settings")
        return Said(done.returncode, done.stdout, done.stderr)

    return scrapy


def in_chromium(origin: str, visit: Any) -> Any:
    """Result of ``visit(page, open)`` in a thread; fails if the page wrote an error."""
    from playwright.sync_api import sync_playwright

    def browse() -> Any:
        errors: list[str] = []
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=find_chromium(os.environ), args=["--no-sandbox"]
            )
            tab = browser.new_page(viewport={"width": 900, "height": 1000})
            tab.on("console", lambda each: errors.extend([each.text] * (each.type == "error")))
            tab.on("pageerror", lambda each: errors.append(str(each)))
            found = visit(tab, lambda query="": tab.goto(f"{origin}/index.html{query}"))
            browser.close()
        assert errors == []
        return found

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(browse).result()


@contextmanager
def served(folder: Path, place: Path) -> Iterator[str]:
    """A copy of the folder, as on a web server; nginx cannot read pytest's own folders."""
    place.mkdir()
    with TemporaryDirectory() as public:
        Path(public).chmod(0o755)
        root = copytree(folder, Path(public) / "root")
        with Nginx(place, {"127.0.0.1": root}) as nginx:
            yield nginx.origins["127.0.0.1"]


@pytest.mark.slow
@pytest.mark.behaviour("SY-14")
def test_the_page_finds_sections_by_language_and_date(
    server: Server,
    crawl: CrawlCommand,
    say: Callable[..., Said],
    tmp_path: Path,
    site: dict[str, Page],
) -> None:
    origin, folder = server.serve(site), tmp_path / "search"
    crawl(f"{origin}/")
    done = say("sync", f"pagefind:///{folder}")
    assert (done.status, done.err) == (0, ""), done.err
    assert done.out == f"pagefind:///{folder} was rebuilt with 4 documents and 0 deletions.\n"

    def visit(tab: Any, go: Any) -> dict[str, Any]:
        def results() -> list[str]:
            tab.wait_for_selector("#search a[href]")
            tab.wait_for_timeout(500)
            return [a.get_attribute("href") for a in tab.query_selector_all("#search li a")]

        go()
        box = tab.get_by_role("textbox")
        assert box.evaluate("each => each === document.activeElement")
        box.type("installed")
        found = {"section": results()}
        if path := os.environ.get("SCREENSHOTS"):
            go("?q=apples")
            results()
            tab.screenshot(path=f"{path}/pagefind.png")
            tab.emulate_media(color_scheme="dark")
            tab.screenshot(path=f"{path}/pagefind-dark.png")
        go("?q=apples")
        found["best"] = results()
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            assert violations(tab) == [], scheme
        tab.get_by_role("link", name="Newest first").click()
        found["newest"] = results()
        assert "q=apples" in tab.url
        go("?q=haus")
        tab.get_by_role("link", name=re.compile("de")).click()
        found["german"] = results()
        go("?q=alert")
        found["escaped"] = results()
        found["text"] = tab.inner_text("#search")
        return found

    with served(folder, tmp_path / "nginx") as address:
        found = in_chromium(address, visit)
    assert f"{origin}/docs/guide#install" in found["section"]
    assert found["best"][0] == f"{origin}/docs/news"
    assert set(found["best"]) >= {f"{origin}/docs/news", f"{origin}/docs/guide"}
    assert found["newest"][0] == f"{origin}/docs/news"
    assert found["german"][0] == f"{origin}/de"
    assert "<script>alert(1)</script>" in found["text"]


@pytest.mark.slow
@pytest.mark.behaviour("SY-01", "SY-14", "SY-23")
def test_the_bundle_follows_the_log(
    server: Server,
    crawl: CrawlCommand,
    say: Callable[..., Said],
    tmp_path: Path,
    site: dict[str, Page],
) -> None:
    origin, folder = server.serve(site), tmp_path / "search"
    target = f"pagefind:///{folder}"
    crawl(f"{origin}/")
    assert say("sync", target).status == 0
    before = sorted(folder.rglob("*.pf_fragment"))
    assert len(before) == 4
    assert "nothing to write" in say("sync", target).out
    (folder / "index.html").write_text("my own page")
    site["/docs/news"] = Answer("gone", status=410)
    site["/docs/guide"] = page(title="Guide", text="new words")
    crawl(f"{origin}/", force=1)
    assert say("sync", target, "--dry-run").out.endswith("would get 1 document and 1 deletion.\n")
    done = say("sync", target)
    assert done.out == f"{target} was rebuilt with 3 documents and 1 deletion.\n"
    state = json.loads((folder / "pagefind" / "sitecrawl.json").read_text())
    assert len([name for name in state["files"] if name.endswith(".pf_fragment")]) == 3
    assert {*before} < {*folder.rglob("*.pf_fragment")}, "open pages still need them"
    assert (folder / "index.html").read_text() == "my own page"
    site["/docs/guide"] = page(title="Guide", text="newer words")
    crawl(f"{origin}/", force=1)
    assert say("sync", target).status == 0
    assert len([*folder.rglob("*.pf_fragment")]) == 4
    assert [each["behind"] for each in say("frontier", "--json").record["targets"]] == [0]
    for path in folder.rglob("*.pf_fragment"):
        path.unlink()
    said = say("sync", target)
    assert "files; it is made anew from the crawl database." in said.err
    assert len([*folder.rglob("*.pf_fragment")]) == 3


@pytest.mark.behaviour("SY-03")
def test_folders_that_are_refused(
    server: Server,
    crawl: CrawlCommand,
    say: Callable[..., Said],
    tmp_path: Path,
    site: dict[str, Page],
) -> None:
    crawl(f"{server.serve(site)}/")
    theirs = tmp_path / "theirs" / "pagefind"
    theirs.mkdir(parents=True)
    (theirs / "pagefind-entry.json").write_text("{}")
    for words in ([], ["--rebuild"]):
        refused = say("sync", f"pagefind:///{theirs.parent}", *words)
        assert (refused.status, refused.out) == (2, "")
        assert "another program's" in refused.err
    (tmp_path / "file").write_text("no folder")
    assert say("sync", f"pagefind:///{tmp_path}/file").status == 3
    assert say("sync", "pagefind:///").status == 2


@pytest.mark.slow
@pytest.mark.behaviour("SY-05", "SY-14")
def test_killed_while_it_is_rebuilt(
    server: Server, crawl: CrawlCommand, say: Callable[..., Said], tmp_path: Path
) -> None:
    paths = [f"/{number}" for number in range(60)]
    site: dict[str, Page] = {path: page(title=path, text=path) for path in paths}
    site["/"] = page(*paths, title="Home")
    origin, folder = server.serve(site), tmp_path / "search"
    target, seeded = f"pagefind:///{folder}", Random(5)
    crawl(f"{origin}/")
    began = monotonic()
    assert say("sync", target).status == 0
    whole = monotonic() - began
    killed = number = 0
    while killed < 3 and number < 12:
        number += 1
        site["/7"] = page(title="/7", text=f"changed {number}")
        crawl(f"{origin}/", force=1)
        command = Command(["sync", target], tmp_path, errors=tmp_path / "errors")
        try:
            command.wait(seeded.uniform(0.3, 0.95) * whole)
            whole *= 0.8  # the machine has become quicker
        except TimeoutExpired:
            command.kill()
            command.wait()
            killed += 1
        entry = json.loads((folder / "pagefind" / "pagefind-entry.json").read_text())
        for language in entry["languages"].values():
            assert [*(folder / "pagefind").glob(f"pagefind.{language['hash']}.pf_meta")]
    assert killed == 3, "too few were still at work"
    assert say("sync", target).status == 0
    state = json.loads((folder / "pagefind" / "sitecrawl.json").read_text())
    fragments = [name for name in state["files"] if name.endswith(".pf_fragment")]
    assert len(fragments) == 61
    texts = [gzip.decompress((folder / "pagefind" / each).read_bytes()) for each in fragments]
    assert sum(f"changed {number}".encode() in text for text in texts) == 1


KILLED_BEFORE_THE_CURSOR = """
import os, sys
from scrapy.cmdline import execute
from sitecrawl.sync.pagefind_target import PagefindTarget
PagefindTarget._write_page = lambda *_: os._exit(9)
execute(["scrapy", "sync", *sys.argv[1:]])
"""


@pytest.mark.slow
@pytest.mark.behaviour("SY-05", "SY-14")
def test_killed_when_the_first_bundle_was_in_place(
    server: Server,
    crawl: CrawlCommand,
    say: Callable[..., Said],
    tmp_path: Path,
    site: dict[str, Page],
) -> None:
    crawl(f"{server.serve(site)}/")
    folder = tmp_path / "search"
    target = f"pagefind:///{folder}"
    script = [sys.executable, "-c", KILLED_BEFORE_THE_CURSOR, target]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    assert run_process(script, cwd=tmp_path, env=environment, check=False).returncode == 9
    assert (folder / "pagefind" / "pagefind-entry.json").exists()
    done = say("sync", target)
    assert done.out == f"{target} was rebuilt with 4 documents and 0 deletions.\n", done.err
    assert "nothing to write" in say("sync", target).out


def test_lines_that_are_sections_make_one_page(
    server: Server,
    crawl: CrawlCommand,
    say: Callable[..., Said],
    tmp_path: Path,
    site: dict[str, Page],
) -> None:
    crawl(f"{server.serve(site)}/", split="sections", preset="rag")
    assert say("sync", f"pagefind:///{tmp_path}/search").status == 0
    assert len([*(tmp_path / "search").rglob("*.pf_fragment")]) == 4
