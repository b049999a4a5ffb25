"""Jobs of a real Scrapyd: by the installed package and by an egg, to their end and cancelled."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scrapyd_server import PROGRAMS, Scrapyd

from fixtures.server import Answer, Page, Server, Site, page

ROOT = Path(__file__).parent.parent.parent
SITE: Site = {
    "/": page("/a?id=1&x=2", "/b", text="Home"),
    "/a": page(text="A"),
    "/b": page(text="B"),
}


def documents(output: Path, origin: str) -> dict[str, dict[str, Any]]:
    """The documents of a feed, by path and query."""
    lines = map(json.loads, output.read_text(encoding="utf-8").splitlines())
    return {line["url"].removeprefix(origin): line for line in lines}


@pytest.mark.behaviour("A-11", "O-12")
def test_an_installed_package_runs_as_a_job(
    scrapyd: Scrapyd, server: Server, tmp_path: Path
) -> None:
    origin = server.serve(SITE)
    assert scrapyd.ask("listspiders.json?project=sitecrawl")["spiders"] == ["site"]
    output = tmp_path / "documents.jsonl"
    options = {"start": f"{origin}/", "profile": "smartsite", "delay": "0", "crawl_name": "named"}
    log = scrapyd.finished("sitecrawl", scrapyd.schedule("sitecrawl", output, **options))
    assert "Traceback" not in log
    assert set(documents(output, origin)) == {"/", "/a?id=1", "/b"}  # the profile filters queries
    with closing(sqlite3.connect(output.with_suffix(".db"))) as database:
        assert database.execute("SELECT name FROM crawl").fetchall() == [("named",)]
    again = scrapyd.schedule("sitecrawl", tmp_path / "again.jsonl", **options, force="1")
    assert "'finish_reason': 'finished'" in scrapyd.finished("sitecrawl", again)


@pytest.mark.behaviour("A-11")
def test_an_egg_runs_as_a_job(scrapyd: Scrapyd, server: Server, tmp_path: Path) -> None:
    deploy(scrapyd, tmp_path / "project")
    assert scrapyd.ask("listversions.json?project=egged")["versions"] == ["1"]
    origin = server.serve(SITE)
    output = tmp_path / "documents.jsonl"
    options = {"start": f"{origin}/", "profile": "smartsite", "delay": "0"}
    log = scrapyd.finished("egged", scrapyd.schedule("egged", output, **options))
    assert "laid in an egg: Spider opened" in log
    assert set(documents(output, origin)) == {"/", "/a?id=1", "/b"}
    agents = {each.headers["user-agent"].partition(" ")[0] for each in server.log.of(origin)}
    assert agents == {"sitecrawl/9.9"}, "an egg knows its version, installed or not"


@pytest.mark.behaviour("A-11")
def test_a_project_with_the_add_on_runs_the_spider(
    scrapyd: Scrapyd, server: Server, tmp_path: Path
) -> None:
    settings = 'SPIDER_MODULES = []\nADDONS = {"sitecrawl.Addon": 300}\n'
    settings += 'COMMANDS_MODULE = "sitecrawl.commands"\n'
    deploy_egg(scrapyd, tmp_path / "project", "adding", settings)
    assert scrapyd.ask("listspiders.json?project=adding")["spiders"] == ["site"]
    origin = server.serve(SITE)
    output = tmp_path / "documents.jsonl"
    options = {"start": f"{origin}/", "profile": "smartsite", "delay": "0"}
    log = scrapyd.finished("adding", scrapyd.schedule("adding", output, **options))
    assert "Traceback" not in log
    assert set(documents(output, origin)) == {"/", "/a?id=1", "/b"}


def deploy_egg(scrapyd: Scrapyd, project: Path, name: str, settings: str) -> None:
    """Deploy a project of one settings module."""
    (project / name).mkdir(parents=True)
    (project / name / "__init__.py").touch()
    (project / name / "settings.py").write_text(settings)
    target = f"[settings]\ndefault = {name}.settings\n[deploy]\nurl = {scrapyd.url}\n"
    (project / "scrapy.cfg").write_text(f"{target}project = {name}\nversion = 1\n")
    lay(project)


def deploy(scrapyd: Scrapyd, project: Path) -> None:
    """Lay an egg of a copy of this project, told from the installed one by its log."""
    shutil.copytree(ROOT / "sitecrawl", project / "sitecrawl")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, project)
    settings = project / "sitecrawl" / "settings.py"
    settings.write_text(settings.read_text() + '\nLOG_FORMAT = "laid in an egg: %(message)s"\n')
    package = project / "sitecrawl" / "__init__.py"
    package.write_text(f'{package.read_text()}__version__ = "9.9"\n')
    target = f"[settings]\ndefault = sitecrawl.settings\n[deploy]\nurl = {scrapyd.url}\n"
    (project / "scrapy.cfg").write_text(f"{target}project = egged\nversion = 1\n")
    lay(project)


def lay(project: Path) -> None:
    """Deploy a project to the Scrapyd of its scrapy.cfg."""
    command = [str(PROGRAMS / "scrapyd-deploy"), "-v", "1"]
    ended = subprocess.run(
        command, cwd=project, capture_output=True, text=True, timeout=300, check=False
    )
    assert '"status": "ok"' in ended.stdout, ended.stdout + ended.stderr


@pytest.mark.behaviour("A-11")
def test_a_cancelled_job_delivers_what_it_has(
    scrapyd: Scrapyd, server: Server, tmp_path: Path
) -> None:
    pages: dict[str, Page] = {
        f"/{n}": Answer(page(text=f"Page number {n}"), delay=0.1) for n in range(300)
    }
    origin = server.serve({"/": page(*pages), **pages})
    output = tmp_path / "documents.jsonl"
    options = {"start": f"{origin}/", "delay": "0", "politeness": "0"}
    job = scrapyd.schedule("sitecrawl", output, **options)
    server.log.wait_for(10, origin)
    assert scrapyd.ask("cancel.json", project="sitecrawl", job=job)["prevstate"] == "running"
    log = scrapyd.finished("sitecrawl", job)
    assert "'finish_reason': 'shutdown'" in log
    assert "Traceback" not in log
    answered = {each.target for each in server.log.of(origin)} - {"/robots.txt"}
    assert 8 <= len(answered) < 100
    assert set(documents(output, origin)) == answered
