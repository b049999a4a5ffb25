"""A command outside the project's folder says what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from saying import Say

from fixtures.command import ROOT, run
from fixtures.server import Server, page
from sitecrawl import commands

SETTINGS = "SCRAPY_SETTINGS_MODULE"
SCRAPYS = {
    *(
        "bench",
        "check",
        "crawl",
        "fetch",
        "genspider",
        "list",
        "parse",
        "runspider",
        "shell",
        "version",
    ),
    "view",
}
OWN = {path.stem for path in Path(commands.__path__[0]).glob("[!_]*.py")} - SCRAPYS


def test_every_own_command_answers_where_the_settings_are_missing() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    answers = project["entry-points"]["scrapy.commands"]
    assert answers == dict.fromkeys(OWN, "sitecrawl.console.missing_settings:Command")


@pytest.mark.behaviour("A-17")
def test_outside_a_project_the_missing_setting_is_named(tmp_path: Path) -> None:
    said = run(["doctor", "http://127.0.0.1/", "-a", "delay=0"], tmp_path, settings="")
    assert (said.returncode, said.stdout) == (2, "")
    assert "set SCRAPY_SETTINGS_MODULE=sitecrawl.settings" in said.stderr
    assert "scrapy.cfg" in said.stderr
    assert len(said.stderr.splitlines()) == 1


@pytest.mark.behaviour("A-17")
def test_in_another_project_the_missing_setting_is_named(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = other\n")
    (tmp_path / "other.py").write_text('BOT_NAME = "other"\nADDONS = {"sitecrawl.Addon": 300}\n')
    said = run(["explain", "http://127.0.0.1/"], tmp_path, settings="")
    assert said.returncode == 2
    assert "COMMANDS_MODULE = 'sitecrawl.commands'" in said.stderr
    (tmp_path / "other.py").write_text('COMMANDS_MODULE = "sitecrawl.commands"\n')
    enabled = run(["explain", "http://127.0.0.1/"], tmp_path, settings="")
    assert "There is no crawl database" in enabled.stderr


@pytest.mark.behaviour("A-18")
@pytest.mark.parametrize(
    "words",
    [
        ["crawl", "http://127.0.0.1:9/", "--max-pages=x", "--delay", "3", "--force"],
        ["explain", "http://a.test/", "--start", "http://a.test/", "--max-pages=x"],
        ["crawls", "nothing.toml", "--max-pages", "x"],
    ],
)
def test_an_option_is_a_flag_or_an_argument(say: Say, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "nothing.toml").write_text('[[crawl]]\nname = "a"\nstart = ["http://a.test/"]\n')
    said = say(*words)
    assert (said.status, said.out) == (2, "")
    assert said.err.splitlines() == ["-a max_pages='x': should be a whole number."]


@pytest.mark.behaviour("A-18")
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["crawl", "site", "-a", "start=http://a.test/", "--strat=1"], "--strat"),
        (["crawl", "http://a.test/", "--max-page", "1"], "--max-page"),  # no abbreviation
        (["explain", "http://a.test/", "--dney=/x"], "--dney"),
    ],
)
def test_an_unknown_flag_is_not_ignored(say: Say, words: list[str], line: str) -> None:
    said = say(*words)
    assert (said.status, said.out) == (2, "")
    assert f"there is no option {line}" in said.err
    assert "Traceback" not in said.err


@pytest.mark.slow
@pytest.mark.behaviour("A-21")
def test_the_command_of_its_own_needs_no_project(server: Server, tmp_path: Path) -> None:
    start = f"{server.serve({'/': page('/a', title='Pears'), '/a': page(title='A')})}/"

    def sitecrawl(*words: str) -> subprocess.CompletedProcess[str]:
        given = {name: value for name, value in os.environ.items() if name != SETTINGS}
        command = [sys.executable, "-m", "sitecrawl", *words]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=given | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    crawled = sitecrawl("crawl", start, "--max-pages", "1", "--no-sitemaps", "-O", "d.jsonl")
    assert crawled.returncode == 0, crawled.stderr
    assert len((tmp_path / "d.jsonl").read_text().splitlines()) == 1
    assert "Pears" in sitecrawl("search", "pears").stdout
    helped = sitecrawl("crawl", "-h").stdout
    assert "--max-pages VALUE" in helped
    assert "--force, --no-force" in helped
    assert "sitecrawl crawl [options]" in helped
    assert "scrapy crawl" not in helped


@pytest.mark.behaviour("A-18")
def test_a_crawl_from_a_file_needs_no_name_of_a_spider(say: Say) -> None:
    said = say("crawl", "--config", "none.toml")
    assert said.status == 2
    assert "none.toml" in said.err
    assert "Usage" not in said.out + said.err
