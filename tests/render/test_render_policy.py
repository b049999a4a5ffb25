"""Choice of the pages that need a browser, by their responses and by earlier renderings."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.policy.rendering import RenderAlways, RenderWhereNeeded, needs_scripts, page_pattern
from sitecrawl.web.html.script_shells import read_shell, without_scripts

CASES = tomllib.loads((Path(__file__).parent / "cases" / "shells.toml").read_text("utf-8"))["case"]
TEXT = "<p>" + "Enough text for every reader. " * 12 + "</p>"
BARE = '<body><div id="root"></div><script src="/a.js"></script></body>'
COUNTER = "<body><p>Bye</p><script>count()</script></body>"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_an_answer_says_of_itself(case: dict[str, Any]) -> None:
    decision = needs_scripts(read_shell(case["body"].replace("{text}", TEXT)))
    assert [decision.reason, decision.allowed] == case["means"]
    assert decision.rule


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://a.test/", "https://a.test/"),
        ("https://a.test/shop/blue-shoe", "https://a.test/shop/*"),
        ("https://a.test/2026/11/news.html", "https://a.test/#/#/*.html"),
        ("https://a.test/item?b=1&a=2&b=3", "https://a.test/*?a&b"),
    ],
)
def test_pages_of_one_template_share_a_pattern(url: str, pattern: str) -> None:
    assert page_pattern(url) == pattern


def test_pages_like_others_that_had_no_more_to_show_are_not_rendered() -> None:
    policy = RenderWhereNeeded()
    bare, full = read_shell(COUNTER), read_shell(f"<body>{TEXT}</body>")
    for number in (1, 2):
        assert policy.decide(f"https://a.test/thanks/{number}", bare).allowed
        policy.learn(f"https://a.test/thanks/{number}", bare, bare)
    third = policy.decide("https://a.test/thanks/3", bare)
    assert (third.allowed, third.reason) == (False, "no_gain")
    assert "https://a.test/thanks/*" in third.rule
    assert policy.decide("https://a.test/other/3", bare).allowed
    assert policy.decide("https://a.test/thanks/3", read_shell(BARE)).allowed
    assert policy.decide("https://a.test/thanks/3", full).reason == "no_scripts"


def test_one_page_with_more_to_show_speaks_for_all_of_its_pattern() -> None:
    policy = RenderWhereNeeded()
    bare, full = read_shell(BARE), read_shell(f"<body>{TEXT}</body>")
    policy.learn("https://a.test/shop/1", bare, full)
    for number in (2, 3, 4):
        policy.learn(f"https://a.test/shop/{number}", bare, bare)
    decision = policy.decide("https://a.test/shop/5", bare)
    assert (decision.allowed, decision.reason) == (True, "app_shell")
    assert "https://a.test/shop/*" in decision.rule


def test_every_page_with_scripts_is_rendered_where_that_is_asked() -> None:
    assert RenderAlways().decide("https://a.test/", read_shell(COUNTER)).allowed
    assert not RenderAlways().decide("https://a.test/", read_shell("<p>plain")).allowed


def test_what_scripts_wrote_is_read_once_and_their_data_is_kept() -> None:
    html = without_scripts(
        "<body><script>document.write('<p>once</p>')</script><p>once</p>"
        '<noscript>Enable it</noscript><script type="application/ld+json">{"a": 1}</script></body>'
    )
    assert html.count("once") == 1
    assert "Enable" not in html
    assert '{"a": 1}' in html
