"""Sites and folders of a search index, and the sections of a document."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sitecrawl.browse.crawl_reader import PageRecord
from sitecrawl.search.search_index import SearchIndex

URLS = [
    "http://a.example/",
    "http://a.example/x",
    "http://a.example/x/",
    "http://a.example/x/y/z/1?to=/p/q",
    "http://a.example/x/y/2",
    "http://a.example/?dir=/x/y/",
    "http://a.example:80801/x",
    "http://a.example.org/x",
    "http://a-b.example/x",
]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SearchIndex]:
    """An index of pages at these URLs, and of one in another realm."""
    with closing(SearchIndex(tmp_path / "index.sqlite", make=True)) as opened:
        with opened.transaction():
            for number, url in enumerate(URLS):
                opened.put({"id": str(number), "url": url, "title": url})
            opened.put({"id": "r", "url": "http://r.example/x", "realm": "other"})
        yield opened


@pytest.mark.behaviour("BR-02")
def test_sites_are_origins(index: SearchIndex) -> None:
    own = {
        "http://a-b.example": 1,
        "http://a.example.org": 1,
        "http://a.example": 6,
        "http://a.example:80801": 1,
    }
    assert index.sites("default") == own
    assert index.sites() == {**own, "http://r.example": 1}


@pytest.mark.behaviour("BR-02")
def test_a_folder_has_pages_and_two_levels_of_folders(index: SearchIndex) -> None:
    root = index.folder("http://a.example/")
    assert (root.total, root.folders) == (6, {"x": 3})
    assert root.subfolders == {"x": {"y": 2}}
    assert {next(index.pages([number])).url for number in root.pages} == {URLS[0], URLS[1], URLS[5]}
    inner = index.folder("http://a.example/x/y/")
    assert ([next(index.pages([number])).url for number in inner.pages], inner.folders) == (
        ["http://a.example/x/y/2"],
        {"z": 1},
    )
    assert index.folder("http://a.example/none/").total == 0


MARKDOWN = """# Title *one*

Before.

## `Part` [link](https://x.example/a_(b\\))

```
## Part link
```

Inside.

### Below

Deep.

## Last"""
HEADINGS = [
    {"level": 1, "text": "Title one", "anchor": "top"},
    {"level": 2, "text": "Part link", "anchor": "part"},
    {"level": 3, "text": "Below"},
    {"level": 2, "text": "Last", "anchor": "last"},
]


def record(**fields: object) -> PageRecord:
    """A page with one document."""
    document: dict[str, Any] = {"url": "https://x.example/", "title": "T", **fields}
    nothing = cast("Any", SimpleNamespace())
    return PageRecord(nothing, "", nothing, [document], [], [])


@pytest.mark.behaviour("BR-08")
def test_sections_begin_at_headings_of_the_markdown() -> None:
    page = record(markdown=MARKDOWN.replace("_(b\\)", ""), headings=HEADINGS)
    found = {each.heading: (each.anchor, each.text) for each in page.sections()}
    assert list(found) == ["Title one", "Part link", "Below", "Last"]
    anchor, text = found["Part link"]
    assert anchor == "part"
    assert text.startswith("## `Part`")
    assert text.endswith("Deep.")
    assert found["Below"] == ("", "### Below\n\nDeep.")


@pytest.mark.behaviour("BR-08")
def test_sections_begin_at_headings_of_the_text() -> None:
    body = "Title one\nBefore.\nPart link\nInside.\nBelow\nDeep.\nLast"
    found = {each.heading: each.text for each in record(body=body, headings=HEADINGS).sections()}
    assert found["Part link"] == "Part link\nInside.\nBelow\nDeep."
    assert record(body=body).sections() == []


def test_many_headings_take_little_time() -> None:
    headings = [{"level": 1 + number % 6, "text": f"h{number}"} for number in range(50_000)]
    body = "\n".join(f"h{number}" for number in range(50_000))
    assert len(record(body=body, headings=headings).sections()) == 2_000
