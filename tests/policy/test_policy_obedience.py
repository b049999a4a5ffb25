"""Obedience to a page's robots directives."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sitecrawl.config.configuration import load
from sitecrawl.policy.documents.obedience import Obedience
from sitecrawl.web.html.page import Directives

NOW = datetime(2026, 11, 20, tzinfo=UTC)
NOINDEX, NOFOLLOW = Directives(noindex=True), Directives(nofollow=True)
PAST = Directives(unavailable_after=datetime(2026, 1, 1, tzinfo=UTC))
AHEAD = Directives(unavailable_after=datetime(2027, 1, 1, tzinfo=UTC))


@pytest.mark.behaviour("M-01", "M-02", "M-14", "M-15", "M-16", "K-01", "RT-16")
@pytest.mark.parametrize(
    ("obedience", "directives", "refusal", "may_follow"),
    [
        (Obedience(), Directives(), "", True),
        (Obedience(), NOINDEX, "noindex", True),
        (Obedience(), NOFOLLOW, "", False),
        (Obedience(), PAST, "unavailable_after", True),
        (Obedience(), AHEAD, "", True),
        (Obedience(obey_nofollow=False), NOFOLLOW, "", True),
        (Obedience(index_nofollow=False), NOFOLLOW, "nofollow", False),
        (Obedience(index_nofollow=False), Directives(), "", True),
        (Obedience(rogue=True), NOINDEX, "", True),
        (Obedience(rogue=True, index_nofollow=False), NOFOLLOW, "", True),
        (Obedience(rogue=True), PAST, "", True),
    ],
)
def test_directives(
    obedience: Obedience, directives: Directives, refusal: str, may_follow: bool
) -> None:
    assert obedience.refusal(directives, NOW) == refusal
    assert (not obedience.rel_of_links(directives)) is may_follow


@pytest.mark.behaviour("RT-16", "A-04")
def test_options_that_stand_for_others_are_their_source() -> None:
    given = {"start": "http://a.test/x/", "profile": "fdse", "entire_site": "yes", "rogue": "1"}
    found = load(given)
    assert (found.params.mode, found.params.scope) == ("crawl", "directory")
    assert found.params.obey_robots is False
    assert found.sources["scope"] == "-a entire_site"
    assert found.sources["obey_robots"] == "-a rogue"
