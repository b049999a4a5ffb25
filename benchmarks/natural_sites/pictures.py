"""Comics and albums of photographs: pages of a picture, whose titles differ in a number or date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import partial

from benchmarks.natural_sites.building import Book, Link, Sheet, Stock, natural
from benchmarks.natural_sites.prose import Prose
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit

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


# A gallery of Piwigo, whose queries are paths: each photograph stands in an album, and again below each of its tags

_ALL = ("most_visited", "best_rated", "recent_pics")
_PIWIGO = "<meta name='generator' content='Piwigo (aka PWG), see piwigo.org'>"
_PHOTOS = Stock("gallery", 150)
_TAGS = ("snow", "boat", "night", "city", "tree", "bridge", "market")


def _tags_of(n: int) -> list[int]:
    return sorted({n % len(_TAGS), n * 3 % 5})


def _below(section: str, living: Sequence[int]) -> Sequence[int]:
    name, _, number = section.partition("/")
    place = int(number.partition("-")[0]) if number[:1].isdigit() else -1
    return {
        "category": [n for n in living if n % 9 == place],
        "tags": [n for n in living if place in _tags_of(n)],
        **dict.fromkeys(_ALL, living),
    }.get(name, [])


def _gallery(visit: Visit) -> Reply:
    living = _PHOTOS.living(visit.run)
    menu = [(f"/index.php?/tags/{t}-{name}", name) for t, name in enumerate(_TAGS)]
    section = visit.query.removeprefix("/")
    if visit.path in ("/", "/index.php"):
        below = _below(section, living)
        if visit.path != "/" and not below:
            return MISSING
        albums = [(f"/index.php?/category/{a}", Prose("gallery", a).title()) for a in range(9)]
        sheet = Sheet("Gallery").row(
            *albums, *menu, *((f"/index.php?/{each}", each) for each in _ALL)
        )
        for n in below:
            sheet.raw(f"<a href='/picture.php?/{n}/{section}'><img src='/s/{n}.jpg' alt=''></a>")
        return Reply(_PIWIGO + _skin(sheet), NEUTRAL)
    number, _, section = section.partition("/")
    below = _below(section, living) if section else living
    if visit.path != "/picture.php" or not number.isdigit() or int(number) not in below:
        return MISSING
    at = below.index(int(number))
    around = below[max(0, at - 1) : at + 2]
    links = [
        (f"/index.php?/{section}", "Up"),
        *((f"/picture.php?/{n}/{section}", "Photo") for n in around),
    ]
    sheet = _photograph(below[at], visit.run).row(*links, *(menu[t] for t in _tags_of(below[at])))
    own = f"{_PIWIGO}<link rel='canonical' href='/picture.php?/{number}'>"
    return Reply(_skin(sheet).replace("<title>", f"{own}<title>"), number)


def _photograph(n: int, run: int) -> Sheet:
    prose = Prose("gallery", n, _PHOTOS.edition(n, run))
    return Sheet(Prose("gallery", n).title()).raw(f"<img src='/l/{n}.jpg' alt=''>").p(prose.text(1))


def _gallery_truth(run: int) -> dict[str, list[str]]:
    return {f"{n}": _photograph(n, run).lines for n in _PHOTOS.living(run)}


SITES = (
    NaturalSite("piwigo", _gallery, _gallery_truth),
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
