"""What a run considers: URLs set aside, and URLs that are to wait whatever their age.

A URL waits (``waiting`` 1), does not (0), or is set aside for one run (2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sitecrawl.frontier.base import Candidate, Outcome
from sitecrawl.frontier.database import Database
from sitecrawl.frontier.options import Activity

NOT_COOLING = f"(outcome IS NULL OR outcome <> {int(Outcome.RATE_LIMITED)} OR due <= ?)"
"""False where the answer itself said when to come back (Retry-After), later than a given time."""
OF_REALM = "origin IN (SELECT id FROM origin WHERE realm = ?)"
TAKE_BACK = f"UPDATE url SET waiting = 1 WHERE waiting = 2 AND {OF_REALM}"  # noqa: S608
SET_ASIDE = {
    "refresh": f"UPDATE url SET waiting = 2 WHERE waiting = 1 AND outcome IS NULL AND {OF_REALM}",  # noqa: S608
    "starts": f"UPDATE url SET waiting = 2 WHERE waiting = 1 AND {OF_REALM}",  # noqa: S608
}
ONE = "fingerprint = ? AND origin = (SELECT id FROM origin WHERE key = ? AND realm = ?)"
RECALL = f"UPDATE url SET waiting = 1 WHERE waiting = 2 AND {ONE}"  # noqa: S608
REMIND = (
    "UPDATE url SET waiting = 1 WHERE waiting <> 1 AND (outcome IS NULL OR outcome <> ?)"  # noqa: S608
    f" AND {NOT_COOLING} AND {ONE}"
)
REDATED = f"{REMIND} AND dated <> ?"
DATE = f"UPDATE url SET dated = ? WHERE (dated IS NULL OR dated <> ?) AND {ONE}"  # noqa: S608
PENDING = "UPDATE origin SET pending = pending + 1 WHERE key = ? AND realm = ?"


class Reminders:
    """Lets URLs of one realm wait that would not of their own accord."""

    def __init__(self, database: Database, realm: str) -> None:
        self._database = database
        self._realm = realm

    def set_aside(self, activity: Activity) -> None:
        """Leave out of a run what its activity does not consider; the next run has it again."""
        if activity in SET_ASIDE:
            self._database.execute(SET_ASIDE[activity], (self._realm,))

    def take_back(self) -> None:
        """Let wait again what an earlier run set aside."""
        self._database.execute(TAKE_BACK, (self._realm,))

    def recall(self, candidates: Iterable[Candidate]) -> None:
        """Let these wait of what the run has set aside."""
        for candidate in candidates:
            self._wait(candidate, RECALL, self._one(candidate))

    def remind(self, candidates: Iterable[Candidate]) -> None:
        """Let these wait whatever their age, unless they are gone."""
        for candidate in candidates:
            self._wait(candidate, REMIND, self._reminded(candidate))

    def date(self, entries: Sequence[tuple[Candidate, datetime]]) -> None:
        """Note the date that a feed gives to each, and let those wait whose date differs."""
        for candidate, date in entries:
            one, at = self._one(candidate), date.timestamp()
            self._wait(candidate, REDATED, (*self._reminded(candidate), at))
            self._database.execute(DATE, (at, at, *one))

    def _wait(self, candidate: Candidate, statement: str, values: Sequence[object]) -> None:
        if self._database.execute(statement, values):
            self._database.execute(PENDING, (candidate.origin, self._realm))

    def _reminded(self, candidate: Candidate) -> Sequence[object]:
        return int(Outcome.FILE_GONE), self._database.now(), *self._one(candidate)

    def _one(self, candidate: Candidate) -> tuple[int, str, str]:
        return candidate.fingerprint, candidate.origin, self._realm
