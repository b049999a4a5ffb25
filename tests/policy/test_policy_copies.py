"""Copies: pages that count as such, so that paths which grow out of them end."""

from __future__ import annotations

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.rules_from_options import build_limits

HOME = "http://example.org"


def refusals(paths: list[str], titles: list[str]) -> list[str]:
    """Decisions about a link below each page; all pages have the same text."""
    limits = build_limits(CrawlParams(start=[HOME]), {})
    found = []
    for path, title in zip(paths, titles, strict=True):
        links = limits.page(HOME + path, depth=1, text="The same", new=True, title=title)
        found.append(links.admit(f"{HOME}{path}below/", depth=2, known=False).reason)
    return found


def test_years_of_an_archive_that_differ_in_their_titles_are_no_copies() -> None:
    years = [str(year) for year in range(2001, 2027)]
    paths = [f"/archive/{year}/" for year in years]
    assert refusals(paths, [f"Our paper in {year}" for year in years]) == [""] * len(years)
    assert refusals(paths, ["Our paper"] * len(years)) == [""] * 3 + ["copies"] * 23


def test_pages_that_invent_titles_for_made_up_names_are_copies() -> None:
    words = ["news", "about", "shop", "team", "jobs"]
    verdicts = refusals([f"/{word}/" for word in words], [f"No {word} here" for word in words])
    assert verdicts == ["", "", "", "copies", "copies"]
