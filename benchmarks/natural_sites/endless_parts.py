"""Sites with parts that never end, beside true pages that do."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping
from datetime import date, timedelta
from itertools import combinations
from urllib.parse import parse_qsl, quote, unquote, urlencode

from benchmarks.natural_sites.building import Book, Link, Sheet, Skin, Stock, chunks, natural
from benchmarks.natural_sites.prose import VOCABULARY, Prose, phrases, slug
from benchmarks.natural_sites.site import NEUTRAL, Reply, Visit
from benchmarks.natural_sites.skins import bare, blog, divs, grid, landmarks, table

_FACETS = {
    "colour": ("red", "green", "blue", "white", "black"),
    "material": ("wool", "linen", "hemp", "silk"),
    "width": ("90", "120", "150", "200"),
    "weave": ("plain", "twill", "satin"),
    "origin": ("wales", "ulster", "flanders", "saxony"),
    "use": ("clothes", "curtains", "chairs"),
}


def _fabrics(run: int) -> Book:
    """Six facets, each combination of which is a list of its own, in every order."""
    stock = Stock("fabrics", 120)
    skin = grid("Weaver's Warehouse", [("/fabrics", "Fabrics"), ("/care", "Care")])
    book = Book(skin)
    values = {
        n: {f: v[Prose("facet", f, n).number(0, len(v) - 1)] for f, v in _FACETS.items()}
        for n in range(140)
    }
    titles = {n: Prose("fabric", n).title("{quality} cloth “{town}”") for n in range(140)}
    living, targets = stock.living(run), {n: f"/fabric/{n}-{slug(titles[n])}" for n in titles}
    for n in living:
        prose, cells = Prose("fabric text", n), [(f.title(), v) for f, v in values[n].items()]
        sheet = Sheet(titles[n]).table([("Number", f"W{n * 31:04}"), *cells])
        sheet.p(
            Prose("fabric text", n, stock.edition(n, run))("£{8-90}.{10-99} a metre. {sentence}")
        )
        sheet.links([(f"/fabrics?{f}={v}", f"More {v}") for f, v in values[n].items()])
        book.page(targets[n], sheet.p(prose.text(n % 3)))
    book.page("/care", Sheet("Care").p(Prose("fabric care", run).text(5)))
    book.moved("/", "/fabrics")

    def listing(visit: Visit) -> Reply | None:
        if visit.path != "/fabrics":
            return None
        query = dict(parse_qsl(visit.query))
        chosen = {f: query[f].split(",") for f in query if f in _FACETS}
        hits = [n for n in living if all(values[n][f] in v for f, v in chosen.items())]
        page = int(query["page"]) if query.get("page", "").isdigit() else 1
        sheet = Sheet("Fabrics")
        for facet, names in _FACETS.items():
            others = [f"{f}={','.join(v)}" for f, v in chosen.items() if f != facet]
            for name in names:
                now = ",".join(sorted({name} ^ set(chosen.get(facet, ()))))
                sheet.row(
                    (f"/fabrics?{'&'.join(others + [f'{facet}={now}'] * bool(now))}", name),
                    css="facet",
                )
        for n in hits[page * 12 - 12 : page * 12]:
            sheet.row((targets[n], titles[n]), css="hit")
        if page * 12 < len(hits):
            sheet.row((f"/fabrics?{urlencode({**query, 'page': page + 1})}", "Next"))
        return Reply(skin(sheet), NEUTRAL if hits and not chosen else "")

    book.other = listing
    return book


def _library(run: int) -> Book:
    """A search whose results link to further searches."""
    stock = Stock("library", 100)
    skin = divs("Town Library", [("/search?q=a", "Search"), ("/new", "New books")])
    book = Book(skin)
    titles = {n: Prose("book", n).title() for n in stock.living(run)}
    for n, title in titles.items():
        prose = Prose("book text", n, stock.edition(n, run))
        sheet = Sheet(title).p(
            prose("By {name}. {town}, {1890-2020}. {60-900} pages."),
            f"Shelf {n * 13 % 977}, No. {n}",
        )
        sheet.p(prose.text(n % 4))
        sheet.links(
            [(f"/search?q={quote(word)}&in=subject", word) for word in title.split()],
            css="subjects",
        )
        book.page(f"/book/{n}", sheet)
    lower = {n: title.lower() for n, title in titles.items()}
    lists = chunks(sorted(titles), 20)
    for page, part in enumerate(lists, 1):
        sheet = Sheet("New books").links([(f"/book/{n}", titles[n]) for n in part])
        sheet.row(*((f"/new/{p}", str(p)) for p in range(2, len(lists) + 1)))
        book.neutral("/new" if page == 1 else f"/new/{page}", sheet)
    book.page(
        "/", Sheet("The library").p(Prose("library", run).text(3)).links([("/new", "New")]), "home"
    )

    def search(visit: Visit) -> Reply | None:
        if visit.path != "/search":
            return None
        words = dict(parse_qsl(visit.query)).get("q", "")
        wanted = words.lower().split()
        hits = [n for n, title in lower.items() if any(word in title for word in wanted)]
        sheet = Sheet(f"Results for {words}").links([(f"/book/{n}", titles[n]) for n in hits[:5]])
        prose = Prose("search", words)
        more = [f"{words} {prose('{thing}')}"[-60:] for _ in range(4)] + [
            prose("{quality} {thing}")
        ]
        sheet.links([(f"/search?q={quote(m)}", f"Try “{m}”") for m in more], css="suggestions")
        return Reply(skin(sheet))

    book.other = search
    return book


def _links_out(run: int) -> Book:
    """Each page has an exit that redirects to ever new addresses."""
    stock = Stock("links-out", 70)
    book = Book(table("Price Radar", [("/", "Home"), ("/guides/", "Guides")]))
    for n in stock.living(run):
        prose = Prose("guide", n)
        sheet = Sheet(prose.title()).p(
            prose.text(4), Prose("guide", n, stock.edition(n, run)).text(1)
        )
        sheet.row(
            (f"/go/{n}/{zlib.crc32(b'%d' % n):x}", "To the offer"), (f"/go/{n}/best", "Best price")
        )
        book.page(f"/guides/{n}.html", sheet.near([("/guides/", "Guides")]))
    guides = [(f"{n}.html", Prose("guide", n).title()) for n in stock.living(run)]
    book.neutral("/guides/", Sheet("Guides").links(guides))
    book.neutral(
        "/", Sheet("Price Radar").links([("/guides/", "Guides"), ("/go/0/today", "Offer of today")])
    )

    def leave(visit: Visit) -> Reply | None:
        if not visit.path.startswith("/go/"):
            return None
        mark = zlib.crc32(visit.target.encode())
        if mark % 5:
            return Reply(status=302, headers={"Location": f"/go/{mark % 97}/{mark:08x}"})
        sheet = Sheet("Looking for the best offer").raw(
            "<p>You will be taken there in a moment.</p>"
        )
        return Reply(
            book.skin(
                sheet.links([(f"/go/{(mark + k) % 97}/{mark + k:x}", "Go on") for k in (1, 2)])
            )
        )

    book.other = leave
    return book


def _counter(run: int) -> Book:
    """A slide show that counts on without end."""
    stock = Stock("counter", 60)
    skin = bare("Postcards of the Valley", [("/", "Albums"), ("/show?n=1", "Slide show")])
    book = Book(skin)
    living = stock.living(run)
    for n in living:
        prose = Prose("postcard", n)
        sheet = Sheet(f"{n}. {prose.title()}").p(prose("Printed by {last}, {town}, {1898-1938}."))
        sheet.p(Prose("postcard", n, stock.edition(n, run)).text(1)).row(
            (f"/show?n={n}", "In the slide show")
        )
        book.page(f"/card{n:03}.html", sheet)
    albums = chunks(living, 15)
    for place, part in enumerate(albums):
        cards = [(f"card{n:03}.html", Prose("postcard", n).title()) for n in part]
        book.neutral(f"/album{place}.html", Sheet(f"Album {place + 1}").links(cards))
    book.neutral(
        "/",
        Sheet("Albums").links([(f"album{p}.html", f"Album {p + 1}") for p in range(len(albums))]),
    )

    def show(visit: Visit) -> Reply | None:
        number = dict(parse_qsl(visit.query)).get("n", "")
        if visit.path != "/show" or not number.isdigit():
            return None
        n = int(number)
        card = living[n % len(living)]
        sheet = Sheet(f"Slide {n}").raw(f"<img src=/img/{card}.jpg>")
        sheet.row(
            (f"?n={n + 1}", "next"), (f"?n={n + 10}", "+10"), (f"?n={max(n - 1, 0)}", "previous")
        )
        return Reply(skin(sheet))

    book.other = show
    return book


def _session_path(run: int) -> Book:
    """A session id in the path, new in the links of each page: /(S(…))/page.aspx."""
    stock = Stock("session-path", 80)
    book = Book(
        divs("Union of Bookbinders", [("default.aspx", "Home"), ("members.aspx", "Members")]),
        "id p",
    )
    living = stock.living(run)
    for n in living:
        prose = Prose("member", n)
        sheet = Sheet(prose("{name}, {town}")).p(prose.text(1 + n % 3), f"Member No. {n}")
        sheet.p(Prose("member", n, stock.edition(n, run))("Rooms: {2-90} {thing} Street, {town}."))
        book.page(f"/member.aspx?id={n}", sheet.row(("members.aspx", "All members")))
    lists = chunks(living, 20)
    for page, part in enumerate(lists, 1):
        sheet = Sheet("Members").links(
            [(f"member.aspx?id={n}", Prose("member", n)("{name}")) for n in part]
        )
        sheet.row(*((f"members.aspx?p={p}", str(p)) for p in range(1, len(lists) + 1)))
        book.neutral(f"/members.aspx?p={page}" if page > 1 else "/members.aspx", sheet)
    book.page("/default.aspx", Sheet("The union").p(Prose("union", run).text(4)), "home")
    book.useless("/", Sheet("The union").p(Prose("union", run).text(4)), "home")
    inner = book.answer

    def anywhere(visit: Visit) -> Reply | None:
        head, _, rest = visit.target[1:].partition("/")
        return (
            inner(Visit(run, f"/{rest}")) if head.startswith("(S(") and rest[:3] != "(S(" else None
        )

    book.other = anywhere
    return book


def _with_session(visit: Visit, body: str) -> str:
    session = (
        f"/(S({zlib.crc32(visit.target.encode()):08x}{zlib.adler32(visit.target.encode()):08x}))/"
    )
    for page in ("default.aspx", "members.aspx", "member.aspx"):
        body = body.replace(f'href="{page}', f'href="{session}{page}')
    return body


def _nested(run: int) -> Book:
    """Relative links without a slash in front, on soft pages that exist under every folder."""
    stock = Stock("nested", 60)
    nav: list[Link] = [
        ("/index.html", "Home"),
        ("docs/page.html", "Docs"),
        ("help/contact.html", "Contact"),
    ]
    book = Book(landmarks("Boiler Works Intranet Docs", nav))
    for n in stock.living(run):
        prose = Prose("boiler", n)
        sheet = Sheet(prose.title()).p(
            prose.text(3), Prose("boiler", n, stock.edition(n, run)).text(1)
        )
        book.page(f"/docs/chapter{n}.html", sheet)
    chapters = [(f"/docs/chapter{n}.html", f"Chapter {n}") for n in stock.living(run)]
    book.neutral("/docs/page.html", Sheet("Docs").links(chapters))
    book.page(
        "/help/contact.html",
        Sheet("Contact").p(Prose("boiler contact")("{name}, {town}, room {1-90}")),
    )
    for target in ("/", "/index.html"):
        book.page(target, Sheet("Boiler works").p(Prose("boiler", run).text(3)), "home")
    soft = Reply(
        book.skin(Sheet("Boiler works").raw("<p>Please choose a document from the menu.</p>"))
    )
    book.other = lambda visit: soft if visit.path.count("/") > 2 or "/page" in visit.path else None
    return book


_TOOLS = phrases("print|share|tellafriend|bookmark|bigtext|report|translate")


def _share_maze(run: int) -> Book:
    """Each page offers tools; each tool keeps the parameters it finds and adds the way back."""
    stock = Stock("share-maze", 90)
    book = Book(table("Parish Magazine", [("/", "Contents")]))
    living = stock.living(run)
    articles: dict[str, Sheet] = {}
    for n in living:
        prose = Prose("parish", n)
        sheet = Sheet(prose.title()).p(
            prose.text(4), Prose("parish", n, stock.edition(n, run)).text(1)
        )
        articles[f"/article{n}.php"] = sheet
        book.truth[f"/article{n}.php"] = tuple(sheet.lines)
    contents = [(f"/article{n}.php", Prose("parish", n).title()) for n in living]
    book.neutral("/", Sheet("Contents").links(contents))

    def tools(visit: Visit) -> Reply | None:
        if visit.path not in articles:
            return None
        query = parse_qsl(visit.query)[-6:]
        is_form = not {"tellafriend", "report", "share"}.isdisjoint(dict(query))
        sheet = Sheet("Tell a friend") if is_form else Sheet(articles[visit.path].title)
        if not is_form:
            sheet.raw(*articles[visit.path].parts[1:])
        for tool in _TOOLS:
            more = [*query, (tool, str(len(query) + 1)), ("back", visit.target[-40:])]
            sheet.row((f"{visit.path}?{urlencode(more)}", tool), css="tool")
        return Reply(book.skin(sheet.near([("/", "Contents")])), "" if is_form else visit.path)

    book.other = tools
    return book


def _calendar(run: int) -> Book:
    """A calendar with a next month without end, most of them empty."""
    stock = Stock("calendar", 75)
    skin = grid("Village Hall", [("/calendar/2024/6/", "Calendar"), ("/hire", "Hire the hall")])
    book = Book(skin)
    days: dict[tuple[int, int], list[int]] = {}
    titles = {
        n: Prose("hall", n).title("{quality} {things} with {name}|{person}s' evening|{title}")
        for n in range(100)
    }
    for n in stock.living(run):
        day = date(2024, 1 + n % 12, 1 + n % 28)
        days.setdefault((2024, day.month), []).append(n)
        sheet = Sheet(titles[n]).p(f"{day:%A %d %B %Y}, {10 + n % 10}:00, event {n}")
        sheet.p(Prose("hall text", n, stock.edition(n, run)).text(n % 3 + 1))
        book.page(
            f"/event/{n}",
            sheet.row((f"/calendar/2024/{day.month}/", "Month"), (f"/event/{n}/ical", "iCal")),
        )
    book.page("/hire", Sheet("Hire the hall").p(Prose("hall", run).text(5)))
    book.moved("/", "/calendar/2024/6/")

    def month(visit: Visit) -> Reply | None:
        parts = visit.path.strip("/").split("/")
        if parts[0] != "calendar" or len(parts) < 3 or not all(p.isdigit() for p in parts[1:]):
            return None
        year, number = int(parts[1]), int(parts[2])
        found = days.get((year, number), [])
        sheet = Sheet(f"{number}/{year}").links([(f"/event/{n}", titles[n]) for n in found])
        sheet.raw(
            "<table class=month>",
            *(f"<td><a href='/calendar/{year}/{number}/{d}/'>{d}</a>" for d in range(1, 29)),
        )
        before, after = (year * 12 + number - 2), (year * 12 + number)
        sheet.raw("</table>").row(
            *((f"/calendar/{m // 12}/{m % 12 + 1}/", t) for m, t in ((before, "«"), (after, "»")))
        )
        is_month = len(parts) == 3 and found
        return Reply(skin(sheet), NEUTRAL if is_month else "")

    book.other = month
    return book


def _related(run: int) -> Book:
    """Short notes by people; the "random" and "related" articles are made up as they are asked for."""
    stock = Stock("related", 100)
    skin = blog(
        "Curious Notes", [("/", "Notes"), ("/random", "Random article"), ("/by-hand", "By hand")]
    )
    book = Book(skin)
    living = stock.living(run)
    for n in living:
        prose = Prose("note", n)
        sheet = Sheet(prose.title()).p(
            prose.text(3), Prose("note", n, stock.edition(n, run)).text(1)
        )
        sheet.near(aside=[(f"/auto/{slug(prose.title())}-{n}", "Related")])
        book.page(f"/note/{n}", sheet)
    book.neutral(
        "/by-hand", Sheet("By hand").links([(f"/note/{n}", f"Note {n}") for n in living[::-1]])
    )
    book.neutral("/", Sheet("Notes").links([(f"/note/{n}", f"Note {n}") for n in living[-20:]]))

    def made_up(visit: Visit) -> Reply | None:
        if visit.path == "/random":
            return Reply(
                status=302,
                headers={"Location": f"/auto/surprise-{zlib.crc32(visit.target.encode()):x}"},
            )
        if not visit.path.startswith("/auto/"):
            return None
        prose = Prose("auto", unquote(visit.path))
        words = prose.pick(VOCABULARY["thing"], 3)
        sheet = Sheet(prose.title()).raw(f"<p>{prose.text(5)}</p>")
        pairs = [" ".join(pair) for pair in combinations(words, 2)]
        sheet.near(aside=[(f"/auto/{slug(p)}-{prose.number(1, 10**6)}", p) for p in pairs])
        return Reply(skin(sheet.row(("/random", "Another"))))

    book.other = made_up
    return book


_COLUMNS = {"topic": 8, "author": 20, "year": 9}
"""Columns of the records by which their browser filters, with the number of their values."""


def _records(run: int) -> Book:
    """A browser of a database: a page for each row; lists by facets in any order, and their queries."""
    stock = Stock("records", 180)
    skin = bare("The survey's records", [("/", "home"), ("/survey", "survey")])
    book = Book(skin)
    living = stock.living(run)
    rows: dict[int, list[str]] = {}
    values: dict[int, dict[str, int]] = {}
    for n in living:
        prose = Prose("record", n)
        values[n] = {each: prose.number(1, most) for each, most in _COLUMNS.items()}
        values[n]["year"] += 2000
        text = Prose("record", n, stock.edition(n, run)).text(1)
        rows[n] = [str(n), prose.title(), text, *(f"{k} {v}" for k, v in values[n].items())]
        sheet = Sheet(f"survey: {n}").table([rows[n]])
        sheet.links([(f"/survey?{k}={v}", f"{k} {v}") for k, v in values[n].items()])
        book.page(f"/survey/{n}", sheet)
    book.neutral("/", Sheet("survey").links([("/survey", f"{len(living)} rows")]))

    def listing(visit: Visit) -> Reply | None:
        if visit.path not in {"/survey", "/sql"}:
            return None
        query = parse_qsl(visit.query)
        facets = [value for name, value in query if name == "_facet" and value in _COLUMNS]
        chosen = {name: int(value) for name, value in query if name in _COLUMNS}
        after = int(dict(query).get("_next", 0))
        hits = [n for n in living if chosen.items() <= values[n].items()]
        part = [n for n in hits if n > after][:60]
        where = " and ".join(f"{name} = {value}" for name, value in chosen.items())
        sheet = Sheet(f"{len(hits)} rows{' where ' * bool(where)}{where}")
        sheet.raw(
            "<table>",
            *(
                f"<tr><td><a href='/survey/{n}'>{n}</a>" + "".join(f"<td>{c}" for c in rows[n][1:])
                for n in part
            ),
            "</table>",
        )
        if visit.path == "/sql":
            return Reply(skin(sheet.raw(f"<pre>select * from survey where {where}</pre>")))
        for facet in facets:
            counts = Counter(values[n][facet] for n in hits)
            sheet.h(facet, 3).links(
                (f"?{urlencode([*query, (facet, value)])}", f"{facet} {value}: {count}")
                for value, count in counts.items()
                if facet not in chosen
            )
        more = [each for each in _COLUMNS if each not in facets]
        sheet.links((f"?{urlencode([*query, ('_facet', f)])}", f) for f in more)
        if part and part[-1] != hits[-1]:
            sheet.row((f"?{urlencode([*query, ('_next', part[-1])])}", "Next page"))
        sheet.row((f"/sql?{urlencode([('q', where), *chosen.items()])}", "View SQL"))
        return Reply(skin(sheet), NEUTRAL if hits and not chosen else "")

    book.other = listing
    return book


def _hotels(run: int) -> Book:
    """A search for rooms by night, length of the stay and guests: other hotels and prices for each."""
    stock = Stock("hotels", 120)
    first = "/rooms?arrival=2026-06-01&departure=2026-06-02&guests=2"
    book = Book(landmarks("Rooms in the Dales", [("/", "Hotels"), (first, "Free rooms")]))
    living = stock.living(run)
    names = {n: Prose("hotel", n).title() for n in living}
    for n in living:
        prose = Prose("hotel text", n)
        sheet = Sheet(names[n]).p(prose("{name}, {town}, {4-60} rooms."), prose.text(1 + n % 3))
        sheet.p(Prose("hotel text", n, stock.edition(n, run)).text(1)).row((first, "Book a room"))
        book.page(f"/hotel/{n}", sheet)
    lists = chunks(living, 30)
    for page, part in enumerate(lists, 1):
        sheet = Sheet("Hotels").links((f"/hotel/{n}", names[n]) for n in part)
        sheet.row(*((f"/hotels/{p}", str(p)) for p in range(2, len(lists) + 1)))
        book.neutral("/" if page == 1 else f"/hotels/{page}", sheet)

    book.other = lambda visit: _free_rooms(visit, names, book.skin)
    return book


def _free_rooms(visit: Visit, names: Mapping[int, str], skin: Skin) -> Reply | None:
    query = dict(parse_qsl(visit.query))
    try:
        days = [date.fromisoformat(query[each]) for each in ("arrival", "departure")]
        guests = int(query["guests"])
    except (KeyError, ValueError):
        return None
    nights = (days[1] - days[0]).days
    if visit.path != "/rooms" or not 0 < nights < 15 or not 0 < guests < 7:
        return None

    def search(later: int, nights: int, guests: int) -> str:
        begin = days[0] + timedelta(later)
        dates = {"arrival": begin, "departure": begin + timedelta(nights), "guests": guests}
        return f"/rooms?{urlencode(dates)}"

    sheet = Sheet(f"Free from {days[0]:%d %B %Y} to {days[1]:%d %B %Y}")
    for n, name in names.items():
        chance = Prose("room", n, days[0], guests)
        if chance.number(1, 9) == 1:
            price = f"£{nights * chance.number(4000, 24000) / 100:.2f}"
            sheet.raw(f"<h3><a href=/hotel/{n}>{name}</a></h3><p>{price} for your stay</p>")
    sheet.row(*((search(n, nights, guests), str(n)) for n in (-1, 1, 2, 3, 4, 5, 6, 7, 30)))
    sheet.row(*((search(0, n, guests), f"{n} nights") for n in (1, 2, 3, 7, 14)))
    return Reply(skin(sheet.row(*((search(0, nights, n), f"{n}") for n in range(1, 7)))))


SITES = (
    natural("hotel-nights", _hotels, is_endless=True),
    natural("records", _records, is_endless=True),
    natural("facets", _fabrics, is_endless=True),
    natural("internal-search", _library, is_endless=True),
    natural("redirect-farm", _links_out, is_endless=True),
    natural("counter", _counter, is_endless=True),
    natural("session-in-path", _session_path, is_endless=True, finish=_with_session),
    natural("nested-relative", _nested, is_endless=True),
    natural("share-maze", _share_maze, is_endless=True),
    natural("calendar", _calendar, is_endless=True),
    natural("related-chain", _related, is_endless=True),
)
