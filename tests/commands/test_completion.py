"""Completion of ``sitecrawl`` in the shell, as argcomplete asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.command import ROOT


@pytest.mark.behaviour("A-22")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sitecrawl cra", {"crawl", "crawls"}),
        ("sitecrawl crawl --max-pages-per", {"--max-pages-per-day", "--max-pages-per-directory"}),
        ("sitecrawl report --li", {"--list"}),
    ],
)
def test_commands_and_flags_are_completed(tmp_path: Path, line: str, words: set[str]) -> None:
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": "words",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "sitecrawl"]
    given = {**os.environ, **asked}
    done = subprocess.run(command, cwd=tmp_path, env=given, timeout=60, check=False)
    found = set((tmp_path / "words").read_text().split())
    assert done.returncode == 0
    assert found == words
