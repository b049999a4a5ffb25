"""Nothing that stands in a link makes the rules fail, and what they admit stays admitted."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.config.assembly import build_limits, build_rules
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.worth.endless import EndlessParts, GrowingPage
from sitecrawl.policy.worth.evidence import Evidence, Read
from sitecrawl.policy.worth.kinds import pattern_of
from sitecrawl.web.urls.url import resolve

HOME = "http://example.org/"
PARAMS = CrawlParams(start=(HOME,))
MODES = [
    build_rules(
        PARAMS.model_copy(update={"query": query, "url_query_parameters": ("?id&page",)}), {}
    )
    for query in ("keep", "filter", "strip", "ignore", "policy")
]
WORDS = """/ // ? & = ; $ ( ) . .. % %2F sid=1 ;jsessionid=A1 $sessionid$ (S(abc)) utm_source=x id=1
    page=2 C=N;O=D OpenDocument OpenView&Start=1 a b 2026 11 1f2e3d4c5b6a7f8e9d0a x.gif é
    /one/ error/"""
PIECES = st.sampled_from(WORDS.split())
HREFS = st.lists(PIECES, max_size=12).map("".join)


@settings(max_examples=60)
@given(href=HREFS, depth=st.integers(0, 50))
def test_what_is_admitted_is_admitted_again(href: str, depth: int) -> None:
    url = resolve(href, HOME)
    for rules in MODES:
        first = rules.admit(url or href, depth=depth)
        if first.decision.allowed:
            assert rules.admit(first.url, depth=depth) == first


@settings(max_examples=60)
@given(text=st.text(max_size=60), hrefs=st.lists(HREFS, max_size=5))
def test_nothing_raises(text: str, hrefs: list[str]) -> None:
    limits = build_limits(PARAMS, {})
    for rules in MODES:
        assert not rules.admit(text).decision.allowed
        rules.explain(text)
        rules.media_types.decide(text, text)
        rules.admit_redirect(text, text)
    evidence, parts = Evidence(10), EndlessParts()
    for depth, href in enumerate(hrefs):
        url = resolve(href, HOME) or HOME
        limits.admit_fetch(url, new=True)
        re.compile(pattern_of(evidence.kinds.of(url).name))
        evidence.read(Read(url, text, text))
        evidence.verdict(url)
        parts.read(GrowingPage(url, depth, referrer=text))
        parts.part(url, text)
