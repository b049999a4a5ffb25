"""Crawls of sites made of real software, against what their databases and files say is there.

    python -m benchmarks.real_sites [SITE ...] [--now] [--against CHECKOUT] [--option NAME=VALUE ...]
                                    [--rounds N] [--orders]

Serves each site on a loopback address and crawls it twice, without anything learned or known of its
software (``before``) and as shipped (``now``); ``--now`` leaves the first out. Prints recall,
precision, F1, requests for each true page found (and with lists that count neither way), if the
crawl ended by itself, the means, and the figures of all sites together. With ``--against`` the
first crawl is that of another checkout (whose own ``.venv`` is used), with the options of
``--against-option``. ``--option`` goes to the other crawl. Debian packages that are missing are
installed. With ``--keep FOLDER`` outputs, logs and crawl databases stay there. With ``--rounds``
each site is crawled so many times by turns, and the median of the ratios of CPU is printed.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median

from benchmarks.corpus import ROOT, end_in_order, install
from benchmarks.real_sites.measure import crawl
from benchmarks.real_sites.site import Marks, Site
from benchmarks.real_sites.sites import SITES

UNLEARNED = [
    "query=keep",
    "effort=0",
    "skip_known_views=no",
]
LONGEST = 600  # seconds that a crawl may take
HEAD = (
    "| site | crawl | recall | precision | F1 | requests/page | with lists | requests | documents "
)
HEAD += "| garbage | lists | true pages | ended by itself | CPU s | s |"

Crawls = dict[str, tuple[Path, list[str]]]


def row(site: str, name: str, marks: Marks) -> str:
    """A line of the table."""
    ratios = f"{marks.recall:.3f} | {marks.precision:.3f} | {marks.f1:.3f}"
    ratios += f" | {marks.cost:.2f} | {marks.cost_with_lists:.2f}"
    counts = (
        f"{marks.requests} | {marks.documents} | {marks.garbage} | {marks.lists} | {marks.pages}"
    )
    end = f"{'yes' if marks.ended else 'no'} | {marks.cpu:.1f} | {marks.seconds:.0f}"
    return f"| {site} | {name} | {ratios} | {counts} | {end} |"


def means(name: str, marks: Sequence[Marks]) -> str:
    """The line of the means of one way of crawling."""
    ratios = (
        mean(each) for each in zip(*((m.recall, m.precision, m.f1) for m in marks), strict=True)
    )
    ended = sum(each.ended for each in marks)
    costs = mean(each.cost for each in marks), mean(each.cost_with_lists for each in marks)
    figures = " | ".join([*(f"{each:.3f}" for each in ratios), *(f"{each:.2f}" for each in costs)])
    return f"| mean | {name} | {figures} | | | | | | {ended} of {len(marks)} | | |"


def together(name: str, marks: Sequence[Marks]) -> str:
    """The line of all sites as if they were one, for one way of crawling."""
    requests, found = sum(each.requests for each in marks), sum(each.found for each in marks)
    listed = found + sum(each.lists for each in marks)
    costs = f"{requests / max(1, found):.2f} | {requests / max(1, listed):.2f}"
    counts = f"{requests} | {sum(each.documents for each in marks)}"
    pages = sum(each.pages for each in marks)
    return (
        f"| all sites | {name} | {found / pages:.3f} | | | {costs} | {counts} | | | {pages} | | | |"
    )


def measure(
    site: Site,
    crawls: Crawls,
    folder: Path,
    longest: float,
    rounds: int,
    *,
    has_orders: bool,
) -> dict[str, list[Marks]]:
    """The marks of every way of crawling on one site, of each round."""
    install("nginx-light", *site.packages)
    found: dict[str, list[Marks]] = defaultdict(list)
    own = folder / site.name
    (own / "server").mkdir(parents=True)
    for each in (folder, own, own / "server"):
        each.chmod(0o755)  # servers read as another user
    with site.serve(own / "server") as served:
        for number in range(rounds):
            for name, (checkout, options) in crawls.items():
                marks = crawl(
                    checkout,
                    served,
                    own / (f"{name}-{number}" if number else name),
                    [*site.options, *options],
                    max_pages=site.max_pages,
                    longest=longest,
                    seed=number if has_orders else None,
                )
                found[name].append(marks)
                print(row(site.name, name, marks), flush=True)
    if rounds > 1 and len(crawls) > 1:
        print(cpu_ratios(site.name, found), flush=True)
    return found


def cpu_ratios(site: str, found: Mapping[str, Sequence[Marks]]) -> str:
    """A line with the CPU of the last way of crawling for each second of the first."""
    first, *_, last = found
    pairs = zip(found[first], found[last], strict=True)
    ratios = sorted(other.cpu / one.cpu for one, other in pairs)
    between = f"{ratios[0]:.3f} to {ratios[-1]:.3f}"
    return f"{site}: CPU {last}/{first} {median(ratios):.3f}, {len(ratios)} pairs, {between}"


def arguments() -> argparse.Namespace:
    """The words of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sites", nargs="*", metavar="SITE", help=", ".join(SITES))
    parser.add_argument("--now", action="store_true")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--against-option", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--orders", action="store_true")
    parser.add_argument("--longest", type=float, default=LONGEST)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    if unknown := set(given.sites) - set(SITES):
        parser.error(f"no site {', '.join(sorted(unknown))}; there are {', '.join(SITES)}")
    return given


def main() -> None:
    """Measure the sites and print the table."""
    given = arguments()
    end_in_order()
    crawls: Crawls = {"now": (ROOT, given.option)}
    if given.against is not None:
        crawls = {"other": (given.against.resolve(), given.against_option), **crawls}
    elif not given.now:
        crawls = {"before": (ROOT, UNLEARNED), **crawls}
    print(HEAD, "|---" * (HEAD.count("|") - 1) + "|", sep="\n", flush=True)
    by_crawl: dict[str, list[Marks]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="sitecrawl-real-sites-") as temporary:
        folder = Path(temporary)
        if given.keep is not None:
            shutil.rmtree(given.keep, ignore_errors=True)
            given.keep.mkdir(parents=True)
            folder = given.keep.resolve()
        for name in given.sites or SITES:
            measured = measure(
                SITES[name],
                crawls,
                folder,
                given.longest,
                given.rounds,
                has_orders=given.orders,
            )
            for crawled, marks in measured.items():
                by_crawl[crawled] += marks
    for crawled, all_marks in by_crawl.items():
        print(means(crawled, all_marks), together(crawled, all_marks), sep="\n")


if __name__ == "__main__":
    main()
