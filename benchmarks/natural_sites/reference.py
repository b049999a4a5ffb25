"""Works of reference: terms, short entries, a family, a museum's objects, recipes."""

from __future__ import annotations

from html import escape

from benchmarks.natural_sites.building import PICTURE, Book, Link, Sheet, Stock, a, chunks, natural
from benchmarks.natural_sites.prose import VOCABULARY, Prose, phrases, slug
from benchmarks.natural_sites.skins import bare, blog, divs, landmarks, table


def _glossary(run: int) -> Book:
    stock = Stock("glossary", 170)
    book = Book(landmarks("Terms of the Mill", [("/", "A–Z"), ("/about", "About this glossary")]))
    names = {
        n: Prose("term", n).title(f"{{quality}} {VOCABULARY['thing'][n % 170]}")
        for n in range(1, 190)
    }
    living = sorted(stock.living(run), key=names.__getitem__)
    letters: dict[str, list[int]] = {}
    for n in living:
        letters.setdefault(names[n][0], []).append(n)
    for n in living:
        prose = Prose("gloss", n, stock.edition(n, run))
        other = prose.random.choice(living)
        sheet = Sheet(names[n])
        sheet.p(
            prose("A {thing} of {material}, {done} by a {person} {reason}."),
            prose("In {town} also called a {quality} {thing}."),
        )
        sheet.raw(f"<p>Compare {a(f'/term/{slug(names[other])}-{other}', names[other])}.</p>")
        sheet.near([("/", "A–Z"), (f"/letter/{names[n][0].lower()}", names[n][0])])
        book.page(f"/term/{slug(names[n])}-{n}", sheet)
    for letter, members in letters.items():
        sheet = Sheet(f"Terms with {letter}")
        sheet.raw(
            "<dl>", *(f"<dt>{a(f'../term/{slug(names[n])}-{n}', names[n])}</dt>" for n in members)
        )
        book.neutral(f"/letter/{letter.lower()}", sheet.raw("</dl>"))
    alphabet = [(f"/letter/{letter.lower()}", letter) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    book.neutral("/", Sheet("Glossary").links(alphabet, css="az"))
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        if letter not in letters:
            empty = Sheet(f"Terms with {letter}").raw("<p>No terms begin with this letter.</p>")
            book.useless(f"/letter/{letter.lower()}", empty)
    about = f"This glossary has {len(living)} terms. " + Prose("glossary").text(6)
    book.page("/about", Sheet("About this glossary").p(about))
    return book


def _entry_text(n: int, edition: int, titles: dict[int, str]) -> tuple[list[str], list[int]]:
    prose = Prose("entry", n)
    texts = [prose.text(prose.number(1, 3)), Prose("entry", n, edition).text(prose.number(1, 2))]
    return texts, prose.random.sample(sorted(titles), 4)


def _encyclopaedia(run: int) -> Book:
    stock = Stock("encyclopaedia", 400)
    volumes = [(f"/vol{v}/index.htm", f"Volume {v}") for v in range(1, 9)]
    book = Book(bare("The Concise Encyclopaedia of Trades", [("/", "Contents"), *volumes]))
    titles = {
        n: Prose("entry title", n).title("{last}, {first}|{town}") + f" ({n + 1400})"
        for n in stock.living(run)
    }
    for v, (target, heading) in enumerate(volumes):
        members = [n for n in titles if n % 8 == v]
        listing = Sheet(heading)
        for letter_page, part in enumerate(chunks(members, 25)):
            listing.h(f"Part {letter_page + 1}", 3)
            listing.raw(", ".join(a(f"{slug(titles[n])}.htm", titles[n]) for n in part))
        book.neutral(target, listing)
        for place, n in enumerate(members):
            texts, others = _entry_text(n, stock.edition(n, run), titles)
            sheet = Sheet(titles[n]).p(*texts).near([volumes[v]])
            see = ", ".join(
                a(f"../vol{o % 8 + 1}/{slug(titles[o])}.htm", titles[o]) for o in others
            )
            sheet.raw(f"<p><i>See</i> {see}</p>")
            before, after = members[place - 1], members[(place + 1) % len(members)]
            sheet.row(
                (f"{slug(titles[before])}.htm", "<<"),
                (f"{slug(titles[after])}.htm", ">>"),
                between=" ",
            )
            book.page(f"/vol{v + 1}/{slug(titles[n])}.htm", sheet)
    book.neutral("/", Sheet("Contents").links(volumes))
    return book


def _family(run: int) -> Book:
    stock = Stock("family", 180)
    book = Book(
        table("The Hargraves of Wharfedale", [("index.php", "Start"), ("names.php", "Surnames"),
              ("places.php", "Places"), ("login.php", "Log in")]),
        "id gen name",
    )  # fmt: skip
    people = {
        n: f"{Prose('kin', n)('{first} {first}')} {['Hargrave', 'Peel'][n % 5 == 0]}"
        for n in range(200)
    }
    living = stock.living(run)
    for n in living:
        prose = Prose("kin life", n)
        born = 1640 + n
        sheet = Sheet(f"{people[n]} ({born}–{born + prose.number(2, 91)})")
        rows = [
            ("Born", f"{prose.number(1, 28)} {prose('{month}')} {born}, {prose('{town}')}"),
            ("Occupation", prose.title("{person}")),
            (
                "Buried",
                Prose("kin life", n, stock.edition(n, run))("{town}, row {1-40}, No. {1-99}"),
            ),
        ]
        sheet.table(rows)
        sheet.p(prose.text(1)) if n % 3 == 0 else None
        family = n // 3
        sheet.row((f"family.php?id=F{family}", f"Family F{family}"),
                  *((f"ancestors.php?id=I{n}&gen={gen}", f"{gen} generations") for gen in (3, 4, 5)),
                  (f"descendants.php?id=I{n}", "Descendants"), (f"gedcom.php?id=I{n}", "GEDCOM"))  # fmt: skip
        book.page(f"/person.php?id=I{n}", sheet)
        chart = Sheet(f"Ancestors of {people[n]}")
        chart.links(
            [(f"person.php?id=I{up}", people[up]) for up in (n // 2, n // 3) if up in living]
        )
        for gen in (3, 4, 5):
            book.neutral(f"/ancestors.php?gen={gen}&id=I{n}", chart)
        book.neutral(f"/descendants.php?id=I{n}", chart)
    for family in sorted({n // 3 for n in living}):
        prose = Prose("kin family", family)
        members = [n for n in living if n // 3 == family]
        sheet = Sheet(f"Family F{family}")
        sheet.p(
            prose(
                f"Married on {{1-28}} {{month}} {1660 + family} at {{town}} by {{name}}, {{person}}."
            )
        )
        book.page(
            f"/family.php?id=F{family}",
            sheet.links([(f"person.php?id=I{n}", people[n]) for n in members]),
        )
    for name in ("Hargrave", "Peel"):
        sheet = Sheet(name).links(
            [(f"person.php?id=I{n}", people[n]) for n in living if name in people[n]]
        )
        book.neutral(f"/surname.php?name={name}", sheet)
    names = Sheet("Surnames").links([(f"surname.php?name={n}", n) for n in ("Hargrave", "Peel")])
    book.neutral("/names.php", names)
    book.page("/places.php", Sheet("Places").list(Prose("kin places").pick(VOCABULARY["town"], 30)))
    book.useless("/login.php", Sheet("Log in").raw("<form method=post><input name=u></form>"))
    home = Sheet("Our family").p(Prose("kin home").text(5), f"The tree has {len(living)} persons.")
    for target in ("/", "/index.php"):
        book.page(target, home, "home")
    return book


def _museum(run: int) -> Book:
    stock = Stock("museum", 210, 1001)
    rooms = phrases("Coins|Clocks|Costume|Maps|Pottery|Toys|Weights and measures")
    nav = [("/collection?from=0", "Collection"), ("/visit", "Visit"), ("/history", "History")]
    book = Book(
        divs("Museum of Everyday Things", nav, "Museum of Everyday Things, Castle Yard"),
        "from room",
    )
    titles = {
        n: Prose("exhibit", n).title("{quality} {thing}, {material}") for n in range(1001, 1230)
    }
    living = stock.living(run)
    for room, members in [
        ("", living),
        *((r, [n for n in living if n % 7 == i]) for i, r in enumerate(rooms)),
    ]:
        for start in range(0, len(members), 20):
            part = f"&room={escape(slug(room))}" if room else ""
            sheet = Sheet(room or "The collection")
            sheet.links([(f"/object/{n}", titles[n]) for n in members[start : start + 20]], "ol")
            sheet.row(
                *((f"/collection?from={s}{part}", f"{s + 1}–") for s in range(0, len(members), 20))
            )
            sheet.links([(f"/collection?from=0&room={slug(r)}", r) for r in rooms], css="rooms")
            book.neutral(f"/collection?from={start}{part}", sheet)
    for n in living:
        prose, own = Prose("exhibit text", n // 2), Prose("exhibit own", n, stock.edition(n, run))
        sheet = Sheet(titles[n]).near([("/collection?from=0", "Collection"), ("/", rooms[n % 7])])
        sheet.table([("Inventory number", f"MET.{n}.{n % 13}"), ("Made in", own("{town}, about {1620-1930}")),
                     ("Material", prose("{material}, {material}")), ("Height", own("{1-240}.{0-9} cm"))])  # fmt: skip
        sheet.p(prose.text(prose.number(0, 4)), own("Given by {name} in {1890-2015}."))
        sheet.raw(f'<img src="/img/{n}.jpg" alt=""/>', a(f"/img/{n}.jpg", "Enlarge"))
        sheet.row((f"/object/{max(living[0], n - 1)}", "Previous"), (f"/object/{n + 1}", "Next"))
        book.page(f"/object/{n}", sheet)
        book.put(f"/img/{n}.jpg", PICTURE)
    history = Prose("museum history")
    book.page("/history", Sheet("History").p(*(history.text(5) for _ in range(8))))
    book.page("/visit", Sheet("Your visit").p(Prose("museum visit", run).text(6)))
    book.page("/", Sheet("Welcome").p(Prose("museum home").text(3)).links(nav), "home")
    return book


_DISHES = phrases(
    "soup|stew|pie|tart|gratin|salad|curry|casserole|dumplings|pancakes|risotto|loaf|chutney|pudding"
)
_FOODS = phrases(
    "leeks|carrots|parsnips|lentils|barley|chickpeas|spinach|mushrooms|apples|plums|pears|walnuts|cheese|"
    "butter|cream|flour|oats|eggs|onions|garlic|thyme|sage|parsley|cabbage|beetroot|potatoes|celery|rice"
)
_STEPS = [
    "Peel the {food} and cut them into pieces of {1-4} cm.",
    "Heat {2-5} spoons of oil in a {quality} pan and fry the {food} for {3-15} minutes.",
    "Stir in the {food}, the {food} and a pinch of salt.",
    "Simmer over a low heat for {10-90} minutes until the {food} are soft.",
    "Preheat the oven to {150-230} degrees and butter a {quality} dish.",
    "Leave to rest for {5-60} minutes under a {quality} cloth.",
    "Season with {food} and serve with {food} or {food}.",
    "Whisk the {food} with {40-400} ml of milk; it should not be {quality}.",
]


def _recipe(book: Book, here: str, title: str, latest: list[Link], seeds: tuple[int, int]) -> None:
    prose, own = Prose("dish text", seeds[0]), Prose("dish text", *seeds)
    foods = prose.pick(_FOODS, prose.number(4, 9))
    steps = [prose("{s}", s=_STEPS, food=foods) for _ in range(prose.number(2, 5))]
    amounts = [prose.number(3, 40) * 5 for _ in foods]
    introduction = own("{sentence} Makes a meal for a {person} and {2-9} {things}.")
    for servings in (2, 4, 8):
        sheet = Sheet(title).near([("/recipes/", "Recipes")], latest)
        sheet.p(introduction)
        scaled = [f"{w * servings // 4} g {food}" for w, food in zip(amounts, foods, strict=True)]
        if servings == 4:
            sheet.list(scaled)
        else:
            sheet.raw("<ul><li>", "<li>".join(scaled), "</ul>")
        sheet.h("Method").list(steps, "ol")
        sheet.row(*((f"{here}?servings={s}", f"{s} servings") for s in (2, 4, 8)))
        sheet.row(*((f"{here}?step={s}", f"Step {s}") for s in range(1, len(steps) + 1)))
        if servings == 4:
            book.page(here, sheet)
        book.useless(f"{here}?servings={servings}", sheet, here if servings == 4 else "")
    for place, step in enumerate(steps, 1):
        sheet = Sheet(f"{title}, step {place}").raw(f"<p>{step}</p>")
        book.useless(
            f"{here}?step={place}", sheet.row((f"{here}?step={place % len(steps) + 1}", "Next"))
        )


def _recipes(run: int) -> Book:
    stock = Stock("recipes", 90)
    kinds = sorted(_DISHES)
    nav = [("/recipes/", "All recipes"), ("/tips/", "Tips"), ("/newsletter", "Newsletter")]
    book = Book(blog("The Slow Oven", nav), "servings step page units")
    living = stock.living(run)
    titles = {
        n: Prose("dish", n)(f"{{food}} and {{food}} {kinds[n % 14]}", food=_FOODS).title()
        for n in range(99)
    }
    targets = {n: f"/recipes/{slug(titles[n])}-{n}/" for n in titles}
    for n in living:
        latest = [(targets[o], titles[o]) for o in living[-5:]]
        _recipe(book, targets[n], titles[n], latest, (n, stock.edition(n, run)))
    lists = chunks(living[::-1], 12)
    for page, part in enumerate(lists, 1):
        sheet = Sheet("All recipes").links([(targets[n], titles[n]) for n in part])
        sheet.row(*((f"/recipes/?page={p}", str(p)) for p in range(1, len(lists) + 1)))
        book.neutral(f"/recipes/?page={page}", sheet)
        if page == 1:
            book.neutral("/recipes/", sheet)
    for n in range(8):
        tip = Sheet(Prose("tip", n).title("How to keep {food} {quality}", food=_FOODS))
        book.page(f"/tips/{n}/", tip.p(Prose("tip text", n).text(4, "{s}", s=_STEPS, food=_FOODS)))
    book.neutral("/tips/", Sheet("Tips").links([(f"/tips/{n}/", f"Tip {n + 1}") for n in range(8)]))
    book.useless("/newsletter", Sheet("Newsletter").raw('<form><input type="email"/></form>'))
    book.neutral("/", Sheet("The Slow Oven").links([(targets[n], titles[n]) for n in living[-9:]]))
    return book


SITES = (
    natural("glossary", _glossary),
    natural("encyclopaedia", _encyclopaedia),
    natural("family-tree", _family, start="/index.php"),
    natural("museum", _museum),
    natural("recipes", _recipes),
)
