"""Stored documents, and the changes of those of an origin with their outbox entries."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitecrawl.frontier.base import Entry, FrontierError
from sitecrawl.frontier.database import Database, Row, RowStatement
from sitecrawl.policy.documents.output_shapes import serialized_parts
from sitecrawl.policy.lifecycle.change_rate import ChangeHistory
from sitecrawl.policy.lifecycle.duplicates import site_rank
from sitecrawl.web.decompression import zstd

# ruff: noqa: S608 -- only constants become part of a statement


FIELDS = "d.url, d.origin, u.url, d.id, d.seq, d.hash, d.target, d.because"
BY_URL = f"SELECT {FIELDS} FROM document AS d JOIN url AS u ON u.id = d.url WHERE d.url = ?"
BY_HASH = (
    f"SELECT {FIELDS} FROM document AS d JOIN url AS u ON u.id = d.url"
    " WHERE d.origin = ? AND d.hash = ? AND d.url <> ? AND d.seq IS NOT NULL"
    " AND (d.target IS NULL OR (d.because = 'canonical' AND d.target <> ?))"
)
BY_TARGET = (
    f"SELECT {FIELDS} FROM document AS d JOIN url AS u ON u.id = d.url"
    " WHERE d.target IN ({}) ORDER BY d.url"
)
STORE = RowStatement(
    "INSERT INTO document (url, origin, id, seq, hash, body, target, because)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (url) DO UPDATE SET id = excluded.id,"
    " seq = excluded.seq, hash = excluded.hash, body = excluded.body,"
    " target = excluded.target, because = excluded.because, html = NULL, stale = 0",
    ("bigint", "bigint", "text", "bigint", "text", "bytea", "bigint", "text"),
    keys=(0,),
)
KEEP_HTML = RowStatement(
    "UPDATE document SET html = ? WHERE url = ?", ("bytea", "bigint"), keys=(1,)
)
HTML_LEVEL = 3  # 17 to 27 % of a page in 0.1 ms; level 9: 15 to 25 % in five times the time
COMPARED = (
    "SELECT compared, compared_changes, compared_seconds, indexed_at, visited_at FROM url"
    " WHERE id = ?"
)
STANDING = "SELECT url, via, listed, depth FROM url WHERE id = ?"
WRITTEN = "SELECT 1 FROM outbox WHERE seq = ? AND run = ?"
STALE = (
    f"SELECT {FIELDS} FROM document AS d JOIN url AS u ON u.id = d.url"
    " WHERE d.origin = ? AND d.stale = 1 ORDER BY d.url"
)
WITH_HASH = "SELECT hash FROM document WHERE origin = ? AND hash IN ({})"
CONFIRM = (
    "UPDATE url SET content_hash = ?, document_hash = ?, changes = changes + ?,"
    " changed_at = visited_at, indexed_at = visited_at,"
    " compared = ?, compared_changes = ?, compared_seconds = ?, change_rate = ?,"
    " etag = NULL, last_modified = NULL WHERE id = ?"
)

DAMAGED = (
    "A document in the crawl database is damaged; restore a copy of the database, or crawl anew "
    "into another one."
)
AT = (
    "SELECT d.body FROM document AS d JOIN url AS u ON u.id = d.url"
    " JOIN origin AS o ON o.id = u.origin WHERE o.key = ? AND o.realm = ? AND u.fingerprint = ?"
)
UNNUMBERED = 0  # seq of a document whose outbox row is written later in this transaction


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """Stored document of a URL; ``seq`` is None while it is suppressed.

    ``target`` is the URL that replaces it, or may do so later; ``because`` says why: duplicate,
    canonical or redirect.
    """

    url: int
    origin: int
    address: str
    id: str
    seq: int | None
    hash: str | None
    target: int | None
    because: str | None

    @property
    def current(self) -> bool:
        """True if it is part of the output."""
        return self.seq is not None


def unpack(body: bytes) -> dict[str, Any]:
    """Return the document of a stored body; raises FrontierError if it is damaged."""
    try:
        document: dict[str, Any] = json.loads(zstd.decompress(body))
    except (zstd.ZstdError, ValueError) as error:
        raise FrontierError(DAMAGED) from error
    return document


class Documents:
    """The document table."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._absent: set[tuple[int, str | None]] = set()
        # creating one costs a third of a compression
        self._compressor = zstd.ZstdCompressor(level=1)

    def of(self, url: int) -> StoredDocument | None:
        """Return the document of a URL."""
        rows = self._database.rows(BY_URL, (url,))
        return StoredDocument(*rows[0]) if rows else None

    def count(self, origin: int) -> int:
        """Count the current documents of an origin."""
        [(count,)] = self._database.rows(
            "SELECT count(*) FROM document WHERE origin = ? AND seq IS NOT NULL", (origin,)
        )
        return int(count)

    def is_current(self, url: int | None) -> bool:
        """Return True if the URL has a current document."""
        return bool(
            self._database.rows("SELECT 1 FROM document WHERE url = ? AND seq IS NOT NULL", (url,))
        )

    def was_led_to(self, url: int) -> bool:
        """Return True if a page with a current document leads to the URL, or was the first to."""
        [(referrer,)] = self._database.rows("SELECT referrer FROM url WHERE id = ?", (url,))
        claims = (held.current and held.because != "duplicate" for held in self.pointing_at([url]))
        return any(claims) or self.is_current(referrer)

    def equal(self, origin: int, content_hash: str, url: int) -> StoredDocument | None:
        """Return the current document of another URL of the origin with the same content,
        except one that a redirect target or that URL may replace."""
        if (origin, content_hash) in self._absent:
            return None
        rows = self._database.rows(BY_HASH, (origin, content_hash, url, url))
        return StoredDocument(*rows[0]) if rows else None

    def rank(self, url: int) -> tuple[bool, bool, int, bool, int]:
        """Return the rank of a page among those with the same content."""
        [(address, via, listed, depth)] = self._database.rows(STANDING, (url,))
        return site_rank(address, via, listed, depth, url)

    def is_written(self, held: StoredDocument, run: int) -> bool:
        """Return True if a current document was written, or is being written, in a run."""
        return not held.seq or bool(self._database.rows(WRITTEN, (held.seq, run)))

    def expect(self, origin: int, hashes: Sequence[str]) -> None:
        """Look up which of these content no document of a leased origin has, for ``equal``."""
        self._absent.clear()
        known = {hash_ for (hash_,) in self._database.rows_in(WITH_HASH, hashes, origin)}
        self._absent.update((origin, each) for each in hashes if each not in known)

    def forget(self) -> None:
        """Forget what was looked up: it is certain only in its transaction."""
        self._absent.clear()

    def pointing_at(self, urls: Sequence[int]) -> list[StoredDocument]:
        """Return the documents that these URLs replace, or may replace later."""
        return [StoredDocument(*row) for row in self._database.rows_in(BY_TARGET, urls)]

    def duplicates_of(self, url: int) -> list[StoredDocument]:
        """Return the documents suppressed as duplicates of this URL."""
        return [held for held in self.pointing_at([url]) if held.because == "duplicate"]

    def additional_urls(self, urls: Sequence[int]) -> dict[int, list[str]]:
        """Return the addresses of the duplicates that each of these URLs replaces, sorted."""
        found: defaultdict[int, list[str]] = defaultdict(list)
        for held in self.pointing_at(urls):
            if held.because == "duplicate" and held.target is not None:
                found[held.target].append(held.address)
        return {url: sorted(addresses) for url, addresses in found.items()}

    def store(
        self,
        url: int,
        origin: int,
        document: dict[str, Any],
        hash_: str | None,
        target: tuple[int, str] | None = None,
    ) -> None:
        """Store a document and make it current, its seq being set with the outbox row, or suppress
        it: ``target`` is then the URL that replaces it, and the reason."""
        seq = UNNUMBERED if target is None else None
        place = (url, origin, document["id"], seq, hash_, self.packed(document))
        self._absent.discard((origin, hash_))
        self._database.write(STORE, [(*place, *(target or (None, None)))])

    def keep_html(self, pages: Mapping[int, str]) -> None:
        """Store the pages themselves beside the documents of their URLs, if they have some."""
        if pages:
            rows = [
                (zstd.compress(text.encode("utf-8", "replace"), HTML_LEVEL), url)
                for url, text in pages.items()
            ]
            self._database.write(KEEP_HTML, rows)

    def packed(self, document: dict[str, Any]) -> bytes:
        """Return a document in its stored form."""
        packed: list[bytes] = []
        last = b""
        for part in serialized_parts(document):
            if last:
                packed.append(self._compressor.compress(last))
            last = part
        packed.append(self._compressor.compress(last, self._compressor.FLUSH_FRAME))
        return b"".join(packed)

    def content(self, url: int) -> dict[str, Any]:
        """Return the stored fields of a URL's document."""
        [(body,)] = self._database.rows("SELECT body FROM document WHERE url = ?", (url,))
        return unpack(body)

    def at(self, origin: str, realm: str, fingerprint: int) -> dict[str, Any]:
        """Return the stored fields of the document of a URL; empty if it has none."""
        rows = self._database.rows(AT, (origin, realm, fingerprint))
        return unpack(rows[0][0]) if rows else {}

    def confirm(self, url: int, hash_: str | None, document_hash: str | None, change: str) -> None:
        """Store the hashes of a document that was compared later than it was read; its ``change``
        is new or changed. The validators are cleared, so that its page is next requested
        unconditionally."""
        [(visits, changes, seconds, before, at)] = self._database.rows(COMPARED, (url,))
        rate: Row = (None,) * 4
        if change != "new" and before is not None:
            history = ChangeHistory(visits or 0.0, changes or 0.0, seconds or 0.0)
            history = history.compared(at - before, changed=change == "changed")
            rate = (*history, history.rate)
        changes = int(change == "changed")
        self._database.execute(CONFIRM, (hash_, document_hash, changes, *rate, url))

    def promote(self, url: int) -> None:
        """Make a suppressed document current."""
        self._database.execute(
            "UPDATE document SET seq = ?, target = NULL, because = NULL WHERE url = ?",
            (UNNUMBERED, url),
        )

    def demote(self, url: int, target: int, because: str) -> None:
        """Suppress a current document."""
        self._database.execute(
            "UPDATE document SET seq = NULL, target = ?, because = ? WHERE url = ?",
            (target, because, url),
        )

    def set_replacement(self, url: int, target: int | None, because: str | None) -> None:
        """Store the URL that replaces a document, or may do so later."""
        self._database.execute(
            "UPDATE document SET target = ?, because = ? WHERE url = ?", (target, because, url)
        )

    def mark_stale(self, url: int) -> None:
        """Note that the addresses of a document's duplicates have changed."""
        self._database.execute("UPDATE document SET stale = 1 WHERE url = ?", (url,))

    def stale(self, origin: int) -> list[StoredDocument]:
        """Return the current documents of an origin that are marked, and remove their marks."""
        found = [StoredDocument(*row) for row in self._database.rows(STALE, (origin,))]
        if found:
            self._database.execute(
                "UPDATE document SET stale = 0 WHERE origin = ? AND stale = 1", (origin,)
            )
        return [held for held in found if held.current]

    def look_again(self, url: int) -> None:
        """Make a page due in the next run."""
        self._database.execute("UPDATE url SET due = 0, ages = 0 WHERE id = ?", (url,))

    def remove(self, url: int) -> None:
        """Delete a document, and everything by which its page could compare as unchanged."""
        self._database.execute("DELETE FROM document WHERE url = ?", (url,))
        self._database.execute(
            "UPDATE url SET indexed_at = NULL, etag = NULL, last_modified = NULL,"
            " content_hash = NULL, document_hash = NULL, reading = NULL WHERE id = ?",
            (url,),
        )


