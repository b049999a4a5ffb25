"""A site to crawl, the pages it truly has, and the crawl's marks against them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

NEUTRAL = ""
"""Value of ``Served.page_of`` for a page that counts neither for nor against a crawl.

An example is an index without text of its own, which a reader may want or not.
"""


@dataclass(frozen=True, slots=True)
class Served:
    """A running site.

    ``pages`` are the names of the pages that a careful person would keep, from the site's
    database or files; ``page_of`` gives the one at a URL, ``NEUTRAL``, or None where the URL shows
    none of them; ``requests`` counts the requests that the site has had.
    """

    start: str
    pages: Collection[str]
    page_of: Callable[[str], str | None]
    requests: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Site:
    """A kind of site: the Debian packages that make it, how it is served, and its bounds.

    ``options`` are those of every crawl of the site, such as the owner's leave to follow nofollow.
    """

    name: str
    packages: tuple[str, ...]
    serve: Callable[[Path], AbstractContextManager[Served]]
    options: tuple[str, ...] = ()
    max_pages: int = 3000


@dataclass(frozen=True, slots=True)
class Marks:
    """Result of one crawl of a site.

    ``garbage`` counts documents of no true page, ``lists`` those that count neither way.
    """

    found: int
    pages: int
    documents: int
    garbage: int
    lists: int
    requests: int
    ended: bool
    seconds: float
    cpu: float

    @property
    def recall(self) -> float:
        """Share of the true pages that are documents."""
        return self.found / self.pages

    @property
    def precision(self) -> float:
        """Share of the documents that are true pages, each counted once."""
        return self.found / self.documents if self.documents else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def cost(self) -> float:
        """Requests for each true page found."""
        return self.requests / max(1, self.found)

    @property
    def cost_with_lists(self) -> float:
        """Requests for each true page found, and for each list that is a document."""
        return self.requests / max(1, self.found + self.lists)
