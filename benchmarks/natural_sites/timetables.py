"""Sites made of numbers: departures, weather statistics and games of chess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs

from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.natural_sites.vocabulary import PLACES, dice

DAYS = ("mo-fr", "sa", "su", "holiday")
DAY_NAMES = {
    "mo-fr": "Mondays to Fridays",
    "sa": "Saturdays",
    "su": "Sundays",
    "holiday": "Holidays",
}


# Departures of 80 stops on four kinds of days: /stop?id=&day=


def _stops(run: int) -> list[int]:
    return [n for n in range(1, 82) if n != (80 if run else 81)]


def _stop_name(stop: int) -> str:
    return (
        f"{PLACES[stop % len(PLACES)]}, {('Station', 'Church', 'School', 'Mill')[stop % 4]} {stop}"
    )


def _departures(run: int, stop: int, day: str) -> list[str]:
    edited = run if (stop + len(day)) % 9 == 0 else 0
    chance = dice("stops", stop, day, edited)
    every = {"mo-fr": 1, "sa": 1, "su": 2, "holiday": 3}[day]
    rows = []
    for hour in range(5, 23, every):
        minutes = sorted(chance.sample(range(60), chance.randrange(2, 5)))
        rows.append(f"{hour:02} " + " ".join(f"{minute:02}" for minute in minutes))
    return rows


def _timetable(visit: Visit) -> Reply:
    query = parse_qs(visit.query)
    foot = '<hr><small><a href="/">All stops</a> | No liability for printing errors</small></body></html>'
    head = (
        '<html><head><title>{}</title></head><body bgcolor="#ffffff"><center><h2>{}</h2></center>'
    )
    if visit.path == "/":
        order = sorted(_stops(visit.run), key=lambda n: _stop_name(n) if visit.run < 2 else f"{-n}")
        rows = "".join(
            f'<tr><td><a href="stop?id={n}">{_stop_name(n)}</a></td></tr>' for n in order
        )
        title = head.format("Valley Transport", "Choose a stop")
        return Reply(f"{title}<table border=0>{rows}</table>{foot}", NEUTRAL)
    stop = int(query.get("id", ["0"])[0])
    if visit.path != "/stop" or stop not in _stops(visit.run):
        return MISSING
    day = query.get("day", ["mo-fr"])[0]
    tabs = " ".join(
        f"<b>{DAY_NAMES[d]}</b>"
        if d == day
        else f'<a href="stop?id={stop}&amp;day={d}">{DAY_NAMES[d]}</a>'
        for d in DAYS
    )
    rows = "".join(
        f"<tr><th>{row[:2]}</th><td>{'</td><td>'.join(row[3:].split())}</td></tr>"
        for row in _departures(visit.run, stop, day)
    )
    title = head.format(f"Departures {_stop_name(stop)}", _stop_name(stop))
    return Reply(f"{title}<p>{tabs}</p><table border=1>{rows}</table>{foot}", f"{stop} {day}")


def _timetable_truth(run: int) -> Mapping[str, Sequence[str]]:
    return {
        f"{stop} {day}": (_stop_name(stop), " ".join(_departures(run, stop, day)))
        for stop in _stops(run)
        for day in DAYS
    }


SITES = (NaturalSite("timetable-stops", _timetable, _timetable_truth),)
