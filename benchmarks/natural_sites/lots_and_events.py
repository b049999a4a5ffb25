"""Lots of auctions, whose lines all stand on other lots too, and a calendar of one program with a parameter for its views."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from urllib.parse import parse_qsl, urlencode

from benchmarks.natural_sites.building import Book, Link, Sheet, Stock, chunks, natural
from benchmarks.natural_sites.prose import Prose, slug, words
from benchmarks.natural_sites.site import NEUTRAL, Reply, Visit
from benchmarks.natural_sites.skins import divs, landmarks

_ESTIMATES = words(
    "20–30 30–50 50–80 80–120 100–150 150–200 200–300 300–500 500–800 800–1200 1000–1500"
)
_LOT = "A {style} {wood} {thing}|A pair of {wood} {thing}s|A {wood} {thing}|A box of {thing}s"
_WORDS = {
    "style": words("Victorian Georgian small large"),
    "wood": words("brass oak silver pine china"),
    "thing": words("candlestick table bowl chair clock vase"),
}
_SALES = range(101, 108)


def _lots(run: int) -> Book:
    """Lots of few words with round estimates, by sale and number."""
    book = Book(landmarks("Country Auctions", [("/", "Home"), ("/sales", "Sales")]), "page")
    for sale in _SALES:
        lots = Stock(f"lots{sale}", 50 + sale % 7 * 3).living(run)
        titles = {lot: Prose("lot", sale, lot)(_LOT, **_WORDS) for lot in lots}
        for place, lot in enumerate(lots):
            chance = Random(f"{sale}:{lot}")
            sheet = Sheet(f"Lot {lot}").near([(f"/sale/{sale}", f"Sale {sale}")])
            sheet.p(titles[lot], f"Estimate £{chance.choice(_ESTIMATES)}")
            sheet.p("Unsold" if chance.random() < 0.25 else "Sold", f"Sale {sale}")
            around = {"Previous lot": lots[:place][-1:], "Next lot": lots[place + 1 :][:1]}
            sheet.row(*((f"/sale/{sale}/{n}", text) for text, all_ in around.items() for n in all_))
            book.page(f"/sale/{sale}/{lot}", sheet)
        parts = chunks(lots, 12)
        for number, part in enumerate(parts, 1):
            listed = [(f"/sale/{sale}/{lot}", f"Lot {lot}: {titles[lot]}") for lot in part]
            others = [n for n in range(1, len(parts) + 1) if n != number]
            sheet = Sheet(f"Sale {sale}").links(listed)
            sheet.row(*((f"/sale/{sale}?page={n}", str(n)) for n in others))
            book.neutral(f"/sale/{sale}" + (f"?page={number}" if number > 1 else ""), sheet)
    sales = [(f"/sale/{sale}", f"Sale {sale}") for sale in _SALES]
    book.neutral("/sales", Sheet("Sales").links(sales))
    book.page("/", Sheet("Country Auctions").p(Prose("auctions").text(1)), "home")
    return book


_TODAY = date(2024, 5, 15)
_VIEWS = ("year.listevents", "month.calendar", "week.listevents", "day.listevents")


def _view(task: str, day: date) -> str:
    """The address of a view of the calendar."""
    given = {"task": task, "year": day.year, "month": day.month, "day": day.day, "Itemid": 5}
    return f"/index.php?option=com_jevents&{urlencode(given)}"


def _period(task: str, day: date) -> tuple[date, date]:
    """The first day of the view around a day, and that after its last."""
    if task == "year.listevents":
        return date(day.year, 1, 1), date(day.year + 1, 1, 1)
    if task == "month.calendar":
        start = day.replace(day=1)
        return start, (start + timedelta(days=31)).replace(day=1)
    start = day - timedelta(days=day.weekday()) if task == "week.listevents" else day
    return start, start + timedelta(days=7 if task == "week.listevents" else 1)


class _Calendar:
    """The events of a run: one in ten is held in six weeks."""

    def __init__(self, run: int) -> None:
        self.stock = Stock("tasks", 90)
        self.run = run
        self.numbers = self.stock.living(run)
        self.events: dict[date, list[int]] = {}
        for number in self.numbers:
            first = _TODAY + timedelta(days=Random(f"task:{number}").randrange(-400, 300))
            for week in range(6 if number % 10 == 0 else 1):
                self.events.setdefault(first + timedelta(days=7 * week), []).append(number)

    def title(self, number: int) -> str:
        """The title of an event."""
        return Prose("event", number).title("{thing} {thing}")

    def text(self, number: int) -> str:
        """The text of an event in this run."""
        edition = self.stock.edition(number, self.run)
        return Prose("event text", number, edition).text(1 + number % 2)

    def links(self, start: date, days: int) -> Iterator[Link]:
        """Links to the events of so many days."""
        for day in (start + timedelta(days=n) for n in range(days)):
            for number in self.events.get(day, ()):
                title = self.title(number)
                detail = f"{_view('icalrepeat.detail', day)}&evid={number}&title={slug(title)}"
                yield detail, title

    def answer(self, book: Book, visit: Visit) -> Reply | None:
        """A view of some days, or an event."""
        given = dict(parse_qsl(visit.query))
        task = given.get("task", "month.calendar")
        year, month = int(given.get("year", _TODAY.year)), int(given.get("month", _TODAY.month))
        day = date(year, month, 1) + timedelta(days=int(given.get("day", 1)) - 1)
        views = [(_view(each, day), each.partition(".")[0].title()) for each in _VIEWS]
        number = int(given.get("evid", 0))
        if task not in _VIEWS:
            sheet = Sheet(self.title(number)).p(f"{day:%A, %d %B %Y}", self.text(number))
            page = f"event {number}" if number in self.numbers else ""
            return Reply(book.skin(sheet.row(*views)), page)
        start, end = _period(task, day)
        days = (end - start).days
        events = list(self.links(start, days))
        sheet = Sheet(f"Events, {start:%d %B %Y}")
        if task == "month.calendar":
            each_day = (start + timedelta(days=n) for n in range(days))
            sheet.row(*((_view("day.listevents", each), str(each.day)) for each in each_day))
        sheet.links(events).raw("" if events else "<p>No events were found</p>")
        before = start - timedelta(days=1)
        sheet.row(*views, (_view(task, before), "Previous"), (_view(task, end), "Next"))
        return Reply(book.skin(sheet), NEUTRAL if events and task == "month.calendar" else "")


def _tasks(run: int) -> Book:
    """Views by year, month, week and day without end, and an event at each of its days."""
    calendar = _Calendar(run)
    club = [("/", "Home"), (_view("month.calendar", _TODAY), "Calendar"), ("/about", "About")]
    book = Book(divs("Sports Club", club))
    book.other = lambda visit: calendar.answer(book, visit) if visit.path == "/index.php" else None
    for number in calendar.numbers:
        lines = calendar.title(number), " ".join(calendar.text(number).split())
        book.truth[f"event {number}"] = lines
    book.page("/about", Sheet("About").p(Prose("club", "about").text(3)))
    book.page("/", Sheet("Sports Club").p(Prose("club").text(2)), "home")
    return book


SITES = (
    natural("auction-lots", _lots),
    natural("calendar-by-task", _tasks, is_endless=True),
)
