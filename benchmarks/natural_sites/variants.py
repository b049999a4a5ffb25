"""Pages told apart by a variant or a record number: colours, sizes, dictionary entries and records."""

from __future__ import annotations

import re

from benchmarks.natural_sites.editions import Truth, number, query, standing, version
from benchmarks.natural_sites.layouts import boxes, items, landmarks, link, paragraphs, tables
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.natural_sites.vocabulary import NOUNS, dice, name_of, paragraph, person

_COLOURS = ("red", "blue", "green", "black")
_SIZES = ("s", "m", "l", "xl")


def _stock(*seed: object) -> str:
    return f"{dice('stock', *seed).randrange(10**6):06}"


# A shop whose products have a line and a stock number for each colour: product?id=&color=


def _colour_lines(run: int, product: int, colour: str) -> list[str]:
    note = paragraph(
        1, "colour", product, colour, version(run, "colour", product, colour, one_in=40)
    )
    return [name_of("colours", product), f"{note} Stock no. {_stock('c', product, colour)}"]


def _colours(visit: Visit) -> Reply:
    given, products = query(visit), standing(visit.run, 90, "colours")
    menu = (("/", "All products"), ("/cart", "Cart (0)"), ("/account/login", "Sign in"))
    if visit.path in ("/cart", "/account/login"):
        return Reply(boxes("Your cart", "Your cart is empty.", menu, site="Outfitter"), "")
    if visit.path == "/":
        page = max(1, number(given.get("page", "1")))
        shown = products[18 * page - 18 : 18 * page]
        rows = [(f"/product?id={n}", name_of("colours", n)) for n in shown]
        pager = [(f"/?page={n + 1}", str(n + 1)) for n in range((len(products) + 17) // 18)]
        content = f"<div class=grid>{items(rows, 'div')}</div>{items(pager, 'span')}"
        return Reply(boxes("All products", content, menu, site="Outfitter"), NEUTRAL)
    product, colour = number(given.get("id")), given.get("color", _COLOURS[0])
    if visit.path != "/product" or product not in products or colour not in _COLOURS:
        return MISSING
    title, note = _colour_lines(visit.run, product, colour)
    swatches = [(f"/product?id={product}&color={each}", each) for each in _COLOURS]
    form = '<form action="/cart"><input name="n" value="1"><button>Add to cart</button></form>'
    shared = paragraph(3, "product", product)
    content = f"<p>{shared}</p><ul class=swatches>{items(swatches)}</ul><p>{note}</p>{form}"
    return Reply(boxes(title, content, menu, site="Outfitter"), f"{product}.{colour}")


def _colours_truth(run: int) -> Truth:
    products = standing(run, 90, "colours")
    return {f"{n}.{colour}": _colour_lines(run, n, colour) for n in products for colour in _COLOURS}


# Two parameters in either order; each mix has an article number and a price of its own


def _mix_line(run: int, product: int, size: str, colour: str) -> str:
    price = dice("price", product, size, colour, version(run, "mix", product, size)).randrange(
        900, 9900
    )
    return f"Article {_stock('mix', product, size, colour)}, {price / 100:.2f} EUR"


def _mixes(visit: Visit) -> Reply:
    given, products = query(visit), standing(visit.run, 15, "mixes", new=0)
    menu = (("/", "Shop"), ("/terms", "Terms"))
    if visit.path == "/terms":
        return Reply(landmarks("Terms", f"<p>{paragraph(9, 'terms')}</p>", menu), "terms")
    if visit.path == "/":
        rows = [(f"/item/?p={n}", name_of("mixes", n)) for n in products]
        return Reply(landmarks("Shop", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    product, size, colour = (
        number(given.get("p")),
        given.get("size", "s"),
        given.get("colour", "red"),
    )
    if (
        visit.path != "/item/"
        or product not in products
        or size not in _SIZES
        or colour not in _COLOURS
    ):
        return MISSING
    colours = [(f"/item/?p={product}&size={size}&colour={each}", each) for each in _COLOURS]
    sizes = [(f"/item/?colour={colour}&p={product}&size={each}", each.upper()) for each in _SIZES]
    text, line = paragraph(2, "mixes", product), _mix_line(visit.run, product, size, colour)
    content = f"<p>{text}</p><table><tr><td>Colour</td>{items(colours, 'td')}</tr><tr><td>Size</td>"
    content += f"{items(sizes, 'td')}</tr></table><p class=price>{line}</p>"
    return Reply(landmarks(name_of("mixes", product), content, menu), f"{product}.{size}.{colour}")


def _mixes_truth(run: int) -> Truth:
    found: Truth = {"terms": (paragraph(9, "terms"),)}
    return found | {
        f"{n}.{size}.{colour}": (name_of("mixes", n), _mix_line(run, n, size, colour))
        for n in standing(run, 15, "mixes", new=0)
        for size in _SIZES
        for colour in _COLOURS
    }


# The variant as a part of the path: /p/12/red


def _path_lines(run: int, product: int, colour: str) -> list[str]:
    edited = version(run, "path", product, colour)
    lines = [
        f"Yarn {product} {name_of('yarn', product)} in {colour}",
        f"Dye lot {_stock(product, colour, edited)}",
    ]
    return lines + ([paragraph(1, "yarn", product, colour)] if product % 2 else [])


def _yarns(visit: Visit) -> Reply:
    products = standing(visit.run, 40, "yarn")
    menu = (("/", "Yarns"), ("/p/", "Price list"))
    if visit.path in ("/", "/p/"):
        rows = [
            (f"/p/{n}", f"{name_of('yarn', n)} {n}")
            for n in (products if visit.path == "/" else products[::-1])
        ]
        return Reply(tables("Yarns", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    match = re.fullmatch(r"/p/(\d+)(?:/(\w+))?", visit.path)
    product, colour = (int(match[1]), match[2] or "red") if match else (-1, "")
    if product not in products or colour not in _COLOURS:
        return MISSING
    title, *lines = _path_lines(visit.run, product, colour)
    others = [(f"/p/{product}/{each}", each) for each in _COLOURS]
    content = f"<p>100 g, 210 m, needles 4 mm. Wash by hand.</p>{paragraphs(lines)}<p>{items(others, 'b')}</p>"
    return Reply(tables(title, content, menu), f"{product}.{colour}")


def _yarns_truth(run: int) -> Truth:
    return {f"{n}.{c}": _path_lines(run, n, c) for n in standing(run, 40, "yarn") for c in _COLOURS}


# A dictionary with lists by letter: ?letter=a&page=2, entries by word


def _words(run: int) -> list[str]:
    suffixes = ("", "-maker", "-house", "-wright", "-keeper", "-stone")
    words = sorted(noun + suffix for noun in NOUNS[:42] for suffix in suffixes)
    gone = dice("words").sample(words, 3)[:run]
    return [word for word in words if word not in gone] + [f"zither{n}" for n in range(run)]


def _entry(run: int, word: str) -> list[str]:
    meaning = paragraph(
        dice("entry", word).choice((1, 1, 2, 4)),
        "entry",
        word,
        version(run, "entry", word, one_in=30),
    )
    return [f"{word}, noun. {meaning}", f"See also volume {dice(word).randrange(1, 12)}"]


def _dictionary(visit: Visit) -> Reply:
    given, words = query(visit), _words(visit.run)
    letters = sorted({word[0] for word in words})
    menu = [(f"/?letter={each}", each.upper()) for each in letters]
    if visit.path == "/" and "letter" in given:
        mine = [word for word in words if word[0] == given["letter"]]
        page = max(1, number(given.get("page", "1")))
        rows = [(f"/entry?word={word}", word) for word in mine[15 * page - 15 : 15 * page]]
        more = (
            link(f"/?letter={given['letter']}&page={page + 1}", "more") if mine[15 * page :] else ""
        )
        return Reply(
            boxes(given["letter"].upper(), items(rows, "p") + more, menu, site="Crafts"), NEUTRAL
        )
    if visit.path == "/":
        return Reply(
            boxes("Dictionary of crafts", "<p>Choose a letter.</p>", menu, site="Crafts"), NEUTRAL
        )
    word = given.get("word", "")
    if visit.path != "/entry" or word not in words:
        return MISSING
    place = words.index(word)
    around = [(f"/entry?word={each}", each) for each in words[max(0, place - 2) : place + 3]]
    side = f"<h4>Neighbours</h4><ul>{items(around)}</ul>"
    return Reply(boxes(word, paragraphs(_entry(visit.run, word)), menu, side, "Crafts"), word)


def _dictionary_truth(run: int) -> Truth:
    return {word: _entry(run, word) for word in _words(run)}


# A library's records, each also as labelled fields and as MARC


def _record(run: int, record: int) -> list[str]:
    chance = dice("record", record)
    return [
        f"{name_of('record', record)} of {chance.choice(NOUNS)}s, volume {chance.randrange(1, 9)}",
        person("author", record % 30),
        f"{chance.randrange(80, 700)} pages, {chance.randrange(1890, 1999)}. Shelf mark {_stock('shelf', record)}",
        f"Copies on loan: {version(run, 'loan', record, one_in=8)}",
    ]


def _library(visit: Visit) -> Reply:
    given, records = query(visit), standing(visit.run, 150, "library", new=2)
    menu = (("/opac", "Catalogue"), ("/opac?action=login", "My account"))
    if visit.path not in ("/", "/opac"):
        return MISSING
    if given.get("action") == "login":
        return Reply(tables("My account", "<form><input name=card></form>", menu), "")
    if "author" in given:
        mine = [n for n in records if n % 30 == number(given["author"])]
        if given.get("sort") == "title":
            mine.sort(key=lambda n: name_of("record", n))
        rows = [(f"/opac?record={n}", f"{name_of('record', n)} ({n})") for n in mine]
        sort = link(f"/opac?author={given['author']}&sort=title", "Sort by title")
        content = f"{sort}<ol>{items(rows)}</ol>"
        return Reply(
            tables(person("author", number(given["author"])), content, menu),
            "" if "sort" in given else NEUTRAL,
        )
    if "record" not in given:
        rows = [(f"/opac?author={n}", person("author", n)) for n in range(30)]
        return Reply(tables("Catalogue", f"<ul>{items(rows)}</ul>", menu), NEUTRAL)
    record = number(given["record"])
    if record not in records:
        return MISSING
    lines = _record(visit.run, record)
    if "format" in given:
        fields = "".join(f"<tr><td>{100 + 45 * n}<td>__ $a {line}" for n, line in enumerate(lines))
        return Reply(f"<html><title>{given['format']}</title><table>{fields}</table></html>", "")
    views = [(f"/opac?record={record}&format={each}", each) for each in ("marc", "labelled")]
    views += [(f"/opac?author={record % 30}", "More by this author")]
    rest = "".join(
        f"<tr><th>{label}</th><td>{line}</td></tr>"
        for label, line in zip(("Author", "Extent", "Loans"), lines[1:], strict=True)
    )
    return Reply(
        tables(lines[0], f"<table>{rest}</table>{items(views, 'span')}", menu), f"{record}"
    )


def _library_truth(run: int) -> Truth:
    return {f"{n}": _record(run, n) for n in standing(run, 150, "library", new=2)}


SITES = (
    NaturalSite("shop-colours", _colours, _colours_truth),
    NaturalSite("variants-size-colour", _mixes, _mixes_truth),
    NaturalSite("variants-path", _yarns, _yarns_truth),
    NaturalSite("dictionary-letters", _dictionary, _dictionary_truth),
    NaturalSite("library-catalogue", _library, _library_truth),
)
