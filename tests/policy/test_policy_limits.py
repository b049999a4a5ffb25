"""The owner's limits on the links of a page and the pages of a directory."""

from __future__ import annotations

import pytest

from sitecrawl.config.assembly import build_limits
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.urls.path_limits import PathLimits

HOME = "http://example.org"


def limits(**options: object) -> PathLimits:
    params = CrawlParams(start=[HOME], **options)
    return build_limits(params, {"max_links_per_page": "-a max_links_per_page"})


@pytest.mark.behaviour("Q-16")
def test_links_followed_from_one_page() -> None:
    state = limits(max_links_per_page=20)
    for path in ("/a", "/b"):
        followed: set[str] = set()
        urls = [f"{HOME}{path}/{word}" for word in "abcdefghijklmnopqrstuvwxyz"]
        verdicts = [state.admit_link(followed, url) for url in urls]
        assert [verdict.allowed for verdict in verdicts] == [True] * 20 + [False] * 6
        assert verdicts[-1].reason == "links_per_page"
        assert verdicts[-1].rule == "max_links_per_page 20 (-a max_links_per_page)"
        assert state.admit_link(followed, urls[3]).allowed


@pytest.mark.behaviour("Q-16")
def test_no_limit_of_links_by_default() -> None:
    state, followed = limits(), set[str]()
    assert all(state.admit_link(followed, f"{HOME}/{n}").allowed for n in range(5000))


@pytest.mark.behaviour("Q-15")
def test_pages_fetched_below_one_top_directory() -> None:
    state = limits(max_pages_per_directory=2)
    paths = ["/a/1", "/a/b/2", "/a/3", "/b/1", "/x", "/y", "/z"]
    verdicts = [state.admit_fetch(HOME + path, new=True).reason for path in paths]
    full = "directory_full"
    assert verdicts == ["", "", full, "", "", "", full]
    assert limits().admit_fetch(HOME, new=True).allowed


@pytest.mark.behaviour("Q-15")
def test_known_pages_fill_a_directory_and_are_not_left_out() -> None:
    state = limits(max_pages_per_directory=2)
    for path in ("/a/1", "/a/2", "/a/3"):
        assert state.admit_fetch(HOME + path, new=False).allowed
    assert state.admit_fetch(f"{HOME}/a/new", new=True).reason == "directory_full"
    state.begin_pass()
    assert state.admit_fetch(f"{HOME}/a/new", new=True).allowed
