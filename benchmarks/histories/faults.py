"""Faults of a whole site, each a function of the page, the number of the page, and the run."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from fixtures.server import Answer, Site, redirect
from fixtures.server.answer import Fixed

WORDS = 70
"""Words of a page's own text."""
MENU = "Start Products Services Company Contact Imprint Privacy Newsletter"
SENTENCE = "We are working on our site and will be back soon. Thank you for your patience."
PARKED = (
    "This domain is parked. The owner has not published a site here yet. If you are the owner, "
    "log in to your hosting account, choose a plan and upload your files; our support will help "
    "you at any hour of the day. Related searches: insurance, mortgage, flights, hotels, cars. "
)
LOGIN = "<form method=post><input name=user><input type=password name=password></form>"
SYLLABLES = ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "dan", "fel", "gor")

Expected = Literal["kept", "plain", "gone", "changed"]


def words(seed: str, count: int = WORDS) -> str:
    """Return words that no other seed has."""
    dice = random.Random(seed)
    return " ".join("".join(dice.choices(SYLLABLES, k=4)) for _ in range(count))


@dataclass(frozen=True)
class Truth:
    """A made site: its pages, each with a title and a text of its own, and a menu."""

    size: int
    version: int = 0
    left_out: frozenset[int] = field(default=frozenset())

    def path(self, number: int) -> str:
        """Return the path of a page."""
        return "/" if number == 0 else f"/{words(f'path {number}', 1)}-{number}"

    def text(self, number: int) -> str:
        """Return the own text of a page."""
        return words(f"text {number} {self.version}").capitalize() + "."

    def title(self, number: int) -> str:
        """Return the own title of a page."""
        return words(f"title {number}", 3).capitalize()

    @property
    def numbers(self) -> list[int]:
        """The numbers of its pages."""
        return [number for number in range(self.size) if number not in self.left_out]

    def page(self, number: int, text: str | None = None, head: str = "", title: str = "") -> str:
        """Return a page inside the site's template, by default with its own text."""
        links = "".join(
            f'<li><a href="{self.path(each)}">{self.title(each)}</a>' for each in self.numbers
        )
        shown = self.text(number) if text is None else text
        return (
            f'<!DOCTYPE html><html lang="en"><head><title>{title or self.title(number)}</title>{head}'
            f"</head><body><header><p>{MENU}</p></header><main><h1>{title or self.title(number)}</h1>"
            f"<p>{shown}</p></main><nav><ul>{links}</ul></nav><footer><p>{MENU}</p></footer></body></html>"
        )

    def site(self) -> Site:
        """Return the whole site as it should be."""
        return {self.path(number): self.page(number) for number in self.numbers}


Fault = Callable[[Truth, int, int], Fixed | None]
"""The answer of a page while the site fails; None is the page itself."""


@dataclass(frozen=True)
class History:
    """A fault of three runs. ``expected`` says what of the documents has to be in the index then.

    kept: all but a tenth (below ten: all but one). plain: the owner's word, never all of them. gone: the pages of
    ``share`` are no more, in the good runs either. changed: the new texts, in the run that reads them.
    """

    name: str
    fault: Fault
    expected: Expected = "kept"
    also: Callable[[Truth], Site] = lambda _: {}
    share: float = 1.0

    def touched(self, truth: Truth) -> list[int]:
        """Return the numbers of the pages that fail: the last ones."""
        return list(range(truth.size))[-round(truth.size * self.share) :]

    def site(self, truth: Truth, run: int) -> Site:
        """Return the failing site in its first, second or third bad run."""
        pages = truth.site()
        for number in self.touched(truth):
            answer = self.fault(truth, number, run)
            if answer is not None:
                pages[truth.path(number)] = answer
        return {**pages, **self.also(truth)}


def html(text: str) -> str:
    """Return a page of one sentence."""
    return f"<!DOCTYPE html><html><head><title>{text[:30]}</title></head><body><p>{text}</p></body></html>"


def _canonical(to: Callable[[Truth, int, int], int]) -> Fault:
    def fault(truth: Truth, number: int, run: int) -> str:
        target = truth.path(to(truth, number, run))
        return truth.page(number, head=f'<link rel="canonical" href="{target}">')

    return fault


