"""Completion of ``sitecrawl`` in the shell, as argcomplete asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.command import Command


@pytest.mark.behaviour("A-22")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sitecrawl cra", {"crawl", "crawls"}),
        ("sitecrawl crawl --max-pages-per", {"--max-pages-per-day", "--max-pages-per-directory"}),
        ("sitecrawl report --li", {"--list"}),
    ],
)
def test_commands_and_flags_are_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, words: set[str]
) -> None:
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": "words",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    command = Command([], tmp_path, errors=tmp_path / "errors", settings="", program="sitecrawl")
    assert command.wait(60) == 0
    assert set((tmp_path / "words").read_text().split()) == words
