"""Options of the frontier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sitecrawl.policy.lifecycle.deletion import Deletion
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.lifecycle.selection import SELECTIONS, Activity, Selection
from sitecrawl.web.urls.identity import DEFAULT_REALM, identity_key


@dataclass(frozen=True, slots=True)
class Following:
    """Options with which links are judged: ``rules`` is their hash, empty if unknown;
    ``by_depth`` means that they depend on the depth of the page."""

    rules: str = ""
    by_depth: bool = False

    def at(self, depth: int) -> str:
        """Return a text that differs when a page at this depth may have other links to follow."""
        return f"{self.rules}@{depth}" if self.by_depth else self.rules


@dataclass(frozen=True, slots=True)
class StateOptions:
    """Options of the frontier; durations in seconds.

    ``force`` makes everything due, ``realm`` names the collection. ``lease_seconds`` is the time after
    which the origins of a silent worker are free, ``delay`` the delay before their next request, unless
    robots.txt sets another. ``reconnect_seconds`` is the time for which a lost connection to the
    database is tried again. ``owner`` is this worker's name, made if empty; ``delivered_by`` names the
    worker that writes its changes to files, and ``crawls`` is false for one that only does that.
    ``exclusive`` refuses to join a run of others. ``keep_duplicates`` gives every URL a document of
    its own, also one with the text of another. ``one_worker`` leaves all origins to the worker that has one.
    ``activity`` selects the URLs that a run considers: all that are due,
    only those never visited (discover), only those visited before (refresh), or only the starts.
    ``daily_pages`` is the most pages of an origin that are visited in a day (UTC), 0 for any number.
    ``reading`` is the hash of the options with which pages are read: pages read with others are
    read again; ``keeps_html`` is true if each page is kept. ``following`` identifies the options with
    which links are judged. ``key`` computes the identity key of a URL.
    """

    revisit: Revisit = field(default_factory=Revisit)
    deletion: Deletion = field(default_factory=Deletion)
    realm: str = DEFAULT_REALM
    force: bool = False
    activity: Activity = "all"
    lease_seconds: float = 60.0
    reconnect_seconds: float = 300.0
    owner: str = ""
    delivered_by: str = ""
    crawls: bool = True
    exclusive: bool = False
    keep_duplicates: bool = False
    one_worker: bool = False
    delay: float = 1.0
    daily_pages: int = 0
    reading: str = ""
    keeps_html: bool = False
    following: Following = field(default_factory=Following)
    key: Callable[[str], str] = identity_key

    @property
    def reads_all(self) -> bool:
        """True if the run follows the links of pages and reads the sitemaps."""
        return self.activity == "all" and self.following.rules not in ("", "none")

    @property
    def selection(self) -> Selection:
        """The stored URLs that a run visits."""
        return SELECTIONS[self.activity]
