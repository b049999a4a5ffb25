"""Pages by place: flats, branches, regions, a municipality, a portal by postcode."""

from __future__ import annotations

from benchmarks.natural_sites.building import FILE, PICTURE, Book, Sheet, Stock, chunks, natural
from benchmarks.natural_sites.prose import VOCABULARY, Prose, phrases, slug
from benchmarks.natural_sites.skins import blog, divs, grid, landmarks, table

_TOWNS = Prose("towns of all sites").pick(VOCABULARY["town"], 200)


def _flats(run: int) -> Book:
    stock = Stock("flats", 110, 8801)
    book = Book(
        grid("Homefinder", [("/rent?start=0", "To rent"), ("/buy?start=0", "To buy")]),
        "start tab beds photo",
    )
    living = stock.living(run)
    for n in living:
        prose, own = Prose("flat", n), Prose("flat", n, stock.edition(n, run))
        here = f"/property/{n}"
        title = f"{n % 5 + 1} rooms, {prose.number(2, 140)} {prose.title('{thing} {s}', s=['Street', 'Lane', 'Road'])}"
        tabs = [
            (f"{here}?tab={tab}", tab.title())
            for tab in ("details", "map", "photos", "costs", "contact")
        ]
        sheet = Sheet(f"{title}, {_TOWNS[n % 12]}").row(*tabs, css="tabs")
        sheet.p(
            own("£{400-2900} a month. {sentence}"),
            prose("{sentence} Floor {0-9}, {28-190} m², {quality} kitchen."),
        )
        book.page(here, sheet)
        book.useless(f"{here}?tab=details", sheet, here)
        costs = Sheet(f"Costs of {title}").row(*tabs, css="tabs")
        costs.table(
            [
                ("Deposit", own("£{900-6000}")),
                ("Heating", prose("£{20-190}")),
                ("Object", f"HF-{n}"),
            ]
        )
        book.page(f"{here}?tab=costs", costs)
        for tab in ("map", "contact"):
            book.useless(
                f"{here}?tab={tab}", Sheet(title).row(*tabs, css="tabs").raw('<div id="map"></div>')
            )
        photos = [(f"{here}?tab=photos&photo={photo}", f"Photo {photo}") for photo in range(1, 5)]
        for target, _ in [(f"{here}?tab=photos", ""), *photos]:
            book.useless(target, Sheet(title).row(*tabs).row(*photos).raw(f"<img src=/i/{n}.jpg>"))
    for kind, rest in (("rent", 0), ("buy", 1)):
        for beds in ("", "1", "2", "3"):
            inside = [n for n in living if n % 2 == rest and (not beds or n % 5 == int(beds) - 1)]
            for start in range(0, len(inside), 12):
                extra = f"&beds={beds}" if beds else ""
                sheet = Sheet(f"Homes to {kind}")
                shown = inside[start : start + 12]
                sheet.links([(f"/property/{n}", f"Property {n}, {_TOWNS[n % 12]}") for n in shown])
                sheet.row(
                    *((f"/{kind}?start={s}{extra}", str(s)) for s in range(0, len(inside), 12))
                )
                sheet.row(*((f"/{kind}?start=0&beds={b}", f"{b} beds") for b in (1, 2, 3)))
                book.neutral(f"/{kind}?start={start}{extra}", sheet)
    book.neutral(
        "/", Sheet("Homefinder").links([("/rent?start=0", "Rent"), ("/buy?start=0", "Buy")])
    )
    return book


def _branches(run: int) -> Book:
    """Eighty branches; their pages differ by address, telephone and hours only."""
    stock = Stock("branches", 80)
    nav = [("/branches/", "Branches"), ("/services/", "Services"), ("/about/", "About us")]
    book = Book(
        landmarks("Ogden Tyres", nav, "<p>Ogden Tyres Ltd, registered in Winbury</p>"), "book"
    )
    services = phrases("tyres|brakes|exhausts|batteries|air conditioning|wheel alignment")
    for n in stock.living(run):
        town, own = _TOWNS[n + 20], Prose("branch", n, stock.edition(n, run))
        sheet = Sheet(f"Ogden Tyres {town}").near([("/", "Home"), ("/branches/", "Branches")])
        sheet.p(
            f"Welcome to Ogden Tyres in {town}! Our trained fitters look after tyres, brakes, exhausts and "
            "batteries of all makes. Just drop in, no appointment is needed for most work, and the coffee is free.",
            Prose("branch", n)("{2-240} {thing} Road, ")
            + f"{town}, telephone 0{1200 + n * 7} {n * 8111 % 900_000 + 10_000}",
        )
        sheet.table(
            [
                ("Monday to Friday", own("{7-9}:30 – 1{6-9}:00")),
                ("Saturday", own("{8-10}:00 – 1{2-5}:30")),
            ]
        )
        sheet.row(
            (f"/booking?branch={slug(town)}", "Book online"),
            (f"/branches/{slug(town)}/#map", "Map"),
        )
        book.page(f"/branches/{slug(town)}/", sheet)
    listed = [(f"/branches/{slug(_TOWNS[n + 20])}/", _TOWNS[n + 20]) for n in stock.living(run)]
    book.neutral("/branches/", Sheet("Branches").links(sorted(listed) if run < 2 else listed))
    for place, service in enumerate(services):
        sheet = Sheet(service.title()).p(Prose("tyre service", place).text(3))
        book.page(f"/services/{slug(service)}/", sheet)
    book.neutral("/services/", Sheet("Services").links([(f"{slug(s)}/", s) for s in services]))
    book.page("/about/", Sheet("About us").p(Prose("tyres", run).text(5)))
    book.neutral("/", Sheet("Tyres, brakes, exhausts").links(listed[:5]))
    book.useless("/booking", Sheet("Book online").raw("<form method=post></form>"))
    return book


