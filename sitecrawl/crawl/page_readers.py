"""Processes that read pages, so that a crawl of one origin uses several cores."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from sitecrawl.crawl.reader_processes import ReaderProcesses
from sitecrawl.web.page_process import LENGTH, framed

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Page
    from sitecrawl.web.read_options import ReadOptions

MODULE = "sitecrawl.web.page_process"
TRIES = 2


class PageReadersError(Exception):
    """No process that reads pages can be started, or two in a row ended with a page."""


class PageReaders:
    """At most ``size`` processes, each of which reads one page at a time."""

    def __init__(self, options: ReadOptions, size: int) -> None:
        self._processes = ReaderProcesses(MODULE, size=size, greeting=framed(options))
        self.close = self._processes.close

    async def read(self, **arguments: Any) -> Page:
        """Read a page by the arguments of ``read_page``; a process that ends costs a second try.

        Raises PageReadersError.
        """
        frame, failure = framed(arguments), ""
        for _ in range(TRIES):
            try:
                async with self._processes.process() as (target, source):
                    target.write(frame)
                    await target.drain()
                    length = int.from_bytes(await source.readexactly(LENGTH), "big")
                    packed = await source.readexactly(length)
            except (OSError, EOFError) as error:
                failure = repr(error)
            else:
                page: Page = pickle.loads(packed)  # noqa: S301 -- of our own process
                return page
        raise PageReadersError(f"the process that read the page failed, twice: {failure}")
