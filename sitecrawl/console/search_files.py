"""Location and synchronisation of a crawl's search file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sitecrawl.console.crawl_sources import Source
from sitecrawl.console.terminal import print_errors, status_line
from sitecrawl.frontier.opening import SQLITE, open_change_log
from sitecrawl.sync.target import TargetBusyError, TargetMismatchError, target_options

if TYPE_CHECKING:
    from sitecrawl.sync.synchronizer import Synchronizer

SUFFIX = ".search.sqlite"
BUSY_RETRIES, BUSY_SECONDS = 10, 0.2


def search_file(source: Source) -> Path:
    """Return the search file of a crawl: beside its SQLite file, else in the default directory."""
    if source.database.startswith(SQLITE):
        database = Path(source.database.removeprefix(SQLITE))
        return database.with_name(f"{database.stem}{SUFFIX}")
    return Path(".sitecrawl") / f"{source.configuration.params.database_name}{SUFFIX}"


def update_search_file(source: Source) -> Path:
    """Synchronise all realms of a crawl's search file; rebuild the file of another crawl.

    Another process that writes the file, such as `scrapy browse`, is given time to finish. Raises
    SyncError.
    """
    path = search_file(source)
    for retries in range(BUSY_RETRIES, -1, -1):
        try:
            _update(source, path)
            break
        except TargetBusyError:
            if not retries:
                raise
            time.sleep(BUSY_SECONDS)
    return path


@contextmanager
def search_synchronizer(source: Source, path: Path, **reports: Any) -> Iterator[Synchronizer]:
    """Open a crawl's search file to be brought up to date; ``reports`` are those of Synchronizer."""
    # Every command imports this module; only those that search need the index.
    from sitecrawl.sync.search_file_target import SearchFileTarget  # noqa: PLC0415
    from sitecrawl.sync.synchronizer import Synchronizer  # noqa: PLC0415

    uri, options = f"sqlite:///{path}", target_options(source.configuration.params)
    with (
        open_change_log(source.database) as log,
        closing(SearchFileTarget(uri, options)) as target,
    ):
        yield Synchronizer(log, target, uri, **reports)


def _update(source: Source, path: Path) -> None:
    with open_change_log(source.database) as log:
        newest = log.newest()
    with status_line() as show:
        reached = lambda seq: show(f"Bringing the search file up to date: {seq:,} of {newest:,}")
        report = lambda line: print_errors([line])
        with search_synchronizer(source, path, report=report, reached=reached) as synchronizer:
            try:
                synchronizer.run()
            except TargetMismatchError:
                synchronizer.rebuild()