class Changes:
    """Changes of documents, and the outbox entries gathered for them, in one transaction.

    Deletions precede upserts, so that a reader in order never has a page twice.
    """

    def __init__(self, documents: Documents, origin: int) -> None:
        self._documents = documents
        self._origin = origin
        self._upserts: dict[int, Entry] = {}
        self._deletes: dict[int, Entry] = {}

    def entries(self) -> list[Entry]:
        """Return the entries in order, each document with the addresses of its duplicates."""
        also = self._documents.additional_urls(list(self._upserts))
        for url, addresses in also.items():
            entry = self._upserts[url]
            entry.content = {**entry.content, "additional_urls": addresses}
        return [*self._deletes.values(), *self._upserts.values()]

    def publish(
        self, url: int, document: dict[str, Any], content_hash: str | None, change: str
    ) -> None:
        """Make the document of a visit current."""
        self._documents.store(url, self._origin, document, content_hash)
        self._upserts[url] = Entry(url, "upsert", document["id"], change, content=document)

    def promote(self, held: StoredDocument) -> None:
        """Make a suppressed document current, or a duplicate of an equal one."""
        equal = held.hash and self._documents.equal(held.origin, held.hash, held.url)
        if equal:
            self._documents.demote(held.url, equal.url, "duplicate")
            self.renew(equal)
            return
        self._documents.promote(held.url)
        self._write_again(held, "new")

    def renew(self, held: StoredDocument) -> None:
        """Have a document written again once, because the addresses of its duplicates changed."""
        if held.url not in self._upserts:
            self._documents.mark_stale(held.url)

    def write_stale(self) -> None:
        """Write the current documents again whose duplicates have changed since they were written."""
        for held in self._documents.stale(self._origin):
            if held.url not in self._upserts:
                self._write_again(held, "metadata")

    def _write_again(self, held: StoredDocument, change: str) -> None:
        content = self._documents.content(held.url)
        self._upserts[held.url] = Entry(held.url, "upsert", held.id, change, content=content)

    def renew_kept(self, held: StoredDocument | None) -> None:
        """Have the document written again of which a page was a duplicate."""
        if held is not None and held.because == "duplicate" and held.target is not None:
            kept = self._documents.of(held.target)
            if kept is not None and kept.current:
                self.renew(kept)

    def withdraw(self, held: StoredDocument, reason: str, moved_to: str | None) -> None:
        """Delete a current document; its duplicates become independent."""
        self.delete(held, reason, moved_to)
        self._documents.remove(held.url)
        self.orphan(self._documents.pointing_at([held.url]))

    def replace(
        self, held: StoredDocument, by: StoredDocument | int, address: str, because: str
    ) -> None:
        """Suppress a current document in favour of another URL, which also takes over those of
        its duplicates that are equal to the other document."""
        target = by if isinstance(by, int) else by.url
        reason = {"canonical": "non_canonical"}.get(because, because)
        self.delete(held, reason, address)
        self._documents.demote(held.url, target, because)
        followers = self._documents.duplicates_of(held.url)
        if not followers:
            return
        instead = self._documents.of(target)
        for follower in followers:
            if instead is not None and follower.hash == instead.hash:
                self._documents.set_replacement(follower.url, target, "duplicate")
        self.orphan(self._documents.duplicates_of(held.url))

    def orphan(self, followers: Iterable[StoredDocument]) -> None:
        """Promote the best of equal pages whose current one is gone; it replaces the others."""
        equal = [held for held in followers if held.because == "duplicate" and not held.current]
        if not equal:
            return
        best, *others = sorted(equal, key=lambda held: self._documents.rank(held.url))
        self.promote(best)
        for held in others:
            self._documents.set_replacement(held.url, best.url, "duplicate")

    def delete(self, held: StoredDocument, reason: str, moved_to: str | None = None) -> None:
        """Write the deletion of a current document; its row stays."""
        ours = self._upserts.pop(held.url, None)
        if ours is not None and ours.change == "new":
            return  # it was never written
        self._deletes[held.url] = Entry(
            held.url, "delete", held.id, None, reason, moved_to, held.address
        )
