"""Numbered and dated series: books, laws, comics, photographs, minutes, bulletins and quotations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache

from benchmarks.natural_sites.editions import Truth, number, query, standing, version
from benchmarks.natural_sites.layouts import (
    boxes,
    items,
    landmarks,
    link,
    paragraphs,
    plain,
    tables,
)
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.natural_sites.vocabulary import (
    ADJECTIVES,
    LAST,
    NOUNS,
    PLACES,
    dice,
    name_of,
    paragraph,
    person,
)

# Books by chapter: read?book=&chapter=

_CHAPTERS = 30


def _chapter(run: int, book: int, chapter: int) -> list[str]:
    length = dice("book", book, chapter).choice((2, 3, 5, 9))
    return [
        paragraph(length, "book", book, chapter, version(run, "book", book, chapter, one_in=30)),
        paragraph(2, "book", book, chapter, "end"),
    ]


def _books(visit: Visit) -> Reply:
    given, run = query(visit), visit.run
    books = standing(run, 11, "books")
    if visit.path == "/":
        rows = [(f"read?book={b}", name_of("book", b)) for b in books]
        return Reply(plain("Reading room", f"<ol>{items(rows)}</ol>", ()), NEUTRAL)
    book, chapter = number(given.get("book")), number(given.get("chapter", "0"))
    if visit.path != "/read" or book not in books or not 0 <= chapter <= _CHAPTERS:
        return MISSING
    title = name_of("book", book)
    if not chapter:
        rows = [(f"read?book={book}&chapter={n}", f"Chapter {n}") for n in range(1, _CHAPTERS + 1)]
        content = f"<p>{paragraph(1, 'blurb', book)}</p><ul>{items(rows)}</ul>"
        return Reply(plain(title, content, (("/", "Reading room"),)), f"{book}")
    around = [
        (f"read?book={book}&chapter={n}", w)
        for n, w in ((chapter - 1, "Back"), (chapter + 1, "On"))
        if 1 <= n <= _CHAPTERS
    ]
    content = f"<h3>Chapter {chapter}</h3>{paragraphs(_chapter(run, book, chapter))}"
    return Reply(
        plain(title, content, (*around, (f"read?book={book}", "Contents"))), f"{book}.{chapter}"
    )


def _books_truth(run: int) -> Truth:
    found: Truth = {}
    for book in standing(run, 11, "books"):
        found[f"{book}"] = (paragraph(1, "blurb", book),)
        found |= {f"{book}.{n}": _chapter(run, book, n) for n in range(1, _CHAPTERS + 1)}
    return found


# Laws of nearly equal sections: law?act=&sec=

_ACTS = (
    "Water",
    "Roads",
    "Schools",
    "Forests",
    "Markets",
    "Harbours",
    "Burials",
    "Bridges",
    "Lighting",
)


def _section(run: int, act: str, section: int) -> str:
    chance = dice("law", act, section, version(run, "law", act, section, one_in=20))
    who = chance.choice(
        ("The council", "The owner", "The inspector", "The registrar", "Any person")
    )
    return (
        f"{act} Act, section {section}. {who} shall give notice in writing within {chance.randrange(3, 90)} "
        f"days to the authority referred to in section {chance.randrange(1, 27)}, and is liable to a fee "
        f"not above {chance.randrange(10, 900)} crowns unless the {chance.choice(NOUNS)} is exempt."
    )


def _sections(run: int, act: str) -> list[int]:
    gone = dice("repealed", act).sample(range(2, 27), 2)[:run] if act in _ACTS[:2] else []
    return [n for n in range(1, 28) if n not in gone]


def _law(visit: Visit) -> Reply:
    given, run = query(visit), visit.run
    act = given.get("act", "")
    menu = (("/", "All acts"), ("/search", "Search"))
    if visit.path == "/search":
        return Reply(tables("Search", "<form><input name=q></form>", menu), "")
    if visit.path == "/":
        rows = [(f"law?act={each}", f"{each} Act") for each in (_ACTS if run < 2 else _ACTS[::-1])]
        return Reply(tables("Laws in force", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    if visit.path != "/law" or act not in _ACTS:
        return MISSING
    if "sec" not in given:
        rows = [(f"law?act={act}&sec={n}", f"Section {n}") for n in _sections(run, act)]
        return Reply(tables(f"{act} Act", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    section = number(given["sec"])
    if section not in _sections(run, act):
        return Reply("<title>Repealed</title>Repealed.", status=410)
    text = _section(run, act, section)
    crumbs = f"{link('/', 'Laws')} &gt; {link(f'law?act={act}', f'{act} Act')} &gt; {section}"
    return Reply(
        tables(f"{act} Act, s. {section}", f"{crumbs}<p>{text}</p>", menu), f"{act}.{section}"
    )


def _law_truth(run: int) -> Truth:
    return {f"{act}.{n}": (_section(run, act, n),) for act in _ACTS for n in _sections(run, act)}


# Laws whose sections have versions by date: /act/water/s12/2014-03-01

_PATH = re.compile(r"/act/(\w+)/(?:s(\d+)/(?:(\d{4})-01-01/)?)?")


def _years(run: int, act: str, section: int) -> list[int]:
    """Years in which the versions of a section came into force, the last one in force now."""
    chance = dice("years", act, section)
    years = sorted(chance.sample(range(1998, 2022), chance.choice((1, 1, 2, 3, 4))))
    return [*years, 2024 + run] if run and (section + run) % 10 == 0 else years


def _version_lines(act: str, section: int, year: int) -> list[str]:
    chance = dice("versions", act, section)
    word, days = chance.choice(NOUNS), dice("versions", act, section, year).randrange(2, 400)
    return [
        f"{act.title()} Act, section {section}, in force from 1 January {year}",
        f"A {word} left on public ground is removed after {days} days at the cost of its owner in {year}.",
    ]


def _law_versions(visit: Visit) -> Reply:
    run, acts = visit.run, [each.lower() for each in _ACTS[:5]]
    if visit.path == "/":
        rows = [(f"/act/{each}/", f"{each.title()} Act") for each in acts]
        return Reply(landmarks("Statutes", f"<ul>{items(rows)}</ul>", ()), NEUTRAL)
    match = _PATH.fullmatch(visit.path)
    if not match or match[1] not in acts:
        return MISSING
    act, section = match[1], int(match[2] or 0)
    menu = (("/", "Statutes"), (f"/act/{act}/", f"{act.title()} Act"))
    if not section:
        rows = [(f"/act/{act}/s{n}/", f"Section {n}") for n in range(1, 21)]
        return Reply(landmarks(f"{act.title()} Act", f"<ol>{items(rows)}</ol>", menu), NEUTRAL)
    if section > 20:
        return MISSING
    years = _years(run, act, section)
    year = int(match[3] or years[-1])
    if year not in years:
        return MISSING
    title, text = _version_lines(act, section, year)
    rows = [(f"/act/{act}/s{section}/{each}-01-01/", f"since {each}") for each in years]
    content = f"<p>{text}</p><h2>Versions</h2><ul>{items(rows)}</ul>"
    return Reply(landmarks(title, content, menu), f"{act}.{section}.{year}")


def _versions_truth(run: int) -> Truth:
    return {
        f"{act}.{n}.{year}": _version_lines(act, n, year)
        for act in (each.lower() for each in _ACTS[:5])
        for n in range(1, 21)
        for year in _years(run, act, n)
    }


# A comic: next and previous links, an image and a short line for each strip


def _strips(run: int) -> list[int]:
    lost = dice("lost strips").sample(range(2, 120), 9 + run)
    return [n for n in range(1, 121 + 3 * run) if n not in lost]


def _strip_line(strip: int) -> str:
    chance = dice("strip", strip)
    return f"{chance.choice(LAST)} and the {chance.choice(ADJECTIVES)} {chance.choice(NOUNS)} ({strip})"


def _comic(visit: Visit) -> Reply:
    strips = _strips(visit.run)
    shown = strips[-1] if visit.path == "/" else number(visit.path.removeprefix("/strip/"))
    if shown not in strips:
        return MISSING
    place, buttons = strips.index(shown), [(f"/strip/{strips[0]}", "|<")]
    if place:
        buttons.append((f"/strip/{strips[place - 1]}", "< Prev"))
    if place + 1 < len(strips):
        buttons.append((f"/strip/{strips[place + 1]}", "Next >"))
    if shown % 10 == 0:
        buttons.append(
            (f"/strip/{shown + 1}", "Direct link to the sequel")
        )  # some of them are lost
    image = f'<img src="/img/{shown:04}.png" width=800 height=260><p>{_strip_line(shown)}</p>'
    return Reply(
        f"<!DOCTYPE html><html><head><title>Night Ferry</title></head><body><div id=ctitle>Night Ferry</div>"
        f"<ul class=comicNav>{items(buttons)}</ul><div id=comic>{image}</div>"
        f"<ul class=comicNav>{items(buttons)}</ul><div id=bottom>Drawn twice a week</div></body></html>",
        f"{shown}",
    )


def _comic_truth(run: int) -> Truth:
    return {f"{n}": (_strip_line(n),) for n in _strips(run)}


# Photo albums: a page for each picture, with its caption only

_ALBUMS = ("harbour", "summer", "old-town", "wedding", "railway", "animals", "snow", "faces")


def _caption(run: int, album: str, photo: int) -> str:
    chance = dice("photo", album, photo, version(run, "photo", album, photo))
    return f"{chance.choice(ADJECTIVES).capitalize()} {chance.choice(NOUNS)}, {album} no. {photo}"


def _albums(visit: Visit) -> Reply:
    given, run = query(visit), visit.run
    parts = visit.path.strip("/").split("/")
    menu = (("/", "Albums"),)
    if visit.path == "/":
        rows = [(f"/{album}/", album) for album in _ALBUMS]
        return Reply(boxes("Albums", f"<ul>{items(rows)}</ul>", menu, site="Gallery"), NEUTRAL)
    if parts[0] not in _ALBUMS:
        return MISSING
    album, photos = parts[0], standing(run, 15, "photos", parts[0])
    if len(parts) == 1:
        start = 9 * max(0, number(given.get("page", "1")) - 1)
        rows = [(f"{n}.html", f"[{n}]") for n in photos[start : start + 9]]
        pager = [(f"/{album}/?page={n}", str(n)) for n in (1, 2)]
        return Reply(
            boxes(album, f"{items(rows, 'td')}{items(pager, 'b')}", menu, site="Gallery"), NEUTRAL
        )
    photo = number(parts[1].removesuffix(".html"))
    if photo not in photos:
        return MISSING
    place = photos.index(photo)
    around = [(f"{n}.html", "←") for n in photos[max(0, place - 1) : place]]
    around += [(f"{n}.html", "more") for n in photos[place + 1 : place + 2]] + [
        (f"{photo}.html?size=large", "Large")
    ]
    caption = _caption(run, album, photo)
    content = (
        f'<img src="{photo}.jpg" alt=""><p class="caption">{caption}</p>{items(around, "span")}'
    )
    return Reply(
        boxes(album, content, (*menu, (f"/{album}/", album)), site="Gallery"), f"{album}.{photo}"
    )


def _albums_truth(run: int) -> Truth:
    return {
        f"{album}.{n}": (_caption(run, album, n),)
        for album in _ALBUMS
        for n in standing(run, 15, "photos", album)
    }


# Minutes of a council over next links; some sessions were cancelled


def _session(run: int, session: int) -> list[str]:
    day = date(2008, 1, 14) + timedelta(days=28 * session)
    head = f"Session of {day.day} {day:%B %Y}"
    if session % 7 == 3:
        return [head, f"The session of {day.day} {day:%B %Y} was cancelled."]
    present = f"Present: {person('council', session, 1)}, {person('council', session, 2)}, {session % 5 + 4} others"
    return [
        head,
        present,
        paragraph(2 + session % 3, "minutes", session, version(run, "minutes", session, one_in=30)),
    ]


def _minutes(visit: Visit) -> Reply:
    given, last = query(visit), 129 + visit.run
    if visit.path == "/":
        content = f"<p>{link('minutes.asp?session=1', 'Minutes of the council since 2008')}</p>"
        return Reply(tables("Parish of Upwell", content, (("/", "Home"),)), NEUTRAL)
    session = number(given.get("session"))
    if visit.path != "/minutes.asp" or not 1 <= session <= last:
        return MISSING
    head, *lines = _session(visit.run, session)
    menu = [
        (f"minutes.asp?session={n}", w)
        for n, w in ((session - 1, "Previous"), (session + 1, "Next session"))
        if 1 <= n <= last
    ]
    return Reply(tables(head, paragraphs(lines), [("/", "Home"), *menu]), f"{session}")


def _minutes_truth(run: int) -> Truth:
    return {f"{n}": _session(run, n) for n in range(1, 130 + run)}


# A bulletin with holes in its numbering; its links to the next number lead into them


@cache
def _issues(run: int) -> list[int]:
    return [
        n for n in range(1, 126 + 2 * run) if dice("issue", n).random() < 0.72 or n > 125 or n == 1
    ]


def _issue_line(run: int, issue: int) -> str:
    return f"No. {issue}. {paragraph(2, 'issue', issue, version(run, 'issue', issue))}"


def _bulletin(visit: Visit) -> Reply:
    given, issues = query(visit), _issues(visit.run)
    years = range(2003, 2003 + issues[-1] // 12 + 1)
    if visit.path == "/":
        rows = [(f"archive.php?year={y}", str(y)) for y in years]
        return Reply(plain("Bulletin of the beekeepers", f"<ul>{items(rows)}</ul>", ()), NEUTRAL)
    if visit.path == "/archive.php" and number(given.get("year")) in years:
        mine = [n for n in issues if 2003 + n // 12 == number(given["year"])]
        rows = [(f"bulletin.php?nr={n}", f"No. {n}") for n in mine]
        return Reply(
            plain(f"Archive {given['year']}", f"<ul>{items(rows)}</ul>", (("/", "Start"),)), NEUTRAL
        )
    issue = number(given.get("nr"))
    if visit.path != "/bulletin.php" or issue not in issues:
        return MISSING
    menu = (
        (f"bulletin.php?nr={issue - 1}", "<<"),
        ("/", "Start"),
        (f"bulletin.php?nr={issue + 1}", ">>"),
    )
    return Reply(
        plain(f"Bulletin {issue}", f"<p>{_issue_line(visit.run, issue)}</p>", menu), f"{issue}"
    )


def _bulletin_truth(run: int) -> Truth:
    return {f"{n}": (_issue_line(run, n),) for n in _issues(run)}


# A church's weekly page with much the same text, and a PDF beside each

_SUNDAY = date(2021, 1, 3)
_SERVICES = (
    "Sunday 9:30 Morning service with choir",
    "Wednesday 19:00 Evening prayer in the chapel",
)


def _week_lines(run: int, week: int) -> list[str]:
    day, chance = _SUNDAY + timedelta(weeks=week), dice("week", week)
    hymns = ", ".join(map(str, sorted(chance.sample(range(1, 600), 4))))
    reading = (
        f"Reading: {chance.choice(('Luke', 'Mark', 'Acts', 'Ruth'))} {chance.randrange(1, 20)}"
    )
    sermon = (
        f"Sermon: The {chance.choice(NOUNS)} ({person('sermon', week, version(run, 'week', week))})"
    )
    return [f"Week of {day.day} {day:%B %Y}", f"Hymns {hymns}", reading, sermon]


def _church(visit: Visit) -> Reply:
    weeks = 104 + visit.run
    menu = (("/", "St Anne"), ("/contact.html", "Contact"))
    if visit.path == "/contact.html":
        return Reply(plain("Contact", f"<p>{paragraph(1, 'church')}</p>", menu), "contact")
    if visit.path == "/":
        rows = [
            (f"bulletins/{_SUNDAY + timedelta(weeks=n)}.html", f"Bulletin {n}")
            for n in range(weeks)[:-9:-1]
        ]
        return Reply(plain("St Anne's church", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    match = re.fullmatch(r"/(bulletins|pdf)/(\d{4}-\d\d-\d\d)\.(html|pdf)", visit.path)
    week, rest = divmod((date.fromisoformat(match[2]) - _SUNDAY).days, 7) if match else (-1, 0)
    if rest or not 0 <= week < weeks or not match:
        return MISSING
    if match[3] == "pdf":
        return Reply(b"%PDF-1.4\n", headers={"Content-Type": "application/pdf"})
    head, *lines = _week_lines(visit.run, week)
    around = [
        (f"{_SUNDAY + timedelta(weeks=n)}.html", w)
        for n, w in ((week - 1, "Last week"), (week + 1, "Next week"))
        if 0 <= n < weeks
    ]
    content = paragraphs((*_SERVICES, *lines)) + link(
        f"../pdf/{match[2]}.pdf", "Printed bulletin (PDF)"
    )
    return Reply(plain(head, content, (*around, *menu)), f"{week}")


def _church_truth(run: int) -> Truth:
    found: Truth = {"contact": (paragraph(1, "church"),)}
    return found | {f"{n}": _week_lines(run, n) for n in range(104 + run)}


# Quotations: one for each page, lists by author, and one at random


def _quote(run: int, quote: int) -> list[str]:
    return [
        paragraph(1, "quote", quote, version(run, "quote", quote, one_in=40)),
        f"— {_author(quote)}",
    ]


def _author(quote: int) -> str:
    return person("quotes", quote % 20)


def _quotes(visit: Visit) -> Reply:
    given, quotes = query(visit), standing(visit.run, 140, "quotes", new=2)
    menu = (("/", "Authors"), ("/random.asp", "Random quotation"), ("/submit.asp", "Submit one"))
    if visit.path == "/random.asp":
        return Reply(status=302, headers={"Location": f"/quote.asp?id={quotes[7 + visit.run]}"})
    if visit.path == "/submit.asp":
        return Reply(tables("Submit", "<form><textarea></textarea></form>", menu), "")
    if visit.path == "/":
        rows = [(f"author.asp?a={n}", person("quotes", n)) for n in range(20)]
        return Reply(tables("Authors", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    if visit.path == "/author.asp" and 0 <= number(given.get("a")) < 20:
        mine = [n for n in quotes if n % 20 == number(given["a"])]
        rows = [(f"quote.asp?id={n}", f"Quotation {n}") for n in mine]
        return Reply(
            tables(person("quotes", int(given["a"])), f"<ul>{items(rows)}</ul>", menu), NEUTRAL
        )
    quote = number(given.get("id"))
    if visit.path != "/quote.asp" or quote not in quotes:
        return MISSING
    text, author = _quote(visit.run, quote)
    related = items([(f"quote.asp?id={n}", "Another") for n in _others(quote, quotes)])
    content = f"<blockquote>{text}</blockquote><p align=right>{author}</p>"
    return Reply(tables("Quotation", content, menu, f"<ul>{related}</ul>"), f"{quote}")


def _others(quote: int, quotes: Sequence[int]) -> list[int]:
    return dice("others", quote).sample(quotes, 3)


def _quotes_truth(run: int) -> Truth:
    return {f"{n}": _quote(run, n) for n in standing(run, 140, "quotes", new=2)}


# Obituaries reached over the index of each town only


def _notice(run: int, notice: int) -> list[str]:
    chance = dice("notice", notice)
    born, age = chance.randrange(1920, 1950), chance.randrange(50, 70)
    name = f"{person('notice', notice)}, {chance.choice(PLACES)}"
    return [
        name,
        f"{born} to {born + age}. The funeral was on {chance.randrange(1, 29)} March. Notice {notice}.",
        *(
            [paragraph(1, "notice", notice, version(run, "notice", notice))]
            if notice % 3 == 0
            else []
        ),
    ]


def _notices(visit: Visit) -> Reply:
    notices = standing(visit.run, 84, "notices", new=2)
    if visit.path in ("/", "/notices/"):
        rows = [(f"/notices/{town.lower()}/", town) for town in PLACES[:8]]
        return Reply(
            boxes("Notices", f"<ul>{items(rows)}</ul>", (("/notices/", "Notices"),), site="Echo"),
            NEUTRAL,
        )
    match = re.fullmatch(r"/notices/(\w+)/(\d+)?/?(print/)?", visit.path)
    towns = [town.lower() for town in PLACES[:8]]
    if not match or match[1] not in towns:
        return MISSING
    mine = [n for n in notices if towns[n % 8] == match[1]]
    if not match[2]:
        rows = [(f"/notices/{match[1]}/{n}/", person("notice", n)) for n in mine[::-1]]
        return Reply(
            boxes(match[1].title(), items(rows, "div"), (("/notices/", "Notices"),), site="Echo"),
            NEUTRAL,
        )
    notice = int(match[2])
    if notice not in mine:
        return Reply("<title>Gone</title>", status=410)
    name, *lines = _notice(visit.run, notice)
    menu = (
        ("/notices/", "Notices"),
        (f"/notices/{match[1]}/", match[1].title()),
        (f"/notices/{match[1]}/{notice}/print/", "Print"),
    )
    if match[3]:
        return Reply(
            f"<html><title>{name}</title><body onload=print()>{paragraphs(lines)}</body></html>",
            f"{notice}",
        )
    return Reply(boxes(name, paragraphs(lines), menu, site="Echo"), f"{notice}")


def _notices_truth(run: int) -> Truth:
    return {f"{n}": _notice(run, n) for n in standing(run, 84, "notices", new=2)}


SITES = (
    NaturalSite("book-chapters", _books, _books_truth),
    NaturalSite("law-sections", _law, _law_truth),
    NaturalSite("law-versions", _law_versions, _versions_truth),
    NaturalSite("comic-strips", _comic, _comic_truth),
    NaturalSite("photo-albums", _albums, _albums_truth),
    NaturalSite("minutes-next", _minutes, _minutes_truth),
    NaturalSite("bulletin-holes", _bulletin, _bulletin_truth),
    NaturalSite("church-bulletins", _church, _church_truth),
    NaturalSite("quotations", _quotes, _quotes_truth),
    NaturalSite("death-notices", _notices, _notices_truth),
)
