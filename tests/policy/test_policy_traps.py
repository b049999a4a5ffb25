"""A site of traps crawled in memory: it ends, and no real page is lost."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field

import pytest

from fixtures.traps import TrapSite, real_pages
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.rules_from_options import build_limits, build_rules
from sitecrawl.web.urls.url import resolve

HOME = "http://trap.example"
TOO_MANY = 10_000


@dataclass
class Walk:
    """Requests of one crawl of the site in their order, and its refusals."""

    fetched: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    def pages(self) -> set[str]:
        """The requests, without the ids that visitors were given."""
        return {path.partition("?tk=")[0] for path in self.fetched}


def walk(start: str = "/", **options: object) -> Walk:
    params = CrawlParams(start=[HOME + start], **options)
    rules, limits, site, found = (
        build_rules(params, {}),
        build_limits(params, {}),
        TrapSite(),
        Walk(),
    )
    first = rules.admit(HOME + start, via="seed")
    waiting: list[tuple[int, int, str, str | None]] = [(0, 0, first.url, None)]
    seen = {first.fingerprint}
    while waiting and len(found.fetched) < TOO_MANY:
        depth, _, url, referrer = heapq.heappop(waiting)
        decision = limits.fetch(url, depth=depth, referrer=referrer, new=True)
        if not decision.allowed:
            found.refused[decision.reason] += 1
            continue
        found.fetched.append(url.removeprefix(HOME))
        page = site.answer(url.removeprefix(HOME))
        if page is None:
            continue
        links = limits.page(url, depth=depth, text=page.text, new=True)
        for href in page.links:
            admission = rules.admit(resolve(href, url) or "", depth=depth + 1)
            decision = admission.decision
            known = admission.fingerprint in seen
            if decision.allowed:
                decision = links.admit(admission.url, depth=depth + 1, known=known)
            if not decision.allowed:
                found.refused[decision.reason] += 1
            elif not known:
                seen.add(admission.fingerprint)
                heapq.heappush(waiting, (depth + 1, len(seen), admission.url, url))
    return found


@pytest.fixture(scope="module")
def whole() -> Walk:
    return walk()


def test_it_ends_with_every_real_page(whole: Walk) -> None:
    assert len(whole.fetched) < TOO_MANY
    assert real_pages() - whole.pages() == set()


def test_requests_for_each_real_page(whole: Walk) -> None:
    assert len(whole.fetched) / len(real_pages()) <= 1.3


@pytest.mark.parametrize(
    ("area", "most"),
    [
        ("calendar", 20),
        ("days", 20),
        ("events", 25),
        ("agenda", 30),
        ("search", 20),
        ("error", 10),
        ("lost", 20),
        ("grow", 26),
        ("login", 25),
        ("missing", 20),
        ("random", 20),
        ("maze", 110),
        ("tree", 110),
        ("token", 30),
        ("tick", 25),
        ("tock", 25),
    ],
)
def test_what_a_trap_costs(whole: Walk, area: str, most: int) -> None:
    asked = [path for path in whole.fetched if path.startswith(f"/{area}")]
    assert 1 < len(asked) <= most


@pytest.mark.behaviour("Q-17")
def test_error_pages_that_link_deeper(whole: Walk) -> None:
    asked = {path for path in whole.fetched if path.startswith("/error/")}
    assert "/error/error/error/" in asked
    assert not any(path.count("error/") > 3 for path in asked)


@pytest.mark.behaviour("Q-10")
def test_a_new_session_at_every_visit(whole: Walk) -> None:
    asked = [path for path in whole.fetched if path.startswith("/session")]
    assert sorted(asked) == [f"/session/{name}.html" for name in "abcde"]
    visitors = Counter(p.partition("?")[0] for p in whole.fetched if p.startswith("/visitor"))
    assert sum(visitors.values()) <= 30 * 1.2


def test_reasons_are_named(whole: Walk) -> None:
    reasons = {"endless_series", "recombination", "copies", "session_like", "repeated_directory"}
    assert reasons <= whole.refused.keys()


def test_without_evidence_the_traps_have_no_end() -> None:
    found = walk("/calendar/2026/11", max_barren_pages=0)
    assert len(found.fetched) > 1000
