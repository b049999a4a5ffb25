"""Lists of `scrapy frontier`: each entry as a record, and as a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sitecrawl.console.terminal import ago, stamp
from sitecrawl.frontier.change_log import ChangeLog
from sitecrawl.frontier.pending_file import write_pending
from sitecrawl.frontier.records import Records
from sitecrawl.policy.worth.wanted import tried_words

HEARD_SECONDS = 60.0
Entry = tuple[dict[str, Any], str]


def list_pending(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield every URL of one realm or of all as ``URL Realm State``, in byte order."""
    for url, name, state in records.pending():
        if realm in {None, name}:
            (line,) = write_pending([(url, name, state)])
            yield {"url": url, "realm": name, "state": state}, line.rstrip("\n")


def list_errors(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield the URLs whose last visit failed, each with a page that links to it.

    The origins that the last run gave up come first.
    """
    run = records.last_run(realm)
    counters = run.counters if run is not None else {}
    for origin, why in counters.get("given_up", {}).items():
        record = {"url": origin, "outcome": "given_up", "status": None, "reason": why}
        yield {**record, "referrer": None}, f"- given_up {origin} {why}"
    for url, outcome, status, reason, referrer in records.failures(realm):
        name = outcome.name.lower()
        record = {"url": url, "outcome": name, "status": status, "reason": reason}
        on = f" on {referrer}" if referrer else ""
        yield {**record, "referrer": referrer}, f"{status or '-'} {name} {url}{on}"


def list_redirects(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield the URLs that redirect, each with its target."""
    for url, outcome, status, target in records.redirects(realm):
        record = {"url": url, "redirect_to": target, "status": status}
        yield {**record, "outcome": outcome.name.lower()}, f"{status or '-'} {url} {target}"


def list_mirrors(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield pairs of origins with equal documents: the number, and share of the smaller one."""
    for one, other, count, share in records.mirrors(realm):
        record = {"origins": [one, other], "documents": count, "share": round(share, 4)}
        yield record, f"{count} {share:.0%} {one} {other}"


def list_left_out(records: Records, realm: str | None) -> Iterator[Entry]:
    """Yield the kinds of pages of which the last run left URLs out, the largest first."""
    run = records.last_run(realm)
    counters = run.counters if run is not None else {}
    found = counters.get("left_out") or {}
    for kind, left in sorted(found.items(), key=lambda each: -each[1]["urls"]):
        line = f"{left['reason']} {left['urls']} {kind} ({tried_words(left)}) -a always_fetch='{left['always_fetch']}'"
        yield {"kind": kind, **left}, f"{line} {left['example']}"


def list_refused(log: ChangeLog) -> Iterator[Entry]:
    """Yield the changes that targets refused, each with the target's reason."""
    for target, letter in log.dead_letters():
        record = {"target": target, **asdict(letter)}
        yield record, f"{target} {letter.url or letter.id} {letter.reason}"


def list_workers(records: Records, realm: str | None, host: str | None = None) -> Iterator[Entry]:
    """Yield a line for each worker: host, process, since, origins, pages, rate, last seen.

    With a ``host``, those of it that run and were heard of lately.
    """
    now = records.now()
    for each in records.workers(realm):
        is_live = each.finish is None and now - each.seen_at <= HEARD_SECONDS
        if host and not (is_live and each.host == host):
            continue
        times = {name: stamp(getattr(each, name)) for name in ("started_at", "seen_at", "ended_at")}
        state = f"seen {ago(each.seen_at, now)}"
        if each.finish is not None:
            state = each.finish if each.ended_at else f"{each.finish}, last {state}"
        work = f"{each.origins} origins, {each.pages} pages, {each.rate:.1f}/s"
        line = (
            f"{each.host} {each.process} ({each.realm}, run {each.run}): since "
            f"{times['started_at']}, {work if each.crawls else 'writes the output'}, {state}"
        )
        yield {**asdict(each), **times}, line
