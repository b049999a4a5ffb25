"""Rules of the house that no linter knows."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("benchmarks", "fixtures", "scripts", "sitecrawl", "tests")
UNFINISHED = re.compile(r"TO[D]O|FIX[M]E|X[X]X|NotImplemented[E]rror|pragma: no cove[r]|xfai[l]\(")
OWNED = re.compile(r"\w\.phase = ")
OWNERS = {"sitecrawl/scheduling/origin.py"}
SAY_NOTHING = {"utils.py", "helpers.py", "manager.py", "data.py", "info.py"}


def sources() -> dict[str, str]:
    """The text of every Python file of the project, by its name.

    Git is not asked: in a container it may be missing, or refuse another user's checkout.
    """
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("[!.]*.py")]
    names = [str(path.relative_to(ROOT)) for path in paths]
    return {name: (ROOT / name).read_text("utf-8") for name in names if "/." not in name}


def test_nothing_is_unfinished() -> None:
    assert [name for name, text in sources().items() if UNFINISHED.search(text)] == []


def test_names_say_something() -> None:
    names = sources()
    assert "tests/house/test_style.py" in names
    assert [name for name in names if Path(name).name in SAY_NOTHING] == []


def test_only_its_own_file_changes_the_phase_of_an_origin() -> None:
    own = {name: text for name, text in sources().items() if name.startswith("sitecrawl/")}
    assigned = {name for name, text in own.items() if OWNED.search(text)}
    assert assigned == OWNERS, "call one of its transitions"
