"""Sites by day without an end: a newspaper's archive, an agenda with several views, a radio's
programme; and pages by id among the ids of their old versions.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from functools import partial

from benchmarks.natural_sites.editions import Truth, number, query, standing, version
from benchmarks.natural_sites.layouts import boxes, items, landmarks, link, paragraphs, tables
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.natural_sites.vocabulary import PLACES, dice, name_of, paragraph

_ORIGIN = date(1998, 1, 1)
_VIEWS = {"day": 1, "week": 7, "month": 30}


def _lines(run: int, site: str, item: int, sentences: int) -> list[str]:
    """Title and text of an item."""
    text = paragraph(sentences, site, item, version(run, site, item))
    return [f"{name_of(site, item)} in {dice(site, item).choice(PLACES)}", text]


def _day(site: str, item: int, days: int) -> date:
    return _ORIGIN + timedelta(dice(site, "day", item).randrange(days))


def _truth(run: int, site: str, count: int, sentences: int) -> Truth:
    return {f"{n}": _lines(run, site, n, sentences) for n in standing(run, count, site, new=2)}


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text.replace("/", "-"))
    except ValueError:
        return None


def _paper(visit: Visit, *, is_linear: bool = True) -> Reply:
    articles, menu = standing(visit.run, 240, "paper", new=2), [("/archive", "Archive")]
    edition = "/archive/%Y/%m/%d" if is_linear else "/edition/%Y-%m-%d"
    at = visit.path.removeprefix("/archive/").removeprefix("/edition/")
    if visit.path in ("/", "/archive"):
        months = [(f"/archive/1998/{n:02}", f"Month {n}") for n in range(1, 13)]
        return Reply(landmarks("Archive", items(months), menu), NEUTRAL)
    if visit.path.startswith("/article/"):
        article = number(visit.path.rpartition("-")[2])
        if article not in articles:
            return MISSING
        title, text = _lines(visit.run, "paper", article, 3)
        tools = [("?print=1", "Print"), ("?reply=1", "Reply")]
        return Reply(landmarks(title, paragraphs([text]) + items(tools), menu), f"{article}")
    month = _date(f"{at}/01") if len(at) == len("1998/01") else None
    if month is not None:
        _, last = monthrange(month.year, month.month)
        days = [(f"{month.replace(day=n):{edition}}", f"{n}") for n in range(1, last + 1)]
        around = [month - timedelta(1), month + timedelta(31)]
        others = [(f"/archive/{each:%Y/%m}", "Other month") for each in around]
        return Reply(landmarks(f"{month:%m/%Y}", items(days) + items(others), menu), "")
    if (day := _date(at)) is None:
        return MISSING
    found = [n for n in articles if _day("paper", n, 240) == day]
    links = [
        (f"/article/{name_of('paper', n).lower().replace(' ', '-')}-{n}", name_of("paper", n))
        for n in found
    ]
    near = [(f"{day + timedelta(n):{edition}}", "Other day") for n in (-1, 1) if is_linear]
    content = (items(links) or "<p>No articles</p>") + items(near)
    return Reply(landmarks(f"Edition of {day:%d.%m.%Y}", content, menu), NEUTRAL if found else "")


def _agenda(visit: Visit) -> Reply:
    given, events = query(visit), standing(visit.run, 80, "agenda", new=2)
    menu = [("/agenda?d=1998-04-15&view=month", "Agenda")]
    day = _date(given.get("d", "1998-04-15"))
    if visit.path == "/event":
        event = number(given.get("id"))
        if event not in events:
            return MISSING
        title, text = _lines(visit.run, "agenda", event, 2)
        return Reply(boxes(title, paragraphs([text]), menu), f"{event}")
    if visit.path not in ("/", "/agenda") or day is None:
        return MISSING
    view = given.get("view", "month")
    length = _VIEWS.get(view, 30)
    shown = [day + timedelta(n) for n in range(min(length, 30))]
    found = [n for n in events if day <= _day("agenda", n, 200) < day + timedelta(length)]
    tabs = [(f"/agenda?d={day}&view={each}", each) for each in _VIEWS]
    around = [
        (f"/agenda?d={day + timedelta(n)}&view={view}", "Other dates") for n in (-length, length)
    ]
    cells = "".join(
        f"<td>{link(f'/agenda?d={each}&view=day', str(each.day))}</td>" for each in shown
    )
    links = [(f"/event?id={n}&d={day}", name_of("agenda", n)) for n in found]
    content = f"<b>{day:%d.%m.%Y}</b>{items([*tabs, *around])}<table><tr>{cells}</tr></table>"
    return Reply(boxes(f"Agenda {day}", content + items(links), menu), NEUTRAL if found else "")


def _radio(visit: Visit) -> Reply:
    episodes, menu = standing(visit.run, 120, "radio", new=2), [("/day/1998-04-08", "Programme")]
    kind, _, rest = visit.path.strip("/").partition("/")
    if not kind:
        return Reply(tables("Radio", "<p>On air</p>", menu), NEUTRAL)
    if kind == "episode":
        episode = number(rest)
        if episode not in episodes:
            return MISSING
        title, text = _lines(visit.run, "radio", episode, 1)
        return Reply(tables(title, paragraphs([text]), menu), f"{episode}")
    if kind != "day" or (day := _date(rest)) is None:
        return MISSING
    found = [n for n in episodes if _day("radio", n, 100) == day]
    near = [day + timedelta(n) for n in (-7, -1, 1, 7)]
    links = [(f"/day/{each}", f"{each:%A %d %B %Y}") for each in near]
    links += [(f"/episode/{n}", name_of("radio", n)) for n in found]
    content = f"<table><tr><td>6h<td>News<tr><td>9h<td>Music</table>{items(links)}"
    title = f"Programme of {day:%d.%m.%Y}"
    return Reply(tables(title, content, menu), NEUTRAL if found else "")


def _wiki(visit: Visit) -> Reply:
    given, pages = query(visit), standing(visit.run, 130, "ids", new=2)
    start, shown = max(0, number(given.get("start"))), number(given.get("pageId"))
    menu = [("/list?start=0", "All pages")]
    if visit.path in ("/", "/list"):
        links = [(_wiki_path(n), name_of("ids", n)) for n in pages[start : start + 20]]
        more = [(f"/list?start={start + 20}", "Next")] if pages[start + 20 :] else []
        return Reply(landmarks("All pages", items([*links, *more]), menu), NEUTRAL)
    page = shown if shown >= 0 else number(visit.path.rpartition("-")[2])
    if page not in pages:
        return MISSING
    title, text = _lines(visit.run, "ids", page, 2)
    if visit.path == "/history":
        old = [(f"/view?pageId={page}{n:03}", f"v. {n}") for n in range(1, 5)]
        return Reply(landmarks(f"History of {title}", items(old), menu), "")
    links = [(f"/history?pageId={page}", "History"), (f"/view?pageId={page}", "Permalink")]
    return Reply(landmarks(title, paragraphs([text]) + items(links), menu), f"{page}")


def _wiki_path(page: int) -> str:
    if page % 4 == 0:
        return f"/view?pageId={page}"
    return f"/display/{name_of('ids', page).lower().replace(' ', '-')}-{page}"


SITES = (
    NaturalSite("paper-by-day", _paper, lambda run: _truth(run, "paper", 240, 3), is_endless=True),
    NaturalSite(
        "paper-by-month",
        partial(_paper, is_linear=False),
        lambda run: _truth(run, "paper", 240, 3),
        is_endless=True,
    ),
    NaturalSite("agenda-views", _agenda, lambda run: _truth(run, "agenda", 80, 2), is_endless=True),
    NaturalSite("radio-by-day", _radio, lambda run: _truth(run, "radio", 120, 1), is_endless=True),
    NaturalSite("page-ids", _wiki, lambda run: _truth(run, "ids", 130, 2)),
)
