"""Finding the current document that has nearly the same text."""

from __future__ import annotations

from sitecrawl.frontier.database import Database
from sitecrawl.policy.duplicates import bands, near

FIND = "SELECT url, simhash FROM near WHERE origin = ? AND band = ? AND bits = ? AND url <> ?"


class NearPages:
    """The near table: the simhashes of the documents of each origin, in bands."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, origin: int, simhash: int, url: int) -> list[int]:
        """The other URLs of the origin with nearly the same text, in the order of discovery."""
        found: set[int] = set()
        for band, bits in enumerate(bands(simhash)):
            rows = self._database.rows(FIND, (origin, band, bits, url))
            found.update(other for other, value in rows if near(simhash, value))
        return sorted(found)

    def note(self, origin: int, simhash: int, url: int) -> None:
        """Remember the text of a document."""
        self._database.execute("DELETE FROM near WHERE url = ?", (url,))
        self._database.many(
            "INSERT INTO near (origin, band, bits, url, simhash) VALUES (?, ?, ?, ?, ?)",
            [(origin, band, bits, url, simhash) for band, bits in enumerate(bands(simhash))],
        )
