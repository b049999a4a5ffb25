"""The commands of each tutorial, typed in their order in an empty folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.command import ROOT
from fixtures.postgres import PostgresServer
from fixtures.server import Answer, Server, Site, page

pytestmark = pytest.mark.slow
TUTORIALS = ROOT / "docs" / "tutorials"
SITE: Site = {
    "/": page("/intro", "/gone", "/basket/", title="Handbook", text="All of the handbook"),
    "/intro": page(title="Intro", text="Getting started", body='<b class="price">12</b>'),
    "/basket/": page(title="Basket", text="Nothing in it"),
    "/gone": Answer("gone", status=404),
}
MAY_FIND_NOTHING = ("report --", "explain", "frontier errors")
"""Commands that end with 1 where there is nothing to list, or a URL is refused."""


def type_all(name: str, folder: Path, replaced: dict[str, str]) -> str:
    """Type the commands of a tutorial in a folder; return what they printed."""
    text = (TUTORIALS / f"{name}.md").read_text(encoding="utf-8")
    lines = ["set -e"]
    for command in re.findall(r"^    (\w.*)$", text, re.MULTILINE):
        accepted = any(each in command for each in MAY_FIND_NOTHING)
        lines.append(f"{command} || [ $? = 1 ]" if accepted else command)
    script = "\n".join(lines)
    for each, other in replaced.items():
        script = script.replace(each, other)
    programs = folder / "bin"
    programs.mkdir()
    for program in ("scrapy", "sitecrawl"):
        (programs / program).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {program} "$@"\n')
        (programs / program).chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    given = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    given.pop("SCRAPY_SETTINGS_MODULE", None)
    done = subprocess.run(
        ["bash", "-xc", script],
        cwd=folder,
        env=given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.fixture
def origin(server: Server) -> str:
    """The address of the site."""
    return server.serve(SITE)


def test_site_search(tmp_path: Path, origin: str) -> None:
    pytest.importorskip("pagefind")
    type_all("site-search", tmp_path, {"https://example.org": origin})
    assert (tmp_path / "search" / "pagefind" / "pagefind.js").exists()
    assert "site-search" in (tmp_path / "search" / "search-box.js").read_text()


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_rag_corpus(tmp_path: Path, origin: str) -> None:
    type_all("rag-corpus", tmp_path, {"https://example.org": origin})
    lines = [json.loads(each) for each in (tmp_path / "sections.jsonl").read_text().splitlines()]
    assert {each["op"] for each in lines} == {"upsert"}
    assert (tmp_path / "public" / "llms.txt").exists()


def test_audit(tmp_path: Path, origin: str) -> None:
    printed = type_all("audit", tmp_path, {"https://example.org": origin})
    assert "/gone" in (tmp_path / "dead_links.csv").read_text()
    assert f"404 file_not_found {origin}/gone" in printed
    assert "<html" in (tmp_path / "report.html").read_text()


def test_project(tmp_path: Path, origin: str) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    type_all("project", tmp_path, {"https://example.org": origin})
    lines = (tmp_path / "shop-crawl" / "documents.jsonl").read_text().splitlines()
    assert {"price": ["12"]} in [json.loads(line).get("fields") for line in lines]


def test_many_sites(tmp_path: Path, server: Server) -> None:
    docs, blog = (server.serve(SITE) for _ in range(2))
    with PostgresServer() as postgres:
        text = (TUTORIALS / "many-sites.md").read_text(encoding="utf-8")
        (file,) = re.findall(r"^```toml\n# sites.toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        for each, other in (
            ("postgresql://crawl@db/crawl", postgres.url("test")),
            ("https://docs.example.org", docs),
            ("https://blog.example.org", blog),
            ("delay = 5", "delay = 0"),
        ):
            assert each in file
            file = file.replace(each, other)
        (tmp_path / "sites.toml").write_text(file)
        printed = type_all("many-sites", tmp_path, {})
    assert {path.name for path in (tmp_path / "documents").iterdir()} == {
        "docs.jsonl",
        "blog.jsonl",
    }
    assert "docs" in printed
