"""Each profile's rules answer as its source document says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.config.assembly import build_rules
from sitecrawl.config.configuration import load
from sitecrawl.policy.urls.rule_engine import Rules

CASES = tomllib.loads((Path(__file__).parent / "cases" / "profiles.toml").read_text())["case"]
LINKS = [
    pytest.param(case, link, id=f"{case['profile']}-{link['url'][:60]} {link.get('rel', '')}")
    for case in CASES
    for link in case["links"]
]


def rules_of(case: dict[str, Any]) -> Rules:
    found = load({"start": case["start"], "profile": case["profile"], **case.get("options", {})})
    return build_rules(found.params, found.sources)


@pytest.mark.parametrize(("case", "link"), LINKS)
def test_link_is_treated_as_the_document_says(case: dict[str, Any], link: dict[str, str]):
    rules = rules_of(case)
    admission = rules.admit(link["url"], depth=1, rel=frozenset(link.get("rel", "").split()))
    assert admission.decision.reason == link.get("reason", "")
    assert admission.decision.allowed == ("reason" not in link)
    if admission.decision.allowed:
        assert admission.url == link.get("becomes", link["url"])
    if "same" in link:
        assert rules.admit(link["same"], depth=1).key == admission.key
    if "other" in link:
        assert rules.admit(link["other"], depth=1).key != admission.key


def test_refusal_names_the_profile():
    refused = rules_of(CASES[0]).admit("https://a.test/docs/one.html", depth=1).decision
    assert "profile fdse" in refused.rule
