"""Vectors of sections in the search file, each compared with that of a query.

No extension of SQLite is needed, which many builds of Python cannot load; numpy multiplies.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence

SCHEMA = """
CREATE TABLE vector (
    page INTEGER NOT NULL, anchor TEXT NOT NULL, hash TEXT NOT NULL, numbers BLOB NOT NULL
);
CREATE INDEX vector_page ON vector (page);
CREATE INDEX vector_hash ON vector (hash)
"""
ROWS = 10_000  # multiplied at once


def packed(vector: Sequence[float]) -> bytes:
    """Return the direction of a vector in a byte for each number, which reads in a quarter of the
    time of single precision.
    """
    most = max(map(abs, vector)) or 1.0
    return array("b", [round(127 * number / most) for number in vector]).tobytes()


class VectorTable:
    """The table ``vector`` of a search file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, page: int, sections: Iterable[tuple[str, str, bytes]]) -> None:
        """Add anchor, hash of the text and packed vector of sections of a page."""
        self._connection.executemany(
            "INSERT INTO vector (page, anchor, hash, numbers) VALUES (?, ?, ?, ?)",
            [(page, *section) for section in sections],
        )

    def remove(self, page: int) -> None:
        """Remove the vectors of a page."""
        self._connection.execute("DELETE FROM vector WHERE page = ?", (page,))

    def known(self, hashes: Collection[str]) -> dict[str, bytes]:
        """Return the packed vectors that texts with these hashes have."""
        rows = self._connection.execute(
            "SELECT hash, numbers FROM vector WHERE hash IN (SELECT value FROM json_each(?))",
            (json.dumps(list(hashes)),),
        )
        return dict(rows.fetchall())

    def dimension(self) -> int:
        """Return how many numbers the vectors have; 0 without vectors."""
        rows = self._connection.execute("SELECT length(numbers) FROM vector LIMIT 1").fetchall()
        return int(rows[0][0]) if rows else 0

    def nearest(
        self, vector: Sequence[float], conditions: Mapping[str, str], limit: int
    ) -> list[tuple[int, str]]:
        """Return pages with the anchor of their nearest section, nearest first.

        ``conditions`` are SQL conditions on ``page``, each with its value. Raises
        ModuleNotFoundError without numpy.
        """
        import numpy as np  # noqa: PLC0415 - an extra

        wanted = np.array(vector, dtype=np.float32)
        joined = "JOIN page ON page.number = vector.page" if conditions else ""
        where = " AND ".join(["length(numbers) = ?", *conditions])
        rows = self._connection.execute(
            f"SELECT vector.page, anchor, numbers FROM vector {joined} WHERE {where}",  # noqa: S608
            (wanted.size, *conditions.values()),
        )
        best: dict[int, tuple[float, str]] = {}
        while part := rows.fetchmany(ROWS):
            stored = np.frombuffer(b"".join(row[2] for row in part), dtype=np.int8)
            numbers = stored.reshape(len(part), -1).astype(np.float32)
            lengths = np.sqrt(np.einsum("ij,ij->i", numbers, numbers)) + 1e-9
            scores = (numbers @ wanted / lengths).tolist()
            for (page, anchor, _), score in zip(part, scores, strict=True):
                if page not in best or score > best[page][0]:
                    best[page] = score, anchor
        nearest = heapq.nlargest(limit, best.items(), key=lambda each: each[1][0])
        return [(page, anchor) for page, (_, anchor) in nearest]
