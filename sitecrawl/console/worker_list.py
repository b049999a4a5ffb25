"""List of the workers of a crawl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from sitecrawl.console.terminal import Entry, ago, stamp
from sitecrawl.frontier.records import WorkerRecord

HEARD_SECONDS = 60.0


def is_heard_of(worker: WorkerRecord, host: str, now: float) -> bool:
    """Return True if a worker of a host runs and was heard of lately."""
    lately = now - worker.seen_at <= HEARD_SECONDS
    return worker.host == host and worker.finish is None and lately


def list_workers(workers: Iterable[WorkerRecord], now: float) -> Iterator[Entry]:
    """Yield a line for each worker: host, process, since, origins, pages, rate, last seen."""
    for each in workers:
        times = {name: stamp(getattr(each, name)) for name in ("started_at", "seen_at", "ended_at")}
        state = f"seen {ago(each.seen_at, now)}"
        if each.finish is not None:
            state = each.finish if each.ended_at else f"{each.finish}, last {state}"
        work = f"{each.origins} origins, {each.pages} pages, {each.rate:.1f}/s"
        line = (
            f"{each.host} {each.process} ({each.realm}, run {each.run}): since "
            f"{times['started_at']}, {work if each.crawls else 'writes the output'}, {state}"
        )
        yield {**asdict(each), **times}, line