def _regions(run: int) -> Book:
    """Folders of regions with the same pages; a few of them are regional."""
    regions = [_TOWNS[n] + "shire" for n in range(100, 111 + run)]
    book = Book(blog("National Association of Beekeepers", [("/", "Regions"), ("/news/", "News")]))
    common = {topic: Prose("bees", topic).text(6, "{s}", s=[
        "Feed {2-9} litres of {quality} syrup before {month}.", "Mites were {done} with {material} {things}.",
        "A {quality} hive needs {2-12} frames of {material}.", "Swarms in {month} are {adverb} {done}.",
        "Members pay {12-60} pounds and receive a {thing}.", "{sentence}"])
        for topic in phrases("joining|insurance|diseases|swarms|courses|honey-show")}  # fmt: skip
    for r, region in enumerate(regions):
        home = f"/{slug(region)}/"
        sheet = Sheet(f"Beekeepers in {region}").near([("/", "Regions")])
        sheet.p(Prose("bee region", r, run if r == 2 else 0).text(2))
        links = [(f"{home}{topic}/", topic) for topic in (*common, "chairman", "meetings")]
        book.page(home, sheet.links(links))
        for topic, text in common.items():
            same = Sheet(topic.title()).p(text).near([("/", "Regions"), (home, region)])
            book.useless(f"{home}{topic}/", same, f"common {topic}")
            book.truth[f"common {topic}"] = tuple(same.lines)
        prose = Prose("bee chairman", r)
        chair = (
            Sheet(prose("{name}"))
            .near([(home, region)])
            .p(prose("A {person} from {town}. {sentence}"))
        )
        book.page(f"{home}chairman/", chair)
        meetings = Sheet("Meetings").near([(home, region)])
        rows = [
            (prose("{day} {1-28} {month}"), prose("{thing} Inn, {town}"), prose("{name}"))
            for _ in range(4)
        ]
        book.page(f"{home}meetings/", meetings.table(rows))
    for n in Stock("bee news", 24).living(run):
        title = Prose("bee news", n).title()
        book.page(f"/news/{n}/", Sheet(title).p(Prose("bee news", n).text(3)))
    news = [(f"/news/{n}/", f"News {n}") for n in Stock("bee news", 24).living(run)]
    book.neutral("/news/", Sheet("News").links(news[::-1]))
    book.neutral("/", Sheet("Our regions").links([(f"/{slug(r)}/", r) for r in regions]))
    return book


