"""Documents that repeat others: which are withdrawn, and which stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random

import pytest

from sitecrawl.policy.learning.near_copies import NearCopies
from sitecrawl.policy.learning.repeated_pages import (
    ComparedPage,
    CurrentPage,
    RepeatedPages,
    Repetition,
    StoredText,
)
from sitecrawl.policy.learning.template_worth import NEAR_COPY, Templates, TemplateVisit

ORIGIN = "https://example.org"
Written = tuple[str, str, str]  # path, title, text


def text_of(name: object, length: int = 200) -> str:
    """Text of words of its own for each name."""
    random = Random(str(name))
    return " ".join(
        "".join(random.choices("abcdefghij", k=random.randint(3, 9))) for _ in range(length)
    )


def judged(*copied: str) -> Templates:
    """Templates of which those of these URLs were found to be near copies."""
    templates = Templates(is_comparing=True)
    for path in copied:
        for _ in range(10):
            visit = TemplateVisit(ORIGIN + path, None, NEAR_COPY, is_new=False, original="x")
            templates.observe(visit)
    return templates


def found(
    pages: Sequence[Written],
    templates: Templates,
    links: Mapping[str, Iterable[str]] | None = None,
) -> dict[str, str]:
    """Paths that are withdrawn, each with the one that has its text."""
    rows = {path: row for row, (path, _, _) in enumerate(pages)}
    compared = [
        ComparedPage.of(
            templates,
            CurrentPage(rows[path], 0, ORIGIN + path, path.count("/"), "link", None),
            StoredText(title, text, frozenset(rows[to] for to in (links or {}).get(path, ()))),
        )
        for path, title, text in pages
    ]
    paths = {row: path for path, row in rows.items()}
    repeated: list[Repetition] = RepeatedPages(compared, {}).judge()
    return {paths[each.page]: paths[each.original] for each in repeated}


def pages(view: str, *, count: int = 10, prefix: str = "", query: str = "") -> list[Written]:
    """The pages of one view, each of a file with a text of its own."""
    return [
        (f"/{view}/f{n}.txt{query}", f"File {n}", f"{prefix} {text_of(n)}") for n in range(count)
    ]


@pytest.mark.behaviour("Q-34")
def test_copies_of_a_judged_kind_are_withdrawn_for_the_page_nearest_to_the_start() -> None:
    written = [*pages("tree"), *pages("blame", prefix="Ada Bob"), *pages("tree", query="?id=x")]
    gone = found(written, judged("/blame/f1.txt", "/tree/f1.txt?id=x"))
    assert gone == {
        path: f"/tree/f{n}.txt"
        for n in range(10)
        for path in (f"/blame/f{n}.txt", f"/tree/f{n}.txt?id=x")
    }


@pytest.mark.behaviour("Q-34")
def test_older_states_are_withdrawn_for_the_newest_one() -> None:
    states = [
        (
            f"/a{n}.txt?h={100 + state}" if state < 4 else f"/a{n}.txt",
            "",
            text_of(n, 100 + 10 * state),
        )
        for n in range(6)
        for state in range(5)
    ]
    gone = found(states, judged("/a1.txt?h=100"))
    assert set(gone.values()) == {f"/a{n}.txt" for n in range(6)}
    assert len(gone) == 24


@pytest.mark.behaviour("Q-34")
def test_views_that_differ_in_parameters_alone_are_withdrawn_for_the_kind_found_first() -> None:
    def view(action: str, words: str) -> list[Written]:
        return [(f"/?a={action};f=file{n}.txt", "", words + text_of(n)) for n in range(10)]

    written = [*view("blob", ""), *view("blame", "1c0ffee ad3adbee Ada "), *view("raw", "")]
    gone = found(written, judged("/?a=blame;f=file1.txt", "/?a=raw;f=file1.txt"))
    assert gone == {
        f"/?a={action};f=file{n}.txt": f"/?a=blob;f=file{n}.txt"
        for n in range(10)
        for action in ("blame", "raw")
    }


@pytest.mark.behaviour("Q-34")
def test_pages_of_which_there_are_older_states_do_not_speak_for_their_kind() -> None:
    states = [
        (f"/tree/a{n}.txt?h={100 + state}", "", text_of(n, 100 + 60 * state))
        for n in range(6)
        for state in range(2)
    ]
    gone = found(states, judged("/tree/a1.txt?h=100"))
    assert gone == {f"/tree/a{n}.txt?h=100": f"/tree/a{n}.txt?h=101" for n in range(6)}


@pytest.mark.behaviour("Q-34")
def test_states_of_a_page_under_ids_are_withdrawn_for_the_largest() -> None:
    revisions = ("cd3b9b2a71aa", "81f0aa7c2a03", "3d5ed2b1c9a8")
    states = [
        (f"/file/{revision}/a{n}.txt", "", text_of(n, 100 + 60 * state))
        for n in range(6)
        for state, revision in enumerate(revisions)
    ]
    first = f"/file/{revisions[0]}/a1.txt"
    links = {
        path: [other for other, _, _ in states if other[:18] == path[:18]] for path, _, _ in states
    }
    gone = found(states, judged(first), links)
    assert gone == {
        f"/file/{revision}/a{n}.txt": f"/file/{revisions[-1]}/a{n}.txt"
        for n in range(6)
        for revision in revisions[:-1]
    }


@pytest.mark.behaviour("Q-34")
def test_a_page_is_no_copy_of_a_shorter_one_that_lacks_its_end() -> None:
    views = [
        (f"/{view}/f{n}.txt", f"File {n}", text_of(n, length))
        for view, length in (("old", 180), ("new", 200))
        for n in range(10)
    ]
    assert found(views, judged("/new/f1.txt")) == {}


@pytest.mark.behaviour("Q-34")
def test_a_kind_that_mostly_has_texts_of_its_own_is_kept() -> None:
    log = [(f"/log/f{n}.txt", f"File {n}", text_of(n if n < 5 else f"log {n}")) for n in range(10)]
    assert found([*pages("tree"), *log], judged("/log/f1.txt")) == {}


@pytest.mark.behaviour("Q-34")
def test_pages_of_one_kind_at_other_paths_are_no_copies() -> None:
    releases = [(f"/news/item{n}.html", "News", text_of("release")) for n in range(20)]
    assert found(releases, judged("/news/item1.html")) == {}


@pytest.mark.behaviour("Q-34")
def test_variants_with_another_name_in_the_title_stay() -> None:
    shirts = [
        (f"/{colour}/shirt{n}.html", f"Shirt, {colour}", f"In {colour}. {text_of(n, 500)}")
        for colour in ("red", "blue", "green")
        for n in range(10)
    ]
    suspects = judged("/red/shirt1.html", "/blue/shirt1.html", "/green/shirt1.html")
    assert found(shirts, suspects) == {}


@pytest.mark.behaviour("Q-34")
def test_versions_whose_pages_link_to_each_other_stay() -> None:
    new, old = pages("trixie"), pages("bookworm")
    templates = judged("/bookworm/f1.txt")
    assert len(found([*new, *old], templates)) == 10
    links = {
        path: [other for other, _, _ in version if other != path]
        for version in (new, old)
        for path, _, _ in version
    }
    assert found([*new, *old], templates, links) == {}


@pytest.mark.behaviour("Q-34")
def test_versions_are_recognised_by_links_to_pages_that_are_duplicates() -> None:
    new, old = pages("trixie"), pages("bookworm")
    templates = judged("/bookworm/f1.txt")
    compared = [
        ComparedPage.of(
            templates,
            CurrentPage(row, 0, ORIGIN + path, 1, "link", None),
            StoredText(title, text, frozenset({100 + row // 10})),
        )
        for row, (path, title, text) in enumerate([*new, *old])
    ]
    linked = {100: f"{ORIGIN}/trixie/license.txt", 101: f"{ORIGIN}/bookworm/license.txt"}
    assert len(RepeatedPages(compared, {}).judge()) == 10
    assert RepeatedPages(compared, {}, linked).judge() == []


@pytest.mark.behaviour("Q-34")
@pytest.mark.parametrize("names", [("5.2", "stable"), ("v4.2", "v5.2"), ("de", "pt-br")])
def test_versions_named_like_releases_or_languages_stay(names: tuple[str, str]) -> None:
    one, other = (pages(name) for name in names)
    assert found([*one, *other], judged(f"/{names[1]}/f1.txt")) == {}


@pytest.mark.behaviour("Q-35")
def test_a_kind_that_repeats_others_no_more_is_cleared() -> None:
    written = [*pages("tree"), *((p, t, text_of(p)) for p, t, _ in pages("blame"))]
    compared = [
        ComparedPage.of(
            judged("/blame/f1.txt"),
            CurrentPage(row, 0, ORIGIN + path, 1, "link", None),
            StoredText(title, text, frozenset()),
        )
        for row, (path, title, text) in enumerate(written)
    ]
    repeated = RepeatedPages(compared, {"/blame/f<number>.txt": 5})
    assert repeated.judge() == []
    assert repeated.cleared == {"/blame/f<number>.txt"}


@pytest.mark.behaviour("Q-29")
def test_an_older_state_read_first_counts_as_a_near_copy() -> None:
    copies, templates = NearCopies(is_comparing=True), judged()
    old, new = (f"{ORIGIN}/tree/a.txt{query}" for query in ("?id=old", ""))
    copies.observe(old, None, text_of("a", 100), "", title="a.txt file")
    templates.observe(TemplateVisit(old, None, "file_ingested", is_new=True))
    later = copies.observe(new, None, text_of("a"), "", title="a.txt file")
    assert list(later.superseded) == [old]
    templates.supersede(later.superseded, new)
    worth = templates.found[templates.name_of(old)]
    assert (worth.new, dict(worth.results)) == (0, {NEAR_COPY: 1})
    other = f"{text_of('a')} another"
    assert copies.observe(new, None, other, "", title="another").original == ""
