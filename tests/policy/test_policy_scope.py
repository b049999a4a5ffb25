"""Starts that redirect, and what that brings into scope."""

from __future__ import annotations

import pytest

from fixtures.effort import effort_within
from sitecrawl.config.assembly import build_rules
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.policy.urls.scope import Scope, registrable_domain
from sitecrawl.policy.urls.url_rules import read_target


def rules(start: str, **options: object) -> Rules:
    return build_rules(CrawlParams(start=[start], **options), {})


@pytest.mark.behaviour("K-10")
@pytest.mark.parametrize(
    ("scope", "start", "target", "named"),
    [
        ("origin", "http://example.org/", "https://example.org/", "https://example.org"),
        ("origin", "https://example.org/", "https://www.example.org/", "https://www.example.org"),
        ("origin", "http://127.0.0.1:8001/", "http://127.0.0.1:8002/", "http://127.0.0.1:8002"),
        ("site", "http://example.org/", "https://example.org/x", "https://example.org"),
        ("host", "http://example.org/", "http://www.example.org/x", "www.example.org"),
        ("directory", "http://example.org/a/", "https://example.org/a/", "https://example.org/a/"),
    ],
)
def test_the_owners_other_origin_comes_into_scope(
    scope: str, start: str, target: str, named: str
) -> None:
    engine = rules(start, scope=scope)
    refused = engine.admit(target).decision
    assert refused.reason == "scope"
    assert refused.rule.endswith(f": {named}")
    notice = engine.admit_redirect(start, target)
    assert notice == f"{start} redirects to {target}: {named} is now in scope"
    assert engine.admit(target).decision.allowed
    assert engine.admit(start).decision.allowed
    assert engine.admit_redirect(start, target) is None


@pytest.mark.behaviour("K-10")
@pytest.mark.parametrize(
    "target", ["https://evil.example/", "http://notexample.org/", "mailto:x@example.org", ""]
)
def test_a_strangers_origin_does_not(target: str) -> None:
    engine = rules("http://example.org/")
    assert engine.admit_redirect("http://example.org/", target) is None
    assert not engine.admit(target).decision.allowed


def test_thousands_of_directories() -> None:
    homes = [
        f"http://h{number % 99}.example/{'d/' * (number % 7)}{number}/x" for number in range(5000)
    ]
    scope = Scope("directory", homes, setting="scope")
    with effort_within(150):  # all directories, tried one after the other, take 900
        for home in homes:
            assert scope.covers(read_target(f"{home}/below?x"))
            assert not scope.covers(read_target(home.removesuffix("/x")))


def test_what_is_in_scope_already_needs_no_notice() -> None:
    engine = rules("http://example.org/", scope="domain")
    assert engine.admit_redirect("http://example.org/", "https://www.example.org/") is None
    assert engine.admit("https://www.example.org/").decision.allowed


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.org", "example.org"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("localhost", "localhost"),
        ("192.0.2.1", "192.0.2.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("www.site.intranet", "site.intranet"),
    ],
)
def test_registrable_domains(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain
