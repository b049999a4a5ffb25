"""Files about a site, such as robots.txt and sitemaps, as they were last answered."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.frontier.database import Database, storable
from sitecrawl.web.decompression import zstd

MAX_PACKED = 1 << 20  # bytes of a packed body; 16 MB of a sitemap
FIND = "SELECT etag, last_modified, body, kept_at FROM kept_file WHERE realm = ? AND url = ?"
KEEP = (
    "INSERT INTO kept_file (realm, url, etag, last_modified, body, kept_at)"
    " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (realm, url) DO UPDATE SET etag = excluded.etag,"
    " last_modified = excluded.last_modified, body = excluded.body, kept_at = excluded.kept_at"
)


@dataclass(frozen=True, slots=True)
class KeptFile:
    """The body of an answer 200 at a time in UTC epoch seconds, and its validators as sent."""

    etag: str | None
    last_modified: str | None
    body: bytes
    kept_at: float


class KeptFiles:
    """The files of one realm that have validators."""

    def __init__(self, database: Database, realm: str) -> None:
        self._database = database
        self._realm = realm

    def find(self, url: str) -> KeptFile | None:
        """Return a file; None if it is not kept, or damaged."""
        rows = self._database.rows(FIND, (self._realm, url))
        if not rows:
            return None
        etag, last_modified, packed, kept_at = rows[0]
        try:
            return KeptFile(etag, last_modified, zstd.decompress(packed), kept_at)
        except zstd.ZstdError:
            return None

    def keep(self, url: str, file: KeptFile) -> None:
        """Keep a file in place of an earlier one, unless it is too large."""
        packed = zstd.compress(file.body)
        if len(packed) <= MAX_PACKED:
            validators = (storable(file.etag), storable(file.last_modified))
            self._database.execute(KEEP, (self._realm, url, *validators, packed, file.kept_at))
