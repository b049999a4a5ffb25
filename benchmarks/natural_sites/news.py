"""Sites with a date: a newspaper, a podcast, events, jobs, and a practice that is closed on Monday."""

from __future__ import annotations

from datetime import date, timedelta

from benchmarks.natural_sites.building import Book, Link, Sheet, Stock, a, chunks, natural
from benchmarks.natural_sites.prose import Prose, phrases, slug
from benchmarks.natural_sites.skins import blog, divs, grid, landmarks, table


def _story(n: int) -> tuple[date, str, str]:
    day = date(2021, 11, 3) + timedelta(days=n * 2)
    title = Prose("story", n).title()
    return day, title, f"/{day:%Y/%m/%d}/{slug(title)}.html"


def _newspaper(run: int) -> Book:
    stock = Stock("newspaper", 230)
    desks = phrases("Local|Business|Sport|Letters")
    nav = [("/", "Today"), *((f"/{slug(d)}/", d) for d in desks), ("/archive/", "Archive")]
    book = Book(divs("The Caldford Courier", nav, "Printed since 1874."), "p output")
    living = stock.living(run)
    latest = [(_story(n)[2], _story(n)[1]) for n in living[:-6:-1]]
    days: dict[str, list[int]] = {}
    for n in living:
        day, title, here = _story(n)
        prose = Prose("story text", n)
        lead = Prose("story text", n, stock.edition(n, run)).text(2)
        paragraphs = [prose.text(prose.number(1, 5)) for _ in range(prose.number(1, 7))]
        sheet = Sheet(title).near(
            [("/", "Home"), (f"/{slug(desks[n % 4])}/", desks[n % 4])], latest
        )
        sheet.p(prose("By {name}, {town}, ") + f"{day:%d %B %Y}", f"{lead} ({n})", *paragraphs)
        sheet.row((f"{here}?output=print", "Print"), (f"/comment?story={n}", "Comment"),
                  (f"https://social.example/share?u={here}", "Share"))  # fmt: skip
        book.page(here, sheet)
        book.useless(f"{here}?output=print", sheet, here)
        for part in (f"/{day:%Y}/", f"/{day:%Y/%m}/", f"/{day:%Y/%m/%d}/"):
            days.setdefault(part, []).append(n)
    for part, members in days.items():
        sheet = Sheet(f"Archive {part.strip('/')}")
        if part.count("/") == 2:
            months = sorted({f"{_story(n)[0]:%m}" for n in members})
            sheet.links([(f"{part}{month}/", month) for month in months])
        else:
            sheet.links([(_story(n)[2], _story(n)[1]) for n in members])
            sheet.links(
                [(f"{_story(n)[0]:/%Y/%m/%d/}", f"{_story(n)[0]:%d}") for n in members],
                css="calendar",
            )
        book.neutral(part, sheet)
    for place, desk in enumerate(desks):
        lists = chunks([n for n in living[::-1] if n % 4 == place], 15)
        for page, shown in enumerate(lists, 1):
            sheet = Sheet(desk).links([(_story(n)[2], _story(n)[1]) for n in shown])
            sheet.row(*((f"?p={p}", str(p)) for p in range(1, len(lists) + 1)))
            for target in (f"/{slug(desk)}/?p={page}", f"/{slug(desk)}/")[: 1 + (page == 1)]:
                book.neutral(target, sheet)
    years = [(part, part.strip("/")) for part in days if part.count("/") == 2]
    book.neutral("/archive/", Sheet("Archive").links(years))
    book.neutral("/", Sheet("Today").links([(_story(n)[2], _story(n)[1]) for n in living[:-13:-1]]))
    book.useless("/comment", Sheet("Comments are closed"))
    return book


def _podcast(run: int) -> Book:
    stock = Stock("podcast", 88)
    book = Book(
        blog(
            "Two Millers Talking", [("/", "Home"), ("/episodes", "Episodes"), ("/about", "About")]
        ),
        "page t",
    )
    living = stock.living(run)
    titles = {n: Prose("episode", n).title() for n in living}
    for n in living:
        prose, here = Prose("episode text", n), f"/episodes/{n:03}"
        sheet = Sheet(f"{n}: {titles[n]}").near(
            [("/episodes", "Episodes")], [(f"/episodes/{living[-1]:03}", "New")]
        )
        sheet.p(
            Prose("episode text", n, stock.edition(n, run)).text(2),
            prose("With {name}, {person}. {20-90} minutes."),
        )
        marks = sorted(prose.number(10, 3000) for _ in range(5))
        sheet.raw(f'<audio controls src="/media/{n}.mp3"></audio>', "<ul>")
        for mark in marks:
            sheet.raw(
                f"<li>{a(f'{here}?t={mark}', f'{mark // 60}:{mark % 60:02}')} {prose('{thing}')}</li>"
            )
            book.useless(f"{here}?t={mark}", sheet, here)
        sheet.raw("</ul>").row((f"{here}/transcript", "Transcript"), (f"{here}#player", "Play"))
        book.page(here, sheet)
        spoken = Sheet(f"Transcript of episode {n}").near([(here, f"Episode {n}")])
        if n % 2:
            spoken.p(*(prose(f"{who}: {{sentence}} {{sentence}}") for who in ("Ann", "Bob") * 5))
            book.page(f"{here}/transcript", spoken)
        else:
            book.useless(f"{here}/transcript", spoken.raw("<p>No transcript yet.</p>"))
    lists = chunks(living[::-1], 10)
    for page, members in enumerate(lists, 1):
        sheet = Sheet("Episodes").links([(f"/episodes/{n:03}", titles[n]) for n in members])
        if page < len(lists):
            sheet.row((f"/episodes?page={page + 1}", "Older episodes"))
        book.neutral(f"/episodes?page={page}" if page > 1 else "/episodes", sheet)
    book.page("/about", Sheet("About").p(Prose("podcast about", run).text(5)))
    book.neutral(
        "/", Sheet("Two millers").links([(f"/episodes/{n:03}", titles[n]) for n in living[-3:]])
    )
    return book


