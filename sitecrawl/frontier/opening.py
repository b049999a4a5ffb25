"""From a database URL to a frontier."""

from __future__ import annotations

from sitecrawl.frontier.base import Frontier, FrontierError
from sitecrawl.frontier.options import StateOptions
from sitecrawl.frontier.sqlite import SqliteBackend
from sitecrawl.frontier.threaded import ThreadedFrontier

SQLITE = "sqlite:///"


def open_frontier(database_url: str, options: StateOptions | None = None) -> Frontier:
    """The frontier of a database URL; nothing is touched before its ``open``.

    ``sqlite:///relative.db``, ``sqlite:////absolute.db`` or ``postgresql://...``; raises
    FrontierError for any other.
    """
    if database_url.startswith(SQLITE) and len(database_url) > len(SQLITE):
        backend = SqliteBackend(database_url.removeprefix(SQLITE))
        return ThreadedFrontier(backend, options or StateOptions())
    raise FrontierError(
        f"{database_url!r} is no crawl database; give sqlite:///FILE or postgresql://..."
    )
