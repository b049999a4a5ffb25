"""Explanation of one URL: every rule in its order, with its source."""

from __future__ import annotations

import pytest

from sitecrawl.config.assembly import build_rules
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.decision import Step
from sitecrawl.policy.urls.rule_engine import Rules

SOURCES = {"deny": "-a deny", "query": "profile fdse", "max_depth": "site.toml"}


def rules(**options: object) -> Rules:
    params = CrawlParams(start=["http://example.org/"], **options)
    return build_rules(params, SOURCES)


@pytest.mark.behaviour("LR-31")
def test_a_refusal_names_option_value_and_source() -> None:
    engine = rules(deny="/private/", query="ignore", max_depth=1)
    refusals = {
        "http://example.org/private/x": "deny '/private/' (-a deny)",
        "http://example.org/?x": "query 'ignore' (profile fdse)",
        "http://other.example/": "scope 'origin' (default): http://other.example",
        "http://example.org/x.gif": "default_ignored_extensions 'gif' (default)",
    }
    assert {url: engine.admit(url).decision.rule for url in refusals} == refusals
    deep = engine.admit("http://example.org/x", depth=2).decision
    assert deep.rule == "max_depth 1 (site.toml): depth 2"


@pytest.mark.parametrize("query", ["strip", "filter", "ignore", "policy"])
def test_a_point_of_an_image_map_passes_where_queries_do_not(query: str) -> None:
    engine = rules(query=query, image_maps="sample")
    for url, passes in {"/map?10,27": True, "/map?10,27&x=1": False, "/map": True}.items():
        steps = engine.explain(f"http://example.org{url}")
        (said,) = [step for step in steps if step.rule.startswith("query")]
        assert (said.verdict == "passed") is passes
        assert "(profile fdse)" in said.detail


def test_every_rule_in_its_order() -> None:
    engine = rules(
        url_rewrite="/a/=>/b/",
        deny="private",
        allow="example",
        contains="example",
        not_contains="y",
        do_not_crawl="/z/",
        numeric_hosts="refuse",
        query="filter",
        query_keep="id",
        session_parameters="sid",
        max_path_depth=9,
        domino="yes",
    )
    steps = engine.explain("http://example.org/a/?id=1&sid=2&p=3&q=4")
    assert [step.rule for step in steps] == [
        *("rewrite", "scheme", "malformed", "numeric_host"),
        *("session_id", "entry_id", "listing_sort", "domino"),
        "query_filter",
        *("length", "extension", "scope", "contains", "not_contains", "deny", "allow"),
        *("do_not_crawl", "repeated_directory", "path_depth", "depth", "rel"),
        "known_view",
    ]
    changed = {s.rule: s.detail.rpartition(": ")[2] for s in steps if s.verdict == "changed"}
    assert changed == {
        "rewrite": "http://example.org/b/?id=1&sid=2&p=3&q=4",
        "session_id": "http://example.org/b/?id=1&p=3&q=4",
        "query_filter": "http://example.org/b/?id=1",
    }


def test_the_first_refusal_is_the_one_that_decides() -> None:
    engine = rules(deny="/private/", max_depth=0)
    url = "http://other.example/private/a.gif"
    refused = [step for step in engine.explain(url, depth=1) if step.verdict == "refused"]
    assert [step.rule for step in refused] == ["extension", "scope", "deny", "depth"]
    assert engine.admit(url, depth=1).decision.reason == refused[0].rule


def test_what_the_rules_do_not_look_at_is_not_explained_as_refused() -> None:
    engine, url = rules(), "http://example.org/OpenDocument_formats"
    assert engine.admit(url).decision.allowed
    assert {step.verdict for step in engine.explain(url)} == {"passed"}


def test_a_start_is_exempt() -> None:
    engine = rules(allow="/docs/")
    step = Step("allow", "exempt", "no match of allow '/docs/' (default)")
    assert step in engine.explain("http://example.org/", via="seed")


def test_rel_is_explained() -> None:
    steps = rules().explain("http://example.org/", rel=frozenset({"nofollow"}))
    assert Step("rel", "refused", "rel=nofollow, nofollow 'obey' (default)") in steps
