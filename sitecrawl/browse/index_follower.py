"""Background synchronisation of the search file while a crawl is read."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Thread

from sitecrawl.console.crawl_sources import Source
from sitecrawl.frontier import open_change_log
from sitecrawl.frontier.base import FrontierError
from sitecrawl.sync.search_file_target import SearchFileTarget
from sitecrawl.sync.synchronizer import Synchronizer
from sitecrawl.sync.target import SyncError, TargetMismatchError, target_options

RETRY_SECONDS = 10.0


class IndexFollower(Thread):
    """Thread that keeps the search file of a crawl equal to its documents.

    It ends with the process: a sync can be killed anywhere. ``problem`` is the last reason why the
    file could not be written.
    """

    def __init__(self, source: Source, path: Path, report: Callable[[str], None]) -> None:
        super().__init__(name="search index", daemon=True)
        self._source = source
        self._uri = f"sqlite:///{path}"
        self._report = report
        self.problem = ""

    def run(self) -> None:
        """Follow the log; after an error, report it once and retry."""
        while True:
            try:
                self._follow()
            except (SyncError, FrontierError) as error:
                if str(error) != self.problem:
                    self._report(str(error))
                self.problem = str(error)
                time.sleep(RETRY_SECONDS)

    def _follow(self) -> None:
        options = target_options(self._source.configuration.params)
        with (
            open_change_log(self._source.database) as log,
            closing(SearchFileTarget(self._uri, options)) as target,
        ):
            synchronizer = Synchronizer(log, target, self._uri)
            try:
                synchronizer.follow(lambda: False)
            except TargetMismatchError:  # of another crawl, or of an older version
                synchronizer.rebuild()
