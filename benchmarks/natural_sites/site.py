"""A generated site: what it answers in each run, and the true pages and words that a crawl must find."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

RUNS = 3
"""Number of crawls of each site; it is edited a little between them."""
NEUTRAL = "*"
"""Value of ``Reply.page`` for what a reader may want or not: a list without text of its own."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A request: path with query, the name of the host ("" is the main one), and its headers.

    ``run`` counts from 0. ``origins`` maps names of hosts to their origins, for links between them.
    Names of headers are in lower case.
    """

    run: int
    target: str
    host: str = ""
    origins: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """The part of the target after its first question mark."""
        return self.target.partition("?")[2]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and the name of the true page that it shows.

    ``page`` is the same at every URL of one page (with a session id, in another order of its
    parameters), ``NEUTRAL``, or "" for what no reader would miss: a form, an empty month, the same list
    sorted in another way. Two replies that name one page are two documents of it, one of them wrong.
    """

    body: str | bytes = b""
    page: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NaturalSite:
    """A site. ``truth`` gives for a run the true pages with the lines of text that each must have.

    ``hosts`` are the names of further hosts beside the main one, ``options`` those of every crawl
    of the site (the hosts are allowed without them), ``is_endless`` marks a site with parts
    that never end; its true pages are the others.
    """

    name: str
    reply: Callable[[Visit], Reply]
    truth: Callable[[int], Mapping[str, Sequence[str]]]
    start: str = "/"
    hosts: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    is_endless: bool = False


MISSING = Reply("<!DOCTYPE html><title>Not found</title><p>There is no such page.", status=404)
"""The usual answer to an unknown target."""
