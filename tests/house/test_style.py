"""Rules of the house that no linter knows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
LONGEST = 250
UNFINISHED = re.compile(r"TO[D]O|FIX[M]E|X[X]X|NotImplemented[E]rror|pragma: no cove[r]|xfai[l]\(")
SAY_NOTHING = {"utils.py", "helpers.py", "manager.py", "data.py", "info.py"}


def sources() -> dict[str, str]:
    """The text of every Python file of the project, by its name."""
    names = subprocess.check_output(["git", "ls-files", "*.py"], cwd=ROOT, text=True).splitlines()
    paths = {name: ROOT / name for name in names if (ROOT / name).exists()}
    return {name: path.read_text(encoding="utf-8") for name, path in paths.items()}


def test_files_are_short() -> None:
    assert [name for name, text in sources().items() if text.count("\n") > LONGEST] == []


def test_nothing_is_unfinished() -> None:
    assert [name for name, text in sources().items() if UNFINISHED.search(text)] == []


def test_names_say_something() -> None:
    assert [name for name in sources() if Path(name).name in SAY_NOTHING] == []
