"""The law of what is left out: kinds, new text, yields and verdicts, parts without an end."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.config.assembly import Citations
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.worth.copies import Alias, Copies
from sitecrawl.policy.worth.endless import EndlessParts, GrowingPage, State, part_of
from sitecrawl.policy.worth.evidence import Evidence, Read, Verdict, is_nested, upper_bound
from sitecrawl.policy.worth.kinds import Kinds, pattern_of
from sitecrawl.policy.worth.novelty import Novelty
from sitecrawl.policy.worth.wanted import ENDLESS, LOW_YIELD, Wanted, tried_words

HOME = "http://example.org"
CASES = tomllib.loads((Path(__file__).parent / "cases/kinds.toml").read_text())["case"]


def tried(evidence: Evidence, form: str, count: int, text: str | None = None) -> None:
    """Read as many pages of one form, each with the text and its number as letters."""
    for number in range(100, 100 + count):  # smaller numbers may be kinds
        words = None if text is None else f"{text} {'x' * number}"
        evidence.read(Read(HOME + form.format(number), f"{HOME}/", words))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["url"])
def test_kinds_and_pools(case: dict[str, Any]) -> None:
    kind = Kinds().of(HOME + case["url"])
    assert kind.name == case["kind"]
    assert [pool.basis for pool in kind.pools] == case["pools"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["url"])
def test_the_pattern_of_a_kind_matches_its_urls(case: dict[str, Any]) -> None:
    kind = Kinds().of(HOME + case["url"])
    assert re.search(pattern_of(kind.name), HOME + case["url"])
    assert not re.search(pattern_of(kind.name), f"{HOME}/other/page.html?z=1")


def test_many_programs_in_one_folder_are_pages() -> None:
    kinds = Kinds()
    for number in range(20):
        last = kinds.of(f"{HOME}/{'x' * (number + 1)}?title=1")
    assert last.name == "/<word>?title=<#>"


@pytest.mark.behaviour("Q-55")
def test_a_page_with_a_line_of_its_own_mixes_nothing() -> None:
    novelty = Novelty()
    texts = {
        "/shop?all": "Red hat\nBlue hat",
        "/shop?colour=red": "Colour red\nRed hat",
        "/shop?colour=blue": "Colour blue\nBlue hat",
        "/shop?colour=blue&size=2": "Colour blue, size 2\nBlue hat",
        "/shop?colour=green": "Colour green\nRed hat, now 12 left",
    }
    mixed = []
    for url, text in texts.items():
        novelty.add(HOME + url, text, feeds_itself=True)
        mixed.append(novelty.is_mixed)
    assert mixed == [False, True, True, True, False]


@pytest.mark.behaviour("Q-60")
@pytest.mark.parametrize(
    ("listed", "post"),
    [
        ("/blog/?page={}", "/blog/on-{}/"),
        ("/?paged={}", "/?p={}"),
        ("/index.php?view=list&page={}", "/index.php?view=post&id={}"),
        ("/index.php?id={}000", "/index.php?id={}"),
        ("/index.php?s=news&from={}", "/index.php?s=news&id={}"),
        ("/archives/{}000", "/archives/{}"),
    ],
)
def test_posts_that_lists_show_in_full_are_pages(listed: str, post: str) -> None:
    evidence = Evidence(10)
    for page in range(1, 9):
        posts = [HOME + post.format("abcdefgh"[page - 1] * (each + 1)) for each in range(9)]
        if "on-" not in post:
            posts = [HOME + post.format(page * 10 + each) for each in range(9)]
        texts = [
            f"Walk {'abcdefghi'[page]}{'jklmnopqr'[each]}\nA text of {page} {each}"
            for each in range(9)
        ]
        url, more = HOME + listed.format(page), HOME + listed.format(page + 1)
        before = HOME + listed.format(page - 1) if page > 1 else f"{HOME}/"
        evidence.read(Read(url, before, "\n".join(["Diary", *texts]), [*posts, more]))
        for each, text in zip(posts, texts, strict=True):
            assert evidence.read(Read(each, url, text)), each
    assert evidence.verdict(HOME + post.format(999)) is Verdict.FETCH


@pytest.mark.behaviour("Q-60")
@pytest.mark.parametrize("links", [[], [f"{HOME}/?d=1999-01-01"]], ids=["a day", "a calendar"])
def test_days_that_lists_show_in_full_are_pages_unless_they_lead_on(links: list[str]) -> None:
    evidence = Evidence(10)
    days = [f"Monday, {day} May" for day in range(1, 29)]
    evidence.read(Read(f"{HOME}/?m=5", f"{HOME}/", "\n".join(["Diary", *days])))
    new = [
        evidence.read(Read(f"{HOME}/?d={place}", f"{HOME}/?m=5", f"{day}\n{day}", links))
        for place, day in enumerate(days)
    ]
    assert new == [not links] * 28


@pytest.mark.behaviour("Q-62")
@pytest.mark.parametrize(
    ("picture", "is_new"),
    [
        ("/strips/{}.gif", True),
        ("../strips/{}.gif", True),
        ("https://pages.test/{}/large.jpg", True),
        ("/logo.png", False),
        ("/session-{}/s/logo.png", False),
        ("/chart.png?day={}", False),
    ],
)
def test_a_page_with_a_picture_of_its_own_is_new(picture: str, *, is_new: bool) -> None:
    evidence = Evidence(10)
    new = []
    for strip in range(2, 40):
        url, before = f"{HOME}/s/{strip}/", f"{HOME}/s/{strip - 1}/"
        pictures = ["/logo.png", "../" * strip + "foot.png", picture.format(strip)]
        text, onward = f"Strip #{strip}\nNext", [f"{HOME}/s/{strip + 1}/"]
        new.append(evidence.read(Read(url, before, text, onward, pictures=pictures)))
    assert new[8:] == [is_new] * 30


@pytest.mark.behaviour("Q-55")
def test_a_list_that_mixes_lines_of_the_one_with_fewer_parameters_is_no_document() -> None:
    evidence = Evidence(10)
    pages = [
        ("/shop?page=1", "/", "Shop\nRed hat\nBlue hat"),
        ("/shop?colour=blue", "/shop?page=1", "Shop blue\nBlue hat\nBlue cap"),
        ("/shop?size=2", "/shop?page=1", "Shop size 2\nRed hat"),
        ("/shop?colour=blue&size=2", "/shop?colour=blue", "Shop blue, size 2\nBlue hat"),
        ("/shop?colour=red&size=2", "/shop?size=2", "Shop red, size 2\nRed coat"),
        ("/shop?size=3&page=3", "/shop?size=2", "Shop size 3, page 3\nRed hat"),
        ("/shop?colour=blue&size=4", "/shop?colour=blue", "Shop blue, size 7\nBlue cap"),
    ]
    excess = []
    for url, referrer, text in pages:
        evidence.read(Read(HOME + url, HOME + referrer, text))
        excess.append(evidence.is_excess)
    assert excess == [False, False, False, True, False, False, False]


@pytest.mark.behaviour("Q-63")
def test_a_page_found_on_a_list_that_brought_nothing_needs_a_line_or_title_of_its_own() -> None:
    evidence = Evidence(10)
    records = ["Fox 2001", "Hen 2002"]
    evidence.read(Read(f"{HOME}/list", f"{HOME}/", "\n".join(["All", *records])))
    evidence.read(Read(f"{HOME}/list?f=a", f"{HOME}/list", "\n".join(["All", *records, "a"])))
    fruitless = f"{HOME}/list?f=a&g=b"
    assert not evidence.read(Read(fruitless, f"{HOME}/list?f=a", "\n".join(["a", *records])))
    text, leads_to = "\n".join(["a b", *records]), [f"{HOME}/list?f=a&g=b&h=c"]
    assert not evidence.read(Read(f"{HOME}/sql?q=a+b", fruitless, text, leads_to))
    assert evidence.is_excess
    for page in ("Owl\nFox 2001", "a\nFox 2003"):
        assert evidence.read(Read(f"{HOME}/{len(page)}", fruitless, page))


@pytest.mark.behaviour("Q-55")
def test_a_page_that_leads_no_further_is_a_document_though_each_line_stands_elsewhere() -> None:
    evidence = Evidence(10)
    lots = {
        "104/25": "Lot 25\nAn oak chair\nEstimate 20",
        "105/26": "Lot 26\nA brass bowl\nEstimate 50",
        "106/25": "Lot 25\nA brass bowl\nEstimate 20",
    }
    for lot, text in lots.items():
        page_of_list = f"{HOME}/sale/{lot[:3]}?page=3"
        evidence.read(Read(page_of_list, f"{HOME}/sales", None))
        evidence.read(Read(f"{HOME}/sale/{lot}", page_of_list, text))
        assert not evidence.is_excess


@pytest.mark.behaviour("Q-63")
def test_numbers_among_the_words_of_a_list_are_no_table() -> None:
    novelty = Novelty()
    lists = [[f"{n}\nFox\nred\nwild" for n in range(at, at + 9)] for at in (1, 5)]
    new = [
        novelty.add(f"{HOME}/list?a={n}", "\n".join(each), feeds_itself=True)
        for n, each in enumerate(lists)
    ]
    assert new == [True, False]


@pytest.mark.behaviour("Q-56")
def test_the_texts_of_pages_that_are_gone_count_as_new_under_other_addresses() -> None:
    evidence = Evidence(10)
    assert evidence.read(Read(f"{HOME}/index.cgi?id=1", f"{HOME}/", "A fox"))
    assert not evidence.read(Read(f"{HOME}/a/fox", f"{HOME}/", "A fox"))
    assert evidence.read(Read(f"{HOME}/b/fox", f"{HOME}/", "A fox", is_moved=True))


@pytest.mark.behaviour("Q-22")
@pytest.mark.parametrize(
    ("feeds_itself", "texts", "new"),
    [
        (False, ["Part 1, 7 g", "Part 2, 14 g", "Part 1, 7 g"], [True, True, False]),
        (True, ["Part 1, 7 g", "Part 2, 14 g", "Part 3, 21 g"], [True, False, False]),
        (True, ["Events in May 2026", "Events in June 2026"], [True, False]),
        (True, ["A fox", "A hen"], [True, True]),
        (
            True,
            ["\n".join(map(str, range(20, 90, 7))), "\n".join(map(str, range(30, 100, 7)))],
            [True, True],
        ),
        (True, ["Hat\nNo. 12345, 42.50 EUR", "Hat\nNo. 12346, 43.50 EUR"], [True, True]),
    ],
    ids=["list", "counter", "calendar", "words", "tables", "articles"],
)
def test_new_text(*, feeds_itself: bool, texts: list[str], new: list[bool]) -> None:
    known = Novelty()
    found = [
        known.add(f"{HOME}/p/{n}", text, feeds_itself=feeds_itself) for n, text in enumerate(texts)
    ]
    assert found == new


@pytest.mark.behaviour("Q-70")
def test_prices_alone_are_no_new_text_of_a_list_that_feeds_itself() -> None:
    known = Novelty()
    texts = {n: f"Rooms\nThe Fox\n{n}.50 a night\nThe Hen\n{n + 1}.50 a night" for n in (120, 240)}
    found = [
        known.add(f"{HOME}/rooms?day={n}", text, feeds_itself=True) for n, text in texts.items()
    ]
    assert found == [True, False]


@pytest.mark.behaviour("Q-101")
def test_a_day_without_events_is_no_new_text_after_others() -> None:
    known = Novelty()
    texts = {
        "2031-07-04": "Events for July 4, 2031\nNothing on",
        "2031-08-05": "Events for August 5, 2031\nNothing on",
        "2031-09-06": "Events for September 6, 2031\nNothing on",
        "2032-01-09": "Events for January 9, 2032\nNothing on",
        "2031-08-06": "Events for August 6, 2031\nConcert",
        "2031-08-07": "Draw of 7 August 2031\n4 11 19",
        "2031-09-08": "Draw of 8 September 2031\n3 11 20",
    }
    found = [known.add(f"{HOME}/day/{day}", text) for day, text in texts.items()]
    assert found == [True, True, True, False, True, True, True]


def test_a_title_of_facets_with_their_names_is_no_new_text() -> None:
    known = Novelty()
    lists = {
        "brand=ada": "Shop brand ada\nHammer\nSaw",
        "color=red": "Shop color red\nSaw",
        "brand=ada&color=red": "Shop brand ada color red\nSaw",
        "brand=ada&page=2": "Shop brand ada, page 2\nPlane",
    }
    found = [
        known.add(f"{HOME}/shop?{query}", text, feeds_itself=True) for query, text in lists.items()
    ]
    assert found == [True, False, False, True]


@pytest.mark.behaviour("Q-57")
def test_pages_that_were_read_on_another_host_of_the_site_are_left_out() -> None:
    main = Evidence(10)
    mirror = main.beside()
    other = "http://www.example.org"
    for number in range(40):
        path, text = f"/a/{'x' * (number + 1)}", f"Page {'x' * number}"
        assert main.read(Read(HOME + path, f"{HOME}/", text))
        assert not mirror.read(Read(other + path, f"{HOME}/", text))
        assert mirror.is_excess is (number >= 3)  # three pairs show the alias
    only_there = "x" * 41
    assert mirror.verdict(f"{other}/a/{only_there}") is not Verdict.LEAVE
    main.read(Read(f"{HOME}/a/{only_there}", f"{HOME}/", "A page of its own"))
    assert mirror.verdict(f"{other}/a/{only_there}") is Verdict.LEAVE
    main.kinds.copies.gone(f"{HOME}/a/{only_there}")
    assert mirror.verdict(f"{other}/a/{only_there}") is not Verdict.LEAVE


@pytest.mark.behaviour("Q-57")
def test_a_mirror_is_tried_longer_than_a_folder_of_copies() -> None:
    needed = {}
    for other in (f"{HOME}/b/", "http://www.example.org/a/"):
        main = Evidence(10)
        beside = main if other.startswith(HOME) else main.beside()
        main.read(Read(f"{HOME}/a/last", f"{HOME}/", "The last page"))
        for number in range(1, 60):
            name, text = "x" * number, f"Page {'x' * number}"
            main.read(Read(f"{HOME}/a/{name}", f"{HOME}/", text))
            beside.read(Read(other + name, f"{HOME}/", text))
            if beside.verdict(f"{other}last") is Verdict.LEAVE:
                needed[other] = number
                break
    folder, mirror = needed.values()
    assert folder < mirror < 40


def test_declared_translations_are_judged_apart_from_pages_that_are_only_linked() -> None:
    evidence = Evidence(10)
    tried(evidence, "/de/{}.html", 40)
    linked, declared = f"{HOME}/de/7.html", f"{HOME}/de/8.html"
    evidence.kinds.add_translation(declared, "de", 0)
    assert evidence.verdict(linked) is Verdict.LEAVE
    assert evidence.verdict(declared) is Verdict.FETCH
    evidence.leave(declared)
    [name] = (name for name, _ in evidence.left_out())
    assert re.search(pattern_of(name), declared)
    later = Evidence(10)
    for each in evidence.as_stored():
        later.restore(*each)
    assert later.verdict(declared) is Verdict.FETCH


def test_translations_that_were_read_under_another_address_are_one_pool() -> None:
    evidence = Evidence(10)
    for number in range(60):
        word = "x" * (number + 1)
        french = [f"{HOME}/{each}{word}" for each in ("fr/", "a/fr/", "b/fr/")]
        evidence.read(Read(f"{HOME}/{word}", f"{HOME}/", f"Page {word}"))
        for url in french[:2]:
            evidence.kinds.add_translation(url, "fr", evidence.novelty.last_text)
        evidence.read(Read(french[0], f"{HOME}/{word}", f"Texte {word}"))
        evidence.read(Read(french[1], f"{HOME}/{word}", f"Texte {word}"))
    other = f"{HOME}/c/never/tried/xx.html"
    evidence.read(Read(f"{HOME}/last", f"{HOME}/", "Last"))
    text = evidence.novelty.last_text
    evidence.kinds.add_translation(f"{HOME}/fr/last", "fr", text)
    evidence.kinds.add_translation(other, "FR", text)
    assert evidence.verdict(other) is Verdict.FETCH
    evidence.read(Read(f"{HOME}/fr/last", f"{HOME}/last", "Texte dernier"))
    assert evidence.verdict(other) is Verdict.LEAVE


@pytest.mark.parametrize(
    ("url", "other", "alias"),
    [
        (
            "http://h/stable/a/b.html",
            "http://h/16/a/b.html",
            ("http://h/stable", "", "http://h/16", ""),
        ),
        ("http://h/de/a/b.html", "http://h/a/b.html.de", ("http://h/de/", "", "http://h/", ".de")),
        ("http://h/a/b.html.en", "http://h/a/b.html", ("", ".en", "", "")),
        ("http://a.x/p?q=1", "http://b.x/p?q=1", ("http://a", "", "http://b", "")),
        ("http://h/a/", "http://h/a/index.html", ("", "", "", "index.html")),
        ("http://h/v?s=3&a=2", "http://h/v?a=2", ("http://h/v?s=3&", "", "http://h/v?", "")),
    ],
)
def test_aliases_lead_to_the_other_address(url: str, other: str, alias: tuple[str, ...]) -> None:
    found = Alias.between(url, other)
    assert found == alias
    assert found.of(url) == other
    assert found.reverse.of(other) == url
    assert found.of("ftp://h/x?y") in (None, "ftp://h/x?y" + found.new_end)


def test_pages_read_under_another_address_are_judged_apart_from_the_others() -> None:
    evidence = Evidence(10)
    for number in range(40):
        text = f"text of page {'x' * number}"
        for folder in ("16", "stable"):
            evidence.read(Read(f"{HOME}/{folder}/page{'x' * number}.html", f"{HOME}/", text))
    evidence.read(Read(f"{HOME}/16/copied.html", f"{HOME}/", "text of a page to be copied"))
    copy, new = f"{HOME}/stable/copied.html", f"{HOME}/stable/new.html"
    later = Evidence(10)
    for stored in evidence.as_stored():
        later.restore(*stored)
    assert Verdict.LEAVE not in (evidence.verdict(new), later.verdict(new))
    assert evidence.verdict(copy) is Verdict.LEAVE
    assert later.verdict(copy) is Verdict.LATER  # a few in each run
    evidence.leave(copy)
    [name] = (name for name, _ in evidence.left_out())
    assert re.search(pattern_of(name), copy)
    assert not re.search(pattern_of(name), new.replace("stable", "16"))
    for folder in ("16", "stable"):
        evidence.read(Read(f"{HOME}/{folder}/a/changed", f"{HOME}/", f"new text of {folder}"))
    assert evidence.verdict(copy) is Verdict.LATER  # there may be more exceptions, in any kind


@pytest.mark.behaviour("Q-65")
def test_a_page_that_differs_keeps_both_folders_in_this_run_and_the_next() -> None:
    evidence, later = Evidence(10), Evidence(10)

    def read(by: Evidence, folder: str, number: int) -> None:
        url, release = f"{HOME}/{folder}/{'x' * number}.html", folder if number == 6 else ""
        by.read(Read(url, f"{HOME}/", f"page {number} {release.replace('stable', '16')}"))

    for number in range(100):
        for folder in ("16", "stable", "15") if number % 2 else ("stable", "16", "15"):
            read(evidence, folder, number)
    for number in range(100, 140):
        read(evidence, "16", number)
    for stored in evidence.as_stored():
        later.restore(*stored)
    for number in (*range(10, 40), *range(100, 139)):
        read(later, "15", number)
    in_15, in_stable, again = (
        f"{HOME}/{folder}/{'x' * n}.html"
        for folder, n in (("15", 139), ("stable", 139), ("15", 50))
    )
    assert evidence.verdict(in_stable) is Verdict.LEAVE
    assert evidence.verdict(in_15) is Verdict.LATER  # page 6 was judged as a copy of /stable/
    assert later.verdict(in_15) is Verdict.LATER
    assert later.verdict(again) is Verdict.LEAVE  # requested before, and as it was


def test_copies_of_one_folder_say_nothing_of_the_pages_that_only_another_one_has() -> None:
    evidence = Evidence(10)
    for number in range(40):
        for folder in ("15", "16", "stable"):
            text = f"text of page {'x' * number}{' changed' * (folder != '15' and number % 2)}"
            evidence.read(Read(f"{HOME}/{folder}/page{'x' * number}.html", f"{HOME}/", text))
    for folder in ("15", "16"):
        evidence.read(Read(f"{HOME}/{folder}/a{folder}.html", f"{HOME}/", f"first of {folder}"))
    of_15, of_16 = (evidence.kinds.of(f"{HOME}/stable/a{each}.html").name for each in ("15", "16"))
    assert of_15 != of_16


@pytest.mark.behaviour("Q-30")
@pytest.mark.parametrize(
    ("pages", "new"),
    [
        pytest.param(
            {
                "red/": "Red – Shop\nHammer 3\nSaw 4",
                "small/": "Small – Shop\nSaw 4\nPlane 5",
                "red/small/": "Red, small – Shop\nSaw 4",
                "small/red/": "Small, red – Shop\nSaw 4",
            },
            [True, True, False, False],
            id="mixes of facets",
        ),
        pytest.param(
            {
                "1923/": "Act of 1923\nThe fee is 5 pounds.",
                "1924/": "Act of 1924\nThe fee is 6 pounds.",
                "1924/b/": "Amendment\nThe fee is 7 pounds.",
            },
            [True, True, True],
            id="versions of a law",
        ),
    ],
)
def test_a_page_below_the_one_that_links_to_it_has_a_line_of_its_own(
    pages: dict[str, str], new: list[bool]
) -> None:
    known = Novelty()
    found = [
        known.add(url, text, within=url)
        for url, text in ((f"{HOME}/of/{path}", text) for path, text in pages.items())
    ]
    assert found == new


@pytest.mark.parametrize(
    ("target", "referrer", "is_below"),
    [
        ("/shop/red/", "/shop/", True),
        ("/shop/red", "/shop?sort=price", True),
        ("/shop/red/", "/", False),
        ("/shopping/", "/shop/", False),
        ("/shop/?page=2", "/shop/", False),
    ],
)
def test_pages_below_others(target: str, referrer: str, *, is_below: bool) -> None:
    assert is_nested(f"{HOME}{target}", f"{HOME}{referrer}") is is_below


def test_a_text_without_capitals_is_new() -> None:
    known = Novelty()
    assert known.add(f"{HOME}/read?id=512", "石の話", feeds_itself=False)
    assert not known.add(f"{HOME}/read?id=513", "石の話", feeds_itself=False)


@pytest.mark.parametrize(
    ("mean", "weight", "bound"),
    [(0.0, 20, 0.119), (0.0, 30, 0.083), (0.5, 4, 0.817), (1.0, 9, 1.0)],
)
def test_upper_bound(mean: float, weight: float, bound: float) -> None:
    assert upper_bound(mean, weight) == pytest.approx(bound, abs=0.002)


@pytest.mark.behaviour("Q-27")
@pytest.mark.parametrize(
    ("count", "effort", "verdict"),
    [
        (0, 10, Verdict.FETCH),
        (5, 10, Verdict.LATER),
        (15, 10, Verdict.LATER),
        (40, 10, Verdict.LEAVE),
        (15, 5, Verdict.LEAVE),
        (40, 0, Verdict.FETCH),
    ],
)
def test_verdicts_on_a_kind_that_brings_nothing(
    count: int, effort: float, verdict: Verdict
) -> None:
    evidence = Evidence(effort)
    tried(evidence, "/view?post={}", count)
    assert evidence.verdict(f"{HOME}/view?post=9999") is verdict


@pytest.mark.behaviour("Q-28")
def test_a_kind_that_begins_with_dead_pages_and_then_yields_is_read() -> None:
    evidence = Evidence(10)
    tried(evidence, "/item?id={}", 15)
    assert evidence.verdict(f"{HOME}/item?id=9999") is Verdict.LATER
    tried(evidence, "/item?id=5{}", 15, "an item")
    assert evidence.verdict(f"{HOME}/item?id=9999") is Verdict.FETCH


@pytest.mark.behaviour("Q-28")
def test_pages_that_lead_to_documents_are_credited() -> None:
    evidence = Evidence(10)
    for number in range(40):
        listed = f"{HOME}/list?page={number + 100}"
        evidence.read(Read(listed, f"{HOME}/", None))
        evidence.read(Read(f"{HOME}/item/{number}.html", listed, f"Item {'x' * number}"))
    assert evidence.verdict(f"{HOME}/list?page=999") is Verdict.FETCH


@pytest.mark.behaviour("Q-30")
def test_a_pool_that_brings_nothing_shortens_the_sample_of_a_new_kind() -> None:
    evidence = Evidence(10)
    for path in ("/a", "/b", "/c"):
        tried(evidence, path + "?replytocom={}", 40)
    assert evidence.verdict(f"{HOME}/d?replytocom=7777") is Verdict.LATER
    tried(evidence, "/d?replytocom={}", 6)
    assert evidence.verdict(f"{HOME}/d?replytocom=7777") is Verdict.LEAVE
    tried(evidence, "/e?replytocom={}", 9, "an answer")
    assert evidence.verdict(f"{HOME}/e?replytocom=7777") is Verdict.FETCH


@pytest.mark.behaviour("Q-25")
def test_what_is_left_out_is_named_by_its_kind() -> None:
    evidence = Evidence(10)
    tried(evidence, "/view?post={}", 40)
    words = evidence.leave(f"{HOME}/view?post=9999")
    assert re.fullmatch(r"0 of \d\d pages of /view\?post=<#>.* brought anything new", words)
    tried(evidence, "/view?post=5{}", 20, "a post")
    assert evidence.verdict(f"{HOME}/view?post=9999") is not Verdict.LEAVE


@pytest.mark.behaviour("Q-44")
def test_stored_evidence_counts_for_less_and_a_few_pages_are_tried_again() -> None:
    first, second = Evidence(10), Evidence(10)
    tried(first, "/view?post={}", 60)
    for stored in first.as_stored():
        second.restore(*stored)
    assert second.verdict(f"{HOME}/view?post=9999") is Verdict.LATER
    tried(second, "/view?post={}", 3)
    assert second.verdict(f"{HOME}/view?post=9999") is Verdict.LEAVE


@pytest.mark.behaviour("Q-44")
def test_pages_that_brought_nothing_again_say_nothing_of_new_ones() -> None:
    """A list of jobs has as many that are filled; a new one is requested after any number of them."""
    before = Evidence(10)
    for number in range(500, 700):
        before.read(Read(f"{HOME}/jobs/{number}", f"{HOME}/", None))
    tried(before, "/jobs/{}", 40, "A job with")
    later = Evidence(10)
    for stored in before.as_stored():
        later.restore(*stored)
    for number in range(500, 700):
        if later.verdict(f"{HOME}/jobs/{number}") is not Verdict.LEAVE:
            later.read(Read(f"{HOME}/jobs/{number}", f"{HOME}/", None))
    assert later.verdict(f"{HOME}/jobs/699") is Verdict.LEAVE
    assert later.verdict(f"{HOME}/jobs/900") is not Verdict.LEAVE


@pytest.mark.behaviour("Q-41")
def test_mixes_of_parameters_that_were_tried_share_the_samples_of_a_later_run() -> None:
    before, now = Evidence(10), Evidence(10)
    tried(before, "/list?a={0}&b=x", 40)
    tried(before, "/list?a={0}&c=x", 40)
    for each in before.as_stored():
        now.restore(*each)
    tried(now, "/list?a={0}&b=x", 15)
    assert now.verdict(f"{HOME}/list?a=7&c=x") is Verdict.LEAVE
    assert now.verdict(f"{HOME}/list?a=7&d=x") is Verdict.LATER


def test_failures_of_a_kind_are_excused_while_others_are_answered() -> None:
    evidence = Evidence(10)
    assert not evidence.excuses(f"{HOME}/log?rev=10000")
    assert not evidence.excuses(f"{HOME}/log?rev=10001"), "nothing was answered in between"
    evidence.answered()
    assert evidence.excuses(f"{HOME}/log?rev=10002")
    evidence.read(Read(f"{HOME}/log?rev=10003", HOME, "A log"))
    assert not evidence.excuses(f"{HOME}/log?rev=10004")


@pytest.mark.behaviour("Q-43")
@pytest.mark.parametrize(
    ("options", "target", "is_wanted"),
    [
        ({}, "/p?id=1", False),
        ({"always_fetch": [r"\?id="]}, "/p?id=1", True),
        ({"allow": ["/p"]}, "/p?id=1", True),
        ({"query": "keep"}, "/p?id=1", True),
        ({"query": "keep"}, "/p", False),
        ({"query": "policy", "url_query_parameters": ["?id"]}, "/p?id=1", True),
        ({"query_keep": ["id"]}, "/p?id=1", True),
        ({"query_keep": ["id"]}, "/p?id=1&sort=up", False),
    ],
)
def test_words_of_the_user(*, options: dict[str, Any], target: str, is_wanted: bool) -> None:
    params = CrawlParams(start=[f"{HOME}/"], **options)
    assert Wanted.build(Citations(params, {})).names(HOME + target) is is_wanted


def grown(parts: EndlessParts, *, depth: int) -> int:
    """Read a tree of pages with two links each below ``/deep/``; return the number of requests."""
    waiting, count = {1: (f"{HOME}/deep/1", f"{HOME}/")}, 0
    while waiting and count < 2000:
        part = parts.part(f"{HOME}/deep/0", f"{HOME}/deep/1")
        if part is not None and part.state is State.CLOSED:
            break
        chosen = parts.choose(part, waiting) if part else next(iter(waiting))
        assert chosen is not None
        url, referrer = waiting.pop(chosen)
        below = [2 * chosen, 2 * chosen + 1] if chosen < 2**depth else []
        links = [(f"{HOME}/deep/{each}", each) for each in below]
        waiting.update((each, (link, url)) for link, each in links)
        parts.read(GrowingPage(url, chosen, links, (), referrer))
        count += 1
    return count


@pytest.mark.behaviour("Q-24")
def test_a_part_without_an_end_is_closed() -> None:
    parts = EndlessParts()
    assert grown(parts, depth=10_000) < 150
    part = parts.part(f"{HOME}/deep/5", f"{HOME}/deep/2")
    assert part is not None
    assert part.state is State.CLOSED
    assert "has no end" in parts.in_words(f"{HOME}/deep/5")
    assert parts.part(f"{HOME}/deep/5", f"{HOME}/") is None, "another page names it"


@pytest.mark.behaviour("Q-25")
def test_a_tree_with_leaves_is_read_whole() -> None:
    assert grown(EndlessParts(), depth=8) == 2**9 - 1


@pytest.mark.behaviour("Q-26")
def test_a_chain_is_no_part_without_an_end() -> None:
    parts = EndlessParts()
    for number in range(500):
        onward = [(f"{HOME}/deep/{number + 1}", number + 1)]
        page = GrowingPage(f"{HOME}/deep/{number}", number, onward, (), f"{HOME}/deep/{number - 1}")
        parts.read(page)
        assert parts.part(f"{HOME}/deep/{number + 1}", f"{HOME}/deep/{number}") is None


@pytest.mark.parametrize(
    ("target", "part"),
    [
        ("/shop/red/wool/", "/shop/"),
        ("/search?q=a", "/search"),
        ("/search?in=title&q=a", "/search"),
        ("/about", "/<word>"),
        ("/article7.php?print=1", "/article<number>.php"),
    ],
)
def test_parts(target: str, part: str) -> None:
    assert part_of(f"{HOME}{target}") == part


@pytest.mark.behaviour("O-14")
@pytest.mark.parametrize(
    ("reason", "tried", "words"),
    [
        (LOW_YIELD.name, 12, "1 of 12 tried were new"),
        (LOW_YIELD.name, 0, "none tried: pages like them brought nothing"),
        (ENDLESS.name, 40, "no end after 40 pages"),
    ],
)
def test_what_is_said_of_a_kind_that_was_left_out(reason: str, tried: int, words: str) -> None:
    assert tried_words({"reason": reason, "tried": tried, "new": 1}) == words


@pytest.mark.behaviour("Q-101")
def test_a_calendar_says_nothing_new_and_a_dated_post_does() -> None:
    novelty = Novelty()
    days = ("2026-11-08", "2026-11-15", "2027-02-07")
    texts = {
        f"/agenda?d={day}&view=week": f"Agenda {day}\n{'.'.join(day.split('-')[::-1])}\n"
        + "\n".join(str(int(day[-2:]) + each) for each in range(7))
        for day in days
    }
    texts |= {f"/?p={n}": f"March {n - 100}, 2026\nA known line" for n in (108, 115)}
    new = [
        novelty.add(HOME + url, text, feeds_itself=True, leads_on=False)
        for url, text in texts.items()
    ]
    assert new == [True, False, False, True, True]


@pytest.mark.behaviour("Q-102")
def test_urls_are_judged_by_the_pages_they_are_found_on_too() -> None:
    evidence = Evidence(10.0)
    for n in range(100, 103):
        evidence.read(Read(f"{HOME}/view?id={n}", f"{HOME}/list", "x" * n))
    for n in range(200, 280):
        evidence.read(Read(f"{HOME}/view?id={n}", f"{HOME}/history?id=1", None))
    later = Evidence(10.0)
    for each in evidence.as_stored():
        later.restore(*each)
    for known in (evidence, later):
        assert known.verdict(f"{HOME}/view?id=900", f"{HOME}/list") is Verdict.FETCH
    assert evidence.verdict(f"{HOME}/view?id=900", f"{HOME}/history?id=1") is Verdict.LEAVE


@pytest.mark.behaviour("Q-102")
def test_dead_links_of_one_page_end_although_others_of_their_kind_bring_much() -> None:
    evidence = Evidence(10.0)
    for n in range(100, 160):
        evidence.read(Read(f"{HOME}/view?id={n}", f"{HOME}/list", "x" * n))
    for n in range(200, 280):
        evidence.read(Read(f"{HOME}/view?id={n}", f"{HOME}/history?id=1", None))
        evidence.read(Read(f"{HOME}/row/{n}", f"{HOME}/row?page=1", f"Row {n}"))
    assert evidence.verdict(f"{HOME}/view?id=900", f"{HOME}/list") is Verdict.FETCH
    assert evidence.verdict(f"{HOME}/view?id=900", f"{HOME}/history?id=1") is Verdict.LEAVE


@pytest.mark.behaviour("Q-103")
def test_one_word_of_a_query_tells_pages_that_bring_something_from_others() -> None:
    evidence = Evidence(10.0)
    for n in range(100, 160):
        for day, view in enumerate(("month", *["day"] * 5)):
            is_new = view == "month" and n % 6 == 0
            url = f"{HOME}/agenda?d={n}{day}&view={view}"
            evidence.read(Read(url, f"{HOME}/agenda", "x" * n if is_new else None))
    left = {
        view: evidence.verdict(f"{HOME}/agenda?d=900&view={view}", f"{HOME}/agenda")
        for view in ("month", "day")
    }
    assert left == {"month": Verdict.LATER, "day": Verdict.LEAVE}


def test_addresses_that_differ_in_values_only_show_no_alias() -> None:
    copies = Copies()
    for n in range(5):
        copies.read(f"{HOME}/event?id={n}&d=1", n)
        copies.read(f"{HOME}/event?id={n}&d=2", n)
    assert not copies.aliases
    for n in range(5):
        copies.read(f"{HOME}/event?id={n}&d=1&print=1", n)
    assert copies.aliases


@pytest.mark.behaviour("Q-38")
def test_a_value_that_is_added_to_lists_that_bring_nothing_is_tried_no_further() -> None:
    evidence = Evidence(10)
    for n in range(60):
        evidence.read(Read(f"{HOME}/search?q=a&limit=au:{n}", f"{HOME}/search?q=a", None))
    for n in range(3):
        for limit in ("", "&limit=map"):
            evidence.kinds.copies.read(f"{HOME}/search?q=s{n}{limit}", n)
    evidence.kinds.copies.read(f"{HOME}/search?q=canals", 9)
    kind = evidence.kinds.of(f"{HOME}/search?q=canals&limit=map")
    assert kind.name == "*&limit=map as copy of *"
    assert evidence.verdict(f"{HOME}/search?q=canals&limit=map") is Verdict.LEAVE
