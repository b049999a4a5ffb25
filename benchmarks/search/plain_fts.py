"""The competitor: SQLite's FTS5 as its documentation uses it, on the same documents."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any


class PlainFts:
    """Title, headings and body with the weights 10, 4, 1; all words, else any."""

    def __init__(self, documents: Iterable[Mapping[str, Any]]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute(
            "CREATE VIRTUAL TABLE page USING fts5"
            " (url UNINDEXED, title, headings, body, tokenize = 'porter')"
        )
        for each in documents:
            headings = "\n".join(heading["text"] for heading in each.get("headings", ()))
            row = (each["url"], each.get("title"), headings, each.get("body"))
            self._db.execute("INSERT INTO page VALUES (?, ?, ?, ?)", row)

    def search(self, text: str) -> list[str]:
        """Return the URLs of the ten best pages."""
        words = [f'"{word}"' for word in re.findall(r"\w+", text)]
        for match in filter(None, (" AND ".join(words), " OR ".join(words))):
            found = self._db.execute(
                "SELECT url FROM page WHERE page MATCH ? ORDER BY bm25(page, 0, 10, 4, 1) LIMIT 10",
                (match,),
            ).fetchall()
            if found:
                return [url for (url,) in found]
        return []
