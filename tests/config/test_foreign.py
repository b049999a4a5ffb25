"""Configurations of other crawlers become options that our model takes and that do the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fixtures.command import run
from sitecrawl.config.assembly import build_rules
from sitecrawl.config.configuration import load
from sitecrawl.config.foreign.draft import OrderedRule, allow_and_deny

CASES = Path(__file__).parent / "cases" / "foreign"


def imported(name: str, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """The options of a file, and the lines on standard error."""
    done = run(["import-config", str(CASES / name)], folder, settings="sitecrawl.settings")
    assert done.returncode == 0, done.stderr
    (folder / "site.toml").write_text(done.stdout, encoding="utf-8")
    told = [line.partition(": ")[2].rstrip(".") for line in done.stderr.splitlines()]
    assert all(f"# Without counterpart: {each}\n" in done.stdout for each in told)
    return tomllib.loads(done.stdout), told


def admitted(folder: Path, url: str, **arguments: str) -> bool:
    """True if the rules of the written file admit a URL."""
    found = load({"config": str(folder / "site.toml"), **arguments})
    return build_rules(found.params, found.sources).admit(url, depth=1).decision.allowed


@pytest.mark.behaviour("A-23")
def test_open_crawler(tmp_path: Path) -> None:
    options, told = imported("handbook.yml", tmp_path)
    assert len(options.pop("deny")) == 4
    assert options == {
        "start": ["https://handbook.example.org/guide/", "https://handbook.example.org/api/"],
        "auth": {"https://handbook.example.org": "reader:pass:word"},
        "content_types": ["pages", "application/pdf"],
        "fields": {"author": ".author"},
        "max_depth": 2,
        "preset": "elastic",
        "remove_elements": ["aside"],
        "title_length": 200,
        "user_agent": "handbook-bot",
    }
    assert told == ["extraction_rulesets: kind (a pipeline)", "max_body_size"]
    text = (tmp_path / "site.toml").read_text()
    assert "# Then: sitecrawl sync opensearch://search.example.org:9201/handbook\n" in text
    for path, allowed in (
        ("/guide/one", True),
        ("/guide/print/one", False),
        ("/guide/print/keep-me", True),
        ("/guide/page.old?id=3", False),
        ("/guide/draft-7-text", False),
        ("/api/?q=draft-7-text", True),
        ("/blog/", False),
    ):
        assert admitted(tmp_path, f"https://handbook.example.org{path}") is allowed, path


@pytest.mark.behaviour("A-23")
def test_docsearch(tmp_path: Path) -> None:
    options, told = imported("manual.json", tmp_path)
    assert options.pop("allow") != []
    site = "https://manual.example.org"
    assert options == {
        "start": [f"{site}/intro/", f"{site}/1.0/docs/", f"{site}/2.0/docs/"],
        "crawl_name": "manual",
        "deny": ["/docs/archive"],
        "query": "strip",
        "remove_selectors": [".hash-link"],
        "render_wait": 2,
        "split": "sections",
    }
    assert told == ["start_urls: page_rank", "min_indexed_level"]
    assert admitted(tmp_path, f"{site}/1.0/docs/start")
    assert not admitted(tmp_path, f"{site}/3.0/docs/start")
    assert not admitted(tmp_path, f"{site}/1.0/docs/archive/2")


@pytest.mark.behaviour("A-23")
def test_nutch(tmp_path: Path) -> None:
    options, told = imported("regex-urlfilter.txt", tmp_path)
    assert (options["scope"], told) == ("any", [])
    for url, allowed in (
        ("https://www.example.org/one", True),
        ("https://example.org/picture.gif", False),
        ("https://example.org/?id=3", True),
        ("https://example.org/a/b/a/c/a/d", False),
        ("https://example.com/one", False),
    ):
        assert admitted(tmp_path, url, start="https://example.org/") is allowed, url


@pytest.mark.parametrize("default", [True, False])
def test_the_first_match_decides(default: bool) -> None:
    rules = [
        OrderedRule(c in "+*", p) for c, p in zip("-+-+", ("a", "b", "c", "ab|d"), strict=True)
    ]
    allow, deny, unreadable = allow_and_deny(rules, default=default)
    assert unreadable == []
    for text in ("", "a", "b", "c", "d", "ab", "bc", "cb", "cd", "dc", "xd", "x"):
        first = next((r.allows for r in rules if re.search(r.pattern, text)), default)
        passes = not any(re.search(each, text) for each in deny)
        assert (passes and (not allow or any(re.search(e, text) for e in allow))) is first, text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.xml", "<list/>"),
        ("crawler.yml", "domains: 3"),
        ("crawler.yml", "domains: [{crawl_rules: [{policy: deny}]}]"),
        ("crawler.yml", "a: [b"),
        ("docs.json", "{"),
        ("docs.json", "[]"),
        ("regex-urlfilter.txt", "?what"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    done = run(["import-config", name], tmp_path, settings="sitecrawl.settings")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1, done.stderr
