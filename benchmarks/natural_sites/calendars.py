"""Calendars that end: over next links, with gaps and empty months, and as lists of events."""

from __future__ import annotations

import re

from benchmarks.natural_sites.editions import Truth, number, query, standing, version
from benchmarks.natural_sites.layouts import boxes, items, landmarks, link, paragraphs, tables
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.natural_sites.vocabulary import PLACES, dice, name_of, paragraph, person

# A club's calendar with a gap of three years; next-month links are the only way over it

_FIRST_YEAR = 2009
_GAP = range(36, 72)  # months after the first
_MONTHS = 110


def _club_events(run: int, month: int) -> list[int]:
    """Numbers of a month's events."""
    if month in _GAP:
        return []
    last = run if month == _MONTHS - 1 else 0
    return [10 * month + n for n in range(dice("club", month).randrange(1, 6) + last)]


def _club_lines(run: int, event: int) -> list[str]:
    chance = dice("club event", event)
    month = event // 10
    when = f"{chance.randrange(1, 29)}.{month % 12 + 1}.{_FIRST_YEAR + month // 12}, {chance.randrange(9, 20)}:30"
    return [
        f"{name_of('club', event)} evening {event}",
        f"{when} at {chance.choice(PLACES)}",
        *([paragraph(1, "club", event, version(run, "club", event))] if event % 2 else []),
    ]