def _sent(status: int, to: Callable[[Truth, int], str]) -> Fault:
    return lambda truth, number, _: redirect(to(truth, number), status)


def _answer(body: str = "", status: int = 200, **headers: str) -> Fault:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda *_: Answer(body, status, named)


def _partner(truth: Truth, number: int, _: int) -> int:
    return min(number ^ 1, truth.size - 1)


def _next(truth: Truth, number: int, _: int) -> int:
    return (number + 1) % truth.size


def _random(truth: Truth, number: int, run: int) -> int:
    return random.Random(f"{number} {run}").randrange(truth.size)


def _of(other: Callable[[Truth, int, int], int]) -> Fault:
    return lambda truth, number, run: truth.page(other(truth, number, run))


def _incident(_: Truth, number: int, run: int) -> str:
    name = f"{random.Random(f'{number} {run}').getrandbits(64):016x}"
    return html(f"Something went wrong. Our engineers were told of it. Incident {name}, try later.")


def _chatty(_: Truth, number: int, run: int) -> str:
    return html(f"Something went wrong: {words(f'{number} {run}', 6)}. Our engineers were told.")


def _php(truth: Truth, number: int, _: int) -> str:
    return (
        "<br />\n<b>Fatal error</b>: Uncaught PDOException: SQLSTATE[HY000] [2002] Connection refused in "
        f"<b>/var/www/html{truth.path(number)}.php</b> on line <b>{40 + number}</b><br />"
    )


def _php_warning(truth: Truth, number: int, _: int) -> str:
    warning = (
        f"<b>Warning</b>: mysqli_connect(): Too many connections in /var/www{truth.path(number)}"
    )
    return html(f"{warning} on line {number}. {' '.join(truth.text(number).split()[:8])}")


def _mixed(truth: Truth, number: int, run: int) -> Fixed | None:
    kinds: list[Fault] = [
        _answer(html("")),
        _canonical(_next),
        _sent(301, lambda _, number: "/" if number else "/start"),
    ]
    return kinds[run](truth, number, run)


