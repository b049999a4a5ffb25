"""Runs the commands beside ``scrapy crawl`` in a test's own folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from saying import Say, scrapy


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Say:
    """``scrapy WORDS`` in the folder in which the ``crawl`` fixture crawls."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    return scrapy
