"""Selection of stored URLs for a run, by its activity.

The frontier applies it to whole tables, ``scrapy explain`` to one URL.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Literal, NamedTuple

from sitecrawl.policy.outcomes import Outcome

Activity = Literal["all", "discover", "refresh", "starts"]


class Selection(NamedTuple):
    """The stored URLs that a run visits.

    ``due``: URLs that are due by their age; ``reread``: URLs that were read with other options;
    ``unvisited``: URLs that were never visited; ``links``: URLs that are not starts.
    """

    due: bool = True
    reread: bool = True
    unvisited: bool = True
    links: bool = True

    @property
    def defers_found_links(self) -> bool:
        """True if newly found links wait for the next run."""
        return not (self.links and self.unvisited)

    def includes(self, *, start: bool, visited: bool, waiting: bool) -> bool:
        """Return True if a stored URL is visited once it is due.

        ``waiting``: it has been waiting since an earlier run. A visited start is requested again.
        """
        if not (self.links or start) or not (self.unvisited or visited):
            return False
        return self.due or start or waiting


SELECTIONS: Mapping[Activity, Selection] = {
    "all": Selection(),
    "discover": Selection(due=False, reread=False),
    "refresh": Selection(unvisited=False),
    "starts": Selection(reread=False, links=False),
}


class EarlyVisit(Enum):
    """Cause of a visit before a URL is due."""

    START = "starts are visited whatever their age"
    FORCED = "everything is due"
    REREAD = "it was read with other options"


class StoredVisit(NamedTuple):
    """The last visit of a stored URL, as far as the selection depends on it.

    ``has_due`` is False for a URL that is not scheduled; ``read_otherwise`` is True for a page
    that was read with other options than this run's and has not failed since.
    """

    outcome: Outcome | None
    has_due: bool
    read_otherwise: bool = False


def early_visit(
    selection: Selection, visit: StoredVisit, *, asked_start: bool, force: bool
) -> EarlyVisit | None:
    """Return the cause of a visit to a selected URL before it is due; None if there is none.

    ``asked_start``: it is a start of a run that visits its starts regardless of their age.
    """
    if asked_start and visit.outcome is not Outcome.FILE_GONE:
        return EarlyVisit.START
    if not visit.has_due:
        return None
    if force:
        return EarlyVisit.FORCED
    return EarlyVisit.REREAD if selection.reread and visit.read_otherwise else None