def _club(visit: Visit) -> Reply:
    given, run = query(visit), visit.run
    menu = (("/", "Rowing club"), ("/calendar", "Calendar"), ("/members", "Members"))
    if visit.path == "/members":
        return Reply(tables("Members only", "<form><input name=pw></form>", menu), "")
    if visit.path == "/":
        return Reply(tables("Rowing club", f"<p>{paragraph(2, 'rowing')}</p>", menu), "home")
    if visit.path == "/event":
        event = number(given.get("id"))
        if event < 0 or event not in _club_events(run, event // 10):
            return MISSING
        title, *lines = _club_lines(run, event)
        back = (f"/calendar?month={_month_name(event // 10)}", "Back")
        return Reply(tables(title, paragraphs(lines), (*menu, back)), f"{event}")
    match = re.fullmatch(r"(\d{4})-(\d\d)", given.get("month", f"{_FIRST_YEAR}-01"))
    month = (int(match[1]) - _FIRST_YEAR) * 12 + int(match[2]) - 1 if match else -1
    if visit.path != "/calendar" or not 0 <= month < _MONTHS:
        return MISSING
    around = [
        (f"/calendar?month={_month_name(n)}", w)
        for n, w in ((month - 1, "<"), (month + 1, "next month"))
        if 0 <= n < _MONTHS
    ]
    events = _club_events(run, month)
    cells = "".join(f"<td>{link(f'/event?id={n}', _club_lines(run, n)[0])}</td>" for n in events)
    content = (
        f"{items(around, 'b')}<table border=1><tr>{cells or '<td>No events</td>'}</tr></table>"
    )
    return Reply(tables(_month_name(month), content, menu), NEUTRAL if events else "")


def _month_name(month: int) -> str:
    return f"{_FIRST_YEAR + month // 12}-{month % 12 + 1:02}"


def _club_truth(run: int) -> Truth:
    found: Truth = {"home": (paragraph(2, "rowing"),)}
    events = [event for month in range(_MONTHS) for event in _club_events(run, month)]
    return found | {f"{event}": _club_lines(run, event) for event in events}


# Events as a list in pages; each may be had as a calendar file


def _concert(run: int, event: int) -> list[str]:
    chance = dice("concert", event)
    players = f"{person('concert', event, 1)}, {person('concert', event, 2)}"
    return [
        f"{name_of('concert', event)} concert",
        f"With {players} in {chance.choice(PLACES)}",
        paragraph(chance.choice((1, 2, 5)), "concert", event, version(run, "concert", event)),
    ]


def _concert_path(event: int) -> str:
    return f"/events/{2018 + event // 30}/{event % 12 + 1:02}/{name_of('concert', event).lower().replace(' ', '-')}-{event}"


def _concerts(visit: Visit) -> Reply:
    given, events = query(visit), standing(visit.run, 90, "concerts", new=3)
    menu = (("/events", "Concerts"), ("/tickets", "Tickets"))
    if visit.path == "/tickets":
        return Reply(landmarks("Tickets", f"<p>{paragraph(2, 'tickets')}</p>", menu), "tickets")
    if visit.path in ("/", "/events"):
        page = max(1, number(given.get("page", "1")))
        shown = events[::-1][12 * page - 12 : 12 * page]
        rows = "".join(
            f"<li><time>{n}</time> {link(_concert_path(n), name_of('concert', n))}</li>"
            for n in shown
        )
        more = link(f"/events?page={page + 1}", "Earlier concerts") if events[12 * page :] else ""
        return Reply(landmarks("Concerts", f"<ul>{rows}</ul>{more}", menu), NEUTRAL)
    event = number(visit.path.rpartition("-")[2])
    if event not in events or visit.path != _concert_path(event):
        return MISSING
    if "ical" in given:
        return Reply(
            "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", headers={"Content-Type": "text/calendar"}
        )
    title, *lines = _concert(visit.run, event)
    tools = [("?ical=1", "Add to calendar"), (f"mailto:?subject={event}", "Tell a friend")]
    return Reply(landmarks(title, f"{paragraphs(lines)}{items(tools, 'small')}", menu), f"{event}")


def _concerts_truth(run: int) -> Truth:
    found: Truth = {"tickets": (paragraph(2, "tickets"),)}
    return found | {f"{n}": _concert(run, n) for n in standing(run, 90, "concerts", new=3)}


# Months over next links, most of which are empty; the events stand on the month's own page


def _fair(run: int, month: int) -> list[str]:
    chance = dice("fair", month)
    if chance.random() > 0.3 and month % 60 != 58 + run % 2:
        return []
    return [
        f"{chance.randrange(1, 28)}. {name_of('fair', month, n)} fair in {chance.choice(PLACES)}, {paragraph(1, 'fair', month, n)}"
        for n in range(chance.randrange(1, 4))
    ]


def _fairs(visit: Visit) -> Reply:
    match = re.fullmatch(
        r"/(\d{4})/(\d+)\.html", "/2004/1.html" if visit.path == "/" else visit.path
    )
    month = (int(match[1]) - 2004) * 12 + int(match[2]) - 1 if match else -1
    if not 0 <= month < 180 or (match and not 1 <= int(match[2]) <= 12):
        return MISSING
    fairs = _fair(visit.run, month)
    around = [
        (f"/{2004 + n // 12}/{n % 12 + 1}.html", w)
        for n, w in ((month - 1, "Previous month"), (month + 1, "Next month"))
        if 0 <= n < 180
    ]
    content = paragraphs(fairs) or "<p>There are no fairs this month.</p>"
    page = f"{month}" if fairs else ""
    return Reply(
        boxes(f"Fairs {month % 12 + 1}/{2004 + month // 12}", content, around, site="Fairs"), page
    )


def _fairs_truth(run: int) -> Truth:
    return {f"{n}": _fair(run, n) for n in range(180) if _fair(run, n)}


# A cinema's programme by day of two months, with the same films on many days


def _day_lines(run: int, day: int) -> list[str]:
    chance = dice("cinema", day, version(run, "cinema", day, one_in=20))
    films = chance.sample(range(12), 3)
    rows = [
        f"{hour}:{chance.randrange(10, 60)} {name_of('film', film)}"
        for hour, film in zip((15, 18, 21), films, strict=True)
    ]
    return [
        f"Programme for day {day % 30 + 1} of {['May', 'June', 'July'][day // 30]}",
        ", ".join(rows),
    ]


def _cinema(visit: Visit) -> Reply:
    first, last = visit.run, 58 + 2 * visit.run
    menu = (("/", "Today"), ("/films/", "Films"))
    if visit.path == "/films/":
        rows = [(f"/films/{n}", name_of("film", n)) for n in range(12)]
        return Reply(landmarks("Films", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    if match := re.fullmatch(r"/films/(\d+)", visit.path):
        film = int(match[1])
        text = f"<p>{paragraph(3, 'film', film)}</p>"
        return (
            Reply(landmarks(name_of("film", film), text, menu), f"film {film}")
            if film < 12
            else MISSING
        )
    day = first if visit.path == "/" else number(visit.path.removeprefix("/day/"))
    if not first <= day < last:
        return Reply(
            "<title>Over</title>The programme is over.", status=410 if 0 <= day < first else 404
        )
    title, line = _day_lines(visit.run, day)
    strip = [(f"/day/{n}", str(n % 30 + 1)) for n in range(day + 1, min(last, day + 8))]
    head = f'<link rel="canonical" href="/day/{day}">'
    return Reply(
        landmarks(title, f"<p>{line}</p><p>{items(strip, 'b')}</p>", menu, head=head), f"{day}"
    )


def _cinema_truth(run: int) -> Truth:
    found: Truth = {f"film {n}": (paragraph(3, "film", n),) for n in range(12)}
    return found | {f"{n}": _day_lines(run, n) for n in range(run, 58 + 2 * run)}


SITES = (
    NaturalSite("club-gap", _club, _club_truth),
    NaturalSite("events-list", _concerts, _concerts_truth),
    NaturalSite("calendar-mostly-empty", _fairs, _fairs_truth),
    NaturalSite("cinema-days", _cinema, _cinema_truth),
)
