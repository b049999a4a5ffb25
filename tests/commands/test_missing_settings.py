"""A command outside the project's folder, or written with the wrong dashes, says what is missing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from saying import Say

from fixtures.command import ROOT, run
from sitecrawl import commands

SCRAPYS = {"bench", "check", "crawl", "fetch", "genspider", "parse", "runspider", "shell", "view"}
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
    ("words", "line"),
    [
        (["crawl", "site", "--start=http://a.test/"], "--start; write -a start=http://a.test/"),
        (["crawl", "site", "--start", "http://a.test/"], "--start; write -a start=..."),
        (["crawl", "site", "--max-pages=3"], "--max-pages; write -a max_pages=3"),
        (["crawl", "site", "-a", "start=http://a.test/", "--strat=1"], "--strat"),
        (["explain", "http://a.test/", "--deny=/x"], "--deny; write -a deny=/x"),
    ],
)
def test_an_option_with_dashes_is_not_ignored(say: Say, words: list[str], line: str) -> None:
    said = say(*words)
    assert (said.status, said.out) == (2, "")
    assert f"there is no option {line}" in said.err
    assert "Traceback" not in said.err
