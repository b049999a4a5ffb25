"""Pages that are alike and no copies of each other: versions, a reference, press, variants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, Site, page
from fixtures.traps.tarpit import letter
from tests.crawl.test_template_worth import code_browser

CHAPTERS = 20
RELEASES = tuple(f"v{n}.0" for n in range(1, 10))
CODENAMES = ("potato", "woody", "sarge", "etch", "lenny", "squeeze", "wheezy", "jessie", "stretch")
LANGUAGES = ("en", "de", "fr", "es", "it", "pl", "ja", "pt-br")


def chapter(number: int, version: int) -> str:
    """A text of some 200 words, of which a sentence is that of a version."""
    same = " ".join(letter(100 * number + each) for each in range(12))
    return f"{same} {' '.join(letter(9000 + CHAPTERS * version + number).split()[:5])}"


def versions(
    names: Sequence[str], *, has_menu: bool = False, links_inside: bool = True, form: str = "/{}/{}"
) -> Site:
    """A manual in several versions.

    Pages link to those of their version and, with a menu, to the same page of the others.
    Otherwise the start page links to all.
    """
    site: Site = {}
    for version, name in enumerate(names):
        pages = [form.format(name, f"chapter{n}") for n in range(CHAPTERS)]
        for n, target in enumerate(pages):
            others = [form.format(each, f"chapter{n}") for each in names] if has_menu else []
            inside = pages if links_inside else []
            site[target] = page(*inside, *others, title=f"Chapter {n}", text=chapter(n, version))
    first = [form.format(name, "chapter0") for name in names]
    return {"/": page(*(first if links_inside else site), title="Start", text="Everything"), **site}


def methods() -> Site:
    """A reference whose pages differ in the names of classes."""
    classes = [first + kind for first in ("Red", "Tiny", "Wide") for kind in ("Set", "Map", "Tree")]
    names = ("toString", "equals", "hashCode", "clone", "compareTo")
    site: Site = {"/": page(*(f"/api/{each}/" for each in classes), title="Reference")}
    for owner in classes:
        pages = [f"/api/{owner}/{name}.html" for name in names]
        site[f"/api/{owner}/"] = page(*pages, "/", title=owner, text=f"Class {owner}")
        for n, (name, target) in enumerate(zip(names, pages, strict=True)):
            text = f"{owner}.{name} {letter(n)} {letter(50 + n)} Returned by {owner}."
            site[target] = page(f"/api/{owner}/", title=f"{name}()", text=text)
    return site


def press(years: Sequence[int] = (2023, 2024, 2025)) -> Site:
    """Statements of each month, of the same words but for a few."""
    months = [f"/press/{year}/{month:02}" for year in years for month in range(1, 13)]
    targets = [f"{month}/{name}.html" for month in months for name in ("results", "dividend")]
    site: Site = {"/": page(*targets, title="Press")}
    for n, target in enumerate(targets):
        one, other, *_ = letter(7000 + n).split()
        text = (
            f"{letter(1)} {letter(2)} {letter(3)} Sales of {one} and {other} were {1000 + 37 * n}"
        )
        site[target] = page("/", title="Announcement", text=text)
    return site


def variants(
    colours: Sequence[str] = ("red", "blue", "green", "white", "black", "pink"),
) -> Site:
    """Products in several colours, each with a page for each colour."""
    targets = [f"/{colour}/shirt{n}.html" for colour in colours for n in range(10)]
    site: Site = {"/": page(*targets, title="Shop")}
    for target in targets:
        _, colour, name = target.split("/")
        text = f"A {colour} shirt. {chapter(int(name[5:-5]), 0)}"
        site[target] = page("/", title=f"{name[:-5]} {colour}", text=text)
    return site


SHAPES: dict[str, Callable[[], Site]] = {
    "releases with a menu": lambda: versions(RELEASES, has_menu=True),
    "releases that only the start page links to": lambda: versions(RELEASES, links_inside=False),
    "releases by a parameter": lambda: versions(
        ["", *(f"?view=net-{n}.0" for n in range(1, 9))], form="/docs/{1}{0}"
    ),
    "versions with names": lambda: versions(CODENAMES),
    "translations with a sentence translated": lambda: versions(LANGUAGES, has_menu=True),
    "reference": methods,
    "press": press,
    "variants": variants,
}


@pytest.mark.behaviour("Q-38")
@pytest.mark.parametrize("shape", SHAPES)
def test_all_alike_pages_are_read_and_stay(server: Server, crawl: CrawlCommand, shape: str) -> None:
    site = SHAPES[shape]()
    origin = server.serve({"/robots.txt": "", **site})
    run = crawl(f"{origin}/")
    assert run.kept == {origin + target for target in site}


FEW: dict[str, Callable[[], Site]] = {
    "versions": lambda: versions(CODENAMES[:2], has_menu=True),
    "translations": lambda: versions(LANGUAGES[:2], has_menu=True),
    "reference": methods,
    "press": lambda: press((2024,)),
    "variants": lambda: variants(("red", "blue", "green")),
}


@pytest.mark.slow
@pytest.mark.behaviour("Q-38")
@pytest.mark.parametrize("shape", FEW)
def test_alike_pages_stay_on_a_site_most_of_whose_pages_are_views(
    server: Server, crawl: CrawlCommand, shape: str
) -> None:
    code, site = code_browser(), FEW[shape]()
    starts = [target for target in site if target != "/"]
    both = {**code, **site, "/": page(*starts, "/code", title="Start"), "/code": code["/"]}
    origin = server.serve(both)
    run = crawl(f"{origin}/")
    assert set(run.deletions.values()) == {"near_copy"}, "the views are withdrawn"
    assert {origin + target for target in site} - run.kept == set()
