"""Comics and albums of photographs: pages of a picture, whose titles differ in a number or date."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from benchmarks.natural_sites.building import Book, Link, Sheet, Stock, natural
from benchmarks.natural_sites.prose import Prose

ALBUMS = 14


def _skin(sheet: Sheet) -> str:
    foot = "<p><a href='/'>Home</a> <a href='/about'>About</a></p>"
    return f"<!DOCTYPE html><title>{sheet.title}</title>{sheet.body}{foot}"


def _comic(
    run: int,
    *,
    name: str,
    strip: Callable[[int], str],
    known: str = "",
    size: int = 240,
    is_dated: bool = False,
) -> Book:
    """Strips, each with links to the first, the one before and the one after; the last is the start."""
    book, living = Book(_skin, known), Stock(name, size).living(run)
    for place, n in enumerate(living):
        day = date(2015, 1, 1) + timedelta(days=2 * n)
        sheet = Sheet(f"{day:%d %B %Y}" if is_dated else f"Strip #{n}")
        sheet.raw(f"<img src='/strips/{n:04}.gif'>")
        links: list[Link] = []
        if place:
            links += [(strip(living[0]), "First"), (strip(living[place - 1]), "Previous")]
        if n != living[-1]:
            links += [(strip(living[place + 1]), "Next"), ("/", "Latest")]
        sheet.row(*links)
        book.page(strip(n), sheet, name=f"strip {n}")
        if n == living[-1]:
            book.page("/", sheet, name=f"strip {n}")
    book.page("/about", Sheet("About").p(Prose(name).text(3)))
    return book


def _album(
    run: int,
    *,
    name: str,
    album: Callable[[int], str],
    photo: Callable[[int, int], str],
    known: str = "",
) -> Book:
    """Albums of 8 to 40 photographs without captions, each with links to its neighbours."""
    book, home = Book(_skin, known), Sheet("Albums")
    for a in range(1, ALBUMS + 1):
        title, size = Prose(name, a).title(), 8 + 13 * a % 33 + run
        home.row((album(a), title))
        cover = Sheet(title).p(Prose(name, a, "cover").text(1))
        for n in range(1, size + 1):
            cover.raw(f"<a href='{photo(a, n)}'><img src='/small/{a}-{n}.jpg' alt=''></a>")
            sheet = Sheet(title).p(f"Photo {n}").raw(f"<img src='/large/{a}-{n}.jpg' alt=''>")
            around = ((n - 1, "Previous"), (n + 1, "Next"))
            links = [(photo(a, each), text) for each, text in around if 1 <= each <= size]
            book.page(photo(a, n), sheet.row((album(a), "Album"), *links))
        book.page(album(a), cover)
    book.page("/", home)
    book.page("/about", Sheet("About").p(Prose(name).text(3)))
    return book


SITES = (
    natural("comic-by-number", partial(_comic, name="rook", strip=lambda n: f"/comic/{n}")),
    natural(
        "comic-in-queries",
        partial(_comic, name="pawn", strip=lambda n: f"/index.php?strip={n}", known="strip"),
    ),
    natural(
        "comic-by-date",
        partial(_comic, name="king", strip=lambda n: f"/d/{20150000 + n}.html", is_dated=True),
    ),
    natural(
        "albums",
        partial(
            _album,
            name="views",
            album=lambda a: f"/thumbnails.php?album={a}",
            photo=lambda a, n: f"/displayimage.php?pid={100 * a + n}",
            known="album pid",
        ),
    ),
    natural(
        "albums-in-folders",
        partial(
            _album,
            name="sights",
            album=lambda a: f"/album/{a}/",
            photo=lambda a, n: f"/album/{a}/photo/{n}",
        ),
    ),
)
