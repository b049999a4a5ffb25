"""The report as one HTML page that needs nothing else: styles, script and data are inside it.

The data of a list are its columns as JSON, gzip and base64, which the script unpacks when they are
needed; the first rows stand in the page as a table. Everything that comes from a site is escaped by
the template and becomes a text node in the script; the content security policy admits only our own
style and script.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sitecrawl import __version__
from sitecrawl.report.facts import Cell, Facts, FilledList
from sitecrawl.report.lists import all_lists
from sitecrawl.report.overview import KINDS, Overview

MAX_ROWS = 100_000
"""Rows of a list in the page; `scrapy report --list` has them all."""
MAX_CELL = 4000
"""Characters of one cell in the page."""
CELLS = {
    name: kind
    for kind, names in {
        "n": "status, pages, links, urls, documents, depth, clicks, hops, seconds, run, tried, new, "
        "changed, deleted, bytes, words, percent, requests, promised, smallest_gap, median_gap, 429, "
        "503, asked, waited, crawl_delay, waiting, duplicate, redirect, left out, failed, number, "
        "length, images, scripts, title_length, description_length, h1, exit_status, high, medium, low",
        "u": "url, target, moved_to, linked_from, kept, start, on_the_way, example, examples, "
        "canonical, folder, assets",
        "w": "outcome, reason, change, because, via, kind, problem, ends_as, crawl, "
        "finish_reason, started_at, ended_at, importance, indexable, listed, before, list, share, at, "
        "visited_at, seen_at, checked_at, origin, language",
        "t": "text",
    }.items()
    for name in names.split(", ")
}
"""Columns of numbers, URLs, words and long texts; all others are short texts."""
HEADS = {"url": "URL", "urls": "URLs"}
BAD = frozenset({"broken links", "deleted"})
"""Figures that are marked unless they are 0."""


def page(facts: Facts) -> str:
    """Return the page of one crawl."""
    overview = Overview.read(facts)
    problems, *lists = (FilledList(each, facts.rows(each)) for each in all_lists().values())
    return crawls_page(overview.named(1), lists, overview, problems)


def crawls_page(
    title: str,
    lists: Sequence[FilledList],
    overview: Overview | None = None,
    problems: FilledList | None = None,
) -> str:
    """Return a page over several crawls, or that of one with its overview."""
    environment = Environment(
        loader=PackageLoader("sitecrawl.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        kind=lambda name: CELLS.get(name, "s"), packed=packed, shortened=_shortened
    )
    style, script = _asset("report_page.css"), _asset("report_page.js")
    return environment.get_template("report.html").render(
        title=title,
        lists=lists,
        groups=dict.fromkeys(each.of.group for each in lists),
        overview=overview,
        problems=problems,
        kinds=KINDS,
        style=Markup(style),  # noqa: S704 -- our own
        script=Markup(script),  # noqa: S704
        policy=_policy(style, script),
        heads=HEADS,
        bad=BAD,
        max_rows=MAX_ROWS,
        version=__version__,
    )


def packed(found: FilledList) -> str:
    """Return the columns of a list as base64 of gzipped JSON."""
    columns = [list(map(_shortened, column)) for column in zip(*found.rows[:MAX_ROWS], strict=True)]
    text = json.dumps(columns, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(
        gzip.compress(text.encode("utf-8", "replace"), compresslevel=6, mtime=0)
    ).decode("ascii")


def _asset(name: str) -> str:
    return files("sitecrawl.report").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    hashes = [
        base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
        for each in (style, script)
    ]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}';"
        " base-uri 'none'; form-action 'none'"
    )


def _shortened(cell: Cell) -> Cell:
    if isinstance(cell, str) and len(cell) > MAX_CELL:
        return f"{cell[:MAX_CELL]}…"
    return cell
