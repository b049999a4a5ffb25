"""Crawls of generated sites, each in several runs, against the pages and words that they truly have.

    python -m benchmarks.natural_sites [SITE ...] [--only finite|endless] [--jobs N] [--runs N]
        [--checkout PATH] [--option NAME=VALUE ...] [--plain | --plain-only] [--missing]
        [--json FILE] [--keep FOLDER] | --check

Prints a row for each site and run: recall, the share of the found pages' lines that their documents
keep, documents that are wrong (of no true page, or a second one of a page), requests, and if the
crawl ended by itself. A site is edited between its runs, which share a crawl database. Ends with
status 1 if a finite site misses a page in any run. ``--plain`` crawls with plain Scrapy's
CrawlSpider besides, in the first run; ``--missing`` lists the missing pages, lost lines and wrong
documents; ``--check`` walks the sites in process and checks their truth.
"""

from __future__ import annotations

import argparse
import json
import pkgutil
import shutil
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from statistics import mean
from threading import Lock

import benchmarks.natural_sites
from benchmarks.corpus import ROOT, end_in_order
from benchmarks.natural_sites.measure import Crawler, Marks, crawl
from benchmarks.natural_sites.site import RUNS, NaturalSite
from benchmarks.natural_sites.walk import check, walk

HEAD = (
    "| site | crawler | run | true pages | found | recall | words | wrong | requests "
    "| requests/page | ended by itself | s |"
)
CHECK_HEAD = "| site | run | true pages | fetches | a page | repeats | neutral | useless | ms |"
LISTED = 10
"""Number of missing pages, lost lines and wrong documents that ``--missing`` lists of each crawl."""
WIDTH = 160  # characters of a listed line
_PRINTING = Lock()


def sites() -> dict[str, NaturalSite]:
    """The sites of all modules of this package, by name."""
    found: dict[str, NaturalSite] = {}
    for module in pkgutil.iter_modules(benchmarks.natural_sites.__path__):
        if module.name == "__main__":
            continue
        for site in getattr(import_module(f"benchmarks.natural_sites.{module.name}"), "SITES", ()):
            if found.setdefault(site.name, site) is not site:
                raise ValueError(f"two sites are named {site.name}")
    return found


def row(marks: Marks) -> str:
    """A line of the table."""
    ratios = f"{marks.recall:.3f} | {marks.words:.3f} | {marks.wrong}"
    return (
        f"| {marks.site} | {marks.crawler} | {marks.run} | {marks.pages} | {marks.found} | {ratios} "
        f"| {marks.requests} | {marks.cost:.2f} | {'yes' if marks.ended else 'no'} "
        f"| {marks.seconds:.0f} |"
    )


def details(site: NaturalSite, marks: Marks) -> list[str]:
    """The missing pages with their URLs, the lines lost and the wrong documents of a crawl."""
    urls = walk(site, marks.run).urls if marks.missing else {}
    lines = []
    for page, was_requested in marks.missing.items():
        state = "requested" if was_requested else "not requested"
        lines.append(f"    missing, {state}: {page} {' '.join(urls.get(page, ())[:2])}")
    lost = [f"    lost line of {line}" for line in marks.lost_lines]
    wrong = [f"    wrong: {url}" for url in marks.wrong_urls]
    return [line for each in (lines, lost, wrong) for line in _first(each)]


def _first(lines: Sequence[str]) -> list[str]:
    more = [f"    and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    return [line[:WIDTH] for line in lines[:LISTED]] + more


def summary(name: str, marks: Sequence[Marks]) -> list[str]:
    """The last lines: means of one crawler over all its crawls."""
    finite = [each for each in marks if not each.is_endless]
    endless = [each for each in marks if each.is_endless]
    lines = []
    if finite:
        names = {each.site for each in finite}
        whole = names - {each.site for each in finite if each.missing}
        costs = [each.cost for each in finite]
        lines.append(
            f"{name}, finite: mean recall {mean(each.recall for each in finite):.4f}, "
            f"sites whole {len(whole)} of {len(names)}, "
            f"words {mean(each.words for each in finite):.4f}, "
            f"wrong documents {sum(each.wrong for each in finite)}, "
            f"requests/page mean {mean(costs):.2f}, max {max(costs):.2f}"
        )
    if endless:
        in_bound = [each for each in endless if each.ended and each.requests <= bound(each)]
        lines.append(
            f"{name}, endless: mean recall {mean(each.recall for each in endless):.4f}, "
            f"words {mean(each.words for each in endless):.4f}, "
            f"wrong documents {sum(each.wrong for each in endless)}, "
            f"crawls ended within 4 requests a page and 150: {len(in_bound)} of {len(endless)}"
        )
    return lines


def bound(marks: Marks) -> int:
    """Number of requests within which a crawl of an endless site should end."""
    return 4 * marks.pages + 150


def arguments(known: dict[str, NaturalSite]) -> argparse.Namespace:
    """The words of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sites", nargs="*", metavar="SITE", help=", ".join(known))
    parser.add_argument("--only", choices=("finite", "endless"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--plain-only", action="store_true")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if unknown := set(given.sites) - set(known):
        parser.error(f"no site {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return given


def measure(site: NaturalSite, given: argparse.Namespace, folder: Path) -> list[Marks]:
    """Crawl one site with every crawler, and print a row for each crawl."""

    def report(marks: Marks) -> None:
        lines = details(site, marks) if given.missing else []
        with _PRINTING:
            print(row(marks), *lines, sep="\n", flush=True)

    found = []
    if not given.plain_only:
        crawler = Crawler("sitecrawl", given.checkout.resolve(), tuple(given.option))
        found += crawl(site, crawler, folder / site.name, given.runs, report)
    if given.plain or given.plain_only:
        found += crawl(site, Crawler("plain Scrapy"), folder / f"{site.name}-plain", 1, report)
    return found


def main() -> int:
    """Crawl the sites and print the table; the exit status."""
    known = sites()
    given = arguments(known)
    chosen = [
        site
        for name, site in known.items()
        if (not given.sites or name in given.sites)
        and (given.only is None or site.is_endless == (given.only == "endless"))
    ]
    head = CHECK_HEAD if given.check else HEAD
    print(head, "|---" * (head.count("|") - 1) + "|", sep="\n", flush=True)
    if given.check:
        return int(sum(not check(site) for site in chosen) > 0)
    end_in_order()
    marks: list[Marks] = []
    with tempfile.TemporaryDirectory(prefix="sitecrawl-natural-sites-") as temporary:
        folder = Path(temporary)
        if given.keep is not None:
            shutil.rmtree(given.keep, ignore_errors=True)
            folder = given.keep.resolve()
        with ThreadPoolExecutor(given.jobs) as executor:
            for each in executor.map(lambda site: measure(site, given, folder), chosen):
                marks += each
    for name in dict.fromkeys(each.crawler for each in marks):
        print(*summary(name, [each for each in marks if each.crawler == name]), sep="\n")
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(each) for each in marks], indent=1))
    of_product = (each for each in marks if each.crawler != "plain Scrapy")
    return int(any(each.missing and not each.is_endless for each in of_product))


if __name__ == "__main__":
    sys.exit(main())
