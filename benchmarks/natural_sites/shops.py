"""Shops: sorted lists, sold-out goods, variants, specifications."""

from __future__ import annotations

from benchmarks.natural_sites.building import Book, Link, Sheet, Stock, chunks, natural
from benchmarks.natural_sites.prose import VOCABULARY, Prose, phrases, slug, words
from benchmarks.natural_sites.skins import divs, grid, landmarks, table

_TOOLS = words("""Spade Rake Hoe Trowel Secateurs Shears Dibber Sickle Scythe Mattock Fork Sieve Bucket
Wheelbarrow Hose Sprinkler Cloche Trellis Planter Gloves Kneeler Twine Loppers Edger Aerator""")
_USES = [
    "For {quality} soil and {quality} borders.",
    "The handle is of {material}, the head of {material}.",
    "Weighs {200-4900} g and is {20-160} cm long.",
    "Our gardeners in {town} have {done} it for {2-14} seasons.",
    "Oil the {material} parts every {month}.",
    "Not meant for {quality} roots thicker than {5-40} mm.",
    "Comes with a {quality} bag of {material} and {2-9} spare {things}.",
    "{name} of {town} designed it for a {person} with {quality} hands.",
]
_TOOL_AREAS = ("Digging", "Cutting", "Watering", "Raised beds", "Clothing", "Autumn")


def _tool_lists(book: Book, stock: Stock, run: int) -> None:
    numbers = stock.living(run)
    orders = {
        "price": lambda number: Prose("price", number).number(4, 240),
        "name": lambda number: Prose("tool", number).pick(_TOOLS, 1),
        "new": lambda number: -number,
    }
    for area, heading in enumerate(_TOOL_AREAS, 1):
        inside = [number for number in numbers if number % len(_TOOL_AREAS) == area - 1]
        for sort in ("", *orders):
            for order in ("asc", "desc") if sort else ("",):
                ranked = sorted(inside, key=orders[sort]) if sort else inside[run:] + inside[:run]
                ranked = ranked[::-1] if order == "desc" else ranked
                lists = chunks(ranked, 8)
                for page, shown in enumerate(lists, 1):
                    sheet = Sheet(heading)
                    base = f"/category.php?cat={area}"
                    sheet.row(
                        *((f"{base}&sort={key}&order={way}", f"{key} {mark}")
                          for key in orders for way, mark in (("asc", "↑"), ("desc", "↓"))),
                        css="sorter",
                    )  # fmt: skip
                    for number in shown:
                        sheet.row(
                            (f"/product.php?id={number}&cat={area}", _tool(number)),
                            (f"/cart.php?add={number}", "Add to cart"),
                            (f"/wishlist.php?do=add&id={number}", "♥"),
                            css="item",
                        )
                    suffix = f"&sort={sort}&order={order}" if sort else ""
                    sheet.row(
                        *((f"{base}&page={n}{suffix}", str(n)) for n in range(1, len(lists) + 1))
                    )
                    target = f"{base}{suffix}" + (f"&page={page}" if page > 1 else "")
                    for alias in {target, f"{base}{suffix}&page={page}"}:
                        (book.useless if sort else book.neutral)(alias, sheet)


def _tool(number: int) -> str:
    prose = Prose("tool", number)
    return prose.title(f"{{material}} {prose.pick(_TOOLS, 1)[0]} {{quality}} No. {number}")


def _garden_shop(run: int) -> Book:
    stock = Stock("garden-shop", 120, 40)
    areas = [(f"/category.php?cat={n}", name) for n, name in enumerate(_TOOL_AREAS, 1)]
    book = Book(
        grid(
            "Root &amp; Branch", [*areas, ("/cart.php", "Cart"), ("/login.php?back=%2F", "Log in")]
        ),
        "cat page sort order id view add do",
    )
    _tool_lists(book, stock, run)
    for number in stock.living(run):
        prose = Prose("garden", number)
        area = number % len(_TOOL_AREAS) + 1
        sheet = Sheet(_tool(number)).near([("/", "Shop"), areas[area - 1]])
        edition = Prose("garden", number, stock.edition(number, run))
        sheet.p(prose.text(prose.number(2, 5), "{use}", use=_USES), edition("{use}", use=_USES))
        sheet.table([("Article", f"RB-{number * 37:05}"), ("Price", edition("£ {4-240}.{10-99}"))])
        reviews = prose.number(0, 4)
        here = f"/product.php?id={number}"
        others = [n for n in stock.living(run) if n % len(_TOOL_AREAS) == area - 1][:3]
        sheet.row(
            (f"{here}&view=reviews", f"{reviews} reviews"), (f"/cart.php?add={number}", "Buy")
        )
        sheet.links([(f"/product.php?cat={area}&id={n}", _tool(n)) for n in others])
        book.page(here, sheet, f"tool {number}")
        for alias in (f"{here}&cat={area}",):
            book.page(alias, sheet, f"tool {number}")
        said = Sheet(f"Reviews of {_tool(number)}")
        for _ in range(reviews):
            said.p(prose("{name}, {town}: “{use} {sentence}”", use=_USES))
        said.row((here, "Back to the product"), (f"/review_form.php?id={number}", "Write a review"))
        (book.page if reviews else book.useless)(f"{here}&view=reviews", said)
        form = Sheet("Write a review").raw("<form method=post><textarea name=t></textarea></form>")
        book.useless(f"/review_form.php?id={number}", form)
        book.useless(
            f"/wishlist.php?do=add&id={number}", Sheet("Please log in to keep a wish list")
        )
        cart = Sheet("Your cart").raw(f"<p>1 × {_tool(number)}</p>").row(("/checkout.php", "Pay"))
        book.useless(f"/cart.php?add={number}", cart)
    home = Sheet("Tools for the garden").p(Prose("garden home").text(4, "{use}", use=_USES))
    book.page("/", home.links(areas), "home")
    book.useless("/cart.php", Sheet("Your cart is empty"))
    book.useless("/checkout.php", Sheet("Your cart is empty"))
    book.useless("/login.php", Sheet("Log in").raw("<form><input name=user></form>"))
    return book


