"""Near copies: the texts of pages whose URLs share a name."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from fixtures.traps.tarpit import opaque
from sitecrawl.policy.learning import near_copies
from sitecrawl.policy.learning.near_copies import (
    MIN_SHARING,
    MIN_VERSIONS,
    MIN_VERSIONS_OF_PATHS,
    NearCopies,
    Novelty,
    are_editions,
    names_of,
)
from sitecrawl.policy.learning.shingles import (
    MAX_BEGINNING,
    MAX_END,
    SAMPLE,
    Boilerplate,
    Shingles,
    words_of,
)
from sitecrawl.policy.learning.template_worth import NEAR_COPY, Templates, TemplateVisit
from sitecrawl.policy.urls.templates import url_template

ORIGIN = "https://example.org"
NEW, COPY, UNKNOWN = Novelty.NEW, Novelty.NEAR_COPY, Novelty.UNKNOWN


def text_of(name: object, length: int = 200) -> str:
    """Text of words of its own for each name."""
    random = Random(str(name))
    return " ".join(
        "".join(random.choices("abcdefghij", k=random.randint(3, 9))) for _ in range(length)
    )


def comparing() -> NearCopies:
    """Texts of an origin where pages share names: of each file, the tree has it and a view."""
    copies = NearCopies()
    for n in range(3 * MIN_SHARING):
        copies.observe(f"{ORIGIN}/tree/first{n}.txt", None, text_of(n))
        copies.observe(f"{ORIGIN}/plain/first{n}.txt", None, text_of(n))
    assert copies.is_comparing
    return copies


def novelty(copies: NearCopies, path: str, text: str, referrer: str = "/") -> Novelty:
    """Result of the comparison of a page."""
    template = str(url_template(path)) + path.split("/")[1]
    return copies.observe(ORIGIN + path, ORIGIN + referrer, text, template)[0]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/notes/tree/docs/a.txt", ["a.txt"]),
        ("/notes/tree/docs/a.txt?id=1f0c", ["a.txt", "1f0c"]),
        ("/?p=notes.git;a=blob;f=docs/a.txt", ["notes.git", "blob", "a.txt"]),
        ("/?f=docs%2Fa%20b.txt", ["a b.txt"]),
        ("/docs/index.html", []),
        ("/", []),
    ],
)
def test_the_last_segment_and_the_values_of_parameters_may_name_a_thing(
    path: str, names: list[str]
) -> None:
    assert names_of(ORIGIN + path) == names


@pytest.mark.behaviour("Q-29")
def test_a_text_that_a_page_of_the_same_name_has_is_a_near_copy() -> None:
    copies = comparing()
    text = text_of("a")
    assert novelty(copies, "/tree/a.txt", text) is NEW
    lines = "\n".join(f"{n} {line}" for n, line in enumerate(text.split(" "), 1))
    assert novelty(copies, "/blame/a.txt", lines) is COPY
    assert novelty(copies, "/tree/a.txt?id=old", text[: len(text) // 2]) is COPY
    assert novelty(copies, "/tree/b.txt", text) is NEW, "of another name"
    assert novelty(copies, "/log/a.txt", text_of("log")) is NEW, "of another text"
    assert novelty(copies, "/stats/a.txt", "Ada Writer") is UNKNOWN, "too short"


@pytest.mark.behaviour("Q-29")
def test_a_page_without_a_query_is_no_copy_of_one_with_a_query() -> None:
    copies = comparing()
    novelty(copies, "/commit/a.txt?id=first", text_of("a"))
    assert novelty(copies, "/tree/a.txt", text_of("a")) is not COPY


@pytest.mark.behaviour("Q-29")
def test_what_every_page_of_a_template_says_and_its_own_name_are_no_text_of_its_own() -> None:
    copies = comparing()
    frame = text_of("frame", 60)
    for n in range(10):
        text = f"{frame} {text_of(n, 120)}"
        assert novelty(copies, f"/commit/?id=number{n}", text_of(n, 120)) is NEW
        if n > 8:
            assert novelty(copies, f"/patch/?id=number{n}", text) is COPY
        else:
            novelty(copies, f"/patch/?id=number{n}", text)


@pytest.mark.behaviour("Q-29")
@pytest.mark.parametrize(
    ("limit", "has_query"), [(MIN_VERSIONS_OF_PATHS, False), (MIN_VERSIONS, True)]
)
def test_versions_of_a_manual_are_no_copies_until_there_are_many(
    limit: int, has_query: bool
) -> None:
    copies = comparing()
    found = []
    for version in range(limit + 3):
        home = f"/{opaque(version)}/guide/"
        target = f"{home}install.html{'?raw' if has_query else ''}"
        found.append(novelty(copies, target, text_of("install"), home))
    assert found[0] is NEW
    assert set(found[1 : limit + 1]) == {UNKNOWN}
    assert found[-1] is COPY


@pytest.mark.behaviour("Q-29")
@pytest.mark.parametrize(
    ("url", "other", "expected"),
    [
        ("/5.2/guide.html", "/4.2/guide.html", True),
        ("/docs/guide.html", "/docs/v1.0-rc1/guide.html", True),
        ("/stable/de/guide.html", "/16/guide.html", True),
        ("/press/2024/03/results.html", "/press/2025/11/results.html", True),
        ("/docs/guide", "/docs/guide?view=net-8.0", True),
        ("/docs/guide?view=net-8.0", "/docs/guide?view=net-9.0", True),
        ("/docs/guide", "/docs/guide?version=2", False),
        ("/docs/guide?id=2.0", "/blame/guide?id=1.0", False),
        ("/tree/guide.c", "/blame/guide.c", False),
        ("/commit/0a1b2c3d4e5f/guide.c", "/commit/5f4e3d2c1b0a/guide.c", False),
        ("/4.2/guide.html", "/4.2/index.html", False),
        ("/guide", "/guide", False),
    ],
)
def test_editions_are_named_like_releases_dates_or_languages(
    url: str, other: str, expected: bool
) -> None:
    assert are_editions(ORIGIN + url, ORIGIN + other) is expected
    assert are_editions(ORIGIN + other, ORIGIN + url) is expected


@pytest.mark.behaviour("Q-29")
def test_releases_are_no_copies_however_many_there_are() -> None:
    copies = comparing()
    found = {
        novelty(copies, f"/v{n}.0/install.html", f"{text_of('install')} {n}") for n in range(40)
    }
    assert COPY not in found


@pytest.mark.behaviour("Q-29")
def test_nothing_is_compared_where_pages_rarely_share_a_name() -> None:
    copies = NearCopies()
    for n in range(500):
        copies.observe(f"{ORIGIN}/topic{n % 100}/page{n}.html", None, text_of(n % 7, 20))
        copies.observe(f"{ORIGIN}/topic{n}/index.html", None, text_of(n % 7, 20))
    assert not copies.is_comparing
    assert not copies._early


@pytest.mark.behaviour("Q-29")
def test_the_texts_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_copies, "MAX_SIZE", 5000)
    monkeypatch.setattr(near_copies, "MAX_NAMES", 100)
    copies = comparing()
    for n in range(100):
        copies.observe(f"{ORIGIN}/a/f{n % 10}.txt?id=v{n}x", None, text_of(n, 60))
    kept = sum(each.size for texts in copies._originals.values() for each in texts.values())
    assert kept == copies._size <= 5000
    assert max(len(copies._seen), len(copies._copies)) <= 102


@pytest.mark.behaviour("Q-29")
def test_a_table_with_other_numbers_is_no_copy() -> None:
    copies = comparing()
    labels = text_of("labels", 30).split()
    tables = [
        " ".join(f"{each} {place * 37 + year}" for place, each in enumerate(labels))
        for year in (2024, 2025)
    ]
    assert novelty(copies, "/figures?year=2024", tables[0]) is NEW
    assert novelty(copies, "/figures?year=2025", tables[1]) is NEW
    assert novelty(copies, "/figures?year=2025&print=1", tables[1]) is COPY


def test_numbers_are_no_words_and_those_of_lines_no_numbers() -> None:
    text = Shingles.of(" ".join(f"{n} word{n}" for n in range(60)) + " in 2026")
    assert (len(text.first), text.numbers) == (4, frozenset({2026}))


def visit(path: str, *, is_new: bool, referrer: str = "/") -> TemplateVisit:
    """A page of an origin, new or a near copy."""
    original = "" if is_new else f"{ORIGIN}/tree/x"
    result = "file_ingested" if is_new else NEAR_COPY
    return TemplateVisit(ORIGIN + path, ORIGIN + referrer, result, is_new, original)


@pytest.mark.behaviour("Q-29")
def test_a_directory_of_near_copies_is_judged_over_all_directories_below() -> None:
    templates = Templates(is_comparing=True)
    for n in range(10):
        templates.observe(visit(f"/notes/blame/part{n}/a.txt", is_new=False))
        templates.observe(visit(f"/notes/tree/part{n}/a.txt", is_new=True))
    name, worth = templates.judge(f"{ORIGIN}/notes/blame/other/b.c") or ("", None)
    assert (name, worth and worth.is_barren_pool) == ("/*/blame/**", True)
    assert templates.judge(f"{ORIGIN}/notes/tree/other/b.c") is None
    assert templates.judge(f"{ORIGIN}/notes/blame/other/b.c?id=1") is None


@pytest.mark.behaviour("Q-29")
def test_views_of_views_give_each_other_no_credit() -> None:
    templates = Templates(is_comparing=True)
    for n in range(20):
        templates.observe(visit(f"/log/f{n}.txt?id=x", is_new=n > 18))
        templates.observe(visit(f"/blame/f{n}.txt?id=x", is_new=False))
    template = templates.found["/blame/f<number>.txt?id id=x"]
    for n in range(20):
        templates.observe(
            visit(f"/log/f{n + 20}.txt?id=x", is_new=True, referrer="/blame/f1.txt?id=x")
        )
        if n == 1:
            assert template.credit == 0, "of pages of a template that brings little"


@pytest.mark.parametrize(
    "text",
    [
        "plain words, and more",
        "a1 abc1 abcd12ef 3fbea91 x86_64 snake_case i",
        "12 2026-11-23 1234567890 v2.0.1",
        "",
    ],
)
def test_words_of_ascii_are_those_of_any_text(text: str) -> None:
    assert words_of(text) == words_of(f"{text} ä")


def reference(copies: NearCopies, names: Iterable[str], *, has_title: bool) -> list[Novelty]:
    """Results for the pages of a reference: what each class is, who uses it, and its code."""
    found = []
    for name in names:
        for view in ("api", "uses", "code"):
            url = f"{ORIGIN}/{view}/{name}.html"
            said = text_of(f"{view} {name}", 400)
            title = f"{view} of {name}" if has_title else ""
            text = f"{view} of {name}\n{said}" if has_title else said
            found.append(copies.observe(url, None, text, f"/{view}/", title=title).novelty)
    return found


@pytest.mark.behaviour("Q-29")
@pytest.mark.parametrize("has_title", [True, False])
def test_texts_that_are_told_apart_by_titles_or_samples_are_kept_as_texts(
    *, has_title: bool
) -> None:
    copies = NearCopies()
    found = reference(copies, [f"Class{each}" for each in range(60)], has_title=has_title)
    assert set(found) == {NEW}
    kept = [each for texts in copies._originals.values() for each in texts.values()]
    assert len(kept) > 150
    assert not any(each.is_made for each in kept)


@pytest.mark.behaviour("Q-29")
def test_a_text_is_forgotten_when_its_shingles_are_known() -> None:
    copies = comparing()
    assert novelty(copies, "/tree/a.txt", text_of("a")) is NEW
    assert novelty(copies, "/blame/a.txt", text_of("a")) is COPY
    kept = copies._originals["a.txt"][f"{ORIGIN}/tree/a.txt"]
    assert kept.is_made
    assert kept.text == ""


@pytest.mark.behaviour("Q-29")
def test_of_the_first_pages_only_beginnings_and_ends_are_kept() -> None:
    boilerplate = Boilerplate()
    head, foot = text_of("head", 100), text_of("foot", 100)
    texts = [f"{head}\n{text_of(each, 8000)}\n{foot}" for each in range(SAMPLE)]
    assert [boilerplate.add(each) for each in texts] == [False] * (SAMPLE - 1) + [True]
    assert Shingles.of(head).anchored <= boilerplate.shingles
    assert len(Shingles.of(foot).anchored - boilerplate.shingles) < 4
    assert sum(map(len, boilerplate.texts)) <= SAMPLE * (MAX_BEGINNING + MAX_END + 1)
