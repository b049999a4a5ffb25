"""Background synchronisation of the search file while a crawl is read."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from sitecrawl.console.crawl_sources import Source
from sitecrawl.console.search_files import search_synchronizer
from sitecrawl.frontier.base import FrontierError
from sitecrawl.sync.target import SyncError, TargetMismatchError

FIRST_RETRY_SECONDS = 0.5
RETRY_SECONDS = 10.0


class IndexFollower(Thread):
    """Thread that keeps the search file of a crawl equal to its documents.

    It ends with the process: a sync can be killed anywhere. ``problem`` is the reason why the file
    cannot be written, empty while it can. An error that does not come again is not reported: another
    process, such as `scrapy search`, may have written the file meanwhile.
    """

    def __init__(self, source: Source, path: Path, report: Callable[[str], None]) -> None:
        super().__init__(name="search index", daemon=True)
        self._source = source
        self._path = path
        self._report = report
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
                    self._report(str(error))
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

        with search_synchronizer(self._source, self._path, report=self._report) as synchronizer:
            try:
                synchronizer.follow(begin_pass)
            except TargetMismatchError:  # of another crawl, or of an older version
                synchronizer.rebuild()
