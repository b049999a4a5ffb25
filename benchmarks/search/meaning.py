"""Search by words, by vectors and by both, on paraphrases and on the queries of the indexes.

    python -m benchmarks.search.meaning --folder FOLDER --embed MODULE:FUNCTION

``FOLDER`` is that of ``python -m benchmarks.search``. The paraphrases are the first lines of the
docstrings of Python's library, in the words of its programmers; the answer is the page of the
manual, in other words, that documents the object. Its name is not among the words.
"""

from __future__ import annotations

import argparse
import json
import pkgutil
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import mean

from benchmarks.search.__main__ import judged, synchronize
from benchmarks.search.queries import SEED, Query, made_queries, sphinx_index
from benchmarks.tables import grid
from sitecrawl.search.search_index import open_index
from sitecrawl.search.search_results import search
from sitecrawl.sync.embedding import query_vector
from sitecrawl.sync.search_file_target import SearchFileTarget
from sitecrawl.sync.target import TargetOptions

COUNT, FEWEST = 150, 4  # paraphrases; words of one
WAYS = ("words", "vectors", "both")


def paraphrases() -> list[Query]:
    """A seeded sample of the docstrings' first lines, without those that name their object."""
    found = [
        Query("paraphrase", text, (replace(answer, anchor=""),))
        for name, answer in sphinx_index("python")
        if answer.path.startswith("library/")
        and len((text := _purpose(name)).split()) >= FEWEST
        and not set(re.findall(r"\w+", name.lower())) & set(re.findall(r"\w+", text.lower()))
    ]
    return random.Random(SEED).sample(found, COUNT)


def _purpose(name: str) -> str:
    try:
        found = pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError):
        return ""
    text = found.__doc__ if callable(found) else ""
    return text.strip().partition("\n")[0] if isinstance(text, str) else ""


def hits(path: Path, queries: list[Query]) -> Iterator[tuple[Query, str, list[str]]]:
    """Each query's hits by each way."""
    with open_index(path) as index:
        for query in queries:
            vector = query_vector(index, query.text)
            for way in WAYS:
                if way == "vectors":
                    nearest = index.vectors.nearest(vector or [], {}, 10)
                    targets = [next(index.pages([number])).url for number, _ in nearest]
                else:
                    given = vector if way == "both" else None
                    found = search(index, query.text, reader=query.reader, vector=given)
                    targets = [hit.best.target for hit in found.hits]
                yield query, way, targets


def main() -> None:
    """Embed, search and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--embed", required=True)
    options = parser.parse_args()
    file = options.folder / ".sitecrawl" / "vectors.search.sqlite"
    target = SearchFileTarget(f"sqlite:///{file}", TargetOptions(embed=options.embed))
    with closing(target):
        synchronize(options.folder / ".sitecrawl" / "manuals.db", target, rebuild=False)
    origins = json.loads((options.folder / "origins.json").read_text())
    scores: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    asked = [*paraphrases(), *(query for query in made_queries() if not query.held)]
    for query, way, targets in hits(file, asked):
        scores[query.kind][way].append(judged(query, targets, origins).score)
    rows = [
        [kind, len(found["words"]), *(f"{mean(found[way]):.2f}" for way in WAYS)]
        for kind, found in scores.items()
    ]
    print(grid(["queries", "number", *WAYS], rows))


if __name__ == "__main__":
    main()
