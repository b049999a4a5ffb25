"""Lists out of a crawl database: each entry as JSON for programs and as a line for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sitecrawl.frontier import pending
from sitecrawl.frontier.records import Records

Entry = tuple[dict[str, Any], str]


def list_pending(records: Records, realm: str | None) -> Iterator[Entry]:
    """Every URL as ``URL Realm State``, in the order of bytes; of one realm or of all."""
    for url, name, state in records.pending():
        if realm in {None, name}:
            (line,) = pending.write([(url, name, state)])
            yield {"url": url, "realm": name, "state": state}, line.rstrip("\n")


def list_errors(records: Records, realm: str | None) -> Iterator[Entry]:
    """The URLs that failed last time, each with the page that names it."""
    for url, outcome, status, reason, referrer in records.failures(realm):
        name = outcome.name.lower()
        record = {"url": url, "outcome": name, "status": status, "reason": reason}
        on = f" on {referrer}" if referrer else ""
        yield {**record, "referrer": referrer}, f"{status or '-'} {name} {url}{on}"


def list_redirects(records: Records, realm: str | None) -> Iterator[Entry]:
    """The URLs that redirect, each with its target."""
    for url, outcome, status, target in records.redirects(realm):
        record = {"url": url, "redirect_to": target, "status": status}
        yield {**record, "outcome": outcome.name.lower()}, f"{status or '-'} {url} {target}"


def list_mirrors(records: Records, realm: str | None) -> Iterator[Entry]:
    """Pairs of origins that serve equal documents: how many, and what share of the smaller."""
    for one, other, count, share in records.mirrors(realm):
        record = {"origins": [one, other], "documents": count, "share": round(share, 4)}
        yield record, f"{count} {share:.0%} {one} {other}"
