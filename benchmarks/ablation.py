"""The law of what may be left out, with each of its mechanisms switched off singly.

    python -m benchmarks.ablation [SITE ...] [--jobs N] [--runs N] [--orders N] [--off WORD ...]
    python -m benchmarks.ablation --real [SITE ...]

Simulates crawls (``natural_sites/simulation.py``) of the natural sites and of the trap site, with everything
on and with each mechanism off. A site is whole if no run misses a page. A mechanism without
which no page is lost and no request added beyond chance reads "nothing lost, nothing saved" and can be deleted.
``--off`` chooses the mechanisms whose names contain a word, ``--orders`` repeats each crawl with other
random orders. ``--real`` crawls real software with and without the options that switch something off.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import cache
from math import inf
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple
from unittest.mock import patch

from benchmarks.corpus import ROOT, end_in_order, install
from benchmarks.natural_sites.__main__ import sites as natural_sites
from benchmarks.natural_sites.simulation import (
    SHIPPED,
    AnsweredSite,
    Order,
    SimulatedRun,
    Simulation,
    Stopwatch,
)
from benchmarks.natural_sites.site import MISSING, NEUTRAL, NaturalSite, Reply, Visit
from benchmarks.real_sites.__main__ import HEAD as REAL_HEAD
from benchmarks.real_sites.__main__ import LONGEST, means
from benchmarks.real_sites.__main__ import measure as crawl_real_site
from benchmarks.real_sites.site import NEUTRAL as NO_TEXT
from benchmarks.real_sites.site import Marks
from benchmarks.real_sites.sites import SITES as REAL_SITES
from benchmarks.real_sites.versions import LLVM, LLVM_PACKAGES, pages_of
from fixtures.server import page
from fixtures.traps import TrapSite, real_pages
from sitecrawl.policy.worth import evidence, kinds, novelty
from sitecrawl.policy.worth.copies import Copies
from sitecrawl.policy.worth.endless import EndlessParts
from sitecrawl.policy.worth.evidence import Evidence, Verdict
from sitecrawl.policy.worth.evidence import upper_bound as evidence_bound
from sitecrawl.policy.worth.kinds import FOLDER, NAMES, PARAMETER, SET, Kinds
from sitecrawl.policy.worth.novelty import Novelty
from sitecrawl.policy.worth.translations import Translations

SHIPPED_NAME = "everything on"
TRAPS = "traps"
VERSIONS = "versions-reference"
LISTED = 60  # list pages of the trap site
CHANCE = 0.005
"""Share of the requests below which a difference is one of random order."""
NAMED = 3  # sites named for each mechanism
HEAD = (
    "| off | sites whole | pages lost | wrong documents | requests/page | requests "
    "| endless within bound | reading |"
)
CHEAP = ("dokuwiki", "catalogue", "forum")
SWITCHES = ("effort=0", "skip_known_views=no")


class Mechanism(NamedTuple):
    """A mechanism of the law: what switches it off in the product's code, or in the queue."""

    name: str
    patches: Sequence[AbstractContextManager[Any]] = ()
    order: Order = SHIPPED


def _without_pools(*bases: str) -> AbstractContextManager[Any]:
    return patch.dict(evidence.POOLS, dict.fromkeys(bases, (inf, 0.0, 0.0, 0)))


def _always(value: object) -> Callable[..., object]:
    return lambda *_args, **_kwargs: value


NEVER = _always(value=False)


def _choices(of: Callable[[str], bool], *, is_choice: bool) -> AbstractContextManager[Any]:
    """Fix the answer for the words at some places of a URL."""
    judged = Kinds._is_choice

    def choose(own: Kinds, place: str, word: str, *most: int) -> bool:
        return is_choice if of(place) else judged(own, place, word, *most)

    return patch.object(Kinds, "_is_choice", choose)


def _novelty(*, feeds_itself: bool) -> AbstractContextManager[Any]:
    def is_new(own: Evidence, read: evidence.Read, text: str) -> bool:
        return own.novelty.add(read.url, text, feeds_itself=feeds_itself)

    return patch.object(Evidence, "_is_new", is_new)


def _bound(mean: float, weight: float, *quantile: float) -> float:
    return evidence_bound(mean, weight, *quantile) if weight else 1.0


def _is_directory(place: str) -> bool:
    return place.endswith("/")


def _is_program(place: str) -> bool:
    return place.endswith("/?")


def _is_query(place: str) -> bool:
    return " " in place


