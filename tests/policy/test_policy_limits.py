"""TrapLimits with a memory: counts, series, copies, variants, tokens."""

from __future__ import annotations

import pytest

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.rules_from_options import build_limits
from sitecrawl.policy.traps.series import MAX_HOPS
from sitecrawl.policy.traps.trap_limits import TrapLimits

HOME = "http://example.org"


def limits(**options: object) -> TrapLimits:
    params = CrawlParams(start=[HOME], **options)
    return build_limits(params, {"max_links_per_page": "-a max_links_per_page"})


def offer(on: TrapLimits, page: str, link: str, *, depth: int = 1, text: str = "") -> str:
    links = on.page(HOME + page, depth=depth - 1, text=text, new=True)
    return links.admit(HOME + link, depth=depth, known=False).reason


@pytest.mark.behaviour("Q-16")
def test_links_followed_from_one_page() -> None:
    state = limits(max_links_per_page=20)
    for path in ("/a", "/b"):
        links = state.page(HOME + path, depth=0, text="", new=True)
        urls = [f"{HOME}{path}/{word}" for word in "abcdefghijklmnopqrstuvwxyz"]
        verdicts = [links.admit(url, depth=1, known=False) for url in urls]
        assert [verdict.allowed for verdict in verdicts] == [True] * 20 + [False] * 6
        assert verdicts[-1].reason == "links_per_page"
        assert verdicts[-1].rule == "max_links_per_page 20 (-a max_links_per_page)"
        assert links.admit(urls[3], depth=1, known=True).allowed


@pytest.mark.behaviour("Q-16")
def test_no_limit_of_links_by_default() -> None:
    links = limits().page(HOME, depth=0, text="", new=True)
    assert all(links.admit(f"{HOME}/{n}", depth=1, known=False).allowed for n in range(5000))


@pytest.mark.behaviour("Q-15")
def test_pages_fetched_below_one_top_directory() -> None:
    state = limits(max_pages_per_directory=2)
    state.directories.restore({f"{HOME}/old/": 2})
    paths = ["/a/1", "/a/b/2", "/a/3", "/b/1", "/x", "/y", "/z", "/old/1"]
    verdicts = [state.fetch(HOME + p, depth=1, referrer=None, new=True).reason for p in paths]
    full = "directory_full"
    assert verdicts == ["", "", full, "", "", "", full, full]
    assert limits().fetch(HOME, depth=0, referrer=None, new=True).allowed


@pytest.mark.behaviour("Q-15")
def test_known_pages_fill_a_directory_and_are_not_left_out() -> None:
    state = limits(max_pages_per_directory=2)
    paths = ["/a/1", "/a/2", "/a/3", "/a/new"]
    known = [True, True, True, False]
    verdicts = [
        state.fetch(HOME + path, depth=1, referrer=None, new=not each).reason
        for path, each in zip(paths, known, strict=True)
    ]
    assert verdicts == ["", "", "", "directory_full"]
    state.directories.begin_round()
    assert state.fetch(f"{HOME}/a/new", depth=1, referrer=None, new=True).allowed


@pytest.mark.behaviour("K-03")
def test_variants_of_one_path_are_capped_once_most_repeat_a_text() -> None:
    state = limits(max_variants=4)
    assert not any(offer(state, "/", f"/x?name={word}") for word in "abc")
    for word in "abc":
        state.page(f"{HOME}/x?name={word}", depth=1, text="the same", new=True)
    verdicts = [offer(state, "/", f"/x?name={word}") for word in "def"]
    assert verdicts == ["", "", "variants"]
    assert offer(state, "/", "/y?name=a") == ""
    assert offer(state, "/", "/x") == ""


@pytest.mark.behaviour("K-03")
def test_variants_that_wait_are_left_when_those_before_them_repeat_a_text() -> None:
    state = limits(max_variants=2)
    listed = [f"/x?name={word}" for word in "abcdefgh"]
    assert not any(offer(state, "/", link) for link in listed)
    for link in listed[:3]:
        assert state.fetch(HOME + link, depth=1, referrer=HOME, new=True).allowed
        state.page(HOME + link, depth=1, text="the same", new=True)
    refused = state.fetch(HOME + listed[3], depth=1, referrer=HOME, new=True)
    assert refused.reason == "variants"
    assert refused.rule.endswith(f"{HOME}/x had a text seen before for 2 of 3 queries")
    assert state.fetch(HOME + listed[3], depth=1, referrer=HOME, new=False).allowed


