"""Refusals are counted under one reason each, with examples that a person can check."""

from __future__ import annotations

import pytest

from sitecrawl.config.assembly import build_rules
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.decision import Example, Refusals

HOME = "http://example.org/"


@pytest.mark.behaviour("LR-31")
def test_the_numbers_add_up() -> None:
    rules = build_rules(CrawlParams(start=(HOME,), deny=("/private/",)), {"deny": "-a deny"})
    links = [f"{HOME}{n}.gif" for n in range(7)]
    links += [f"{HOME}private/{n % 2}" for n in range(4)]
    links += [f"{HOME}{n}" for n in range(3)]
    links += ["mailto:x@example.org", "http://other.example/"]
    refusals, admitted = Refusals(), 0
    for url in links:
        decision = rules.admit(url, depth=1).decision
        admitted += decision.allowed
        if not decision.allowed:
            refusals.note(decision, url, HOME)
    assert refusals.counts == {"extension": 7, "deny": 4, "scheme": 1, "scope": 1}
    assert refusals.counts.total() + admitted == len(links)
    assert len(refusals.examples["extension"]) == 5
    assert refusals.examples["deny"] == [
        Example(f"{HOME}private/{n}", "deny '/private/' (-a deny)", HOME) for n in (0, 1)
    ]