def _own_name(_own: Kinds, kind: kinds.Kind, _referrer: str | None) -> str:
    return kind.name


MECHANISMS = (
    Mechanism(SHIPPED_NAME),
    Mechanism(
        "all of it (effort=0)",
        [
            patch.object(Evidence, "verdict", _always(Verdict.FETCH)),
            patch.object(EndlessParts, "part", _always(None)),
        ],
    ),
    Mechanism("random order", order=Order(is_random=False)),
    Mechanism("LATER: judged in order", order=Order(postpones=False)),
    *(
        Mechanism(f"pools: {each}", [_without_pools(each)])
        for each in (NAMES, SET, PARAMETER, FOLDER)
    ),
    Mechanism("pools: all", [_without_pools(NAMES, SET, PARAMETER, FOLDER)]),
    Mechanism("pools: sampled mixes", [patch.object(Evidence, "_is_sampled", NEVER)]),
    Mechanism("fading", [patch.object(evidence, "FADING", 1.0)]),
    Mechanism(
        "MIN_TRIED",
        [patch.object(evidence, "MIN_TRIED", 0), patch.object(evidence, "upper_bound", _bound)],
    ),
    Mechanism("credit", [patch.object(Evidence, "_credit", _always(None))]),
    Mechanism("novelty: always strict", [_novelty(feeds_itself=True)]),
    Mechanism("novelty: always lenient", [_novelty(feeds_itself=False)]),
    Mechanism("novelty: tables of numbers", [patch.object(novelty, "MIN_TABLE", inf)]),
    Mechanism("novelty: calendar names", [patch.object(novelty, "_CALENDAR", frozenset())]),
    Mechanism(
        "novelty: words of the URL", [patch.object(novelty, "words_of", _always(frozenset()))]
    ),
    Mechanism("aliases", [patch.object(Copies, "of", _always(None))]),
    Mechanism("translations are a kind", [patch.object(Kinds, "add_translation", _always(None))]),
    Mechanism("translations read before", [patch.object(Translations, "page_read", _always(None))]),
    Mechanism("novelty: new numbers", [patch.object(novelty, "MIN_NUMBERS", inf)]),
    Mechanism(
        "novelty: lines without digits",
        [
            patch.object(novelty, "_MARKS", re.compile(r"[^\w]+|_+")),
            patch.object(novelty, "_DIGITS", b""),
        ],
    ),
    Mechanism("kinds: names of programs", [_choices(_is_program, is_choice=False)]),
    Mechanism("kinds: words of queries", [_choices(_is_query, is_choice=False)]),
    Mechanism("kinds: those found on a path", [patch.object(Kinds, "found_on", _own_name)]),
    Mechanism("kinds: names of directories", [_choices(_is_directory, is_choice=False)]),
    Mechanism("kinds: bound of directories", [_choices(_is_directory, is_choice=True)]),
    Mechanism("kinds: shapes of values", [patch.object(kinds, "shape_of", _always(kinds.NAME))]),
    Mechanism("kinds: again by a value", [patch.object(kinds, "_variables", _always(()))]),
    Mechanism("useless where found", [patch.object(Evidence, "_is_useless", NEVER)]),
    Mechanism("found on a fruitless list", [patch.object(Evidence, "_is_on_fruitless", NEVER)]),
    Mechanism("nested below their list", [patch.object(evidence, "is_nested", NEVER)]),
    Mechanism("novelty: titles", [patch.object(Novelty, "_add_title", NEVER)]),
    Mechanism("novelty: pictures", [patch.object(Novelty, "_add_pictures", NEVER)]),
    Mechanism("noise", [patch.object(Evidence, "wants_second_reading", NEVER)]),
    Mechanism("endless parts", [patch.object(EndlessParts, "part", _always(None))]),
)


def trap_site() -> NaturalSite:
    """The trap site as a natural site, without its shop, whose lists have words made at random."""
    site = TrapSite(LISTED)
    pages = frozenset(
        each for each in real_pages(LISTED) if not each.startswith(("/shop", "/product"))
    )

    def name(target: str) -> str:
        path = target.partition("?")[0].partition(";")[0]
        if path == "/forum" and "page=" not in target:
            target += "&page=1"
        if path.startswith(("/session/", "/visitor/")):
            target = path
        is_month = path.startswith("/archive/") and path.endswith("/")
        return target if target in pages else NEUTRAL if is_month else ""

    def reply(visit: Visit) -> Reply:
        found = None if visit.path == "/shop" else site.answer(visit.target)
        if found is None:
            return MISSING
        links = "".join(f'<a href="{link}">.</a>' for link in found.links)
        body = page(title=found.title, text=found.text, body=links)
        return Reply(body, name(visit.target))

    truth: dict[str, Sequence[str]] = dict.fromkeys(pages, ())
    return NaturalSite(TRAPS, reply, lambda _run: truth, is_endless=True)


