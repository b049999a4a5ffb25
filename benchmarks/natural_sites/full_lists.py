"""Diaries and news whose lists show each post in full, so that no page of a post has a line of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial

from benchmarks.natural_sites.building import Book, Sheet, Skin, Stock, chunks, natural
from benchmarks.natural_sites.prose import Prose, slug


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of the lists, by page, and of the posts, by number and title.

    ``known`` are the parameters that the program reads; ``has_next``: each post links to the next one. ``has_home``: the first
    page is none of the lists. ``is_dated``: dates are the titles.
    """

    page: Callable[[int], str]
    post: Callable[[int, str], str]
    known: str = ""
    size: int = 140
    each: int = 10
    has_next: bool = False
    has_home: bool = False
    is_dated: bool = False


def date_of(number: int) -> date:
    """The day of a post."""
    return date(2019, 1, 1) + timedelta(days=3 * number)


def _skin(sheet: Sheet) -> str:
    """A page without a menu; its title is that of the post, without the name of the site."""
    foot = "<p><a href='/'>First page</a> <a href='/imprint'>Imprint</a></p>"
    return f"<!DOCTYPE html><title>{sheet.title}</title><div id=text>{sheet.body}</div>{foot}"


def _diary(run: int, *, name: str, given: Addresses, skin: Skin = _skin) -> Book:
    """Lists from the newest to the oldest post."""
    stock = Stock(name, given.size)
    book, living = Book(skin, given.known), stock.living(run)
    posts = {}
    for n in living:
        author = Prose(name, n)("By {name} on {1-28} May")
        text = Prose(name, n, stock.edition(n, run)).text(1 + n % 3)
        title = f"{date_of(n):%A, %d %B %Y}" if given.is_dated else Prose(name, n).title()
        posts[n] = title, author, text
    addresses = {n: given.post(n, title) for n, (title, *_) in posts.items()}
    for place, n in enumerate(living):
        title, *lines = posts[n]
        sheet = Sheet(title).p(*lines)
        if given.has_next and place:
            sheet.row((addresses[living[place - 1]], "Earlier"))
        book.page(addresses[n], sheet)
    lists = chunks(living[::-1], given.each)
    for number, part in enumerate(lists, 1):
        sheet = Sheet("Diary")
        for n in part:
            title, *lines = posts[n]
            sheet.raw(f"<h2><a href='{addresses[n]}'>{title}</a></h2>").p(*lines)
        if number < len(lists):
            sheet.row((given.page(number + 1), "Older"))
        book.neutral("/" if number == 1 and not given.has_home else given.page(number), sheet)
    if given.has_home:
        home = Sheet("Welcome").p(Prose(name, "home").text(3))
        book.page("/", home.row((given.page(1), "Diary")))
    book.page("/imprint", Sheet("Imprint").p(Prose(name)("{name}, {town}")))
    return book


_DIARIES = {
    "in-a-folder": Addresses(
        lambda page: f"/blog/?page={page}" if page > 1 else "/blog/",
        lambda n, title: f"/blog/{slug(title)}-{n}/",
        "page",
        has_home=True,
    ),
    "by-month": Addresses(
        lambda page: f"/diary/?page={page}" if page > 1 else "/diary/",
        lambda n, title: f"/diary/{2010 + n % 9}/{n % 12 + 1:02}/{slug(title)}-{n}",
        "page",
        has_home=True,
        has_next=True,
    ),
    "plain-permalinks": Addresses(
        lambda page: f"/?paged={page}", lambda n, _: f"/?p={n}", "p paged", size=220
    ),
    "one-program": Addresses(
        lambda page: f"/index.php?view=list&page={page}",
        lambda n, _: f"/index.php?view=post&id={n}",
        "view page id",
        has_next=True,
    ),
    "one-more-parameter": Addresses(
        lambda page: "/index.php?s=news" + (f"&from={page}" if page > 1 else ""),
        lambda n, _: f"/index.php?s=news&id={n}",
        "s from id",
        has_home=True,
    ),
    "one-parameter": Addresses(
        lambda page: f"/index.php?id={9000 + page}", lambda n, _: f"/index.php?id={n}", "id"
    ),
    "numbers": Addresses(
        lambda page: f"/archives/{page}000", lambda n, _: f"/archives/{n}", size=500, each=50
    ),
}

_DIARIES |= {
    f"dated-{name}": replace(_DIARIES[name], is_dated=True)
    for name in ("in-a-folder", "plain-permalinks", "one-parameter")
}

SITES = tuple(
    natural(f"full-lists-{name}", partial(_diary, name=name, given=given))
    for name, given in _DIARIES.items()
)
