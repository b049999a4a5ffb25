"""Construction of frontiers, and of other views of a crawl database, from its URL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from importlib import import_module
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from sitecrawl import install_command
from sitecrawl.frontier.administration import Administration
from sitecrawl.frontier.base import DatabaseUrlError, FrontierError, StateOptions
from sitecrawl.frontier.change_log import ChangeLog
from sitecrawl.frontier.database import Backend, Database, migrate
from sitecrawl.frontier.pruning import Pruning
from sitecrawl.frontier.records import Records
from sitecrawl.frontier.stored_reindex import Reindex
from sitecrawl.frontier.survey import Survey
from sitecrawl.frontier.threaded import Frontier

SQLITE = "sqlite:///"
P = ParamSpec("P")
T = TypeVar("T")


class BackendKind(NamedTuple):
    """A kind of crawl database: pattern for its URLs, an example of one, and its class.

    ``path`` is that of the class, imported on demand; ``needs`` is the package that it
    imports, and the extra of sitecrawl that installs it.
    """

    begins: str
    example: str
    path: str
    needs: tuple[str, str] | None = None


BACKENDS = {
    "sqlite": BackendKind(f"{SQLITE}.", f"{SQLITE}FILE", "sitecrawl.frontier.sqlite.SqliteBackend"),
    "postgres": BackendKind(
        "postgres(ql)?://",
        "postgresql://...",
        "sitecrawl.frontier.postgres.PostgresBackend",
        needs=("psycopg", "postgres"),
    ),
}
"""Every kind of crawl database; fixtures/databases.py creates one of each for the tests."""


def is_database_url(url: str) -> bool:
    """Return True for the URL of a crawl database of any kind."""
    return any(re.match(kind.begins, url, re.DOTALL) for kind in BACKENDS.values())


def backend(database_url: str) -> Backend:
    """Find the backend of ``sqlite:///relative.db``, ``sqlite:////absolute.db`` or
    ``postgresql://...``; raises DatabaseUrlError for any other URL."""
    for kind in BACKENDS.values():
        if re.match(kind.begins, database_url, re.DOTALL):
            return _backend_class(kind)(database_url)
    examples = " or ".join(kind.example for kind in BACKENDS.values())
    raise DatabaseUrlError(
        f"SITECRAWL_DATABASE: {shown(database_url)!r} is not a crawl database; give {examples}"
    )


def shown(database_url: str) -> str:
    """Return a database URL with its password masked, in any position and with any characters."""
    named = re.sub(r"(://[^:/@]*):.*@", r"\1:***@", database_url)
    return re.sub(r"([?&](?:ssl)?password=)[^&]*", r"\1***", named)


def open_frontier(database_url: str, options: StateOptions | None = None) -> Frontier:
    """Return the frontier of a database URL; it does not connect before its ``open``."""
    return Frontier(backend(database_url), options or StateOptions())


def _backend_class(kind: BackendKind) -> Callable[[str], Backend]:
    module, _, name = kind.path.rpartition(".")
    try:
        found: Callable[[str], Backend] = getattr(import_module(module), name)
    except ImportError as error:
        if kind.needs is None:
            raise
        package, extra = kind.needs
        raise FrontierError(
            f"A crawl database {kind.example} needs {package}: {install_command(extra)}."
        ) from error
    return found


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
