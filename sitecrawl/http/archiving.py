"""The archive of a crawl: what it writes, and what becomes of the crawl if it cannot."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from scrapy.crawler import Crawler

from sitecrawl.archive.writer import Exchanged, WarcWriter
from sitecrawl.http.connection import Address
from sitecrawl.http.downloader import CrawlStop
from sitecrawl.http.fetch_errors import ArchiveFailedError
from sitecrawl.http.messages import ResponseHead

UNKNOWN = "0.0.0.0"  # noqa: S104 -- the address of a server behind a proxy

logger = logging.getLogger(__name__)


class Archive:
    """WARC files of all responses of a crawl. A response that cannot be archived is not read."""

    def __init__(self, folder: str, crawler: Crawler) -> None:
        self._writer = WarcWriter(Path(folder), str(crawler.settings["USER_AGENT"]))
        self._stop = CrawlStop(crawler)
        self._failure = ""

    def write(self, url: str, sent: bytes, head: ResponseHead, body: bytes, at: Address) -> None:
        """Archive a response from an address, or end the crawl; raises ArchiveFailedError.

        The visit of a response that is not archived does not count: the next run repeats it.
        """
        said = (head.version, head.status, head.fields, body)
        answer = Exchanged(url, sent, *said, str(at or UNKNOWN))
        try:
            if not self._failure:
                self._writer.write(answer)
        except (OSError, sqlite3.Error) as error:
            self._failure = f"{type(error).__name__}: {error}"
            self._stop.stop("archive_failed", f"The archive (warc) cannot be written ({error})")
        if self._failure:
            raise ArchiveFailedError(self._failure)

    def close(self) -> None:
        """Complete the file."""
        try:
            self._writer.close()
        except (OSError, sqlite3.Error) as error:
            logger.error("The last file of the archive (warc) could not be completed: %s", error)
