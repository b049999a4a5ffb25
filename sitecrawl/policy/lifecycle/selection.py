"""The selection of stored URLs for a run, by its activity.

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

    ``due``: those that become due by their age; ``reread``: those that were read with other
    options; ``unvisited``: those that were never visited; ``links``: others than starts.
    """

    due: bool = True
    reread: bool = True
    unvisited: bool = True
    links: bool = True

    @property
    def defers_found_links(self) -> bool:
        """True if the links that a run finds wait for the next one."""
        return not (self.links and self.unvisited)

    def includes(self, *, start: bool, visited: bool, waiting: bool) -> bool:
        """True if a stored URL is visited when its time has come.

        ``waiting``: it waits since an earlier run. A start that was visited is asked for anew.
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
    """The cause of a visit before its time."""

    START = "starts are visited whatever their age"
    FORCED = "everything is due"
    REREAD = "it was read with other options"


class StoredVisit(NamedTuple):
    """The last visit of a stored URL, as far as the selection depends on it.

    ``has_due`` is False for a URL that is never due of its own accord; ``read_otherwise`` is True
    for a page that was read with other options than this run's and did not fail since.
    """

    outcome: Outcome | None
    has_due: bool
    read_otherwise: bool = False


def early_visit(
    selection: Selection, visit: StoredVisit, *, asked_start: bool, force: bool
) -> EarlyVisit | None:
    """The cause for which a run visits a selected URL before its time, None if there is none.

    ``asked_start``: it is a start of a run that visits its starts whatever their age.
    """
    if asked_start and visit.outcome is not Outcome.FILE_GONE:
        return EarlyVisit.START
    if not visit.has_due:
        return None
    if force:
        return EarlyVisit.FORCED
    return EarlyVisit.REREAD if selection.reread and visit.read_otherwise else None
