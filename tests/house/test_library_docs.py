"""A project made of the files in docs/as-a-library.md crawls a site."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fixtures.server import Server, Site, page

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parent.parent.parent / "docs" / "as-a-library.md"
BLOCK = re.compile(r"^```\w+\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SITE: Site = {
    "/": page("/draft-1", "/soon", "/few", text="All of the handbook"),
    "/draft-1": page(text="Not yet for anybody"),
    "/soon": page("/behind", text="This is under construction"),
    "/behind": page(text="Behind the page", body='<b class="price">12</b><img data-page="/shown">'),
    "/shown": page(text="Shown by a picture"),
    "/few": page(text="Two words"),
}


class Project(NamedTuple):
    """The files of the page in a folder, and a site for them to crawl."""

    folder: Path
    origin: str

    def run(self, *command: str) -> str:
        """Run a Python command in the folder, and return its output."""
        environment = {
            name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"
        }
        ended = subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr[-3000:]
        assert "Traceback" not in ended.stderr
        return ended.stdout + ended.stderr

    def documents(self, file: str) -> dict[str, dict[str, Any]]:
        """The documents written, by path."""
        lines = (self.folder / file).read_text(encoding="utf-8").splitlines()
        return {line["url"].removeprefix(self.origin): line for line in map(json.loads, lines)}


@pytest.fixture
def project(tmp_path: Path, server: Server) -> Project:
    """The project that the page describes."""
    origin = server.serve(SITE)
    for name, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text.replace("https://example.org", origin), encoding="utf-8")
    return Project(tmp_path, origin)


@pytest.mark.behaviour("L-21")
def test_a_project_of_its_own(project: Project) -> None:
    command = ("-m", "scrapy", "crawl", "handbook", "-a", f"start={project.origin}/")
    log = project.run(*command, "-a", "delay=0", "-O", "documents.jsonl")
    documents = project.documents("documents.jsonl")
    assert set(documents) == {"/", "/behind", "/shown"}
    assert documents["/behind"]["fields"] == {"price": ["12"]}
    assert documents["/"]["words"] >= 4
    assert "'sitecrawl/rules/draft': 1" in log


def test_a_project_needs_no_settings_of_ours(project: Project) -> None:
    settings = 'SPIDER_MODULES = ["handbook.spiders"]\n'
    (project.folder / "handbook" / "settings.py").write_text(settings, encoding="utf-8")
    command = ("-m", "scrapy", "crawl", "handbook", "-a", f"start={project.origin}/")
    project.run(*command, "-a", "delay=0", "-O", "documents.jsonl")
    assert set(project.documents("documents.jsonl")) == {"/", "/behind", "/shown", "/few"}


def test_an_addon_brings_the_spider_to_any_project(project: Project) -> None:
    settings = 'ADDONS = {"sitecrawl.Addon": 300}\n'
    (project.folder / "handbook" / "settings.py").write_text(settings, encoding="utf-8")
    command = ("-m", "scrapy", "crawl", "site", "-a", f"start={project.origin}/")
    project.run(*command, "-a", "delay=0", "-O", "documents.jsonl")
    assert {"/", "/soon", "/draft-1"} <= set(project.documents("documents.jsonl"))


def test_explain_tells_the_rule_of_a_project(project: Project) -> None:
    url = f"{project.origin}/draft-1"
    command = ("-m", "scrapy", "explain", url, "--spider", "handbook")
    ended = subprocess.run(
        [sys.executable, *command, "-a", f"start={project.origin}/"],
        cwd=project.folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.splitlines()[0].endswith("handbook/rules.py: a draft")


def test_a_script(project: Project) -> None:
    log = project.run("run.py")
    assert "'sitecrawl/outcomes/file_ingested': 3" in log


def test_reading_alone(project: Project) -> None:
    assert project.run("read.py") == f"Hello {project.origin}/next\n"
