"""Sites with a part that never ends: calendars, tarpits, counters, facets and session ids."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from hashlib import blake2b

from benchmarks.natural_sites.editions import Truth, number, query, standing, version
from benchmarks.natural_sites.layouts import (
    Menu,
    boxes,
    items,
    landmarks,
    link,
    paragraphs,
    plain,
    tables,
)
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.natural_sites.vocabulary import ADJECTIVES, NOUNS, PLACES, dice, name_of, paragraph

Layout = Callable[[str, str, Menu], str]


def _article(site: str, run: int, page: int) -> list[str]:
    length = dice(site, "length", page).choice((2, 3, 6))
    return [
        paragraph(length, site, page, version(run, site, page)),
        paragraph(1, site, page, "end"),
    ]


def _articles(
    visit: Visit, site: str, count: int, layout: Layout, menu: Menu, *, path: str = "/articles/"
) -> Reply | None:
    """The true part of a site: a list at its start, and pages linked with their neighbours."""
    pages = standing(visit.run, count, site)
    if visit.path == "/":
        rows = [(f"{path}{n}", f"{name_of(site, n)} {n}") for n in pages if n % 8 == 0 or n < 4]
        return Reply(layout("Welcome", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    page = number(visit.path.removeprefix(path)) if visit.path.startswith(path) else -1
    if page not in pages:
        return None
    place = pages.index(page)
    around = [
        (f"{path}{n}", f"{name_of(site, n)} {n}") for n in pages[max(0, place - 2) : place + 3]
    ]
    content = f"{paragraphs(_article(site, visit.run, page))}<ul>{items(around)}</ul>"
    return Reply(layout(f"{name_of(site, page)} {page}", content, menu), f"{page}")


def _truth(site: str, count: int) -> Callable[[int], Truth]:
    return lambda run: {f"{n}": _article(site, run, n) for n in standing(run, count, site)}


# A calendar by months without events and without end


def _months(visit: Visit) -> Reply:
    given = query(visit)
    menu = (("/", "Start"), ("/calendar?y=2024&m=5", "Calendar"))
    if visit.path != "/calendar":
        return _articles(visit, "months", 60, boxes, menu) or MISSING
    year, month = number(given.get("y")), number(given.get("m"))
    if not 1 <= month <= 12 or year < 1:
        return MISSING
    around = [
        (f"/calendar?y={n // 12}&m={n % 12 + 1}", w)
        for n, w in ((12 * year + month - 2, "Previous month"), (12 * year + month, "Next month"))
    ]
    days = "".join(f"<td>{n}</td>" + ("</tr><tr>" if n % 7 == 0 else "") for n in range(1, 31))
    content = (
        f"{items(around, 'span')}<table><tr>{days}</tr></table><p>No events in this month.</p>"
    )
    return Reply(boxes(f"Calendar {month}/{year}", content, menu), "")


# A calendar by days: every month links to its days


def _days(visit: Visit) -> Reply:
    given = query(visit)
    menu = (("/", "Start"), ("/cal.php?y=2023&m=3", "Diary"), ("/articles/5", "About"))
    if visit.path != "/cal.php":
        return _articles(visit, "days", 90, tables, menu) or MISSING
    try:
        day = date(number(given.get("y")), number(given.get("m")), number(given.get("d", "1")))
    except ValueError:
        return MISSING
    before, after = day.replace(day=1) - timedelta(days=1), day.replace(day=28) + timedelta(days=4)
    around = [(f"cal.php?y={x.year}&m={x.month}", w) for x, w in ((before, "<<"), (after, ">>"))]
    days = [(f"cal.php?y={day.year}&m={day.month}&d={n}", str(n)) for n in range(1, 29)]
    text = f"No appointments on {day:%A}, {day.day} {day:%B %Y}" if "d" in given else f"{day:%B %Y}"
    table = f"<table><tr>{items(days, 'td')}</tr></table>"
    return Reply(
        tables(f"Diary {day:%m/%Y}", f"{items(around, 'b')}{table}<p>{text}</p>", menu), ""
    )


# A tarpit: text made of words, with relative links that lead ever deeper


def _nested(visit: Visit) -> Reply:
    menu = (("/", "Home"), ("/library/", "Library"))
    if not visit.path.startswith("/library/"):
        return _articles(visit, "nested", 120, landmarks, menu) or MISSING
    chance = dice("nested", visit.path)
    rows = [
        (f"{chance.choice(ADJECTIVES)}-{chance.choice(NOUNS)}/", name_of(visit.path, n))
        for n in range(5)
    ]
    text = paragraph.__wrapped__(chance.randrange(3, 9), visit.path)
    return Reply(
        landmarks(name_of.__wrapped__(visit.path), f"<p>{text}</p><ul>{items(rows)}</ul>", menu), ""
    )


# The same with flat names: every page links to eight new ones


def _flat(visit: Visit) -> Reply:
    menu = (("/", "Home"), ("/read/the-old-anchor", "Archive"))
    if not visit.path.startswith("/read/"):
        return _articles(visit, "flat", 80, plain, menu, path="/a") or MISSING
    chance = dice("flat", visit.path)
    rows = []
    for n in range(8):
        words = (
            chance.choice(ADJECTIVES),
            chance.choice(NOUNS),
            chance.choice(PLACES).lower(),
            chance.choice(NOUNS),
        )
        rows.append((f"/read/{'-'.join(words)}", f"{n + 1}. {' '.join(words)}"))
    text = paragraph.__wrapped__(chance.randrange(4, 12), visit.path)
    return Reply(
        plain(visit.path[6:].replace("-", " "), f"<p>{text}</p><ul>{items(rows)}</ul>", menu), ""
    )


# A counter: pages over next links whose texts differ in digits only


def _counter(visit: Visit) -> Reply:
    menu = (("/", "Start"), ("/register.cgi?n=1", "Register"))
    if visit.path != "/register.cgi":
        return _articles(visit, "counter", 45, tables, menu) or MISSING
    entry = number(query(visit).get("n"))
    if entry < 0:
        return MISSING
    content = f"<p>Entry {entry} of the register. Nothing is entered under number {entry}.</p>"
    content += link(f"register.cgi?n={entry + 1}", f"Entry {entry + 1}")
    return Reply(tables(f"Entry {entry}", content, menu), "")


# A shop whose facets may be joined in every combination and order as segments of the path

_FACETS = {
    "color": ("red", "blue", "green", "white"),
    "size": ("s", "m", "l"),
    "brand": ("alder", "birch", "cedar", "elm"),
    "price": ("low", "middle", "high"),
    "material": ("wool", "linen", "silk"),
    "year": ("2022", "2023", "2024"),
}


def _facets(visit: Visit) -> Reply:
    menu = (("/", "Home"), ("/shop/", "Shop"))
    if not visit.path.startswith("/shop/"):
        return _articles(visit, "facets", 100, boxes, menu, path="/product/") or MISSING
    chosen = [part.partition("-")[::2] for part in visit.path[6:].strip("/").split("/") if part]
    if any(value not in _FACETS.get(name, ()) for name, value in chosen) or len(dict(chosen)) < len(
        chosen
    ):
        return MISSING
    rows = [
        (f"{visit.path.rstrip('/')}/{name}-{value}/", f"{name}: {value}")
        for name, values in _FACETS.items()
        if name not in dict(chosen)
        for value in values
    ]
    matching = [
        n
        for n in standing(visit.run, 100, "facets")
        if all(dice("facet", n, name).choice(_FACETS[name]) == value for name, value in chosen)
    ]
    products = [(f"/product/{n}", f"{name_of('facets', n)} {n}") for n in matching]
    content = f"<ul class=filter>{items(rows)}</ul><ul class=grid>{items(products)}</ul>"
    if not matching:
        content += "<p>No products match your choice.</p>"
    title = " ".join(value for _, value in chosen) or "Shop"
    return Reply(boxes(title, content, menu), NEUTRAL if len(chosen) < 2 and matching else "")


# A session id that is new in every link of every page

_VISIT = re.compile(r'href="(/[^"]*)"')


def _sessions(visit: Visit) -> Reply:
    given = query(visit)
    menu = (("/", "Home"), ("/help", "Help"))
    if visit.path == "/help":
        reply = Reply(boxes("Help", f"<p>{paragraph(4, 'sessions')}</p>", menu), "help")
    else:
        reply = _articles(visit, "sessions", 40, boxes, menu, path="/item/") or MISSING
    count = iter(range(1000))

    def tagged(match: re.Match[str]) -> str:
        key = f"{visit.path} {given.get('visit', '')} {next(count)} {visit.run}"
        return f'href="{match[1]}?visit={blake2b(key.encode(), digest_size=12).hexdigest()}"'

    return Reply(_VISIT.sub(tagged, str(reply.body)), reply.page, reply.status)


def _sessions_truth(run: int) -> Truth:
    return _truth("sessions", 40)(run) | {"help": (paragraph(4, "sessions"),)}


SITES = (
    NaturalSite("endless-months", _months, _truth("months", 60), is_endless=True),
    NaturalSite("endless-days", _days, _truth("days", 90), is_endless=True),
    NaturalSite("tarpit-nested-text", _nested, _truth("nested", 120), is_endless=True),
    NaturalSite("tarpit-flat-names", _flat, _truth("flat", 80), is_endless=True),
    NaturalSite("endless-counter", _counter, _truth("counter", 45), is_endless=True),
    NaturalSite("facets-by-path", _facets, _truth("facets", 100), is_endless=True),
    NaturalSite("session-in-links", _sessions, _sessions_truth, is_endless=True),
)
