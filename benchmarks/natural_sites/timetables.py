"""Sites made of numbers: departures, weather statistics and games of chess."""

from __future__ import annotations

import random
import re

from benchmarks.natural_sites.editions import Truth, number, query, standing, version
from benchmarks.natural_sites.layouts import items, landmarks, link, tables
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.natural_sites.vocabulary import PLACES, dice, person

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
    given = query(visit)
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
    stop = number(given.get("id"))
    if visit.path != "/stop" or stop not in _stops(visit.run):
        return MISSING
    day = given.get("day", "mo-fr")
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


def _timetable_truth(run: int) -> Truth:
    return {
        f"{stop} {day}": (_stop_name(stop), " ".join(_departures(run, stop, day)))
        for stop in _stops(run)
        for day in DAYS
    }


# Games of chess: lists of moves, by opening and by player

_OPENINGS = ("Sicilian", "French", "Caro-Kann", "Pirc", "Dutch", "English", "Reti", "Scotch")


def _moves(run: int, game: int) -> str:
    chance = dice("chess", game, version(run, "chess", game, one_in=30))
    first = f"1. {('e4', 'd4', 'c4', 'Nf3')[game % 4]}"
    moves = [first] + [
        f"{n}. {_move(chance)} {_move(chance)}" for n in range(2, chance.randrange(12, 50))
    ]
    return f"{' '.join(moves)} {chance.choice(('1-0', '0-1', '1/2-1/2'))}"


def _move(chance: random.Random) -> str:
    return f"{chance.choice(('', 'N', 'B', 'R', 'Q', 'K'))}{chance.choice('abcdefgh')}{chance.randrange(1, 9)}"


def _players(game: int) -> str:
    return f"{person('white', game % 23)} - {person('black', game % 31)}"


def _chess(visit: Visit) -> Reply:
    given, games = query(visit), standing(visit.run, 150, "chess", new=3)
    menu = (("/", "Openings"), ("/upload", "Upload a game"))
    if visit.path == "/upload":
        return Reply(landmarks("Upload", "<form><input type=file></form>", menu), "")
    if visit.path == "/":
        rows = [(f"/list?opening={n}", name) for n, name in enumerate(_OPENINGS)]
        return Reply(landmarks("Openings", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    if visit.path == "/list":
        mine = [n for n in games if n % len(_OPENINGS) == number(given.get("opening"))]
        mine = sorted(mine, key=_players) if "sort" in given else mine
        rows = [(f"/game?id={n}", f"{_players(n)} ({n})") for n in mine]
        sort = link(f"/list?opening={given.get('opening', '')}&sort=player", "by player")
        return Reply(
            landmarks("Games", f"{sort}<ol>{items(rows)}</ol>", menu),
            "" if "sort" in given else NEUTRAL,
        )
    game = number(given.get("id"))
    if visit.path == "/pgn" and game in games:
        return Reply(_moves(visit.run, game), headers={"Content-Type": "application/x-chess-pgn"})
    if visit.path != "/game" or game not in games:
        return MISSING
    tools = [
        (f"/pgn?id={game}", "PGN"),
        (f"/game?id={game}&flip=1", "Flip board"),
        (f"/game?id={game}", "Reset"),
    ]
    head = f"{_players(game)}, {_OPENINGS[game % len(_OPENINGS)]}, round {game}"
    content = f"<div class=moves>{_moves(visit.run, game)}</div>{items(tools, 'span')}"
    return Reply(landmarks(head, content, menu), f"{game}")


def _chess_truth(run: int) -> Truth:
    return {f"{n}": (f"round {n}", _moves(run, n)) for n in standing(run, 150, "chess", new=3)}


# Statistics of the weather by station and year: numbers only


def _year_rows(run: int, station: str, year: int) -> list[str]:
    chance = dice("weather", station, year, version(run, "weather", station, year, one_in=20))
    return [
        f"{chance.randrange(-80, 240) / 10} {chance.randrange(0, 1900) / 10} {chance.randrange(20, 290)}"
        for _ in range(12)
    ]


def _weather(visit: Visit) -> Reply:
    stations, years = [place.lower() for place in PLACES[:12]], range(2004, 2024 + visit.run)
    match = re.fullmatch(r"/weather/(?:(\w+)/(?:(\d{4})/)?)?", visit.path.replace("//", "/"))
    menu = (("/weather/", "Stations"),)
    if visit.path == "/" or (match and not match[1]):
        rows = [(f"/weather/{each}/", each.title()) for each in stations]
        return Reply(tables("Weather stations", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    if not match or match[1] not in stations:
        return MISSING
    station, year = match[1], int(match[2] or 0)
    if not year:
        rows = [(f"{n}/", str(n)) for n in years]
        return Reply(tables(station.title(), f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    if year not in years:
        return MISSING
    rows_of_months = "".join(
        f"<TR><TH>{month}<TD>{'<TD>'.join(row.split())}"
        for month, row in enumerate(_year_rows(visit.run, station, year), 1)
    )
    around = [(f"/weather/{station}/{n}/", str(n)) for n in (year - 1, year + 1) if n in years]
    content = f"<TABLE BORDER=1><TR><TH>Month<TH>Mean<TH>Rain<TH>Sun{rows_of_months}</TABLE>"
    return Reply(
        tables(f"{station.title()} {year}", content, (*menu, *around)), f"{station} {year}"
    )


def _weather_truth(run: int) -> Truth:
    return {
        f"{place.lower()} {year}": (f"{place} {year}", *_year_rows(run, place.lower(), year))
        for place in PLACES[:12]
        for year in range(2004, 2024 + run)
    }


SITES = (
    NaturalSite("timetable-stops", _timetable, _timetable_truth),
    NaturalSite("chess-games", _chess, _chess_truth),
    NaturalSite("weather-years", _weather, _weather_truth),
)
