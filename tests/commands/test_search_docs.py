"""The programs and files of docs/search.md run as they stand there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page
from fixtures.stub_server import StubRequest, StubServer

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
CODE = dict(
    re.findall(
        r"^```(?:python|toml)\n# (\S+)\n(.*?)^```$",
        (ROOT / "docs" / "search.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)
EMBEDDING = """
import math, zlib

def embed(texts):
    with open("embedded.txt", "a") as log:
        log.writelines(text.split("\\n")[0] + "\\n" for text in texts)
    return [vector(text.lower().split()) for text in texts]

def vector(words):
    counts = [0] * 256
    for word in words:
        counts[zlib.crc32(word.encode()) % 256] += 1
    return [count / math.hypot(*counts) for count in counts]
"""
WORDS = "Enough words to be a section of its own, and a little more. " * 5


def guide(*headings: str) -> Page:
    parts = "".join(f"<h2 id={each}>{each}</h2><p>{each} {WORDS}" for each in headings)
    return f"<title>Guide</title><h1>Guide</h1><p>{WORDS}{parts}"


@pytest.mark.behaviour("SY-13")
def test_the_loop_embeds_only_what_changed(server: Server, tmp_path: Path) -> None:
    site: dict[str, Page] = {"/": guide("install", "upgrade")}
    options = CODE["site.toml"].replace("https://docs.example.org", server.serve(site))
    options += "allow_private = true\ndelay = 0\nforce = true\n"
    (tmp_path / "site.toml").write_text(options)
    (tmp_path / "embedding.py").write_text(EMBEDDING)
    (tmp_path / "ask.py").write_text(CODE["ask.py"])

    def ask(question: str) -> tuple[str, list[str]]:
        done = subprocess.run(
            [sys.executable, "ask.py", question],
            cwd=tmp_path,
            env={**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        log = tmp_path / "embedded.txt"
        lines = log.read_text().splitlines()
        log.unlink()
        return done.stdout, lines

    answer, embedded = ask("install")
    assert embedded == ["Guide", "Guide › install", "Guide › upgrade", "install"]
    assert answer.rstrip().endswith("install")
    assert re.search(r"\[1\] http://\S+/#install\n", answer)
    site["/"] = guide("install", "remove")
    answer, embedded = ask("remove")
    assert embedded == ["Guide › remove", "remove"]
    assert re.search(r"\[1\] http://\S+/#remove\n", answer)
    assert "/#upgrade" not in answer


class Documents(StubServer):
    """Adds the documents that it gets, or deletes some by their ids, as Meilisearch does."""

    def __init__(self) -> None:
        super().__init__()
        self.titles: dict[str, str] = {"0" * 32: "of another program"}

    def answer(self, request: StubRequest) -> tuple[int, bytes]:
        if request.target == "/indexes/documents/documents/delete-batch":
            assert request.headers["Content-Type"] == "application/json"
            for id_ in json.loads(request.body):
                self.titles.pop(id_, None)
        else:
            assert request.target == "/indexes/documents/documents"
            assert request.headers["Content-Type"] == "application/x-ndjson"
            found = [json.loads(line) for line in request.body.splitlines()]
            self.titles.update({each["id"]: each["title"] for each in found})
        return 202, b""


@pytest.mark.behaviour("O-13")
def test_the_lines_for_meilisearch_leave_what_is_there(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "search.md").read_text("utf-8")
    lines = re.findall(
        r"^    (.*)$", text[text.index("    scrapy export --since 0") :], re.MULTILINE
    )
    site: dict[str, Page] = {
        "/": page("/a", "/b", title="Home", text="start"),
        "/a": page(title="A", text="apples"),
        "/b": page(title="B", text="bananas"),
    }
    origin = server.serve(site)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with Documents() as documents:
        host = f"http://127.0.0.1:{documents.port}"
        given = {**os.environ, "PATH": path, "HOST": host, "KEY": "key"}
        given["SCRAPY_SETTINGS_MODULE"] = "sitecrawl.settings"
        for expected in ({"Home", "A", "B"}, {"Home", "A again"}):
            crawl(f"{origin}/", force=1)
            command = ["sh", "-ec", "\n".join(lines)]
            done = subprocess.run(
                command, cwd=tmp_path, env=given, capture_output=True, timeout=120, check=False
            )
            assert done.returncode == 0, done.stderr
            assert set(documents.titles.values()) == {"of another program", *expected}
            site["/b"] = Answer("gone", status=410)
            site["/a"] = page(title="A again", text="apples again")
