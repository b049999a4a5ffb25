"""Numbered series: their length, and the reason given when one is left."""

from __future__ import annotations

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.rules_from_options import build_limits
from sitecrawl.policy.decision import Decision
from sitecrawl.policy.traps.series import MAX_HOPS

HOME = "http://example.org"
WORDS = "abcdefghij"


def chain(length: int, *aside: str) -> Decision:
    """The first refusal of pages of which each links to the next, and to ``aside`` plus a word."""
    limits = build_limits(CrawlParams(start=[HOME]), {})
    for number in range(1, length):
        word = "".join(WORDS[int(digit)] for digit in str(number))
        links = limits.page(f"{HOME}/p/{number}", depth=number, text=word, new=True)
        urls = [*(f"{HOME}{path}{word}" for path in aside), f"{HOME}/p/{number + 1}"]
        for url in urls:
            decision = links.admit(url, depth=number + 1, known=False)
            if not decision.allowed:
                return decision
    return decision


def test_a_long_list_of_new_pages_is_read_to_its_end() -> None:
    assert chain(MAX_HOPS + 500, "/story/").allowed


def test_a_series_that_leads_nowhere_else_ends_and_says_so() -> None:
    refused = chain(MAX_HOPS + 500)
    assert refused.reason == "endless_series"
    assert refused.rule == (
        f"max_barren_pages 10 (default): {HOME}/p/#? goes on for more than {MAX_HOPS} links and leads "
        "nowhere else"
    )


def test_two_long_series_that_lead_to_each_other_end() -> None:
    limits = build_limits(CrawlParams(start=[HOME]), {})
    for number in range(1, MAX_HOPS + 500):
        text = "".join(WORDS[int(digit)] for digit in str(number))
        here, there = ("/tick", "/tock") if number % 2 else ("/tock", "/tick")
        links = limits.page(f"{HOME}{here}/{number}", depth=number, text=text, new=True)
        url = f"{HOME}{there}/{number + 1}"
        if not links.admit(url, depth=number + 1, known=False).allowed:
            break
    assert number < MAX_HOPS + 100