def _events(run: int) -> Book:
    stock = Stock("events", 120, 300)
    halls = phrases("Corn Exchange|Old Fire Station|St Anne's|Riverside|Lecture Hall")
    book = Book(
        grid("What's on in Halsworth", [("/events/?offset=0", "Events"), ("/venues/", "Venues")]),
        "offset day venue",
    )
    living = stock.living(run)
    titles = {n: Prose("event", n).title("{first} {last} plays {quality} {things}|Lecture: {title}|The {last} trio",
              title=["the {quality} {thing}", "{town} in {1700-1960}"]) for n in range(290, 440)}  # fmt: skip
    for n in living:
        prose, here = Prose("event text", n), f"/events/{n}-{slug(titles[n])}"
        when = date(2025, 1, 4) + timedelta(days=(n - 300) * 3)
        sheet = Sheet(titles[n]).near([("/events/?offset=0", "Events")])
        price = Prose("event text", n, stock.edition(n, run)).number(4, 60)
        sheet.table([("When", f"{when:%A %d %B %Y}, {17 + n % 5}:{n % 4 * 15:02}"), ("Where", halls[n % 5]),
                     ("Tickets", f"£{price}.00, concessions £{price // 2}.50")])  # fmt: skip
        sheet.p(prose.text(n % 4)) if n % 4 else sheet
        sheet.row((f"/tickets/{n}", "Buy tickets"), (f"/events/{n}.ics", "Calendar file"),
                  (f"/venues/{slug(halls[n % 5])}", halls[n % 5]))  # fmt: skip
        book.page(here, sheet)
        form = Sheet("Tickets").raw(f"<form><input name=n></form><p>{titles[n]}</p>")
        book.useless(f"/tickets/{n}", form.row((f"/basket?event={n}", "Basket")))
    book.useless("/basket", Sheet("Your basket has expired"))
    for offset in range(0, len(living), 15):
        members = living[offset : offset + 15]
        sheet = Sheet("Events").links(
            [(f"/events/{n}-{slug(titles[n])}", titles[n]) for n in members]
        )
        sheet.row(
            (f"/events/?offset={offset + 15}", "Later"),
            (f"/events/?offset={max(0, offset - 15)}", "Earlier"),
        )
        book.neutral(f"/events/?offset={offset}", sheet)
    end = Sheet("Events").raw("<p>No events found.</p>")
    book.useless(f"/events/?offset={(len(living) - 1) // 15 * 15 + 15}", end)
    for place, hall in enumerate(halls):
        sheet = Sheet(hall).p(Prose("venue", place).text(4))
        book.page(f"/venues/{slug(hall)}", sheet)
    book.neutral("/venues/", Sheet("Venues").links([(f"/venues/{slug(h)}", h) for h in halls]))
    book.moved("/", "/events/?offset=0", 301)
    return book


