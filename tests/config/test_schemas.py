"""The JSON schemas of docs/schemas fit the options, the documentation and the output."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server
from scripts.schemas import FOLDER, SCHEMAS, text
from sitecrawl.config.options.crawl_options import CrawlParams

ROOT = FOLDER.parents[1]
PROFILES = sorted((ROOT / "sitecrawl" / "profiles").glob("*.toml"))


def validator(name: str) -> Any:
    schema = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def errors(name: str, value: object) -> list[str]:
    return [each.message for each in validator(name).iter_errors(value)]


def files_of_options() -> list[str]:
    """The blocks of the documentation that are files of options."""
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        blocks = re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        found += [each for each in blocks if re.search(r"^start\s*=", each, re.MULTILINE)]
    return found


@pytest.mark.behaviour("OP-02")
@pytest.mark.parametrize("name", list(SCHEMAS))
def test_the_schemas_are_made_of_the_models(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == text(name), (
        "run: python -m scripts.schemas"
    )


@pytest.mark.behaviour("OP-02")
@pytest.mark.parametrize("profile", PROFILES, ids=lambda path: path.stem)
def test_the_profiles_are_valid(profile: Path) -> None:
    options = tomllib.loads(profile.read_text(encoding="utf-8"))
    assert errors("site.schema.json", {"start": ["https://example.org/"], **options}) == []


@pytest.mark.behaviour("OP-02")
def test_the_files_of_the_documentation_are_valid() -> None:
    blocks = files_of_options()
    assert blocks
    for block in blocks:
        assert errors("site.schema.json", tomllib.loads(block)) == [], block


@pytest.mark.behaviour("OP-02")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": ["https://example.org/"], "max_page": 3}, "max_page"),
        ({"start": ["https://example.org/"], "max_pages": -1}, "-1"),
        ({"start": ["https://example.org/"], "mode": "sitmap"}, "sitmap"),
        ({"delay": 2}, "delay"),
        ({"crawl": [{"start": ["https://example.org/"]}]}, "name"),
        ({"crawl": [{"name": "docs", "strat": []}]}, "strat"),
    ],
)
def test_mistakes_are_found(options: dict[str, Any], message: str) -> None:
    assert message in "\n".join(errors("site.schema.json", options))


PAGE = """<html lang=en><head><title>Guide - Shop</title><meta name=keywords content="a,b">
<meta name=author content="A. Writer"><meta property=og:type content=article>
<link rel=alternate hreflang=de href=/de><meta name=robots content=noarchive></head>
<body><main><h1 id=top>Guide</h1><p>Some words about it, enough to be a page of its own.</p>
<dl><dt id=depth>--depth<dd>How deep it goes.</dl><a href=/b rel=next>Next</a></main></body></html>"""


@pytest.mark.behaviour("OP-02")
@pytest.mark.parametrize("preset", ["full", "rag", "minimal"])
def test_lines_of_a_crawl_are_valid(server: Server, crawl: CrawlCommand, preset: str) -> None:
    site: dict[str, Page] = {"/": PAGE, "/b": PAGE.replace("Guide", "Second part")}
    origin = server.serve(site)
    first = crawl(f"{origin}/", preset=preset, purge_404_after=1)
    del site["/b"]
    second = crawl(f"{origin}/", preset=preset, purge_404_after=1, force=1, max_lost_share=1)
    lines = first.lines + second.lines
    assert {each["op"] for each in lines} == {"upsert", "delete"}
    for line in lines:
        assert errors("document.schema.json", line) == [], line
    [page] = (each for each in first.lines if each["url"] == f"{origin}/")
    assert errors("document.schema.json", {**page, "title": 3}) == ["3 is not of type 'string'"]


def test_every_option_but_those_of_the_command_line_is_described() -> None:
    known = json.loads(text("site.schema.json"))["properties"]
    assert set(CrawlParams.model_fields) - set(known) == {"config"}
