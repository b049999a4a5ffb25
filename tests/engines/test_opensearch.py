"""`scrapy sync` to real search engines."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from fixtures.command import run
from fixtures.crawls import CrawlCommand
from fixtures.killed_syncs import KilledSyncs, SearchEngine
from fixtures.opensearch import ROOT, RUNNERS, SearchServer
from fixtures.server import Answer, Page, Server, page

GERMAN = '<html lang="de"><title>Häuser</title><body><p>Die alten Häuser am Hafen.</p></body>'
SITE: dict[str, Page] = {
    "/": page("/a", "/b", "/de", title="Home", text="start"),
    "/a": page(title="A", text="apples"),
    "/b": page(title="B", text="bananas"),
    "/de": GERMAN,
}
GONE = Answer("gone", status=410)


@pytest.fixture(scope="module", params=sorted(RUNNERS))
def engine(request: pytest.FixtureRequest) -> Iterator[SearchServer]:
    with SearchServer(request.param) as running:
        yield running


@pytest.fixture
def index(request: pytest.FixtureRequest) -> str:
    """A name of its own for each test."""
    return "".join(sign for sign in request.node.name.lower() if sign.isalnum())[-40:]


def sync(folder: Path, *words: object) -> CompletedProcess[str]:
    """``scrapy sync WORDS`` in a folder."""
    return scrapy(folder, "sync", *words)


def scrapy(folder: Path, *words: object) -> CompletedProcess[str]:
    """``scrapy WORDS`` in a folder."""
    return run([str(word) for word in words], folder, settings="sitecrawl.settings")


def beside(folder: Path, *words: object) -> subprocess.Popen[str]:
    """``scrapy sync WORDS`` in a folder, not waited for."""
    command = [sys.executable, "-m", "scrapy", "sync", *map(str, words)]
    given = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    return subprocess.Popen(
        command, cwd=folder, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def fold(lines: list[dict[str, Any]]) -> dict[str, tuple[int, str]]:
    """Number and text of the documents that a reader of all lines has in the end."""
    last = {line["id"]: line for line in sorted(lines, key=lambda line: line["seq"])}
    return {
        id_: (line["seq"], line["body"]) for id_, line in last.items() if line["op"] == "upsert"
    }


def indexed(engine: SearchServer, index: str) -> dict[str, tuple[int, str]]:
    return {id_: (each["seq"], each["body"]) for id_, each in engine.documents(index).items()}


@pytest.mark.behaviour("SY-01", "SY-04")
def test_the_index_is_equal_and_can_be_searched(
    engine: SearchServer, index: str, server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    site = dict(SITE)
    origin, target = server.serve(site), engine.uri(index)
    lines = crawl(f"{origin}/").lines
    done = sync(tmp_path, target)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{target} got 4 documents and 0 deletions.\n"
    site.update({"/a": page(title="A", text="changed"), "/b": GONE})
    lines += crawl(f"{origin}/", force=1).lines
    assert sync(tmp_path, target).returncode == 0
    assert indexed(engine, index) == fold(lines)
    (found,) = engine.found(index, "haus")
    assert found["url"] == f"{origin}/de"
    assert not {"localized", "sitecrawl_names"} & found.keys()
    rebuilt = sync(tmp_path, target, "--rebuild")
    assert rebuilt.stdout == f"{target} was rebuilt with 3 documents and 1 deletion.\n"
    assert list(engine.get(f"/_alias/{index}")) == [f"{index}-2"]
    assert indexed(engine, index) == fold(lines)
    assert "nothing to write" in sync(tmp_path, target).stdout


@pytest.mark.behaviour("SY-26")
def test_the_documented_query_takes_sixty_words_and_signs(
    engine: SearchServer, index: str, server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    languages = ("de", "en", "es", "fr", "it", "ja", "nl", "pt", "ru", "zh")
    site: dict[str, Page] = {
        f"/{tag}": f"<html lang={tag}><title>{tag}</title><body><p>Die alten Häuser, {tag}.</p>"
        for tag in languages
    }
    site["/"] = page(*site)
    crawl(f"{server.serve(site)}/")
    assert sync(tmp_path, engine.uri(index)).returncode == 0
    plain = [f"wort{number}" for number in range(59)]
    signed = [f"--no.a{number}_b++" for number in range(59)]
    for words in (
        "haus",
        " ".join([*plain[:20], "haus", *plain[20:]]),
        " ".join(["haus", *signed]),
    ):
        assert [each["title"] for each in engine.found(index, words)] == ["de"]
    long = ("x" * 3000, ".".join(plain * 3), '() [] {} "\\ AND', " ")
    assert [engine.found(index, words) for words in long] == [[]] * len(long)


@pytest.mark.behaviour("SY-03")
def test_what_is_not_ours_is_left_alone(
    engine: SearchServer, index: str, server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    crawl(f"{server.serve(dict(SITE))}/")
    request = urllib.request.Request(
        f"http://127.0.0.1:{engine.port}/{index}/_doc/1?refresh=true",
        data=b'{"theirs": 1}',
        headers={"Content-Type": "application/json"},
        method="PUT",
    )
    urllib.request.urlopen(request, timeout=60).close()
    for words in ([], ["--rebuild"]):
        refused = sync(tmp_path, engine.uri(index), *words)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "is no index of scrapy sync" in refused.stderr
    assert engine.documents(index) == {"1": {"theirs": 1}}


@pytest.mark.behaviour("SY-06")
def test_refused_documents_do_not_stop_the_others(
    engine: SearchServer, index: str, server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    target = engine.uri(index)
    site = dict(SITE)
    origin = server.serve(site)
    crawl(f"{origin}/", fields="price:.price")
    assert sync(tmp_path, target).returncode == 0
    set_limit(engine, index, 1)  # the index takes no field that it does not know
    site["/a"] = '<title>A</title><p class="price">3.50</p><p>apples again</p>'
    site["/b"] = page(title="B", text="bananas again")
    crawl(f"{origin}/", force=1, fields="price:.price")
    refused = sync(tmp_path, target)
    assert refused.returncode == 1, refused.stderr
    assert "refused 1 document; scrapy frontier refused says which, and why" in refused.stderr
    assert {
        each["title"]: "again" in each["body"] for each in engine.documents(index).values()
    } == {"Home": False, "A": False, "B": True, "Häuser": False}
    listed = scrapy(tmp_path, "frontier", "refused").stdout
    assert listed.startswith(f"{target} {origin}/a illegal_argument_exception: ")
    set_limit(engine, index, 1000)
    site["/a"] = '<title>A</title><p class="price">3.50</p><p>apples once more</p>'
    crawl(f"{origin}/", force=1, fields="price:.price")
    assert sync(tmp_path, target).returncode == 0
    assert scrapy(tmp_path, "frontier", "refused").stdout == ""


@pytest.mark.behaviour("SY-16")
def test_a_template_of_the_user_is_merged(
    engine: SearchServer, index: str, server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    body = {
        "settings": {"number_of_replicas": 0},
        "mappings": {"properties": {"meaning": {"type": "keyword"}}},
    }
    put(engine, f"_index_template/{index}", {"index_patterns": [f"{index}-*"], "template": body})
    site = dict(SITE)
    lines = crawl(f"{server.serve(site)}/").lines
    for words in ([], ["--rebuild"]):
        done = sync(tmp_path, engine.uri(index), *words)
        assert done.returncode == 0, done.stderr
        assert indexed(engine, index) == fold(lines)
        (found,) = engine.get(f"/{index}").values()
        assert found["settings"]["index"]["number_of_replicas"] == "0"
        assert found["mappings"]["properties"]["meaning"] == {"type": "keyword"}
        assert found["mappings"]["properties"]["body"]["type"] == "text"


@pytest.mark.behaviour("SY-06", "SY-16")
def test_the_pipeline_of_the_docs_fills_a_field(
    engine: SearchServer, index: str, server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "search.md").read_text("utf-8")
    commands = re.findall(r"curl -X PUT localhost:9200/(\S+) [^\n]+ -d '(.*?)'\n", text, re.DOTALL)
    (_, pipeline), (_, template) = [(path, json.loads(body)) for path, body in commands]
    field = {"type": "float"}  # as the plugins are not installed here
    pipeline["processors"] = [
        {"fail": {"message": "no model", "if": "ctx.title == 'B'"}},
        {"set": {"field": "vector", "value": [0.5, 2.0]}},
    ]
    del template["template"]["settings"]["index.knn"]
    template["template"]["mappings"]["properties"]["vector"] = field
    template["template"]["settings"]["index.default_pipeline"] = index
    template["index_patterns"] = [f"{index}-*"]
    origin, target = server.serve(dict(SITE)), engine.uri(index)
    lines = crawl(f"{origin}/").lines
    assert sync(tmp_path, target).returncode == 0
    assert not any("vector" in each for each in engine.documents(index).values())
    put(engine, f"_ingest/pipeline/{index}", pipeline)
    put(engine, f"_index_template/{index}", template)
    rebuilt = sync(tmp_path, target, "--rebuild")
    assert rebuilt.returncode == 1, rebuilt.stderr
    assert scrapy(tmp_path, "frontier", "refused").stdout.count("no model") == 1
    written = engine.documents(index)
    assert {each["title"] for each in written.values()} == {"Home", "A", "Häuser"}
    assert all(each["vector"] == [0.5, 2.0] for each in written.values())
    pipeline["processors"] = pipeline["processors"][1:]
    put(engine, f"_ingest/pipeline/{index}", pipeline)
    for words in (["--rebuild"], []):
        assert sync(tmp_path, target, *words).returncode == 0
        assert indexed(engine, index) == fold(lines)
        assert all(each["vector"] == [0.5, 2.0] for each in engine.documents(index).values())


@pytest.mark.behaviour("SY-19")
def test_two_processes_never_undo_each_other(
    engine: SearchServer, index: str, server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    paths = [f"/{number}" for number in range(30)]
    site: dict[str, Page] = {path: page(title=path, text=f"page {path}") for path in paths}
    site["/"] = page(*paths, text="start")
    origin, target = server.serve(site), engine.uri(index)
    busy = f"Another scrapy sync writes to {target}; run one at a time.\n"
    lines = crawl(f"{origin}/", delay=0, politeness=0).lines
    for words in (["--batch", "1"], ["--rebuild", "--batch", "1"]):
        two = [beside(tmp_path, target, *words) for _ in range(2)]
        ends = [(process.communicate(timeout=200)[1], process.returncode) for process in two]
        assert set(ends) <= {("", 0), (busy, 3)}, ends
        assert sync(tmp_path, target).returncode == 0
        assert indexed(engine, index) == fold(lines)
        assert len(engine.get(f"/{index}*")) == 1
    following = beside(tmp_path, target, "--follow")
    try:
        site["/0"] = page(title="0", text="what it has to write before the other one begins")
        lines += crawl(f"{origin}/", force=1, delay=0, politeness=0).lines
        deadline = time.monotonic() + 200
        while indexed(engine, index) != fold(lines):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert sync(tmp_path, target, "--rebuild").returncode == 0
        site.update({"/0": GONE, "/1": GONE})
        lines += crawl(f"{origin}/", force=1, delay=0, politeness=0).lines
        assert following.communicate(timeout=200)[1] == busy
    finally:
        following.kill()
    assert following.returncode == 3
    assert sync(tmp_path, target).returncode == 0
    assert indexed(engine, index) == fold(lines)
    assert len(engine.get(f"/{index}*")) == 1


@pytest.mark.behaviour("SY-20")
def test_a_dry_run_makes_nothing(
    engine: SearchServer, index: str, server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    crawl(f"{server.serve(dict(SITE))}/")
    said = sync(tmp_path, engine.uri(index), "--dry-run")
    assert said.stdout == f"{engine.uri(index)} would get 4 documents and 0 deletions.\n"
    assert engine.get(f"/{index}*") == {}


@pytest.mark.behaviour("SY-23")
def test_documents_of_another_program_stay(
    engine: SearchServer, index: str, server: Server, tmp_path: Path
) -> None:
    target = SearchEngine(tmp_path, engine, index)
    syncs = KilledSyncs(server, target, 20, random.Random(9))
    syncs.crawl()
    syncs.finish()
    before = target.content()
    assert target.put(f"/{index}/_doc/theirs?refresh=true", {"body": "theirs"}) == 201
    assert syncs.sync() == (0, "")
    target.remove(list(before))
    assert "documents written 21, deleted 0." in syncs.sync()[1]
    assert target.content() == {**before, "theirs": "theirs"}
    assert target.put("/sitecrawl-cursors", {}, method="DELETE") == 200
    status, said = syncs.sync()
    assert (status, "has documents and no cursor" in said) == (2, True)
    assert target.content() == {**before, "theirs": "theirs"}


def test_a_server_that_is_not_there(server: Server, crawl: CrawlCommand, tmp_path: Path) -> None:
    crawl(f"{server.serve(dict(SITE))}/")
    gone = sync(tmp_path, "opensearch://127.0.0.1:9/documents")
    assert (gone.returncode, gone.stdout, gone.stderr.count("\n")) == (3, "", 1)
    assert "does not answer" in gone.stderr


def set_limit(engine: SearchServer, index: str, fields: int) -> None:
    """Limit the number of fields of an index."""
    put(engine, f"{index}/_settings", {"index.mapping.total_fields.limit": fields})


def put(engine: SearchServer, path: str, body: dict[str, Any]) -> None:
    """Send a PUT request with a JSON body."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{engine.port}/{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
        method="PUT",
    )
    urllib.request.urlopen(request, timeout=60).close()
