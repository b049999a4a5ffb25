"""Commands of the documentation exist, with flags, options and values; its files can be read."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml
from written import OPTIONS, PAGES, ROOT, commands, files, parsers, problems

from sitecrawl.report.report_list import FORMATS


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_written_commands_are_right(path: Path) -> None:
    wrong = [f"{each}: {problem}" for each in commands(path) for problem in problems(each)]
    assert wrong == []


READERS: dict[str, Callable[[str], object]] = {
    "python": ast.parse,
    "toml": tomllib.loads,
    "json": json.loads,
    "yaml": lambda text: list(yaml.safe_load_all(text)),
    "ini": lambda text: ConfigParser().read_string(text),
    "sh": lambda text: subprocess.run(["bash", "-nc", text], check=True),
    "bash": lambda text: subprocess.run(["bash", "-nc", text], check=True),
}
"""Readers of blocks, by language."""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_written_files_can_be_read(path: Path) -> None:
    for language, text in files(path):
        if language not in {"", "html"} and not language.startswith("{"):
            READERS[language](text)
        if language == "toml":
            shared = tomllib.loads(text)
            tables = shared.pop("crawl", [])
            assert {name for each in (shared, *tables) for name in each} <= OPTIONS | {"name"}


def test_the_words_of_the_pages_are_spelled() -> None:
    pytest.importorskip("codespell_lib")
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", *PAGES, ROOT / "CHANGELOG.md"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "command",
    [
        "scrapy crwal site",
        "scrapy export --sinse 3",
        "scrapy crawl site -a max_page=3",
        "scrapy crawl site -a scope=planet",
        "scripts/nothing",
        "python -m scripts.nothing",
    ],
)
def test_wrong_commands_are_told(command: str) -> None:
    assert [*problems(command)] != []


def test_a_report_takes_the_formats_that_it_can_write() -> None:
    asked = next(each for each in parsers()["report"]._actions if each.dest == "format")
    assert asked.choices == [*FORMATS]