@pytest.mark.behaviour("K-03")
def test_a_page_may_list_more_variants_than_the_cap() -> None:
    state = limits(max_variants=3)
    links = [f"/item?id={word}" for word in "abcdefghijklmnop"]
    assert not any(offer(state, "/", link) for link in links)
    for link in links:
        assert state.fetch(HOME + link, depth=1, referrer=HOME, new=True).allowed
        state.page(HOME + link, depth=1, text=f"about {link}", new=True)
    assert not any(offer(state, "/2", f"{link}{link[-1]}") for link in links)


def test_parameters_beyond_what_is_remembered_are_never_recombined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sitecrawl.policy.traps.query_variants.REMEMBERED_PARAMETERS", 4)
    state = limits(max_barren_pages=1)
    for number in range(20):
        word = "abcdefghijklmnopqrstuvwxyz"[number]
        assert offer(state, "/x", f"/x?{word}=1&all=1") == ""
        state.page(f"{HOME}/x?{word}=1&all=1", depth=1, text="", new=True)


def test_variants_fetched_again_are_no_burden() -> None:
    state = limits(max_variants=2)
    for word in "abcdef":
        assert offer(state, "/", f"/x?name={word}") == ""
        state.page(f"{HOME}/x?name={word}", depth=1, text="", new=False)
    state.page(f"{HOME}/y?name=a", depth=1, text="", new=False)


def test_a_path_may_be_deep_but_not_grow_out_of_itself() -> None:
    deep = "".join(f"/d{number}" for number in range(25))
    assert offer(limits(), f"{deep}/x", f"{deep}/deeper/x") == "growing_path"
    assert offer(limits(), f"{deep}/x", f"{deep}/y") == ""
    assert offer(limits(), "/elsewhere/", f"{deep}/deeper/x") == ""
    assert offer(limits(max_growing_path=0), f"{deep}/x", f"{deep}/deeper/x") == ""


def test_a_known_page_is_no_evidence() -> None:
    state = limits(max_barren_pages=1)
    for number in range(50):
        links = state.page(f"{HOME}/p/{number}", depth=number, text="", new=False)
        assert links.admit(f"{HOME}/p/{number + 1}", depth=number + 1, known=False).allowed


def test_series_are_never_left_with_patience_zero() -> None:
    state = limits(max_barren_pages=0)
    assert not any(offer(state, f"/p/{n}", f"/p/{n + 1}", depth=n + 1) for n in range(300))


def test_a_series_is_left_when_waiting_candidates_come_up_too() -> None:
    state = limits()
    for number in range(40):
        offer(state, f"/p/{number}", f"/p/{number + 1}", depth=number + 1)
    page, link = f"{HOME}/p/41", f"{HOME}/p/42"
    assert state.fetch(link, depth=42, referrer=page, new=True).reason == "endless_series"
    assert state.fetch(link, depth=42, referrer=page, new=False).allowed
    assert state.fetch(link, depth=42, referrer=HOME, new=True).allowed


def test_a_series_of_new_texts_ends_in_the_end() -> None:
    state = limits()
    words = "abcdefghij"
    depth = next(
        n
        for n in range(1, MAX_HOPS + 100)
        if offer(
            state,
            f"/p/{n}",
            f"/p/{n + 1}",
            depth=n,
            text="".join(words[int(digit)] for digit in str(n)),
        )
    )
    assert MAX_HOPS < depth < MAX_HOPS + 10


def test_an_id_under_which_one_page_lists_many_of_a_path_is_no_session() -> None:
    state = limits()
    commits = [f"{number:x}" * 40 for number in range(10)]
    log = state.page(f"{HOME}/log/", depth=0, text="", new=True)
    listed = [f"{HOME}/commit/?id={commit}" for commit in commits]
    assert all(log.admit(url, depth=1, known=False).allowed for url in listed)
    for commit in commits:
        links = state.page(f"{HOME}/commit/?id={commit}", depth=1, text=commit, new=True)
        views = [f"{HOME}/{view}/?id={commit}" for view in ("diff", "patch", "tree", "refs")]
        assert all(links.admit(url, depth=2, known=False).allowed for url in views)


@pytest.mark.behaviour("Q-10")
def test_one_value_on_all_links_of_each_page_is_a_session() -> None:
    state = limits()
    verdicts = []
    for visit in range(3):
        links = state.page(f"{HOME}/{visit}", depth=0, text="", new=True)
        urls = [f"{HOME}/{name}?tk={str(visit) * 20}" for name in "abcdef"]
        verdicts.append([links.admit(url, depth=1, known=False).reason for url in urls])
    assert verdicts == [[""] * 6, ["", "", "", *["session_like"] * 3], ["session_like"] * 6]
