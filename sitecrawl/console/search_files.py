"""Location and synchronisation of a crawl's search file."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

from sitecrawl.console.crawl_sources import Source
from sitecrawl.console.terminal import print_errors, status_line
from sitecrawl.frontier.opening import SQLITE, open_change_log
from sitecrawl.sync.target import TargetBusyError, TargetMismatchError, target_options

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


def _update(source: Source, path: Path) -> None:
    # Every command imports this module; only those that search need the index.
    from sitecrawl.sync.search_file_target import SearchFileTarget  # noqa: PLC0415
    from sitecrawl.sync.synchronizer import Synchronizer  # noqa: PLC0415

    options = target_options(source.configuration.params)
    uri = f"sqlite:///{path}"
    with (
        open_change_log(source.database) as log,
        closing(SearchFileTarget(uri, options)) as target,
        status_line() as show,
    ):
        newest = log.newest()
        synchronizer = Synchronizer(
            log,
            target,
            uri,
            report=lambda line: print_errors([line]),
            reached=lambda seq: show(f"Bringing the search file up to date: {seq:,} of {newest:,}"),
        )
        try:
            synchronizer.run()
        except TargetMismatchError:
            synchronizer.rebuild()
