"""The rules on URLs, by tables: what is admitted, as what, and why not."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.config.assembly import build_rules
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.urls.rule_engine import Rules

CASES = Path(__file__).parent / "cases"


def cases(*files: str) -> list[Any]:
    found = []
    for file in files:
        table = tomllib.loads((CASES / file).read_text(encoding="utf-8"))
        found += [
            pytest.param(c, id=c["name"], marks=pytest.mark.behaviour(*c.get("ids", ())))
            for c in table["case"]
        ]
    return found


def rules(case: dict[str, Any]) -> Rules:
    starts = case.get("start", ["http://example.org/"])
    return build_rules(CrawlParams(start=starts, **case.get("options", {})), {})


@pytest.mark.parametrize("case", cases("rules.toml", "queries.toml"))
def test_case(case: dict[str, Any]) -> None:
    engine = rules(case)
    admissions = {url: engine.admit(url) for url in case.get("allowed", ())}
    assert {url: a.decision.reason for url, a in admissions.items()} == dict.fromkeys(
        admissions, ""
    )
    assert [a.url for a in admissions.values()] == list(admissions)
    refused = case.get("refused", {})
    assert {url: engine.admit(url).decision.reason for url in refused} == refused
    becomes = case.get("becomes", {})
    assert {url: engine.admit(url).url for url in becomes} == becomes
    assert all(engine.admit(url).decision.allowed for url in becomes)


@pytest.mark.parametrize("case", cases("queries.toml"))
def test_identity(case: dict[str, Any]) -> None:
    engine = rules(case)
    for urls in case.get("same", ()):
        assert len({engine.admit(url).fingerprint for url in urls}) == 1
    for urls in case.get("apart", ()):
        assert len({engine.admit(url).fingerprint for url in urls}) == len(urls)


@pytest.mark.behaviour("LR-06", "K-28")
def test_every_extension_of_the_published_list() -> None:
    published = """7z asf avi bat bmp cmd com cpl css dll eot exe flv gif hta ico inf iso jar jpeg
    jpg js json mp3 mp4 mpeg mpg msi msp ogg pif png ps1 qt rar reg scr svg tiff ttf vb vbe vbs
    vob wav wmv woff woff2 zip jpe ram ra doc xls pdf gz log old"""
    names = published.split()
    engine = rules({})
    verdicts = {n: engine.admit(f"http://example.org/a.{n}").decision.reason for n in names}
    assert verdicts == dict.fromkeys(names, "extension")


@pytest.mark.behaviour("K-14", "LR-02")
def test_the_longest_url_by_default() -> None:
    longest = "http://example.org/".ljust(2083, "x")
    assert rules({}).admit(longest).decision.allowed
    refused = rules({}).admit(longest + "x").decision
    assert refused.rule == "max_url_length 2083 (default): 2084 characters"


@pytest.mark.behaviour("LR-25")
def test_depth_counts_links_from_the_start() -> None:
    engine = rules({"options": {"max_depth": 2}})
    url = "http://example.org/x"
    assert engine.admit(url, depth=2).decision.allowed
    assert engine.admit(url, depth=3).decision.reason == "depth"
    assert engine.admit(url, depth=1).decision.allowed
    assert rules({}).admit(url, depth=10_000).decision.allowed


@pytest.mark.behaviour("K-18", "M-12", "M-13")
@pytest.mark.parametrize("rel", [{"nofollow"}, {"external", "NoFollow"}, {"noindex"}])
def test_rel_says_not_to_follow(rel: set[str]) -> None:
    decision = rules({}).admit("http://example.org/x", rel=frozenset(rel)).decision
    assert decision.reason == "rel"
    lax = rules({"options": {"nofollow": "ignore"}})
    assert lax.admit("http://example.org/x", rel=frozenset(rel)).decision.allowed


@pytest.mark.behaviour("LR-26")
def test_style_sheets_are_no_pages() -> None:
    engine = rules({"options": {"nofollow": "ignore"}})
    admission = engine.admit("http://example.org/look", rel=frozenset({"alternate", "stylesheet"}))
    assert admission.decision.reason == "rel"
    assert engine.admit("http://example.org/de", rel=frozenset({"alternate"})).decision.allowed


@pytest.mark.behaviour("LR-20")
def test_a_start_that_matches_nothing_is_fetched_for_its_links() -> None:
    engine = rules({"options": {"allow": "/docs/", "contains": "doc"}})
    start = engine.admit("http://example.org/", via="seed")
    assert start.decision.allowed
    assert not start.indexed
    assert engine.admit("http://example.org/docs/", via="seed").indexed
    assert engine.admit("http://example.org/docs/x").indexed


@pytest.mark.behaviour("X-06")
def test_a_start_is_fetched_whatever_its_extension() -> None:
    engine = rules({"options": {"default_ignored_extensions": "xml"}})
    assert engine.admit("http://example.org/data.xml", via="seed").decision.allowed
    assert engine.admit("http://example.org/data.xml").decision.reason == "extension"


@pytest.mark.behaviour("Q-20")
def test_stored_candidates_meet_todays_rules() -> None:
    stored = "http://example.org/list?page=2"
    assert rules({}).admit(stored, depth=1, via="link").decision.allowed
    today = rules({"options": {"query": "ignore"}})
    assert today.admit(stored, depth=1, via="link").decision.reason == "query"


def test_answers_do_not_depend_on_earlier_calls() -> None:
    engine = rules({"options": {"max_depth": 1}})
    engine.memory = 2
    urls = [f"http://example.org/{n}.{e}" for n in range(4) for e in ("html", "gif")]
    first = [engine.admit(url) for url in urls]
    assert [engine.admit(url) for url in reversed(urls)] == first[::-1]
    assert engine.admit(urls[0], depth=2).decision.reason == "depth"
    assert engine.admit(urls[0]) == first[0]


@pytest.mark.behaviour("Q-11")
@pytest.mark.parametrize("mark", "?=&$;")
def test_dynamic_urls(mark: str) -> None:
    from sitecrawl.policy.urls.canonicalization import is_dynamic

    assert is_dynamic(f"http://example.org/a{mark}b")
    assert not is_dynamic("http://example.org/a-b.html")
