"""The report as one HTML page that needs nothing else: styles, script and data are inside it.

The data of a list are its columns as JSON, gzip and base64, which the script unpacks when they are
needed; the first rows stand in the page as a table. Everything that comes from a site is escaped
here and becomes a text node there; the content security policy admits only our own style and script.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files

from sitecrawl import __version__
from sitecrawl.report.chart import chart
from sitecrawl.report.facts import Cell, Facts, Row
from sitecrawl.report.lists import LISTS, PROBLEMS
from sitecrawl.report.overview import KINDS, Overview
from sitecrawl.report.report_list import FilledList

MAX_ROWS = 100_000
"""Rows of a list in the page; `scrapy report --list` has them all."""
FIRST_ROWS = 10
FIRST_CELLS = 3
MAX_CELL = 4000
"""Characters of one cell in the page."""
NUMBERS = frozenset(
    {
        *("status", "pages", "links", "urls", "documents", "depth", "clicks", "hops", "seconds"),
        *("bytes", "words", "percent", "requests", "promised", "smallest_gap", "median_gap", "429"),
        *("503", "asked", "waited", "crawl_delay", "waiting", "duplicate", "redirect"),
        *("left out", "failed", "number", "length", "images", "scripts"),
        *("title_length", "description_length", "h1", "exit_status", "high", "medium", "low"),
    }
)
URLS = frozenset(
    {
        *("url", "target", "moved_to", "linked_from", "kept", "start", "on_the_way", "example"),
        *("examples", "canonical", "folder", "assets"),
    }
)
WORDS = frozenset(
    {
        *("outcome", "reason", "change", "because", "via", "kind", "state", "problem", "ends_as"),
        *("crawl", "finish_reason", "ended_at", "importance", "indexable", "listed", "before"),
        *("list", "share"),
        *("at", "visited_at", "seen_at", "checked_at", "origin", "language"),
    }
)
HEADS = {"url": "URL", "urls": "URLs"}
BAD = frozenset({"broken links", "deleted"})
"""Figures that are marked unless they are 0."""


def page(facts: Facts) -> Iterator[str]:
    """Yield the lines of the page."""
    overview = Overview.read(facts)
    lists = [FilledList(each, facts.rows(each)) for each in LISTS if each is not PROBLEMS]
    unfinished = overview.unfinished
    return _page(
        _site(overview),
        lists,
        [
            *([f'<p class="unfinished">{escape(unfinished)}</p>'] if unfinished else ()),
            f'<p class="run">{escape(overview.run)}.</p>',
            *_figures(overview),
            *_problems(facts.rows(PROBLEMS)),
            *_chart(overview),
        ],
    )


def crawls_page(title: str, lists: Sequence[FilledList]) -> Iterator[str]:
    """Yield the lines of a page over several crawls."""
    return _page(title, lists, ())


def _page(title: str, lists: Sequence[FilledList], summary: Iterable[str]) -> Iterator[str]:
    style, script = _asset("report_page.css"), _asset("report_page.js")
    yield from (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="robots" content="noindex">',
        f"<title>{escape(title)}: crawl report</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        '<a class="skip" href="#lists">Skip to the lists</a>',
        '<div class="all">',
        *_navigation(lists),
        "<main>",
        f"<h1>{escape(title)}</h1>",
        *summary,
        '<div id="lists">',
    )
    for each in lists:
        yield from _section(each)
    yield "</div>"
    yield f"<footer>Written by sitecrawl {__version__}. Nothing in this page is loaded from a"
    yield "network.</footer></main></div>"
    for each in lists:
        if each.rows:
            yield f'<script type="application/gzip" id="data-{each.of.name}">{packed(each)}</script>'
    yield f"<script>{script}</script>"
    yield "</body></html>"


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


def _site(overview: Overview) -> str:
    if len(overview.sites) == 1:
        return overview.sites[0]
    first, others = (overview.sites or ("No start",))[0], len(overview.sites) - 1
    return f"{first} and {others} more" if others > 0 else first


def _navigation(lists: Sequence[FilledList]) -> Iterator[str]:
    yield '<nav aria-label="Lists">'
    for opening, closing in (
        ('<div class="groups">', "</div>"),
        ('<details class="phone"><summary>Lists</summary>', "</details>"),
    ):
        yield opening
        for group in dict.fromkeys(each.of.group for each in lists):
            yield f"<h2>{group}</h2><ul>"
            for each in lists:
                if each.of.group == group:
                    none = "" if len(each.rows) else ' class="none"'
                    yield (
                        f'<li><a href="#{each.of.name}"{none}>{escape(each.of.title)}'
                        f" <span>{len(each.rows):,}</span></a></li>"
                    )
            yield "</ul>"
        yield closing
    yield "</nav>"


def _figures(overview: Overview) -> Iterator[str]:
    yield '<dl class="figures">'
    for name, number in overview.figures:
        bad = ' class="bad"' if number and name in BAD else ""
        yield f"<div{bad}><dt>{name.capitalize()}</dt><dd>{number:,}</dd></div>"
    yield "</dl>"


def _problems(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the problems as a list in place of a table, which would not fit a phone."""
    yield f'<section id="{PROBLEMS.name}"><h2>{PROBLEMS.title}<span>{len(rows):,}</span></h2>'
    if not rows:
        yield f'<p class="none-left">{PROBLEMS.empty}</p>'
    yield '<ol class="problems">'
    for importance, title, number, what, why, remedy, examples, name in rows:
        yield (
            f'<li class="{importance}"><h3><a href="#{name}">{title}</a>'
            f"<span>{number:,}</span><em>{importance}</em></h3><p>{what} {why}</p>"
            f"<p><b>What to do:</b> {escape(str(remedy))}</p>"
        )
        found = examples if isinstance(examples, tuple) else ()
        yield f"<ul>{''.join(f'<li>{_leaf(each)}</li>' for each in found)}</ul></li>"
    yield "</ol></section>"


