"""CPU, memory and time of this commit's crawls against those of a base, by turns.

    python -m benchmarks.budget [CASE ...] [--base COMMIT] [--pairs 5] [--limit 1.05]

Prints the medians of the ratios; ends with status 1 if one of CPU or memory is above the limit, or one
of time above ``MOST_TIME``. The base is the newest tag, or ``BASE``: a deliberate rise moves it, and is named
in CHANGELOG.md.
"""

from __future__ import annotations

import argparse
import compileall
import configparser
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median

from benchmarks.corpus import ONE_PAGE, ROOT, Corpus, generated, served
from benchmarks.crawls import Result, sitecrawl
from benchmarks.results import recorded
from benchmarks.tables import budget as table

BASE = "37e6fa6"
MOST_TIME = 1.5
"""Limit of the ratio of time, which other programs change: a crawl that waits is far above it."""
SMALL_PAGES, LINK_PAGES, LINKS, CHAINED_PAGES = 1_500, 300, 520, 150
WORDS = [
    "water",
    "lamp",
    "river",
    "stone",
    "garden",
    "window",
    "letter",
    "bridge",
    "silver",
    "market",
    "forest",
    "engine",
]


@dataclass(frozen=True, slots=True)
class Case:
    """Crawls of one corpus with options; ``again`` measures the crawl after the first."""

    corpus: Callable[[], AbstractContextManager[Corpus]]
    options: tuple[str, ...] = ()
    again: bool = False

    def crawl(self, corpus: Corpus, folder: Path, checkout: Path) -> Result:
        """Crawl the corpus with the code of a checkout."""
        found = sitecrawl(corpus, folder, *self.options, checkout=checkout)
        if self.again:
            found = sitecrawl(corpus, folder, *self.options, "recrawl=0", checkout=checkout)
        return found


def pages(count: int, links: int, words: int) -> dict[str, str]:
    """Pages that all can be reached, with a text and a number of links each."""
    random = Random(1)
    names = ["index.html", *(f"{number}.html" for number in range(1, count))]
    made = {}
    for number, name in enumerate(names):
        next_ones = range(number * 10 + 1, min(number * 10 + 11, count))
        others = random.choices(range(1, count), k=max(0, links - len(next_ones)))
        anchors = "".join(
            f'<li><a href="{each}.html">Page {each}</a>' for each in [*next_ones, *others]
        )
        text = " ".join(random.choices(WORDS, k=words))
        made[name] = (
            f"<!doctype html><title>Page {number}</title><h1>{text[:30]}</h1><p>{number} {text}</p><ul>{anchors}</ul>"
        )
    return made


def chain(count: int) -> dict[str, str]:
    """Pages each of which is linked from the one before alone: none is known while another is fetched."""
    random = Random(1)
    names = ["index.html", *(f"{number}.html" for number in range(1, count))]
    return {
        name: f"<!doctype html><title>Page {number}</title><p>{' '.join(random.choices(WORDS, k=40))}"
        f'<p><a href="{number + 1}.html">on</a>'
        for number, name in enumerate(names)
    }


CASES = {
    "manuals": Case(served),
    "preset=rag": Case(served, ("preset=rag",)),
    "small pages": Case(lambda: generated(pages(SMALL_PAGES, 12, 40))),
    "pages of links": Case(lambda: generated(pages(LINK_PAGES, LINKS, 200))),
    "chain": Case(lambda: generated(chain(CHAINED_PAGES))),
    "one page": Case(lambda: generated(ONE_PAGE)),
    "unchanged": Case(served, again=True),
    "short": Case(served, ("max_pages=300",)),
}
USUAL = [name for name in CASES if name != "short"]


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """The files of a commit in a folder."""
    with tempfile.TemporaryDirectory(prefix="sitecrawl-base-") as temporary:
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", commit], check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", temporary], input=archive.stdout, check=True)
        declare_entry_points(Path(temporary))
        for folder in (ROOT, Path(temporary)):  # else the first crawl of each would compile
            compileall.compile_dir(folder / "sitecrawl", quiet=2)
        yield Path(temporary)


def declare_entry_points(checkout: Path) -> None:
    """Write the entry points of a checkout as pip does, in place of those of the installed project.

    The first distribution of a name on the path counts, and a checkout may lack the installed
    one's modules.
    """
    of_root, of_checkout = (
        tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in (ROOT, checkout)
    )
    folder = checkout / f"{of_root['name'].replace('-', '_')}-0.dist-info"
    folder.mkdir()
    points = configparser.ConfigParser()
    points.read_dict(of_checkout.get("entry-points", {}))
    with (folder / "entry_points.txt").open("w") as file:
        points.write(file)


def newest_base() -> str:
    """Return the newest tag, else ``BASE``."""
    command = ["git", "-C", str(ROOT), "describe", "--tags", "--abbrev=0"]
    tag = subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()
    return tag or BASE


def is_known(commit: str) -> bool:
    """Return True if the repository has the commit; a shallow clone may lack it."""
    command = ["git", "-C", str(ROOT), "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def compared(case: Case, base: Path, pairs: int) -> dict[str, float]:
    """Crawl by turns; return the medians of the ratios, and of this commit's cost per page."""
    found: list[tuple[Result, Result]] = []
    with case.corpus() as corpus:
        for number in range(pairs):
            order = [("now", ROOT), ("base", base)][:: 1 if number % 2 else -1]
            runs = {
                name: case.crawl(corpus, corpus.room(f"{name}{number}"), each)
                for name, each in order
            }
            found.append((runs["now"], runs["base"]))
    return {
        "cost": round(median(now.cost for now, _ in found), 2),
        "cpu": round(median(now.cpu / base.cpu for now, base in found), 3),
        "memory": round(median(now.memory / base.memory for now, base in found), 3),
        "wall": round(median(now.wall / base.wall for now, base in found), 3),
    }


def main() -> int:
    """Compare, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of: {', '.join(CASES)}")
    parser.add_argument("--base", default=newest_base())
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--limit", type=float, default=1.05)
    given = parser.parse_args()
    names = given.cases or USUAL
    if unknown := set(names) - CASES.keys():
        parser.error(f"unknown case: {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    if not is_known(given.base):
        print(f"This clone has no commit {given.base}: nothing is compared.")
        return 0
    with recorded("budget", whole=names == USUAL) as figures, checked_out(given.base) as base:
        figures["base"], figures["pairs"], figures["limit"] = given.base, given.pairs, given.limit
        figures["rows"] = {name: compared(CASES[name], base, given.pairs) for name in names}
    print(table(figures))
    rows = figures["rows"].values()
    return int(
        any(max(row["cpu"], row["memory"]) > given.limit or row["wall"] > MOST_TIME for row in rows)
    )


if __name__ == "__main__":
    sys.exit(main())
