"""Ranking of `scrapy search` beside plain FTS5, on queries that real manuals' indexes answer.

    python -m benchmarks.search [--folder FOLDER] [--held] [--misses KIND] [--only KIND]
        [--opensearch]

``--opensearch`` adds the documented query of OpenSearch, on a server that it starts. The first run
crawls the manuals; ``--folder`` keeps the crawl database for the next. The tenth of the queries that is
held back from tuning counts only with ``--held``, which prints that tenth alone.
Queries of a translated manual are those of a reader of its language, as browsers name it (`reader`).
A query scores the reciprocal of the rank of its first answer among ten (MRR@10); ``own anchor`` is
the share of answers with an anchor, among those found, whose hit leads to that very anchor.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from urllib.parse import unquote, urldefrag

from benchmarks.results import recorded
from benchmarks.search.manuals import crawled
from benchmarks.search.plain_fts import PlainFts
from benchmarks.search.queries import Answer, Query, made_queries
from benchmarks.tables import search as search_table
from fixtures.opensearch import SearchServer
from fixtures.walk import plain
from sitecrawl.frontier.opening import open_change_log
from sitecrawl.search.search_index import open_index
from sitecrawl.search.search_results import search
from sitecrawl.sync.opensearch_target import OpenSearchTarget
from sitecrawl.sync.search_file_target import SearchFileTarget
from sitecrawl.sync.synchronizer import Synchronizer
from sitecrawl.sync.target import SyncTarget, TargetOptions

KINDS = ("entry", "purpose", "section", "identifier", "term", "language", "typo", "prefix")


@dataclass(frozen=True, slots=True)
class Found:
    """The rank of a query's first answer, 0 if there is none among ten; its anchor; milliseconds of CPU."""

    query: Query
    rank: int
    is_own_anchor: bool | None
    ms: float
    targets: tuple[str, ...]

    @property
    def score(self) -> float:
        """Reciprocal rank."""
        return 1 / self.rank if self.rank else 0.0


def judged(
    query: Query, targets: Sequence[str], origins: Mapping[str, str], ms: float = 0.0
) -> Found:
    """Judge the URLs of the hits, which may end with anchors."""
    wanted = {plain(f"{origins[a.manual]}/{a.path}"): a.anchor for a in query.answers}
    for rank, target in enumerate(targets, 1):
        page = plain(target)
        if page in wanted:
            named = [a.anchor for a in query.answers if a.anchor and _is(a, page, origins)]
            own = unquote(urldefrag(target).fragment) in named if named else None
            return Found(query, rank, own, ms, tuple(targets))
    return Found(query, 0, None, ms, tuple(targets))


def _is(answer: Answer, page: str, origins: Mapping[str, str]) -> bool:
    return plain(f"{origins[answer.manual]}/{answer.path}") == page


def figures_of(found: Sequence[Found]) -> dict[str, float]:
    """The figures of queries of one kind, or of all."""
    anchors = [each.is_own_anchor for each in found if each.is_own_anchor is not None]
    return {
        "queries": len(found),
        "mrr": round(mean(each.score for each in found), 3),
        "within_five": round(mean(0 < each.rank <= 5 for each in found), 3),
        "own_anchor": round(mean(anchors), 3) if anchors else 0.0,
        "median_ms": round(median(each.ms for each in found), 1),
        "most_ms": round(max(each.ms for each in found), 1),
    }


def main() -> None:
    """Crawl, index, search, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--misses", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--opensearch", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sitecrawl-benchmark-") as temporary:
        database, origins = crawled(options.folder or Path(temporary) / "manuals")
        file = database.with_name("bench.search.sqlite")
        began = time.process_time()
        with closing(SearchFileTarget(f"sqlite:///{file}", TargetOptions())) as target:
            synchronize(database, target, rebuild=file.exists())
        print(f"indexed in {time.process_time() - began:.1f} s of CPU")
        queries = [each for each in made_queries() if each.held == options.held]
        queries = [each for each in queries if options.only in each.kind]
        name = "search_held" if options.held else "search"
        with ExitStack() as stack:
            others: dict[str, Callable[[str], list[str]]] = {}
            if options.opensearch:
                others["OpenSearch"] = stack.enter_context(asked_opensearch(database))
            figures = stack.enter_context(
                recorded(name, whole=not (options.misses or options.only))
            )
            figures["documents"], figures["kinds"] = compared(
                file, queries, origins, others, options.misses
            )
    print(search_table(figures))


def synchronize(database: Path, target: SyncTarget, *, rebuild: bool = False) -> None:
    """Bring a target up to date."""
    with open_change_log(f"sqlite:///{database}") as log:
        synchronizer = Synchronizer(log, target, "bench", report=print)
        synchronizer.rebuild() if rebuild else synchronizer.run()


@contextmanager
def asked_opensearch(database: Path) -> Iterator[Callable[[str], list[str]]]:
    """The documented query, on a server with the manuals."""
    with SearchServer("opensearch") as server:
        with closing(OpenSearchTarget(server.uri("manuals"), TargetOptions())) as target:
            synchronize(database, target)
        server.documents("manuals")  # refreshed
        yield lambda text: [each["url"] for each in server.found("manuals", text)]


def compared(
    file: Path,
    queries: Sequence[Query],
    origins: Mapping[str, str],
    others: dict[str, Callable[[str], list[str]]],
    misses: str,
) -> tuple[int, dict[str, dict[str, dict[str, float]]]]:
    """The number of documents, and the figures of each by kind."""
    with open_index(file) as index:
        pages = [{"url": p.url, **p.content} for p in index.pages()]
        others = {"plain FTS5": PlainFts(pages).search, **others}
        ours: defaultdict[str, list[Found]] = defaultdict(list)
        theirs: defaultdict[tuple[str, str], list[Found]] = defaultdict(list)
        gc.freeze()  # what the benchmark itself holds is not collected in the time of a query
        for query in queries:
            began = time.process_time()
            hits = search(index, query.text, reader=query.reader).hits
            ms = 1000 * (time.process_time() - began)
            found = judged(query, [hit.best.target for hit in hits], origins, ms)
            for kind in (query.kind, "all"):
                ours[kind].append(found)
            for name, ask in others.items():
                other = judged(query, ask(query.text), origins)
                for kind in (query.kind, "all"):
                    theirs[name, kind].append(other)
            if query.kind == misses and (found.rank != 1 or found.is_own_anchor is False):
                print(
                    f"{found.rank} {query.text!r}: {query.answers[0].path}#{query.answers[0].anchor}"
                )
                print(*(f"    {each}" for each in found.targets[:3]), sep="\n")
    kinds = [kind for kind in (*KINDS, "all") if kind in ours]
    return len(pages), {
        kind: {
            "sitecrawl": figures_of(ours[kind]),
            **{name: {"mrr": figures_of(theirs[name, kind])["mrr"]} for name in others},
        }
        for kind in kinds
    }


if __name__ == "__main__":
    main()
