"""Options of the frontier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sitecrawl.policy.lifecycle.deletion import Deletion
from sitecrawl.policy.lifecycle.revisit import Revisit
from sitecrawl.policy.lifecycle.selection import SELECTIONS, Activity, Selection
from sitecrawl.web.urls.identity import identity_key


@dataclass(frozen=True, slots=True)
class Following:
    """Options by which links are judged: ``rules`` is their hash, empty where not known,
    and ``by_depth`` says that the depth of their page counts."""

    rules: str = ""
    by_depth: bool = False

    def at(self, depth: int) -> str:
        """Return a text that differs where other links of a page at this depth are followed."""
        return f"{self.rules}@{depth}" if self.by_depth else self.rules


@dataclass(frozen=True, slots=True)
class StateOptions:
    """Options of the crawl's memory; durations in seconds.

    ``force`` makes everything due, ``realm`` names the collection, ``any_name`` opens a
    database that was made for another crawl, ``lease_seconds`` is how long an origin stays
    with a worker that is not heard of, ``delay`` how long it then rests unless its robots.txt
    asks for another pause. ``activity`` says what a run considers: all that is due, only
    what was never visited (discover), only what was (refresh), or the starts alone.
    ``reading`` stands for the options by which pages are read: documents made under others
    are read again. ``following`` tells those by which links are judged. ``key`` gives the
    identity of a URL that came without it.
    """

    revisit: Revisit = field(default_factory=Revisit)
    deletion: Deletion = field(default_factory=Deletion)
    realm: str = "default"
    force: bool = False
    any_name: bool = False
    activity: Activity = "all"
    lease_seconds: float = 60.0
    delay: float = 1.0
    reading: str = ""
    following: Following = field(default_factory=Following)
    key: Callable[[str], str] = identity_key

    @property
    def reads_all(self) -> bool:
        """Tell a run that follows the links of pages and reads the sitemaps."""
        return self.activity == "all" and self.following.rules not in ("", "none")

    @property
    def selection(self) -> Selection:
        """The stored URLs that a run visits."""
        return SELECTIONS[self.activity]
