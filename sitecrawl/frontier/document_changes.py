"""Changes of the documents of one origin in one transaction, and the outbox entries for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sitecrawl.frontier.base import Entry
from sitecrawl.frontier.documents import Documents, StoredDocument
from sitecrawl.frontier.held_changes import HeldChanges
from sitecrawl.frontier.redirect_resolver import RedirectResolver
from sitecrawl.frontier.state_options import StateOptions


@dataclass(frozen=True, slots=True)
class StateTables:
    """The tables of documents and of their state, and the options of the crawl."""

    documents: Documents
    held: HeldChanges
    claims: RedirectResolver
    options: StateOptions
    run: int


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
        self._documents.publish(url, self._origin, document, content_hash)
        self._upserts[url] = Entry(url, "upsert", document["id"], change, content=document)

    def promote(self, held: StoredDocument) -> None:
        """Make a suppressed document current, or a duplicate of an equal one."""
        equal = None
        if held.hash is not None:
            equal = self._documents.equal(held.origin, held.hash, held.url)
        if equal is not None:
            self._documents.demote(held.url, equal.url, "duplicate")
            self.renew(equal)
            return
        self._documents.promote(held.url)
        content = self._documents.content(held.url)
        self._upserts[held.url] = Entry(held.url, "upsert", held.id, "new", content=content)

    def renew(self, held: StoredDocument) -> None:
        """Have a document written again once, because the addresses of its duplicates changed."""
        if held.url not in self._upserts:
            self._documents.mark_stale(held.url)

    def write_stale(self) -> None:
        """Write the current documents again whose duplicates have changed since they were written."""
        for held in self._documents.stale(self._origin):
            if held.url not in self._upserts:
                content = self._documents.content(held.url)
                entry = Entry(held.url, "upsert", held.id, "metadata", content=content)
                self._upserts[held.url] = entry

    def renew_kept(self, held: StoredDocument | None) -> None:
        """Have the document written again of which a page was a duplicate."""
        if held is not None and held.because == "duplicate" and held.target is not None:
            kept = self._documents.of(held.target)
            if kept is not None and kept.current:
                self.renew(kept)

    def withdraw(self, held: StoredDocument, reason: str, moved_to: str | None) -> None:
        """Delete a current document; its duplicates become independent."""
        self._delete(held, reason, moved_to)
        self._documents.remove(held.url)
        self.orphan(self._documents.pointing_at([held.url]))

    def forget(self, held: StoredDocument, reason: str) -> None:
        """Write the deletion of a current document only, because the realm is deleted."""
        self._delete(held, reason, None)

    def replace(
        self, held: StoredDocument, by: StoredDocument | int, address: str, because: str
    ) -> None:
        """Suppress a current document in favour of another URL, which also takes over those of
        its duplicates that are equal to the other document."""
        target = by if isinstance(by, int) else by.url
        reason = {"canonical": "non_canonical"}.get(because, because)
        self._delete(held, reason, address)
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

    def _delete(self, held: StoredDocument, reason: str, moved_to: str | None) -> None:
        ours = self._upserts.pop(held.url, None)
        if ours is not None and ours.change == "new":
            return  # it was never written
        self._deletes[held.url] = Entry(
            held.url, "delete", held.id, None, reason, moved_to, held.address
        )
