"""The collection of a museum, the sessions of a council, and journals that move."""

from __future__ import annotations

from benchmarks.natural_sites.building import FILE, Book, Sheet, Stock, chunks, natural
from benchmarks.natural_sites.prose import Prose, slug
from benchmarks.natural_sites.skins import bare, divs, landmarks

_MEDIA = ("Oil on canvas", "Etching", "Stoneware", "Oak", "Albumen print", "Linen")


def _museum_lists(book: Book, living: list[int], titles: dict[int, str]) -> None:
    lists = {"": living} | {
        f"&media={place}": [n for n in living if n % 6 == place] for place in range(6)
    }
    lists |= {
        f"&period={place}": [n for n in living if n % 130 // 26 == place] for place in range(5)
    }
    for chosen, objects in lists.items():
        parts = chunks(objects, 20)
        for number, part in enumerate(parts, 1):
            sheet = Sheet("Search results").links(
                [
                    (f"/collection/object?objectID={n}&pos={place}", titles[n])
                    for place, n in enumerate(part)
                ]
            )
            sheet.row(
                *(
                    (f"/collection/search?page=1&media={place}", each)
                    for place, each in enumerate(_MEDIA)
                )
            )
            sheet.row(
                *(
                    (f"/collection/search?page=1&period={place}", f"{1780 + 26 * place}")
                    for place in range(5)
                )
            )
            if number < len(parts):
                sheet.row((f"/collection/search?page={number + 1}{chosen}", "Next"))
            book.neutral(f"/collection/search?page={number}{chosen}", sheet)


def _museum(run: int) -> Book:
    """Objects with a caption each, named by a parameter, in lists that pass their context on."""
    stock, makers = Stock("museum", 170), 24
    nav = [
        ("/collection/search?page=1", "Objects"),
        ("/collection/makers", "Makers"),
        ("/myCollection?add=", "My selection"),
    ]
    book = Book(landmarks("Fenwick Museum", nav), "objectID makerID tab view page period media")
    living = stock.living(run)
    titles = {
        n: Prose("object", n).title("{quality} {thing}|Study of a {thing}|{thing}")
        for n in range(200)
    }
    made: dict[int, list[int]] = {
        m: [n for n in living if n % 37 % makers == m] for m in range(makers)
    }
    for n in living:
        prose, here = Prose("object", n), f"/collection/object?objectID={n}"
        maker = n % 37 % makers
        name = Prose("maker", maker)("{name}")
        caption = [
            ("Maker", name),
            ("Date", str(1780 + n % 130)),
            ("Medium", _MEDIA[n % 6]),
            ("Size", prose("{5-90} × {5-90} cm")),
            ("Number", f"{1900 + n % 90}.{n}"),
        ]
        sheet = Sheet(titles[n]).table(caption)
        if n % 3 == 0:
            sheet.p(Prose("object", n, stock.edition(n, run)).text(1))
        tabs = [
            (f"{here}&tab=provenance", "Provenance"),
            (f"{here}&view=zoom", "Zoom"),
            (f"/myCollection?add={n}", "Add"),
        ]
        near = [o for o in living if o % 6 == n % 6 and o != n][n % 5 : n % 5 + 4]
        sheet.row(*tabs).links(
            [(f"/collection/object?objectID={o}&rel={n}", titles[o]) for o in near]
        )
        sheet.links([(f"/collection/makers?makerID={maker}&objectID={n}", name)])
        book.page(here, sheet)
        book.useless(f"{here}&view=zoom", Sheet(titles[n]).row((here, "Back")), here)
        own = Sheet(f"Provenance of {titles[n]}")
        if n % 4 == 0:
            own.p(
                prose("Bought from {name}, {town}, in {1890-1980}; given by {name} in {1981-2010}.")
            )
            book.page(f"{here}&tab=provenance", own.row((here, "Object")))
        else:
            own.raw("<p>No provenance is recorded for this object.</p>")
            book.useless(f"{here}&tab=provenance", own.row((here, "Object")))
        book.useless(f"/myCollection?add={n}", Sheet("Please sign in to keep a selection"))
    for maker, objects in made.items():
        prose = Prose("maker", maker)
        sheet = Sheet(prose("{name}")).p(
            prose("{town} {1760-1800} – {town} {1830-1880}. {sentence}")
        )
        links = [
            (f"/collection/object?objectID={n}&from=maker&page={place}", titles[n])
            for place, n in enumerate(objects, 1)
        ]
        book.page(f"/collection/makers?makerID={maker}", sheet.links(links))
        for n in objects:  # the breadcrumb comes from the object
            book.useless(
                f"/collection/makers?makerID={maker}&objectID={n}",
                sheet,
                f"/collection/makers?makerID={maker}",
            )
            place = objects.index(n) + 1
            book.replies["", f"/collection/object?objectID={n}&page={place}"] = book.replies[
                "", f"/collection/object?objectID={n}"
            ]
    book.neutral(
        "/collection/makers",
        Sheet("Makers").links(
            [(f"/collection/makers?makerID={m}", Prose("maker", m)("{name}")) for m in made]
        ),
    )
    _museum_lists(book, living, titles)
    book.page("/", Sheet("Fenwick Museum").p(Prose("museum", run).text(3)))
    return book


def _council(run: int) -> Book:
    """Months without and with sessions, agendas, short items whose words repeat, and papers."""
    nav = [
        ("/si0040.php?__cyear=2024&__cmonth=1", "Calendar"),
        ("/gr0040.php", "Bodies"),
        ("/kp0041.php", "Members"),
    ]
    book = Book(
        divs("Borough of Alderwick: council information", nav),
        "__ksinr __ktonr __kvonr __kgrnr __kpenr __cyear __cmonth",
    )
    bodies = ["Council", "Finance Committee", "Building Committee", "School Board"]
    months = [(year, month) for year in range(2019, 2026) for month in range(1, 13)]
    sessions = [
        (place, year, month)
        for place, (year, month) in enumerate(months)
        if month not in (1, 7, 8) and year not in (2020, 2021)
    ]
    sessions = sessions[: len(sessions) - 3 + run]
    usual = [
        "Opening of the session",
        "Questions of residents",
        "Minutes of the last session",
        "Any other business",
    ]
    for place, (year, month) in enumerate(months):
        sheet = Sheet(f"Sessions in {month}/{year}")
        sheet.links(
            [
                (f"/si0057.php?__ksinr={nr}", f"{bodies[nr % 4]}, {nr % 27 + 1}.{month}.{year}")
                for nr, *when in sessions
                if when == [year, month]
            ]
        )
        around = [months[place + step] for step in (-1, 1) if 0 <= place + step < len(months)]
        sheet.row(*((f"/si0040.php?__cyear={y}&__cmonth={m}", f"{m}/{y}") for y, m in around))
        book.neutral(f"/si0040.php?__cyear={year}&__cmonth={month}", sheet)
    for nr, year, month in sessions:
        prose, date = Prose("session", nr), f"{nr % 27 + 1}.{month}.{year}"
        sheet = Sheet(f"{bodies[nr % 4]}, {date}").table(
            [("Place", f"Room {nr % 9 + 1}"), ("Time", f"{16 + nr % 4}:00")]
        )
        drafts = prose.number(1, 4)
        items = [*usual[:3], *(Prose("draft", nr, d).title() for d in range(drafts)), usual[3]]
        for number, title in enumerate(items, 1):
            item = nr * 100 + number
            sheet.row((f"/to0045.php?__ktonr={item}", title))
            votes = prose.number(5, 40)
            page = Sheet(f"Item {number} of the session on {date}: {title}")
            page.p(
                "The chair opened the item.",
                f"Decision: {'unanimous' if number % 2 else 'taken note'}, {votes} votes.",
            )
            links = [(f"/si0057.php?__ksinr={nr}", "Session")]
            if 3 < number <= 3 + drafts:
                page.p(Prose("item", nr, number).text(1))
                links.append((f"/vo0050.php?__kvonr={item}", "Paper"))
                draft = Sheet(f"Paper {year}/{item}: {title}").p(Prose("draft", item).text(3))
                draft.row(
                    (f"/to0045.php?__ktonr={item}", "Item"),
                    (f"/getfile.php?id={item}&type=do", "PDF"),
                )
                book.page(f"/vo0050.php?__kvonr={item}", draft)
            book.page(f"/to0045.php?__ktonr={item}", page.row(*links))
        sheet.row(
            (f"/getfile.php?id={nr}&type=do", "Agenda (PDF)"),
            (f"/gr0040.php?__kgrnr={nr % 4}", bodies[nr % 4]),
        )
        book.page(f"/si0057.php?__ksinr={nr}", sheet)
    book.other = lambda visit: FILE if visit.path == "/getfile.php" else None
    people = [n for n in range(48 + run) if n != 7 * run]
    for n in people:
        prose = Prose("councillor", n)
        sheet = Sheet(prose("{name}")).table(
            [("Party", "ABC"[n % 3] * 3), ("Telephone", f"01632 96{n:04}")]
        )
        book.page(
            f"/kp0041.php?__kpenr={n}",
            sheet.links([(f"/gr0040.php?__kgrnr={n % 4}", bodies[n % 4])]),
        )
    book.neutral(
        "/kp0041.php",
        Sheet("Members").links(
            [(f"/kp0041.php?__kpenr={n}", Prose("councillor", n)("{name}")) for n in people]
        ),
    )
    for n, body in enumerate(bodies):
        sheet = Sheet(body).p(Prose("body", n).text(2))
        book.page(
            f"/gr0040.php?__kgrnr={n}",
            sheet.links(
                [
                    (f"/kp0041.php?__kpenr={each}", Prose("councillor", each)("{name}"))
                    for each in people
                    if each % 4 == n
                ]
            ),
        )
    book.neutral(
        "/gr0040.php",
        Sheet("Bodies").links(
            [(f"/gr0040.php?__kgrnr={n}", body) for n, body in enumerate(bodies)]
        ),
    )
    book.page("/", Sheet("Council information system").p(Prose("council", run).text(2)))
    return book


def _moved(run: int, *, redirects: bool = False) -> Book:
    """A journal whose articles get other addresses after the first run, mostly without redirects."""
    stock = Stock("moved", 150)
    living = stock.living(run)
    book = Book(bare("The Yarnford Review", [("/", "Contents"), ("/about", "About")]), "id p")
    titles = {n: Prose("moved", n).title() for n in range(200)}
    targets = {
        n: f"/{2010 + n % 9}/{slug(titles[n])}-{n}/" if run else f"/index.cgi?id={n}"
        for n in living
    }
    for n in living:
        sheet = Sheet(titles[n]).p(Prose("moved", n).text(3), Prose("moved", n, "end").text(1))
        book.page(targets[n], sheet, f"article {n}")
        if run and redirects:
            book.moved(f"/index.cgi?id={n}", targets[n], 301)
    parts = chunks(living[::-1], 25)
    for number, part in enumerate(parts, 1):
        sheet = Sheet("Contents").links([(targets[n], titles[n]) for n in part])
        if number < len(parts):
            sheet.row((f"/?p={number + 1}", "Older"))
        book.neutral(f"/?p={number}" if number > 1 else "/", sheet)
    book.page("/about", Sheet("About").p(Prose("moved", run).text(2)))
    return book


def _releases(run: int) -> Book:
    """A manual in the folder of its release and in that of the stable one, which has more pages."""
    stock = Stock("releases", 110)
    living = stock.living(run)
    book = Book(bare("Kiln handbook", [("/16/", "Release 16"), ("/stable/", "Stable")]))
    titles = {n: Prose("chapter", n).title() for n in range(160)}
    own = {n for n in living if n % 23 == 5}  # chapters that were written after the release
    for folder in ("16", "stable"):
        shown = [n for n in living if folder == "stable" or n not in own]
        for n in shown:
            sheet = Sheet(titles[n])
            sheet.p(Prose("chapter", n).text(3), Prose("chapter", n, stock.edition(n, run)).text(1))
            near = [o for o in shown if o % 11 == n % 11 and o != n][:4]
            sheet.links([(f"/{folder}/{slug(titles[o])}-{o}.html", titles[o]) for o in near])
            book.page(f"/{folder}/{slug(titles[n])}-{n}.html", sheet, f"chapter {n}")
        links = [(f"/{folder}/{slug(titles[n])}-{n}.html", titles[n]) for n in shown]
        book.neutral(f"/{folder}/", Sheet(f"Contents of {folder}").links(links))
    book.page("/", Sheet("Kiln handbook").p(Prose("releases", run).text(2)))
    return book


SITES = (
    natural("museum-objects", _museum),
    natural("council", _council),
    natural("journal-that-moves", _moved),
    natural("stable-release", _releases),
    natural("journal-that-redirects", lambda run: _moved(run, redirects=True)),
)
