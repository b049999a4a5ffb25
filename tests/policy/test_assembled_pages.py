"""Pages assembled from others: which are copies on a site of views, and which stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

import pytest

from sitecrawl.policy.learning.assembled_pages import AssembledPages, Phrases
from sitecrawl.policy.learning.repeated_pages import (
    ComparedPage,
    CurrentPage,
    RepeatedPages,
    StoredText,
)
from sitecrawl.policy.learning.template_worth import Templates

ORIGIN = "https://code.example.org"
FILES = [f"file{n}.txt" for n in range(10)]
COMMITS = [f"{n:02}c0ffee{n:02}" for n in range(10)]
VIEWS = ("blame", "plain", "annotate", "raw", "numbered")
Written = dict[str, tuple[str, str, tuple[str, ...]]]  # path: title, text, links


def words_of(name: str, length: int = 6) -> str:
    """Words that stand for a name, the same ones each time."""
    random = Random(name)
    return " ".join(
        "".join(random.choices("abcdefghij", k=random.randint(4, 9))) for _ in range(length)
    )


def lines_of(name: str, count: int = 40) -> str:
    """The lines of a file."""
    return "\n".join(words_of(f"{name} {line}") for line in range(count))


def code_browser() -> Written:
    """Files with many views, and commits with a subject each: most of its pages repeat files."""
    pages: Written = {}
    for n, commit in enumerate(COMMITS):
        subject = f"Change to {words_of(commit)}"
        text = f"commit\n{commit}\nAda Writer\n{subject}\n{words_of(f'why {commit}', 12)}"
        pages[f"/commit/?id={commit}"] = ("commit", text, (f"/tree/{FILES[n]}",))
    for name in FILES:
        pages[f"/tree/{name}"] = (name, lines_of(name), ())
        for view in VIEWS:
            pages[f"/{view}/{name}"] = (f"{view} {name}", lines_of(name), (f"/tree/{name}",))
    return pages


def withdrawn(pages: Written, unread: Mapping[str, str] | None = None) -> dict[str, str]:
    """The paths that are withdrawn, each with the one that has its text.

    ``unread`` are linked URLs that were not requested.
    """
    rows = {path: row for row, path in enumerate([*pages, *(unread or {})], start=1)}
    templates = Templates(is_comparing=True)
    stored = {
        rows[path]: StoredText(title, text, frozenset(rows[each] for each in links))
        for path, (title, text, links) in pages.items()
    }
    compared = [
        ComparedPage.of(
            templates,
            CurrentPage(rows[path], 0, ORIGIN + path, 1, "link", None),
            stored[rows[path]],
        )
        for path in pages
    ]
    urls = {rows[path]: ORIGIN + path for path in unread or {}}
    repeated = RepeatedPages(compared, {}, urls)
    assert repeated.is_site_of_views
    assembled = AssembledPages(repeated)
    for page in compared:
        assembled.add(page.row, stored[page.row].body)
    assembled.find(urls)
    paths = {row: path for path, row in rows.items()}
    return {paths[each.page]: paths[each.original] for each in repeated.judge()}


def views_of(paths: Iterable[str]) -> set[str]:
    """The first segments of paths."""
    return {path.split("/")[1] for path in paths}


@pytest.mark.behaviour("Q-37")
def test_lists_of_what_other_pages_say_are_copies_and_the_pages_stay() -> None:
    site = code_browser()
    for n, name in enumerate(FILES):
        of = COMMITS[n:] + COMMITS[:n]
        said = "\n".join(f"Change to {words_of(each)}" for each in of[:4])
        links = tuple(f"/commit/?id={each}" for each in of[:4])
        site[f"/history/{name}"] = (f"history {name}", f"{name}\n{said}", links)
    gone = withdrawn(site)
    assert views_of(gone) == {*VIEWS, "history"}
    assert {f"/history/{each}" for each in FILES} <= gone.keys()


@pytest.mark.behaviour("Q-37")
def test_differences_are_copies_of_files_that_were_read_under_another_url() -> None:
    site = code_browser()
    unread: dict[str, str] = {}
    for n, commit in enumerate(COMMITS):
        parts = [lines_of(name).splitlines()[n : n + 9] for name in (FILES[n], FILES[n - 1])]
        text = "\n".join([f"Change to {words_of(commit)}", *parts[0], *parts[1]])
        old = [f"/tree/{name}?id={commit}" for name in (FILES[n], FILES[n - 1])]
        unread |= dict.fromkeys(old, "")
        site[f"/diff/?id={commit}"] = ("diff", text, (f"/commit/?id={commit}", *old))
    gone = withdrawn(site, unread)
    assert {f"/diff/?id={each}" for each in COMMITS} <= gone.keys()
    assert not {f"/commit/?id={each}" for each in COMMITS} & gone.keys()


@pytest.mark.behaviour("Q-37")
def test_listings_that_differ_in_numbers_are_states_of_one() -> None:
    site = code_browser()
    for n, commit in enumerate(COMMITS):
        text = "\n".join(f"{name}\n{100 * n + place}" for place, name in enumerate(FILES))
        site[f"/folder/?id={commit}"] = ("folder", text, ())
    gone = {path for path in withdrawn(site) if path.startswith("/folder/")}
    assert len(gone) == len(COMMITS) - 1


@pytest.mark.behaviour("Q-37")
def test_a_page_with_text_of_its_own_stays_on_a_site_of_views() -> None:
    site = code_browser()
    for name in FILES:
        site[f"/notes/{name}"] = (f"notes {name}", lines_of(f"notes {name}"), (f"/tree/{name}",))
    assert "notes" not in views_of(withdrawn(site))


@pytest.mark.behaviour("Q-37")
def test_a_page_that_others_repeat_is_not_assembled_from_its_differences() -> None:
    site = code_browser()
    for n, name in enumerate(FILES):
        lines = lines_of(name).splitlines()
        parts = {
            f"/changes/?id={COMMITS[n]}{place}": lines[place : place + 21] for place in (0, 19)
        }
        for path, part in parts.items():
            site[path] = ("changes", "\n".join([*part, words_of(path, 60)]), ())
        title, text, _ = site[f"/tree/{name}"]
        site[f"/tree/{name}"] = (title, text, tuple(parts))
    assert not {f"/tree/{name}" for name in FILES} & withdrawn(site).keys()


@pytest.mark.behaviour("Q-37")
def test_kinds_of_few_pages_are_judged_page_by_page_on_a_site_of_views() -> None:
    site = code_browser()
    site["/print/file1.txt"] = ("print file1.txt", lines_of("file1.txt"), ())
    site["/about/file2.txt"] = ("about file2.txt", lines_of("about"), ())
    gone = withdrawn(site)
    assert gone["/print/file1.txt"] == "/tree/file1.txt"
    assert "/about/file2.txt" not in gone


@pytest.mark.behaviour("Q-37")
def test_phrases_do_not_cross_lines() -> None:
    phrases = Phrases.of("one two three\nfour\nfive six seven")
    assert len(phrases.own) == 3
    broken = Phrases.of("five\nsix\nseven eight")
    assert Phrases.of("five six seven").own <= broken.all


@pytest.mark.behaviour("Q-37")
def test_the_first_page_of_a_name_stays_although_its_kind_was_found_later() -> None:
    subjects = [f"Change to {words_of(each)}\n{words_of(f'why {each}', 12)}" for each in COMMITS]
    log = ("log", "\n".join(subjects), ())
    listing = ("listing", "\n".join(FILES), ())
    site: Written = {
        "/log/": log,
        f"/listing/?id={COMMITS[0]}": listing,
    }  # whose commit is elsewhere
    for commit, subject in zip(COMMITS[1:], subjects[1:], strict=True):
        site[f"/commit/?id={commit}"] = ("commit", f"commit\n{subject}", ("/log/",))
        site[f"/listing/?id={commit}"] = listing
    site |= {path: page for path, page in code_browser().items() if "/commit/" not in path}
    gone = withdrawn(site)
    assert "listing" in views_of(gone)
    assert "commit" not in views_of(gone)


@pytest.mark.behaviour("Q-37")
def test_pages_that_are_made_of_each_other_end() -> None:
    site = code_browser()
    lists = [f"/list/?id={each}" for each in COMMITS]
    indexes = [f"/index/?id={each}" for each in COMMITS]
    text = "\n".join(FILES)
    for one, two in zip(lists, indexes, strict=True):
        site[one] = ("list", text, (two, *lists))
        site[two] = ("index", text, (one, *indexes))
    gone = withdrawn(site)
    assert not set(gone.values()) & gone.keys()
    assert len({*lists, *indexes} - gone.keys()) >= 1