def _jobs(run: int) -> Book:
    stock = Stock("jobs", 130, 4000)
    book = Book(table("Trades & Crafts Jobs", [("/jobs?offset=0", "Jobs"), ("/employers", "Employers"),
                                               ("/account/login", "Sign in")]), "offset sector order")  # fmt: skip
    living = stock.living(run)
    sectors = ("wood", "metal", "food", "textiles")
    titles = {
        n: Prose("job", n).title("{person} ({quality} {things}), {town}") for n in range(3900, 4140)
    }
    for n in range(3900, 4000):
        expired = Sheet("Position filled").raw("<p>This position is no longer available.</p>")
        book.useless(f"/jobs/{n}", expired.near([("/jobs?offset=0", "Other jobs")]))
    for n in living:
        prose, own = Prose("job text", n), Prose("job text", n, stock.edition(n, run))
        sheet = Sheet(titles[n]).near(
            [("/jobs?offset=0", "Jobs")], [(f"/jobs/{n - 97}", "Similar job")]
        )
        sheet.table(
            [
                ("Reference", f"TC/{n}"),
                ("Salary", own("£{18-52},{100-999}")),
                ("Hours", prose("{16-40}")),
            ]
        )
        sheet.p(prose.text(2)).h("You").list(
            [
                prose("have {done} {things} before"),
                prose("know a {thing} from a {thing}"),
                prose("are {quality}"),
            ]
        )
        sheet.row(
            (f"/jobs/{n}/apply", "Apply"),
            (f"/jobs/{n}/save", "Save"),
            (f"/employer/{n % 23}", "Employer"),
        )
        book.page(f"/jobs/{n}", sheet)
        book.moved(f"/jobs/{n}/save", "/account/login")
        book.useless(f"/jobs/{n}/apply", Sheet("Apply").raw("<form method=post></form>"))
    listed = sorted(
        [*living, *range(3900, 3960)], key=lambda n: Prose("listed", n).number(0, 10**6)
    )
    for sector in ("", *sectors):
        inside = [n for n in listed if not sector or sectors[n % 4] == sector]
        for order in ("", "salary") if sector else ("",):
            for offset in range(0, len(inside), 20):
                extra = (f"&sector={sector}" if sector else "") + (
                    f"&order={order}" if order else ""
                )
                sheet = Sheet(f"Jobs {sector}").raw(
                    "<ol>", *(f"<li>{a(f'/jobs/{n}', titles[n])}</li>" for n in inside[offset : offset + 20]), "</ol>")  # fmt: skip
                sheet.row(
                    *((f"/jobs?offset={o}{extra}", str(o)) for o in range(0, len(inside), 20))
                )
                sheet.row(*((f"/jobs?sector={s}&offset=0", s) for s in sectors),
                          (f"/jobs?offset=0&order=salary&sector={sector or 'wood'}", "by salary"))  # fmt: skip
                (book.useless if order else book.neutral)(f"/jobs?offset={offset}{extra}", sheet)
    for e in range(23):
        text = Prose("employer", e).text(2)
        book.page(
            f"/employer/{e}", Sheet(Prose("employer", e).title("{last} & {last}, {town}")).p(text)
        )
    book.neutral(
        "/employers",
        Sheet("Employers").links([(f"/employer/{e}", f"Employer {e}") for e in range(23)]),
    )
    book.useless("/account/login", Sheet("Sign in").raw("<form method=post></form>"))
    book.page("/", Sheet("Work with your hands").p(Prose("jobs home", run).text(3)), "home")
    return book


def _practice(run: int) -> Book:
    """From run 1 on the same notice stands above the text of all pages."""
    pets = phrases("dogs|cats|rabbits|hens|horses|tortoises|parrots|ferrets")
    ills = phrases("teeth|claws|vaccination|worms|diet|ageing|breeding|travel|first aid")
    nav: list[Link] = [
        ("/", "Home"),
        ("/team.html", "Team"),
        *((f"/{p}/", p.title()) for p in pets),
    ]
    plain = landmarks("Eastwood Veterinary Practice", nav)
    notice = (
        "We are closed on Monday because of the carnival. In urgent cases please call the emergency "
        "service in Ripcombe, which is open all day and all night, or come to us again on Tuesday."
    )

    def skin(sheet: Sheet) -> str:
        if run:
            sheet.parts.insert(0, f'<div class="notice"><p>{notice}</p></div>')
        return plain(sheet)

    book = Book(skin)
    edited = Stock("practice", 80)
    for p, pet in enumerate(pets):
        for i, ill in enumerate(ills):
            if (p * 9 + i) % 31 == run + 3:
                continue
            prose = Prose("vet", pet, ill, edited.edition(p * 9 + i, run))
            sheet = Sheet(f"{ill.title()} of {pet}").near(
                [("/", "Home"), (f"/{pet}/", pet.title())]
            )
            sheet.p(prose.text(prose.number(1, 3), "{s}", s=[
                f"Bring your {pet} every {{2-12}} months.", "Give {2-90} ml of {quality} water with it.",
                f"Young {pet} need {{3-9}} {{quality}} meals a day.", "{name}, our nurse, shows you how.",
                "A {quality} {thing} helps in {month}.", "The treatment costs {15-240} pounds."]))  # fmt: skip
            book.page(f"/{pet}/{slug(ill)}.html", sheet)
        here = [(f"{slug(i)}.html", i.title()) for i in ills]
        book.neutral(f"/{pet}/", Sheet(pet.title()).links(here))
    team = Sheet("Team")
    for member in range(7):
        team.h(Prose("vet team", member)("{name}"), 3).p(Prose("vet team", member).text(2))
    book.page("/team.html", team)
    book.page("/", Sheet("Welcome").p(Prose("vet home").text(3)).links(nav[2:]), "home")
    return book


SITES = (
    natural("newspaper", _newspaper),
    natural("podcast", _podcast),
    natural("events", _events, gone=410),
    natural("jobs", _jobs),
    natural("practice-with-notice", _practice),
)
