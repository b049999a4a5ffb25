"""Location and synchronisation of a crawl's search file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from sitecrawl.console.crawl_sources import Source
from sitecrawl.console.terminal import print_errors, status_line
from sitecrawl.frontier.base import FrontierError
from sitecrawl.frontier.opening import SQLITE, open_change_log
from sitecrawl.sync.target import SyncError, TargetBusyError, TargetMismatchError, target_options

if TYPE_CHECKING:
    from sitecrawl.sync.synchronizer import Synchronizer

SUFFIX = ".search.sqlite"
BUSY_RETRIES, BUSY_SECONDS = 10, 0.2
FIRST_RETRY_SECONDS, RETRY_SECONDS = 0.5, 10.0


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
def _synchronizer(
    source: Source, path: Path, reached: Callable[[int], object] | None = None
) -> Iterator[Synchronizer]:
    # Every command imports this module; only those that search need the index.
    from sitecrawl.sync.search_file_target import SearchFileTarget  # noqa: PLC0415
    from sitecrawl.sync.synchronizer import Synchronizer  # noqa: PLC0415

    uri, options = f"sqlite:///{path}", target_options(source.configuration.params)
    report = lambda line: print_errors([line])
    with (
        open_change_log(source.database) as log,
        closing(SearchFileTarget(uri, options)) as target,
    ):
        yield Synchronizer(log, target, uri, report=report, reached=reached)


def _update(source: Source, path: Path) -> None:
    with open_change_log(source.database) as log:
        newest = log.newest()
    with status_line() as show:
        reached = lambda seq: show(f"Bringing the search file up to date: {seq:,} of {newest:,}")
        with _synchronizer(source, path, reached) as synchronizer:
            try:
                synchronizer.run()
            except TargetMismatchError:
                synchronizer.rebuild()


class IndexFollower(Thread):
    """Thread that keeps the search file of a crawl equal to its documents.

    It ends with the process: a sync can be killed anywhere. ``problem`` is the reason why the file
    cannot be written, empty while it can. An error that does not come again is not reported: another
    process, such as `scrapy search`, may have written the file meanwhile.
    """

    def __init__(self, source: Source, path: Path) -> None:
        super().__init__(name="search index", daemon=True)
        self._source = source
        self._path = path
        self._failures = 0
        self.problem = ""

    def run(self) -> None:
        """Follow the log; after an error, retry."""
        while True:
            try:
                self._follow()
            except (SyncError, FrontierError) as error:
                self._failures += 1
                if self._failures == 1:
                    time.sleep(FIRST_RETRY_SECONDS)
                    continue
                if str(error) != self.problem:
                    print_errors([str(error)])
                self.problem = str(error)
                time.sleep(RETRY_SECONDS)

    def _follow(self) -> None:
        passes = 0

        def begin_pass() -> bool:
            """Note that the pass before was without errors."""
            nonlocal passes
            if passes:
                self._failures, self.problem = 0, ""
            passes += 1
            return False

        with _synchronizer(self._source, self._path) as synchronizer:
            try:
                synchronizer.follow(begin_pass)
            except TargetMismatchError:  # of another crawl, or of an older version
                synchronizer.rebuild()