def _sold_out_shop(run: int) -> Book:
    stock = Stock("second-hand-instruments", 150, 1)
    kinds = ("violins", "violas", "cellos", "bows", "cases", "flutes")
    book = Book(divs("Fiddle Exchange", [(f"/{kind}/", kind.title()) for kind in kinds]), "p")
    noindex = '<meta name="robots" content="noindex">'
    for place, kind in enumerate(kinds):
        inside = [number for number in stock.living(run) if number % len(kinds) == place]
        dead = [f"/{kind}/item-{900 + place * 20 + n}.html" for n in range(14)]
        for n, target in enumerate(dead[4:]):
            sheet = Sheet("Sold").raw(
                "<p>This instrument has been sold. Others arrive every week.</p>"
            )
            if n % 2:
                sheet.head = noindex
            book.useless(target, sheet.near([(f"/{kind}/", kind.title())]))
        entries: list[Link] = [(target, f"{kind[:-1].title()} (sold)") for target in dead]
        for number in inside:
            prose = Prose("fiddle", number)
            title = prose.title("{quality} {of} by {name}", of=[kind[:-1]]) + f", {1700 + number}"
            sheet = Sheet(title).near([("/", "Home"), (f"/{kind}/", kind.title())], entries[-3:])
            sheet.p(
                prose.text(2),
                Prose("fiddle", number, stock.edition(number, run))(
                    "Asking {300-9000} euros. {sentence}"
                ),
                prose("Length of back {330-370}.{0-9} mm, {material} pegs, {quality} varnish."),
            )
            target = f"/{kind}/item-{number}.html"
            book.page(target, sheet.row((f"/enquiry?item={number}", "Enquire")))
            entries.append((target, title))
        lists = [entries[start : start + 10] for start in range(0, len(entries), 10)]
        for page, shown in enumerate(lists, 1):
            sheet = Sheet(kind.title()).links(shown, css="stock")
            sheet.row(*((f"/{kind}/?p={n}", f"Page {n}") for n in range(1, len(lists) + 1)))
            for target in {f"/{kind}/?p={page}", f"/{kind}/" + (f"?p={page}" if page > 1 else "")}:
                book.neutral(target, sheet)
    book.useless("/enquiry", Sheet("Enquiry").raw("<form method=post><input name=mail></form>"))
    book.neutral(
        "/", Sheet("Instruments, new and old").links([(f"/{k}/", k.title()) for k in kinds])
    )
    return book


_GARMENTS = words("""oxford-shirt polo-shirt rugby-shirt parka raincoat duffle-coat cardigan pullover chinos
corduroys shorts dungarees scarf beanie mittens blazer waistcoat pyjamas dressing-gown socks""")


