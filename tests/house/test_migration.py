"""Our words of the migration tables exist: options with their values, fields, commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from written import OPTIONS, ROOT, problems

from sitecrawl.policy.documents.fields import DOCUMENT

ROW = re.compile(r"^\| .* \| (.*) \|$", re.MULTILINE)


def wrong(word: str) -> Iterator[str]:
    """Yield what is wrong with a word: an option, a field, a command or its arguments."""
    if word.startswith("scrapy "):
        yield from problems(word)
    elif word.startswith("-"):
        yield from problems(f"scrapy crawl site {word}")
    elif "=" in word:
        yield from problems(f"scrapy crawl site -a {word}")
    elif word not in OPTIONS and word not in DOCUMENT:
        yield "no option and no field"


def test_our_words_exist() -> None:
    text = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8")
    words = [each for row in ROW.findall(text) for each in re.findall(r"`([^`]+)`", row)]
    assert len(words) > 150
    assert [f"{word}: {each}" for word in words for each in wrong(word)] == []


def test_each_crawler_has_a_table() -> None:
    text = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8")
    assert text.count("\n## ") == text.count("\n|---|---|\n") == 9
