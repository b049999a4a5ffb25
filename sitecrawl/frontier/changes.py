"""The changes of one transaction: what becomes current, what ceases to be, and in what order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sitecrawl.frontier.documents import Documents, Held
from sitecrawl.frontier.outbox import Entry
from sitecrawl.policy.duplicates import rank


class Changes:
    """Gathers outbox entries while the documents change; used for one transaction.

    Deletions go before upserts, so that whoever reads in order never has a page twice.
    """

    def __init__(self, documents: Documents, origin: int) -> None:
        self._documents = documents
        self._origin = origin
        self._upserts: dict[int, Entry] = {}
        self._deletes: dict[int, Entry] = {}

    def entries(self) -> list[Entry]:
        """The entries in their order, each document with the addresses it stands for."""
        also = self._documents.additional_urls(list(self._upserts))
        for url, addresses in also.items():
            entry = self._upserts[url]
            entry.content = {**entry.content, "additional_urls": addresses}
        return [*self._deletes.values(), *self._upserts.values()]

    def publish(
        self, url: int, document: dict[str, Any], content_hash: str | None, change: str
    ) -> None:
        """Make a document current that a visit brought."""
        self._documents.publish(url, self._origin, document, content_hash)
        self._upserts[url] = Entry(url, "upsert", document["id"], change, content=document)

    def promote(self, held: Held) -> None:
        """Make a document current that was kept back, or have an equal one stand for it."""
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

    def renew(self, held: Held) -> None:
        """Write a current document again, because the addresses it stands for changed."""
        if held.url not in self._upserts:
            content = self._documents.content(held.url)
            entry = Entry(held.url, "upsert", held.id, "metadata", content=content)
            self._upserts[held.url] = entry

    def withdraw(self, held: Held, reason: str, moved_to: str | None) -> None:
        """Write that a current document is no more; what it stood for comes into its own."""
        self._delete(held, reason, moved_to)
        self._documents.remove(held.url)
        self.orphan(self._documents.pointing_at([held.url]))

    def forget(self, held: Held, reason: str) -> None:
        """Write that a current document is no more, when nothing will come after it."""
        self._delete(held, reason, None)

    def replace(self, held: Held, by: Held | int, address: str, because: str) -> None:
        """Keep a current document back: another URL stands for it, and for those of the pages
        it stood for that are equal to that one as well."""
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
                self._documents.point(follower.url, target, "duplicate")
        self.orphan(self._documents.duplicates_of(held.url))

    def orphan(self, followers: Iterable[Held]) -> None:
        """Equal pages whose kept one is no more: the best of them takes its place."""
        equal = [held for held in followers if held.because == "duplicate" and not held.current]
        if not equal:
            return
        best, *others = sorted(equal, key=lambda held: rank(held.address))
        self.promote(best)
        for held in others:
            self._documents.point(held.url, best.url, "duplicate")

    def _delete(self, held: Held, reason: str, moved_to: str | None) -> None:
        ours = self._upserts.pop(held.url, None)
        if ours is not None and ours.change == "new":
            return  # nobody has heard of it
        self._deletes[held.url] = Entry(
            held.url, "delete", held.id, None, reason, moved_to, held.address
        )
