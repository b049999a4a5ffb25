"""Runs histories of failing sites, and counts the documents that an index loses by them.

    .venv/bin/python -m benchmarks.histories [WORD...] [--sizes 8 20 60] [--jobs 2]

Each history is a site that is crawled by the real command in two good runs, three bad ones and two good
ones. An index that is kept by the lines of its runs must not lose more than a tenth of its documents (one, below
ten) by the bad runs, and must hold the site again after one good run. WORDs choose histories by name.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.histories.faults import HISTORIES, History, Truth
from fixtures.crawls import CrawlCommand
from fixtures.server import Server

GOOD_BEFORE, BAD, GOOD_AFTER = 2, 3, 2
SIZES = (8, 20, 60)
KEPT = 0.5
"""Part of a page's own words that its document has to have."""


@dataclass
class Result:
    """Most documents that a history lost at once; what was wrong."""

    history: str
    size: int
    lost: int = 0
    statuses: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def own(document: dict[str, Any] | None, text: str) -> bool:
    """Return True if a document has the text of a page."""
    known = set(text.lower().strip(".").split())
    shown = set(str((document or {}).get("body", "")).lower().replace(".", " ").split())
    return len(known & shown) >= KEPT * len(known)


def run_history(history: History, size: int) -> Result:
    """Run a history, and compare the index with the site after each run."""
    result = Result(history.name, size)
    truth = Truth(size)
    gone = frozenset(history.touched(truth)) if history.expected == "gone" else frozenset()
    after = Truth(size, left_out=gone)
    index: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="histories-") as folder, Server() as server:
        site = truth.site()
        origin = server.serve(site)
        crawl = CrawlCommand(Path(folder))
        for run in range(GOOD_BEFORE + BAD + GOOD_AFTER):
            bad = run - GOOD_BEFORE
            if 0 <= bad < BAD or (bad >= 0 and history.expected == "changed"):
                pages = history.site(truth, min(bad, BAD - 1))
            else:
                pages = (truth if bad < 0 else after).site()
                if history.expected == "gone" and bad >= 0:
                    pages |= {k: v for k, v in history.site(truth, 0).items() if k not in pages}
            site.clear()
            site.update(pages)
            ended = crawl(origin, recrawl=0, retries=0)
            result.statuses.append(ended.status)
            for line in ended.lines:
                _fold(index, line)
            _check(result, history, run, origin, index)
    return result


def _fold(index: dict[str, dict[str, Any]], line: dict[str, Any]) -> None:
    if line["op"] == "upsert":
        index[line["url"]] = line
    else:
        index.pop(line["url"], None)


def _check(
    result: Result, history: History, run: int, origin: str, index: dict[str, dict[str, Any]]
) -> None:
    truth, bad = Truth(result.size), run - GOOD_BEFORE
    lost = [
        number
        for number in truth.numbers
        if not own(index.get(origin + truth.path(number)), truth.text(number))
    ]
    gone = history.touched(truth) if history.expected == "gone" else []
    name = f"run {run + 1}"
    if bad >= 0 and history.expected == "changed":
        _check_changed(result, history, run, origin, index)
        return
    if bad < 0 or bad >= BAD:
        left_out = gone if bad >= BAD else []
        extra = set(index) - {origin + truth.path(number) for number in truth.numbers}
        if sorted(lost) != left_out or extra:
            missing = len(set(lost) - set(left_out))
            result.wrong.append(f"{name}: {missing} missing, {len(extra)} others")
        return
    result.lost = max(result.lost, len(lost))
    allowed = {
        "kept": max(1, result.size // 10),
        "plain": result.size - 1,
        "gone": len(gone),
    }[history.expected]
    if len(lost) > allowed:
        result.wrong.append(f"{name}: {len(lost)} lost")
    if history.expected == "gone" and bad == BAD - 1 and lost != gone:
        result.wrong.append(f"{name}: {len(set(gone) - set(lost))} are not gone")


def _check_changed(
    result: Result, history: History, run: int, origin: str, index: dict[str, dict[str, Any]]
) -> None:
    truth = Truth(result.size)
    touched = history.touched(truth)
    if history.name.startswith("moved"):
        late = [
            n for n in touched if not own(index.get(f"{origin}/new{truth.path(n)}"), truth.text(n))
        ]
    elif history.name.startswith("rewritten"):
        new = Truth(result.size, 1)
        late = [n for n in touched if not own(index.get(origin + new.path(n)), new.text(n))]
    else:
        late = [n for n in touched if not own(index.get(origin + truth.path(n)), truth.text(n))]
    if late:
        result.wrong.append(f"run {run + 1}: {len(late)} changes not written")


def _table(results: list[Result]) -> Iterator[str]:
    yield "| history | pages | lost at once | what is wrong |"
    yield "|---|--:|--:|---|"
    for each in results:
        yield f"| {each.history} | {each.size} | {each.lost} | {'; '.join(each.wrong)} |"


def main() -> int:
    """Run the histories; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = [
        (history, size)
        for size in options.sizes
        for history in HISTORIES
        if not options.words or any(word in history.name for word in options.words)
    ]
    begun, results = time.monotonic(), []
    with ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda each: run_history(*each), chosen):
            results.append(result)
            state = "; ".join(result.wrong) or "ok"
            print(f"{result.size:3} {result.history}: lost {result.lost}; {state}", flush=True)
    failed = sum(bool(each.wrong) for each in results)
    print(*_table(results), sep="\n")
    print(f"{len(results)} histories, {failed} failed, {time.monotonic() - begun:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
