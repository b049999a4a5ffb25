"""Manual changes to a crawl database, and their reports."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

from sitecrawl import typed_program
from sitecrawl.config.config_errors import ConfigError
from sitecrawl.console.terminal import stamp
from sitecrawl.crawl.run_summary import counted
from sitecrawl.frontier.base import Candidate, Change
from sitecrawl.frontier.opening import (
    open_administration,
    open_change_log,
    open_pruning,
    open_records,
)
from sitecrawl.frontier.pending_file import read_pending
from sitecrawl.frontier.pruning import Compacted, Forgotten
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.web.urls.url import normalize


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """Report of a change: count, text, and the lines that could not be used."""

    count: int
    said: str
    problems: Sequence[str] = ()


def clear_errors(database: str, realm: str) -> ChangeReport:
    """Requeue every URL of a realm that failed."""
    with open_administration(database, realm) as administration:
        count = administration.clear_errors()
    return ChangeReport(
        count, f"{counted(count, 'URL')} of realm {realm!r} that failed will be asked again."
    )


def retry(database: str, realm: str, rules: Rules, url: str) -> ChangeReport:
    """Requeue one URL, regardless of its last outcome."""
    with open_administration(database, realm) as administration:
        known = administration.retry(candidate(rules, url))
    if not known:
        return ChangeReport(0, f"{url} is not known in realm {realm!r}.")
    return ChangeReport(1, f"{url} will be asked for in the next crawl.")


def confirm(database: str, realm: str, origin: str | None) -> ChangeReport:
    """Carry out the changes that are held, of one origin or of all."""
    with open_administration(database, realm) as administration:
        count = len(administration.confirm(origin))
    if not count:
        return ChangeReport(0, "No change is held back.")
    return ChangeReport(count, f"{counted(count, 'change')} written; the next crawl delivers them.")


def delete_realm(database: str, realm: str) -> ChangeReport:
    """Delete a realm's documents and all its records."""
    with open_records(database) as records:
        if all(origin.realm != realm for origin in records.origins()):
            return ChangeReport(0, f"There is no realm {realm!r}.")
    with open_administration(database, realm) as administration:
        changes = administration.delete_realm()
    return _deleted(f"Realm {realm!r}", realm, changes)


def delete_origin(database: str, realm: str, origin: str) -> ChangeReport:
    """Delete an origin's documents and all its records."""
    with open_records(database) as records:
        if all(each.key != origin for each in records.origins(realm)):
            return ChangeReport(0, f"There is no origin {origin!r} in realm {realm!r}.")
    with open_administration(database, realm) as administration:
        changes = administration.delete_origin(origin)
    done = _deleted(origin, realm, changes)
    host = urlsplit(origin).hostname
    remedy = f" A start or a link brings it back; -a do_not_crawl={host} keeps it out."
    return replace(done, said=done.said + remedy)


def _deleted(what: str, realm: str, changes: Sequence[Change]) -> ChangeReport:
    message = f"{what} was deleted; {counted(len(changes), 'deletion')} written."
    if changes:
        export = f"{typed_program()} export -a realm={quote(realm)} --since {changes[0].seq - 1}"
        message += f" {export} prints them; the next crawl of that realm delivers them."
    return ChangeReport(1, message)


def forget_target(database: str, target: str) -> ChangeReport:
    """Forget a target of ``scrapy sync``, for which changes are kept."""
    with open_change_log(database) as log:
        if log.forget(target):
            return ChangeReport(
                1, f"{target} is forgotten; a later {typed_program()} sync resumes it."
            )
        known = ", ".join(each.target for each in log.targets()) or "none"
    return ChangeReport(0, f"{target} is not a target of this crawl; known: {known}.")


def adopt(database: str, rules: Rules, path: str) -> ChangeReport:
    """Import a pending file; report and skip invalid lines."""
    entries, problems = read_pending(_lines(path))
    by_realm: defaultdict[str, list[tuple[Candidate, int]]] = defaultdict(list)
    for entry in entries:
        found = candidate(rules, entry.url)
        if found.origin:
            by_realm[entry.realm].append((found, entry.state))
        else:
            problems.append(f"{entry.url} is not a URL that can be crawled")
    count = 0
    for realm, states in by_realm.items():
        with open_administration(database, realm) as administration:
            count += administration.adopt(states)
    return ChangeReport(count, f"{counted(count, 'URL')} read from {path}.", problems)


def candidate(rules: Rules, url: str) -> Candidate:
    """Return a URL in the form that the crawl stores, regardless of the rules."""
    return Candidate.of(rules.admit(normalize(url) or url))


def _lines(path: str) -> Iterable[str]:
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError([f"{path} is not UTF-8 text (byte {error.start})."]) from error
    return text.splitlines()


def prune(database: str, realm: str | None, age: float) -> ChangeReport:
    """Delete superseded records older than ``age`` seconds, and compact the database."""
    with open_pruning(database, realm) as pruning:
        forgotten = pruning.forget(age)
        compacted = pruning.compact()
    message = [_forgotten(forgotten)]
    smaller = compacted is not None and not compacted.hindrance
    if forgotten.count or smaller:
        message.append(_compacted(compacted))
    return ChangeReport(forgotten.count or int(smaller), "\n".join(message))


def _forgotten(rows: Forgotten) -> str:
    before = stamp(rows.before)
    if not rows.count:
        return f"There is nothing to prune from before {before}."
    attempts, runs = counted(rows.attempts, "attempt"), counted(rows.runs, "run")
    changes = counted(rows.changes, "superseded change")
    return f"Forgot {attempts}, {changes} and {runs} from before {before}."


def _compacted(file: Compacted | None) -> str:
    if file is None:
        return "PostgreSQL's autovacuum makes the space reusable."
    if file.hindrance:
        return f"The file stays at {_size(file.before)}: {file.hindrance}. New rows use the freed space."
    return f"The file shrank from {_size(file.before)} to {_size(file.after)}."


def _size(count: int) -> str:
    """Format a number of bytes: ``812 MB``, ``0.4 MB``."""
    return f"{count / 1e6:,.0f} MB" if count >= 1e7 else f"{count / 1e6:.1f} MB"