def _outlet(run: int) -> Book:
    book = Book(
        landmarks("Millgate Outlet", [("/men/", "Men"), ("/women/", "Women"), ("/help/", "Help")])
    )
    edited = Stock("outlet", 20)
    for folder in ("men", "women"):
        models = _GARMENTS if folder == "men" else _GARMENTS[5 : 18 - run]
        for place, model in enumerate(models):
            prose = Prose("outlet", folder, model)
            here, title = (
                f"/{folder}/{model}/",
                prose.title(f"{{quality}} {model.replace('-', ' ')}"),
            )
            text = prose.text(2, "{s}", s=[
                "Woven in {town} since {1950-2010}.", "Wash at {30-40} degrees with {quality} clothes.",
                "The {quality} collar hides a {material} button.", "Cut for a {person}, worn by everyone.",
                "{name} wore one like it when the {thing} was {done}."])  # fmt: skip
            colours = prose.pick(
                VOCABULARY["colour"], 3 + (edited.edition(place, run) or place % 2)
            )
            sheet = (
                Sheet(f"{title} for {folder}")
                .p(text)
                .near([("/", "Home"), (f"/{folder}/", folder)])
            )
            swatches = [(f"{colour}/", colour) for colour in colours]
            book.page(here, sheet.links(swatches, css="swatches"))
            for n, colour in enumerate(colours):
                one = Sheet(f"{title} in {colour}").p(text)
                one.table([("Colour", colour.title()), ("Code", f"{len(folder)}{place:02}{n:02}-{colour}"),
                           ("Left", f"{prose.number(2, 60)} pieces")])  # fmt: skip
                one.links([(f"../{other}/", other) for other in colours if other != colour])
                one.links([(f"size-{size}.html", size.upper()) for size in ("s", "m", "l")])
                book.page(f"{here}{colour}/", one)
                for size in ("s", "m", "l"):
                    book.useless(f"{here}{colour}/size-{size}.html", one, f"{here}{colour}/")
        book.neutral(f"/{folder}/", Sheet(folder.title()).links([(f"{m}/", m) for m in models]))
    for n, topic in enumerate(("returns", "sizes", "delivery", "factory", "jobs")):
        sheet = Sheet(topic.title()).p(
            Prose("outlet help", n, run if topic == "jobs" else 0).text(5)
        )
        book.page(f"/help/{topic}.html", sheet)
    topics = ("returns", "sizes", "delivery", "factory", "jobs")
    book.neutral("/help/", Sheet("Help").links([(f"{topic}.html", topic) for topic in topics]))
    book.neutral("/", Sheet("Outlet at the mill").links([("men/", "Men"), ("women/", "Women")]))
    return book


_PARTS = phrases(
    "Bearing|Coupling|Gearbox|Sprocket|Pneumatic valve|Linear guide|Shaft seal|Spring washer"
)


def _industrial(run: int) -> Book:
    stock = Stock("industrial", 260, 100)
    families = [(f"/products/{slug(part)}/list.asp?from=0", f"{part}s") for part in _PARTS]
    book = Book(
        table("KORTEX Antriebstechnik", [("/", "Home"), *families, ("/contact.asp", "Contact")]),
        "from Art lang",
    )
    for place, part in enumerate(_PARTS):
        inside = [n for n in stock.living(run) if n % len(_PARTS) == place]
        for start in range(0, len(inside), 12):
            sheet = Sheet(f"{part}s, types {start + 1} ff.").raw("<table border=1>")
            for n in inside[start : start + 12]:
                number = f"{part[0]}{n * 7:04}"
                sheet.raw(f"<tr><td><a href=/Datasheet.asp?Art={number}&lang=en>{number}</a></td>"
                          f"<td><a href='/inquiry.asp?Art={number}'>Inquiry</a></td></tr>")  # fmt: skip
            sheet.raw("</table>")
            if start + 12 < len(inside):
                sheet.row((f"/products/{slug(part)}/list.asp?from={start + 12}", "next 12"))
            book.neutral(f"/products/{slug(part)}/list.asp?from={start}", sheet)
        for n in inside:
            number = f"{part[0]}{n * 7:04}"
            prose = Prose("kortex", part, n // 40)
            own = Prose("kortex", n, stock.edition(n, run))
            sheet = Sheet(f"{part} {number}").near([("/", "Home"), families[place]])
            rows = [
                ("Type", number),
                ("Outer diameter", f"{n * 3 / 10:.1f} mm"),
                ("Bore", f"{prose.number(4, 80)} mm"),
                ("Dynamic load", f"{own.number(800, 90_000):,} N"),
                ("Material", prose("{material} / {material}")),
                ("Temperature", prose("−{10-40} … +{60-220} °C")),
                ("Mass", f"{own.number(10, 9999) / 1000:.3f} kg"),
            ]
            sheet.table(rows, " border=1 cellspacing=0")
            sheet.row((f"/Datasheet.asp?lang=en&Art={number}#drawing", "Drawing"),
                      (f"/print.asp?Art={number}", "Print"), (f"/cad/{number}.zip", "CAD"))  # fmt: skip
            book.page(f"/Datasheet.asp?Art={number}&lang=en", sheet, number)
            book.useless(f"/print.asp?Art={number}", sheet, number)
            book.useless(
                f"/inquiry.asp?Art={number}", Sheet("Inquiry").raw("<form method=post></form>")
            )
    home = Sheet("Drives since 1921").p(Prose("kortex home", run).text(4)).links(families)
    book.page("/", home, "home")
    book.page(
        "/contact.asp", Sheet("Contact").p(Prose("kortex contact")("{name}, {town} Road {2-90}"))
    )
    return book


SITES = (
    natural("garden-shop", _garden_shop),
    natural("second-hand-instruments", _sold_out_shop),
    natural("outlet-variants", _outlet, gone=410),
    natural("industrial-catalogue", _industrial),
)