def _progressive(truth: Truth, number: int, run: int) -> Fixed | None:
    failing = max(1, truth.size // 10) * (run + 1)
    return html(SENTENCE) if number >= truth.size - failing else None


def _progressive_ring(truth: Truth, number: int, run: int) -> Fixed | None:
    failing = max(2, truth.size // 10) * (run + 1)
    return _canonical(_partner)(truth, number, run) if number >= truth.size - failing else None


def _flapping(_: Truth, number: int, run: int) -> Fixed | None:
    return html(SENTENCE) if (number + run) % 2 else None


def _only_once(_truth: Truth, _number: int, run: int) -> Fixed | None:
    return html(SENTENCE) if run == 1 else None


def _edited(truth: Truth, number: int, _: int) -> str:
    return Truth(truth.size, 1).page(number)


def _amended(truth: Truth, number: int, _: int) -> str:
    return truth.page(number, f"{truth.text(number)} {words(f'more {number}', 5)}")


MAINTENANCE: Site = {"/maintenance": html(SENTENCE)}


def _maintenance(_: Truth) -> Site:
    return MAINTENANCE


def _moved(truth: Truth) -> Site:
    return {f"/new{truth.path(number)}": truth.page(number) for number in truth.numbers}


def _alike(truth: Truth) -> Site:
    return {f"/new{truth.path(number)}": html(SENTENCE) for number in truth.numbers}


def _forbidden(_: Truth) -> Site:
    return {"/robots.txt": "User-agent: *\nDisallow: /\n"}


def _third_forbidden(truth: Truth) -> Site:
    numbers = range(truth.size)[-round(truth.size / 3) :]
    lines = "".join(f"Disallow: {truth.path(number)}\n" for number in numbers)
    return {"/robots.txt": f"User-agent: *\n{lines}"}


NOINDEX = '<meta name="robots" content="noindex">'


HISTORIES = [
    History("canonical: pairs", _canonical(_partner)),
    History("canonical: a ring", _canonical(_next)),
    History("canonical: the home page", _canonical(lambda *_: 0)),
    History("canonical: a random page", _canonical(_random)),
    History("canonical: half, a ring", _canonical(_next), share=0.5),
    History("cache: pairs swapped", _of(_partner)),
    History("cache: each the next one", _of(_next)),
    History("cache: a random one", _of(_random)),
    History("cache: always the home page", _of(lambda *_: 0)),
    History("cache: half swapped", _of(_partner), share=0.5),
    History("empty: no byte", _answer("")),
    History("empty: no byte, half", _answer(""), share=0.5),
    History("empty: no text", _answer("<html><body></body></html>")),
    History("empty: the template", lambda truth, number, _: truth.page(number, "")),
    History("sentence: alone", _answer(html(SENTENCE))),
    History("sentence: below the title", lambda truth, number, _: truth.page(number, SENTENCE)),
    History(
        "sentence: in the template",
        lambda truth, number, _: truth.page(number, SENTENCE, title="Maintenance"),
    ),
    History("sentence: half", _answer(html(SENTENCE)), share=0.5),
    History("sentence: a third", _answer(html(SENTENCE)), share=1 / 3),
    History("sentence: more every run", _progressive),
    History("sentence: now these, now those", _flapping),
    History("sentence: in one run of three", _only_once),
    History("sentence: as text/plain", _answer(SENTENCE, Content_Type="text/plain")),
    History("error: an incident number", _incident),
    History("error: random words", _chatty),
    History(
        "error: the path",
        lambda truth, number, _: html(f"Cannot GET {truth.path(number)} from the upstream server"),
    ),
    History("error: PHP, fatal", _php),
    History("error: PHP, warning and the first words", _php_warning),
    History("error: JSON", _answer('{"error": "down"}', Content_Type="application/json")),
    History(
        "error: octet-stream", _answer("\x00\x01\x02" * 40, Content_Type="application/octet-stream")
    ),
    History("error: 200, not found", _answer(html("404 Not Found. There is no such page."))),
    History("error: 503", _answer("down", 503)),
    History("error: 403", _answer("Forbidden", 403)),
    History("error: 406", _answer("Not acceptable", 406)),
    History("login form", _answer(f"<title>Log in</title><body>{LOGIN}</body>")),
    History("parked", lambda _t, number, _: html(f"{PARKED} Ref {number}")),
    History("text cut", lambda t, number, _: t.page(number, " ".join(t.text(number).split()[:9]))),
    History("301: the home page", lambda _t, n, _r: redirect("/") if n else None),
    History("301: maintenance", _sent(301, lambda *_: "/maintenance"), also=_maintenance),
    History("302: maintenance", _sent(302, lambda *_: "/maintenance"), also=_maintenance),
    History("301: pairs", _sent(301, lambda t, number: t.path(_partner(t, number, 0)))),
    History("301: a ring", _sent(301, lambda t, number: t.path(_next(t, number, 0)))),
    History("301: another host", _sent(301, lambda *_: "http://127.0.0.9:9/")),
    History(
        "301: new addresses, one text", _sent(301, lambda t, n: f"/new{t.path(n)}"), also=_alike
    ),
    History("every run another fault", _mixed),
    History("canonical: pairs, more every run", _progressive_ring),
    History("410: all", _answer("", 410), "plain"),
    History("404: all", _answer("", 404), "plain"),
    History("noindex: all", lambda t, n, _: t.page(n, head=NOINDEX), "plain"),
    History("noindex: all, header", _answer(html("x"), X_Robots_Tag="noindex"), "plain"),
    History("robots.txt: all", lambda *_: None, "plain", also=_forbidden),
    History("410: a third", _answer("", 410), "gone", share=1 / 3),
    History("404: a third", _answer("", 404), "gone", share=1 / 3),
    History("noindex: a third", lambda t, n, _: t.page(n, head=NOINDEX), "gone", share=1 / 3),
    History("robots.txt: a third", lambda *_: None, "gone", also=_third_forbidden, share=1 / 3),
    History("edited: all", _amended, "changed"),
    History("rewritten: a third", _edited, "changed", share=1 / 3),
    History("rewritten: all", _edited, "changed"),
    History("moved: all", _sent(301, lambda t, n: f"/new{t.path(n)}"), "changed", also=_moved),
]
