"""Every command of the documentation exists, and so do its flags, its options and their values."""

from __future__ import annotations

from pathlib import Path

import pytest
from written import PAGES, ROOT, commands, problems


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_written_commands_are_right(path: Path) -> None:
    wrong = [f"{each}: {problem}" for each in commands(path) for problem in problems(each)]
    assert wrong == []


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