@cache
def versions_site() -> NaturalSite:
    """Two releases of LLVM's manual and a copy of one: real pages that differ in a few words."""
    if not all(folder.is_dir() for folder in LLVM.values()):
        install(*LLVM_PACKAGES)
    replies: dict[str, Reply] = {}
    names: dict[str, str] = {NO_TEXT: NEUTRAL}  # of pages with one text: the first one's path
    for path, markup, text in pages_of(LLVM, has_menu=True):
        replies[path] = Reply(markup, names.setdefault(text, path))
    truth: dict[str, Sequence[str]] = {each: () for each in names.values() if each != NEUTRAL}

    def reply(visit: Visit) -> Reply:
        name = "index.html" if visit.path.endswith("/") else ""
        return replies.get(visit.path + name, MISSING)

    return NaturalSite(VERSIONS, reply, lambda _run: truth)


def sites() -> dict[str, NaturalSite]:
    """The natural sites, the trap site and the releases of a manual, by name."""
    return {**natural_sites(), TRAPS: trap_site(), VERSIONS: versions_site()}


Runs = list[SimulatedRun]


@dataclass(slots=True)
class Figures:
    """The runs of one mechanism, by site."""

    by_site: dict[str, Runs] = field(default_factory=dict)

    def lost(self, site: str) -> int:
        """Number of the missing pages of a site in all runs."""
        return sum(len(run.missing) for run in self.by_site[site])

    def requests(self, site: str) -> int:
        """Number of the requests of all runs."""
        return sum(run.requests for run in self.by_site[site])

    @property
    def all_lost(self) -> int:
        """Number of all missing pages."""
        return sum(map(self.lost, self.by_site))

    @property
    def all_requests(self) -> int:
        """Number of all requests."""
        return sum(map(self.requests, self.by_site))

    @property
    def cost(self) -> float:
        """Mean of the requests for each true page of the runs."""
        return mean(run.requests / run.pages for runs in self.by_site.values() for run in runs)

    def in_bound(self, endless: Sequence[str]) -> int:
        """Number of the endless sites all of whose runs end within their bound."""
        return sum(
            all(run.ended and run.requests <= run.bound for run in self.by_site[site])
            for site in endless
        )


def simulate(
    site: str, orders: int, runs: int, words: Sequence[str]
) -> tuple[dict[str, Runs], Stopwatch]:
    """Crawl one site with each mechanism off; return the runs by mechanism, and the CPU of reading."""
    reading = Stopwatch()
    found: dict[str, Runs] = {}
    for number in range(orders):
        answered = AnsweredSite(sites()[site], number)
        for each in chosen(words):
            with ExitStack() as stack:
                for change in each.patches:
                    stack.enter_context(change)
                runs_of_site = list(Simulation(answered, each.order).runs(runs))
            found.setdefault(each.name, []).extend(runs_of_site)
        reading.add(answered.reading)
    return found, reading


def chosen(words: Sequence[str]) -> list[Mechanism]:
    """The mechanisms whose names contain one of the words, after the product as it is."""
    first, *others = MECHANISMS
    return [
        first,
        *(each for each in others if not words or any(word in each.name for word in words)),
    ]


def row(name: str, figures: Figures, shipped: Figures, endless: Sequence[str]) -> str:
    """A line of the table."""
    finite = [each for each in figures.by_site if each not in endless]
    whole = sum(not figures.lost(each) for each in finite)
    wrong = sum(run.wrong for runs in figures.by_site.values() for run in runs)
    in_bound = f"{figures.in_bound(endless)} of {len(endless)}"
    said = "" if figures is shipped else reading(figures, shipped, endless)
    counts = f"{figures.all_lost} | {wrong} | {figures.cost:.2f} | {figures.all_requests}"
    return f"| {name} | {whole} of {len(finite)} | {counts} | {in_bound} | {said} |"


