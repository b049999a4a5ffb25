"""Time of searches in an index of many documents, recombined from passages of the manuals.

    python -m benchmarks.search.grown --folder FOLDER [--size 200000]

``FOLDER`` is that of ``benchmarks.search``, with its crawl and its index. Each document has title, headings and language of
a page, and passages of four paragraphs of pages in that language; lengths are log-normal, 1,500
characters in the median. Every sixth query of the benchmark is searched for, on a newly opened file.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.results import recorded
from benchmarks.search.queries import SEED, made_queries
from benchmarks.tables import search_grown
from sitecrawl.search.search_index import IndexedPage, SearchIndex, open_index
from sitecrawl.search.search_results import search

STEP = 6
BATCH = 1_000
MAX_LENGTH = 12_000  # characters


def grown(source: Path, path: Path, size: int) -> None:
    """Make an index of so many documents."""
    with open_index(source) as index:
        pages = list(index.pages())
    documents = recombined(pages, size)
    with closing(SearchIndex(path, make=True)) as index:
        for start in range(0, size, BATCH):
            with index.transaction():
                for _ in range(min(BATCH, size - start)):
                    index.put(next(documents))
        index.checkpoint()


def recombined(pages: list[IndexedPage], size: int) -> Iterator[dict[str, Any]]:
    """Documents of passages, the same in every run."""
    chance = random.Random(SEED)
    passages: defaultdict[str, list[list[str]]] = defaultdict(list)
    for page in pages:
        if lines := [line for line in page.body.split("\n") if len(line) > 40]:
            passages[page.language].append(lines)
    pages = [page for page in pages if passages[page.language]]
    for number in range(size):
        page = chance.choice(pages)
        length, texts = min(MAX_LENGTH, int(chance.lognormvariate(7.3, 0.8))), list[str]()
        while sum(map(len, texts)) < length:
            lines = chance.choice(passages[page.language])
            start = chance.randrange(len(lines))
            texts += lines[start : start + 4]
        yield {
            "id": f"{number:032x}",
            "url": f"http://site{number % 50}.example/{number // BATCH}/page-{number}.html",
            "language": page.language,
            "title": f"{page.title} {number}",
            "headings": page.headings[:3],
            "definitions": (page.content.get("definitions") or [])[:3] if number % 10 == 0 else [],
            "body": "\n".join(texts),
        }


def timed(path: Path) -> dict[str, float]:
    """Milliseconds of the queries, by the clock and of CPU."""
    texts = [query.text for query in made_queries() if not query.held][::STEP]
    walls, cpus = [], []
    gc.freeze()  # as in the benchmark of ranking
    for text in texts:
        began, cpu = time.perf_counter(), time.process_time()
        with open_index(path) as index:
            search(index, text)
        walls.append(1000 * (time.perf_counter() - began))
        cpus.append(1000 * (time.process_time() - cpu))
    found: dict[str, float] = {"queries": len(texts)}
    for name, times in (("wall", walls), ("cpu", cpus)):
        found[f"median_{name}_ms"] = round(median(times), 1)
        found[f"p95_{name}_ms"] = round(quantiles(times, n=20)[-1], 1)
        found[f"most_{name}_ms"] = round(max(times), 1)
    return found


def main() -> None:
    """Make the index unless the folder has it, search, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--size", type=int, default=200_000)
    options = parser.parse_args()
    source = options.folder / ".sitecrawl" / "bench.search.sqlite"
    path = options.folder / f"grown-{options.size}.search.sqlite"
    if not path.exists():
        grown(source, path, options.size)
    with open_index(source) as index:
        count = index.count()
    with recorded("search_grown") as figures:
        figures["sizes"] = {
            str(size): {**timed(file), "megabytes": round(file.stat().st_size / 1e6)}
            for size, file in ((count, source), (options.size, path))
        }
    print(search_grown(figures))


if __name__ == "__main__":
    main()