def _municipality(run: int) -> Book:
    minutes, forms, duties = Stock("minutes", 72), Stock("forms", 40), Stock("duties", 55)
    bodies = phrases("Council|Planning Committee|Schools Committee|Works Committee")
    nav = [("/cms/minutes", "Minutes"), ("/cms/services", "Services"), ("/cms/forms", "Forms")]
    book = Book(table("Municipality of Wedstead", nav, "Town Hall, Market Place 1"), "year lang")
    years: dict[int, list[int]] = {}
    for n in minutes.living(run):
        prose, body = Prose("minutes", n), bodies[n % 4]
        years.setdefault(2015 + n // 10, []).append(n)
        sheet = Sheet(f"{body}, meeting {n} of {prose('{1-28} {month}')} {2015 + n // 10}")
        sheet.p(prose("Present: {name}, {name}, {name} (chair), {name}. Apologies: {name}."))
        for point in range(1, prose.number(3, 9)):
            sheet.h(f"{point}. {prose.title()}", 3).p(prose.text(prose.number(1, 3)))
            sheet.p(prose("Carried with {6-20} votes against {0-5}."))
        sheet.raw(
            f'<a href="/files/minutes-{n}.pdf">As PDF</a> <a href="/files/agenda-{n}.pdf">Agenda</a>'
        )
        book.page(f"/cms/minutes/{n}", sheet.near([("/cms/minutes", "Minutes")]))
        book.put(f"/files/minutes-{n}.pdf", FILE)
    for n in forms.living(run):
        title = Prose("form", n).title("Application for a {quality} {thing} (form {100-999})")
        sheet = Sheet(title).p(
            Prose("form", n, forms.edition(n, run))(
                "For {quality} {things} only. Fee: £{5-90}.{10-99}."
            )
        )
        sheet.raw(f'<a href="/files/form-{n}.pdf">Download form</a>').row(
            (f"/cms/forms/{n}/online", "Fill in online")
        )
        book.page(f"/cms/forms/{n}", sheet)
        book.put(f"/files/form-{n}.pdf", FILE)
        book.useless(
            f"/cms/forms/{n}/online", Sheet("Online form").raw("<form method=post><input></form>")
        )
    for n in duties.living(run):
        prose = Prose("duty", n, duties.edition(n, run))
        sheet = Sheet(
            Prose("duty", n).title(
                "Permits for {quality} {things}|{things}, {done}|Care of the {thing}"
            )
        )
        sheet.table([("Office", prose("{name}, room {1-90}")), ("Telephone", f"0123 {4000 + n * 3}"),
                     ("Open", prose("{day} {8-10}–{11-16}"))]).p(prose.text(n % 3))  # fmt: skip
        book.page(f"/cms/services/{n}", sheet.row((f"/cms/services/{n}?lang=en", "English")))
        book.useless(f"/cms/services/{n}?lang=en", sheet, f"/cms/services/{n}")
    for year, members in years.items():
        sheet = Sheet(f"Minutes of {year}").links(
            [(f"/cms/minutes/{n}", f"Meeting {n}") for n in members]
        )
        book.neutral(f"/cms/minutes?year={year}", sheet)
    book.neutral(
        "/cms/minutes", Sheet("Minutes").links([(f"/cms/minutes?year={y}", str(y)) for y in years])
    )
    for kind, numbers in (("forms", forms.living(run)), ("services", duties.living(run))):
        book.neutral(
            f"/cms/{kind}",
            Sheet(kind.title()).links([(f"/cms/{kind}/{n}", f"{kind} {n}") for n in numbers]),
        )
    book.page("/", Sheet("Wedstead").p(Prose("wedstead", run).text(4)), "home")
    return book


def _postcodes(run: int) -> Book:
    stock = Stock("postcodes", 300)
    book = Book(
        divs("Local Portal", [("/", "Areas"), ("/zip?find=1", "Find a postcode")]),
        "zip find page cat",
    )
    living = stock.living(run)
    codes = {n: 10_000 + n * 83 for n in range(1, 310)}
    for n in living:
        prose = Prose("postcode", n, stock.edition(n, run))
        code, town = codes[n], _TOWNS[n % 190]
        sheet = Sheet(f"{code} {town}").near(
            [("/", "Areas"), (f"/area/{code // 1000}", f"{code // 1000}…")]
        )
        sheet.table([("Inhabitants", f"{prose.number(300, 99_000):,}"), ("Area", prose("{2-90}.{0-9} km²")),
                     ("Doctors", prose("{1-90}")), ("Schools", prose("{1-30}")), ("Dialling code", f"0{code * 3}")])  # fmt: skip
        around = [o for o in range(n - 2, n + 3) if o in living and o != n]
        sheet.links([(f"/zip?zip={codes[o]}", f"{codes[o]}") for o in around], css="neighbours")
        sheet.row(*((f"/zip?cat={c}&zip={code}", c.title()) for c in ("doctors", "hotels")))
        book.page(f"/zip?zip={code}", sheet)
        for category in ("doctors", "hotels"):
            empty = Sheet(f"{category.title()} in {code}").raw(
                "<p>0 entries. Be the first to add one!</p>"
            )
            book.useless(f"/zip?cat={category}&zip={code}", empty)
    for thousand in sorted({codes[n] // 1000 for n in living}):
        inside = [codes[n] for n in living if codes[n] // 1000 == thousand]
        book.neutral(
            f"/area/{thousand}",
            Sheet(f"Area {thousand}").links([(f"/zip?zip={c}", str(c)) for c in inside]),
        )
    areas = [(f"/area/{t}", f"{t}000–{t}999") for t in sorted({codes[n] // 1000 for n in living})]
    for page, part in enumerate(chunks(range(len(areas)), 10), 1):
        sheet = Sheet("Areas").links([areas[p] for p in part])
        book.neutral(
            f"/?page={page}" if page > 1 else "/",
            sheet.row((f"/?page={page % 3 + 1}", "More areas")),
        )
    book.useless("/zip?find=1", Sheet("Find a postcode").raw("<form><input name=zip></form>"))
    book.put("/logo.jpg", PICTURE)
    return book


SITES = (
    natural("flats", _flats),
    natural("branches", _branches),
    natural("regions", _regions),
    natural("municipality", _municipality),
    natural("postcodes", _postcodes),
)
