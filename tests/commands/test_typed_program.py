"""Messages name commands as they can be typed where the user is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sitecrawl import program_name, typed_program


@pytest.mark.parametrize(
    ("started", "folder", "typed"),
    [
        ("bin/sitecrawl", "bin", "sitecrawl"),
        ("bin/sitecrawl", "", "bin/sitecrawl"),
        ("bin/scrapy", "bin", "scrapy"),
        ("bin/scrapy", "", "bin/scrapy"),
        ("sitecrawl/__main__.py", "", "sitecrawl"),
        ("scrapyd/runner.py", "", "scrapy"),
    ],
)
def test_typed_program(
    started: str,
    folder: str,
    typed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / started
    file.parent.mkdir()
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / folder))
    monkeypatch.setattr(sys, "argv", [started])
    assert program_name() == Path(typed).name
    assert typed_program() == typed
