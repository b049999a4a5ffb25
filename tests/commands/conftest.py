"""Runs the commands beside ``scrapy crawl`` in a test's own folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from saying import Said, Say, scrapy


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Say:
    """``scrapy WORDS`` in the folder in which the ``crawl`` fixture crawls."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    return scrapy


@pytest.fixture
def fetching(tmp_path: Path) -> Say:
    """``scrapy WORDS`` in a process of its own, for the commands that fetch."""

    def run(*words: object) -> Said:
        ended = subprocess.run(
            [sys.executable, "-m", "scrapy", *(str(word) for word in words)],
            cwd=tmp_path,
            env={**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Said(ended.returncode, ended.stdout, ended.stderr)

    return run