def _chart(overview: Overview) -> Iterator[str]:
    if not overview.columns:
        return
    yield f"<figure><figcaption>{escape(overview.axis.capitalize())}, by outcome</figcaption>"
    yield chart(overview)
    yield '<ul class="legend">'
    for number, kind in enumerate(KINDS):
        if any(each.counts[kind] for each in overview.columns):
            square = f'<rect class="k{number}" width="10" height="10" rx="2"/>'
            yield f'<li><svg viewBox="0 0 10 10" aria-hidden="true">{square}</svg>{kind}</li>'
    yield "</ul></figure>"


def _section(found: FilledList) -> Iterator[str]:
    of = found.of
    yield f'<section id="{of.name}" data-rows="{min(len(found.rows), MAX_ROWS)}" aria-labelledby="h-{of.name}">'
    yield f'<h2 id="h-{of.name}">{escape(of.title)}<span>{len(found.rows):,}</span></h2>'
    if not found.rows:
        yield f'<p class="none-left">{escape(of.empty)}</p></section>'
        return
    yield f"<p>{escape(of.about)}</p>"
    yield f'<div class="table" tabindex="0" role="group" aria-labelledby="h-{of.name}"><table>'
    yield "<thead><tr>"
    for name in of.columns:
        head = HEADS.get(name) or escape(name.replace("_", " ").capitalize())
        kind = _kind(name)
        yield f'<th scope="col" class="{kind}" data-kind="{kind}" data-name="{name}">{head}</th>'
    yield "</tr></thead><tbody>"
    for row in found.rows[:FIRST_ROWS]:
        cells = zip(of.columns, row, strict=True)
        yield f"<tr>{''.join(_cell(name, cell) for name, cell in cells)}</tr>"
    yield "</tbody></table></div>"
    if len(found.rows) > FIRST_ROWS:
        yield f'<p class="foot">The first {FIRST_ROWS} of {len(found.rows):,}.</p>'
    if len(found.rows) > MAX_ROWS:
        yield (
            f"<p>The page holds {MAX_ROWS:,} of them; <code>scrapy report --list {of.name}"
            "</code> has all.</p>"
        )
    yield "</section>"


def _kind(name: str) -> str:
    """Return the class of a column: number, URL, single word, preformatted text, or any text."""
    if name in NUMBERS:
        return "n"
    if name in URLS:
        return "u"
    return "w" if name in WORDS else "t" if name == "text" else "s"


def _cell(name: str, cell: Cell) -> str:
    kind = _kind(name)
    if cell is None:
        return f'<td class="{kind}"></td>'
    if isinstance(cell, tuple):
        return f'<td class="{kind}"><ul>{"".join(_items(cell))}</ul></td>'
    if isinstance(cell, str):
        return f'<td class="{kind}">{_leaf(cell)}</td>'
    return f'<td class="{kind}">{cell:,}</td>'


def _items(cells: tuple[str, ...]) -> Iterable[str]:
    for each in cells[:FIRST_CELLS]:
        yield f"<li>{_leaf(each)}</li>"
    if len(cells) > FIRST_CELLS:
        yield f"<li>and {len(cells) - FIRST_CELLS:,} more</li>"


def _leaf(text: str) -> str:
    shown = escape(str(_shortened(text)))
    if text.startswith(("http://", "https://")):
        return f'<a href="{escape(text)}" rel="noreferrer nofollow">{shown}</a>'
    return shown


def _shortened(cell: Cell) -> Cell:
    if isinstance(cell, str) and len(cell) > MAX_CELL:
        return f"{cell[:MAX_CELL]}…"
    return cell
