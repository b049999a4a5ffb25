"""Parts of the generated sites: pages with their truth, and the books of pages of each run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from random import Random
from urllib.parse import parse_qsl, urlencode

from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit

Link = tuple[str, str]
"""An address and the text of its link."""
Skin = Callable[["Sheet"], str]


class Sheet:
    """The content of a page: markup, and the lines of text that a reader would miss."""

    def __init__(self, title: str, *, is_heading: bool = True) -> None:
        self.title = title
        self.parts: list[str] = []
        self.lines: list[str] = []
        self.crumbs: Sequence[Link] = ()
        self.aside: Sequence[Link] = ()
        self.head = ""
        if is_heading:
            self.h(title, 1)

    def _say(self, *lines: str) -> None:
        self.lines.extend(" ".join(line.split()) for line in lines)

    def h(self, text: str, level: int = 2) -> Sheet:
        """A heading."""
        self._say(text)
        return self.raw(f"<h{level}>{escape(text)}</h{level}>")

    def p(self, *texts: str, tag: str = "p") -> Sheet:
        """Paragraphs of plain text."""
        self._say(*texts)
        for text in texts:
            self.raw(f"<{tag}>{escape(text)}</{tag.partition(' ')[0]}>")
        return self

    def table(self, rows: Iterable[Sequence[object]], attributes: str = "") -> Sheet:
        """A table; the first cell of each row is its heading."""
        self.raw(f"<table{attributes}>")
        for first, *others in rows:
            cells = [str(first), *map(str, others)]
            self._say(*cells)
            self.raw(
                f"<tr><th>{escape(cells[0])}</th>"
                + "".join(f"<td>{escape(cell)}</td>" for cell in cells[1:])
                + "</tr>"
            )
        return self.raw("</table>")

    def list(self, items: Iterable[str], tag: str = "ul") -> Sheet:
        """A list of plain texts."""
        items = list(items)
        self._say(*items)
        return self.raw(f"<{tag}>", *(f"<li>{escape(item)}</li>" for item in items), f"</{tag}>")

    def links(self, links: Iterable[Link], tag: str = "ul", css: str = "") -> Sheet:
        """A list of links; their texts are no truth."""
        mark = f' class="{css}"' if css else ""
        return self.raw(f"<{tag}{mark}>", *(f"<li>{a(*link)}</li>" for link in links), f"</{tag}>")

    def row(self, *links: Link, css: str = "links", between: str = " | ") -> Sheet:
        """Links in one line."""
        return self.raw(f'<div class="{css}">{between.join(a(*link) for link in links)}</div>')

    def raw(self, *html: str) -> Sheet:
        """Markup whose text is no truth."""
        self.parts.extend(html)
        return self

    def near(self, crumbs: Sequence[Link] = (), aside: Sequence[Link] = ()) -> Sheet:
        """Set the path to the page and the links beside it."""
        self.crumbs, self.aside = crumbs, aside
        return self

    @property
    def body(self) -> str:
        """All of the markup."""
        return "\n".join(self.parts)


PICTURE = Reply(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", headers={"Content-Type": "image/jpeg"})
FILE = Reply(b"%PDF-1.4\n%%EOF\n", headers={"Content-Type": "application/pdf"})


def a(href: str, text: str) -> str:
    """A link."""
    return f'<a href="{escape(href)}">{escape(text)}</a>'


def canonical(target: str, known: Iterable[str]) -> str:
    """A target as a program reads it: known parameters only, in one order."""
    path, _, query = target.partition("?")
    wanted = {key: value for key, value in parse_qsl(query, keep_blank_values=True) if key in known}
    return f"{path}?{urlencode(sorted(wanted.items()))}" if wanted else path


class Book:
    """All replies of a site in one run, by target, with its truth.

    Parameters other than ``known`` are ignored, as programs do.
    """

    def __init__(self, skin: Skin, known: str = "") -> None:
        self.skin = skin
        self.known = frozenset(known.split())
        self.replies: dict[tuple[str, str], Reply] = {}
        self.truth: dict[str, tuple[str, ...]] = {}
        self.other: Callable[[Visit], Reply | None] = lambda _: None

    def put(self, target: str, reply: Reply, host: str = "") -> None:
        """Answer a target."""
        self.replies[host, canonical(target, self.known)] = reply

    def page(self, target: str, sheet: Sheet, name: str = "", host: str = "") -> None:
        """Answer a target with a true page, named by its target unless it has a name."""
        name = name or host + canonical(target, self.known)
        self.truth.setdefault(name, tuple(dict.fromkeys(line for line in sheet.lines if line)))
        self.put(target, Reply(self.skin(sheet), name), host)

    def neutral(self, target: str, sheet: Sheet, host: str = "") -> None:
        """Answer a target with a list that a reader may want or not."""
        self.put(target, Reply(self.skin(sheet), NEUTRAL), host)

    def useless(self, target: str, sheet: Sheet, page: str = "", host: str = "") -> None:
        """Answer a target with what nobody would miss, or what repeats a page."""
        self.put(target, Reply(self.skin(sheet), page), host)

    def moved(self, target: str, to: str, status: int = 302) -> None:
        """Redirect a target."""
        self.put(target, Reply(status=status, headers={"Location": to}))

    def answer(self, visit: Visit) -> Reply | None:
        """The reply to a visit."""
        found = self.replies.get((visit.host, canonical(visit.target, self.known)))
        return self.other(visit) if found is None else found


@dataclass(frozen=True, slots=True)
class Stock:
    """Numbered things of a site: one or two come and one goes in each run, some are edited."""

    site: str
    size: int
    first: int = 1

    def living(self, run: int) -> list[int]:
        """The numbers that exist in a run."""
        numbers = list(range(self.first, self.first + self.size))
        for later in range(1, run + 1):
            numbers.remove(Random(f"{self.site}:{self.size}:gone:{later}").choice(numbers[:-1]))
            numbers += range(numbers[-1] + 1, numbers[-1] + 2 + later % 2)
        return numbers

    def edition(self, number: int, run: int) -> int:
        """Number of edits of a thing before a run."""
        edits = (Random(f"{self.site}:{number}:{later}").random() for later in range(1, run + 1))
        return sum(edit < 0.06 for edit in edits)


def chunks(items: Sequence[int], size: int) -> list[Sequence[int]]:
    """The pages of a list."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def natural(
    name: str,
    build: Callable[[int], Book],
    *,
    start: str = "/",
    hosts: tuple[str, ...] = (),
    is_endless: bool = False,
    gone: int = 404,
    finish: Callable[[Visit, str], str] | None = None,
) -> NaturalSite:
    """The site of a book for each run; ``gone`` is the status of pages of earlier runs.

    ``finish`` completes the markup for a visit.
    """
    books = cache(build)

    def reply(visit: Visit) -> Reply:
        found = books(visit.run).answer(visit)
        if found is None:
            was = visit.run and books(visit.run - 1).answer(visit)
            return Reply("<h1>Gone</h1>", status=gone) if was else MISSING
        if finish and isinstance(found.body, str):
            return Reply(finish(visit, found.body), found.page, found.status, found.headers)
        return found

    def truth(run: int) -> Mapping[str, Sequence[str]]:
        return books(run).truth

    return NaturalSite(name, reply, truth, start, hosts, is_endless=is_endless)