def reading(figures: Figures, shipped: Figures, endless: Sequence[str]) -> str:
    """The loss without a mechanism, and the sites that it concerns most."""
    lost = figures.all_lost - shipped.all_lost
    more = figures.all_requests - shipped.all_requests
    ended = shipped.in_bound(endless) - figures.in_bound(endless)
    if lost <= 0 and ended <= 0 and more <= CHANCE * shipped.all_requests:
        said = "**nothing lost, nothing saved**"
        parts = [said, f"{more:+} requests"] if more else [said]
    else:
        parts = [f"{lost:+} lost", f"{more:+} requests"]
    by_lost = {each: figures.lost(each) - shipped.lost(each) for each in figures.by_site}
    by_more = {each: figures.requests(each) - shipped.requests(each) for each in figures.by_site}
    return "; ".join([*parts, *_most("lost", by_lost), *_most("requests", by_more)])


def _most(unit: str, changes: Mapping[str, int]) -> list[str]:
    """The sites that change most, in words."""
    ordered = sorted(changes.items(), key=lambda each: -abs(each[1]))[:NAMED]
    found = ", ".join(f"{site} {change:+}" for site, change in ordered if change)
    return [f"{unit}: {found}"] if found else []


def cpu(figures: Figures, reading_pages: Stopwatch) -> str:
    """The CPU of the law for a page, beside that of reading it."""
    judging, learning = Stopwatch(), Stopwatch()
    for runs in figures.by_site.values():
        for run in runs:
            judging.add(run.judging)
            learning.add(run.learning)
    requests = figures.all_requests
    law = 1e6 * (judging.seconds + learning.seconds) / requests
    return (
        f"CPU of a page: law {law:.0f} us ({learning.mean:.0f} us to learn from it and "
        f"{judging.times / requests:.1f} verdicts of {judging.mean:.0f} us), "
        f"reading {reading_pages.mean:.0f} us"
    )


def ablate(given: argparse.Namespace, known: Mapping[str, NaturalSite]) -> None:
    """Simulate the sites and print the table."""
    figures = {each.name: Figures() for each in chosen(given.off)}
    reading_pages = Stopwatch()
    names = given.sites or list(known)
    with ProcessPoolExecutor(given.jobs) as executor:
        futures = {
            executor.submit(simulate, name, given.orders, given.runs, given.off): name
            for name in names
        }
        for number, future in enumerate(as_completed(futures), 1):
            found, stopwatch = future.result()
            reading_pages.add(stopwatch)
            for mechanism, runs in found.items():
                figures[mechanism].by_site[futures[future]] = runs
            print(f"{number} of {len(names)}: {futures[future]}", file=sys.stderr, flush=True)
    endless = [each for each in names if known[each].is_endless]
    shipped = figures[SHIPPED_NAME]
    print(HEAD, "|---" * (HEAD.count("|") - 1) + "|", sep="\n")
    for mechanism, each in figures.items():
        print(row(mechanism, each, shipped, endless))
    print(*_missed(shipped), cpu(shipped, reading_pages), sep="\n")


def _missed(figures: Figures) -> list[str]:
    """Lines of the sites that miss pages with everything on."""
    lost = {each: runs for each, runs in figures.by_site.items() if figures.lost(each)}
    return [
        f"{site} misses {', '.join(page for run in runs for page in run.missing[:NAMED])}"
        for site, runs in lost.items()
    ]


def crawl_real(names: Sequence[str]) -> None:
    """Crawl sites of real software with and without the options that switch something off."""
    end_in_order()
    crawls = {"shipped": (ROOT, list[str]()), **{each: (ROOT, [each]) for each in SWITCHES}}
    print(REAL_HEAD, "|---" * (REAL_HEAD.count("|") - 1) + "|", sep="\n", flush=True)
    found: dict[str, list[Marks]] = {each: [] for each in crawls}
    with tempfile.TemporaryDirectory(prefix="sitecrawl-ablation-") as folder:
        for name in names:
            marks = crawl_real_site(
                REAL_SITES[name], crawls, Path(folder), LONGEST, 1, has_orders=False
            )
            for crawled, each in marks.items():
                found[crawled] += each
    print(*(means(crawled, each) for crawled, each in found.items()), sep="\n")


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sites", nargs="*", metavar="SITE")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--orders", type=int, default=1)
    parser.add_argument("--off", action="append", default=[])
    parser.add_argument("--real", action="store_true")
    given = parser.parse_args()
    known = sites()
    names = REAL_SITES if given.real else known
    if unknown := set(given.sites) - set(names):
        parser.error(f"no site {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if given.real:
        crawl_real(given.sites or CHEAP)
    else:
        ablate(given, known)


if __name__ == "__main__":
    main()
