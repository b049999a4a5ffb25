"""Sites that a program makes: a tarpit beside real pages, long archives, a shop and a forum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from html import escape
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, urlsplit

from benchmarks.real_sites.site import NEUTRAL, Served
from benchmarks.real_sites.texts import portion, slug, words
from fixtures.server import Answer, Page, Request, Server, page
from fixtures.traps import TrapSite, real_pages
from fixtures.traps.useful import SHOP

ARCHIVE = 10_000
SECTIONS, PER_SECTION = 10, 13  # with the sections and the home page, 141 real pages
_WORDS = 120


@contextmanager
def _answering(
    start: str,
    pages: frozenset[str],
    answer: Callable[[str], Page],
    *,
    is_neutral: Callable[[str], bool] = lambda _: False,
) -> Iterator[Served]:
    """Serve what ``answer`` gives for a target; true pages are named by their targets."""

    def page_of(url: str) -> str | None:
        _, _, path, query, _ = urlsplit(url)
        target = f"{path or '/'}?{query}" if query else path or "/"
        for name in (target, f"{target}&page=1"):
            if name in pages:
                return name
        return NEUTRAL if is_neutral(target) else None

    def answered(request: Request) -> Page:
        return answer(request.target)

    with Server() as server:
        origin = server.serve({"/robots.txt": Answer(status=404), "*": answered})
        yield Served(origin + start, pages, page_of, lambda: len(server.log.exchanges))


@cache
def _followers() -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for before, after in zip(words()[:100_000], words()[1:], strict=False):
        found[before].append(after)
    return found


def _babble(random: Random, length: int) -> str:
    """Text of a Markov chain, as tarpits make it."""
    word = random.choice(words()[:100_000])
    text = [word]
    for _ in range(length):
        word = random.choice(_followers().get(word) or words()[:1000])
        text.append(word)
    return " ".join(text)


def _tarpit_page(folder: str, target: str, *, nested: bool) -> str:
    """A page of endless text with ten links to new pages of its folder."""
    random = Random(target)
    names = [slug(_babble(random, 12), random.randint(2, 3)) for _ in range(10)]
    names = [f"{name}-{random.randrange(16**5):05x}" for name in names]
    here = f"{target.rstrip('/')}/" if nested else f"{folder}/"
    links = [here + name + ("/" if nested else "") for name in names]
    return page(*links, title=_babble(random, 5), text=_babble(random, 300))


def _real_pages() -> dict[str, str]:
    number, of = 0, 1 + SECTIONS * (1 + PER_SECTION)
    made: dict[str, str] = {}
    sections: list[str] = []
    for section in range(SECTIONS):
        home = f"/{slug(portion(number, of, _WORDS), 1)}-{section}/"
        sections.append(home)
        inner: list[str] = []
        for _ in range(PER_SECTION):
            number += 1
            path = f"{home}{slug(portion(number, of, _WORDS), 4)}-{number}.html"
            inner.append(path)
            made[path] = page(home, "/", title=Path(path).stem, text=portion(number, of, _WORDS))
        number += 1
        made[home] = page(*inner, "/", title=home, text=portion(number, of, _WORDS))
    made["/"] = page(*sections, title="Home", text=portion(0, of, _WORDS))
    return made


@contextmanager
def tarpit(folder: Path, *, nested: bool = False) -> Iterator[Served]:
    """Endless generated text, linked from every one of 141 real pages."""
    folder.mkdir(exist_ok=True)
    made = _real_pages()
    door = "/notes/welcome" + ("/" if nested else "")

    def answer(target: str) -> Page:
        if target in made:
            return made[target].replace("</body>", f'<a href="{door}">notes</a></body>')
        if target.startswith("/notes/"):
            return _tarpit_page("/notes", target, nested=nested)
        return Answer(status=404)

    with _answering("/", frozenset(made), answer) as served:
        yield served


@cache
def _slugs() -> dict[str, int]:
    """Paths of the posts of an archive, each named after its text."""
    texts = (portion(number, ARCHIVE, 60) for number in range(ARCHIVE))
    return {f"/posts/{slug(text)}-{number}": number for number, text in enumerate(texts)}


@contextmanager
def archive(folder: Path, *, named: bool) -> Iterator[Served]:
    """10,000 pages, each of which links to the next and to nothing else.

    They are numbered, or ``named`` after their texts, so that each URL has words of its own.
    """
    folder.mkdir(exist_ok=True)
    paths = list(_slugs()) if named else [f"/archive/{n}.html" for n in range(ARCHIVE)]
    places = {path: place for place, path in enumerate(paths)}

    def answer(target: str) -> Page:
        place = places.get("/".join(target.split("/")))
        if target == "/":
            return page(paths[0], title="Archive", text="All that was ever written here.")
        if place is None:
            return Answer(status=404)
        onward = paths[place + 1 : place + 2]
        return page(*onward, title=f"Number {place}", text=portion(place, ARCHIVE, 60))

    with _answering("/", frozenset(paths), answer, is_neutral=lambda path: path == "/") as served:
        yield served


@contextmanager
def _part_of_traps(folder: Path, start: str, prefixes: tuple[str, ...]) -> Iterator[Served]:
    folder.mkdir(exist_ok=True)
    site = TrapSite()

    def answer(target: str) -> Page:
        if not target.startswith(prefixes) or (found := site.answer(target)) is None:
            return Answer(status=404)
        return page(*found.links, title=found.title, text=found.text)

    pages = frozenset(path for path in real_pages() if path.startswith(prefixes))
    with _answering(start, pages, answer) as served:
        yield served


def _item(number: int) -> tuple[str, str]:
    """Name and description of a product."""
    text = portion(number, SHOP, 80)
    return f"{slug(text, 3).replace('-', ' ').title()} {number}", text


def _shop_page(target: str, links: Sequence[str]) -> str:
    """A product with its description, or a list: names and beginnings of its products, and facets."""
    path, _, query = target.partition("?")
    if path.startswith("/product/"):
        name, text = _item(int(path.rpartition("/")[2]))
        return page("/shop", title=name, text=text)
    chosen = {name: values[0] for name, values in parse_qs(query).items()}
    title = " ".join(["Shop", *(f"{name} {value}" for name, value in chosen.items())])
    articles, facets = "", ""
    for link in links:
        address = escape(link)
        if link.startswith("/product/"):
            name, text = _item(int(link.rpartition("/")[2]))
            words = escape(" ".join(text.split()[:12]))
            articles += (
                f'<article><h2><a href="{address}">{escape(name)}</a></h2><p>{words}</p></article>'
            )
        else:
            words = link.rpartition("=")[2]
            facets += f'<li><a href="{address}">{words}</a></li>'
    return page(title=title, text=title, body=f"{articles}<nav><ul>{facets}</ul></nav>")


@contextmanager
def catalogue(folder: Path) -> Iterator[Served]:
    """A shop of 120 products: lists by page, by six facets, and by all combinations of them."""
    folder.mkdir(exist_ok=True)
    site = TrapSite()

    pages = frozenset(path for path in real_pages() if path.startswith(("/shop", "/product")))

    def answer(target: str) -> Page:
        found = site.answer(target) if target in pages or target.startswith("/shop") else None
        return Answer(status=404) if found is None else _shop_page(target, found.links)

    def is_plain_list(target: str) -> bool:  # of all products, or by one facet
        names = parse_qs(target.partition("?")[2]).keys() - {"page"}
        return target.startswith("/shop?") and len(names) < 2

    with _answering("/shop", pages, answer, is_neutral=is_plain_list) as served:
        yield served


forum = partial(_part_of_traps, start="/forum?board=1", prefixes=("/forum", "/topic"))
