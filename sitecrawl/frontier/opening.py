"""Construction of frontiers, and of other views of a crawl database, from its URL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Concatenate, ParamSpec, TypeVar

from sitecrawl import install_command
from sitecrawl.frontier.administration import Administration
from sitecrawl.frontier.base import DatabaseUrlError, FrontierError, StateOptions
from sitecrawl.frontier.change_log import ChangeLog
from sitecrawl.frontier.database import Backend, Database, migrate
from sitecrawl.frontier.pruning import Pruning
from sitecrawl.frontier.records import Records
from sitecrawl.frontier.sqlite import SqliteBackend
from sitecrawl.frontier.stored_reindex import Reindex
from sitecrawl.frontier.survey import Survey
from sitecrawl.frontier.threaded import Frontier

SQLITE, POSTGRES = "sqlite:///", "postgres(ql)?://"
P = ParamSpec("P")
T = TypeVar("T")


def is_database_url(url: str) -> bool:
    """Return True for the URL of a crawl database of any kind."""
    return bool(re.match(f"{SQLITE}.|{POSTGRES}", url, re.DOTALL))


def backend(database_url: str) -> Backend:
    """Find the backend of ``sqlite:///relative.db``, ``sqlite:////absolute.db`` or
    ``postgresql://...``; raises DatabaseUrlError for any other URL."""
    if not is_database_url(database_url):
        raise DatabaseUrlError(
            f"SITECRAWL_DATABASE: {shown(database_url)!r} is not a crawl database; give "
            "sqlite:///FILE or postgresql://..."
        )
    if database_url.startswith(SQLITE):
        return SqliteBackend(database_url)
    try:
        from sitecrawl.frontier.postgres import PostgresBackend  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise FrontierError(
            f"A crawl database postgresql://... needs psycopg: {install_command('postgres')}."
        ) from error
    return PostgresBackend(database_url)


def shown(database_url: str) -> str:
    """Return a database URL with its password masked, in any position and with any characters."""
    named = re.sub(r"(://[^:/@]*):.*@", r"\1:***@", database_url)
    return re.sub(r"([?&](?:ssl)?password=)[^&]*", r"\1***", named)


def open_frontier(database_url: str, options: StateOptions | None = None) -> Frontier:
    """Return the frontier of a database URL; it does not connect before its ``open``."""
    return Frontier(backend(database_url), options or StateOptions())


def _opening(
    view: Callable[Concatenate[Database, P], T],
    prepare: Callable[[Database], None] = lambda _: None,
) -> Callable[Concatenate[str, P], AbstractContextManager[T]]:
    """Make the function that opens a view of an existing crawl database, given its URL; it raises
    FrontierError for any other."""

    @contextmanager
    def opened(database_url: str, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        place = backend(database_url)
        try:
            with closing(place.connect(make=False)) as database:
                migrate(database, None)
                prepare(database)
                yield view(database, *args, **kwargs)
        except place.errors as error:
            raise place.readable(error) from error

    return opened


open_records = _opening(Records)
open_change_log = _opening(ChangeLog, Database.expect_one_scan)
open_survey = _opening(Survey)
open_administration = _opening(Administration)
open_reindex = _opening(Reindex)
open_pruning = _opening(Pruning)
