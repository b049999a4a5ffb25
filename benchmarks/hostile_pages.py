"""Memory and CPU of crawling one page that means no good, against a plain page of its size.

    python -m benchmarks.hostile_pages [--megabytes 9.9] [--option NAME=VALUE ...] [WORD ...]

Each page of ``fixtures.floods`` is served on a loopback address and crawled by the real command
in a process of its own. Each is crawled twice, the second time with ``preset=rag``. Words choose those whose names contain
one of them; options, such as ``--option content=article``, are those of ``scrapy crawl site``. With
either, no results are kept. Last, each page is read in this process at half of the size and at all
of it: a quotient far above two is work that grows faster than its page.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.crawls import SCRAPY, used
from benchmarks.results import recorded
from benchmarks.tables import hostile_pages
from fixtures.floods import FLOODS, PLAIN, Flood
from fixtures.server import Answer, Page, Server, page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

RAG = "rag"  # the preset that costs most: Markdown, sections, tables
LEAST_READING = 0.05  # seconds; quotients of shorter readings are noise
REFUSALS = ("too_large", "connection_failed")
Row = dict[str, Any]


def site(flood: Flood, size: int) -> dict[str, Page]:
    """A site that has the flood where it is read."""
    headers = {"Content-Type": flood.media_type, **flood.headers}
    answer = Answer(flood.body(size), headers=headers)
    if flood.kind == "robots":
        return {"/": page(text="Home"), "/robots.txt": answer}
    if flood.kind == "sitemap":
        robots = "User-agent: *\nDisallow:\nSitemap: /sitemap.xml\n"
        return {"/": page(text="Home"), "/robots.txt": robots, "/sitemap.xml": answer}
    return {"/": answer, "/robots.txt": ""}


def measure(flood: Flood, size: int, server: Server, options: Sequence[str] = ()) -> Row:
    """Memory and CPU of the crawl of one page, and the truncations that it logged.

    Links are not followed, only stored: what the page costs is measured, not its neighbours.
    """
    origin = server.serve(site(flood, size))
    with tempfile.TemporaryDirectory() as folder:
        command = [*SCRAPY, "crawl", "site", "-a", f"start={origin}/", "-a", "delay=0"]
        command += ["-a", "max_pages=1", "-O", "site.jsonl", "-s", "LOG_LEVEL=INFO"]
        command += [part for option in options for part in ("-a", option)]
        variables = {"SCRAPY_SETTINGS_MODULE": "sitecrawl.settings", "PYTHONPATH": str(Path.cwd())}
        with suppress(RuntimeError):  # a crawl whose one page is refused ends with 1
            used(command, Path(folder), **variables)
        figures: Row = json.loads((Path(folder) / "used.json").read_text())
        log = (Path(folder) / "output.log").read_text(encoding="utf-8", errors="replace")
    row = {"memory": round(figures["memory"]), "cpu": round(figures["cpu"], 2)}
    if "'finish_reason'" not in log:
        return {**row, "failed": log[-200:]}
    refused = [word for word in REFUSALS if f"'sitecrawl/outcomes/{word}'" in log]
    cuts = sorted({part.split("'")[0] for part in log.split("'sitecrawl/cuts/")[1:]})
    return {**row, "cuts": [*refused, *cuts]}


def growth(flood: Flood, size: int) -> float | None:
    """CPU of reading a page by that of one of half its size; None if it takes no time."""
    small, large = _reading(flood, size // 2), _reading(flood, size)
    return round(large / small, 2) if large >= LEAST_READING else None


def _reading(flood: Flood, size: int) -> float:
    """Seconds of CPU to read a page with all that ``preset=rag`` reads, the lesser of two."""
    body, spent = flood.body(size), []
    for _ in range(2):
        begun = time.process_time()
        read_page(
            body,
            url="http://example.org/",
            content_type=flood.media_type,
            headers={},
            options=ReadOptions(outline=True),
        )
        spent.append(time.process_time() - begun)
    return min(spent)


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=9.9)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("words", nargs="*")
    asked = parser.parse_args(arguments)
    size = int(asked.megabytes * 1_000_000)
    chosen = {
        name: flood
        for name, flood in FLOODS.items()
        if not asked.words or any(word in name for word in asked.words)
    }
    with (
        recorded("hostile_pages", whole=not (asked.words or asked.option)) as figures,
        Server() as server,
    ):
        figures["bytes"] = size
        figures["rows"] = {}
        for name, flood in {"plain page": PLAIN, **chosen}.items():
            row = measure(flood, size, server, asked.option)
            row[RAG] = measure(flood, size, server, [*asked.option, f"preset={RAG}"])
            if flood.kind == "page" and not flood.headers:
                row["growth"] = growth(flood, size)
            figures["rows"][name] = row
            print(name, json.dumps(row), file=sys.stderr, flush=True)
    print(hostile_pages(figures))


if __name__ == "__main__":
    main(sys.argv[1:])
