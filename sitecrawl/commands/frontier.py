"""`scrapy frontier`: statistics and lists of a crawl database, and manual changes to it."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TypeAlias

from sitecrawl import typed_program
from sitecrawl.config.types import read_duration
from sitecrawl.console import maintenance
from sitecrawl.console.command_base import StoredCommand
from sitecrawl.console.crawl_lists import (
    Entry,
    list_errors,
    list_left_out,
    list_mirrors,
    list_pending,
    list_redirects,
    list_refused,
    list_workers,
)
from sitecrawl.console.crawl_overview import read_overviews
from sitecrawl.console.crawl_sources import CrawledSource, find_crawl
from sitecrawl.console.crawl_statistics import CrawlStatistics
from sitecrawl.console.maintenance import ChangeReport, prune
from sitecrawl.console.scrapy_commands import MisuseError
from sitecrawl.console.terminal import print_answer, print_errors, print_lines
from sitecrawl.explain.explanation import Explainer
from sitecrawl.frontier.opening import open_change_log, open_records
from sitecrawl.frontier.records import Records
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.statuses import DATABASE_ERROR, DONE, NO_RESULT
from sitecrawl.web.urls.url import origin as origin_of

Lister: TypeAlias = "Callable[[Records, str | None], Iterator[Entry]]"
LISTS: Mapping[str, Lister] = {
    "pending": list_pending,
    "errors": list_errors,
    "redirects": list_redirects,
    "mirrors": list_mirrors,
    "left-out": list_left_out,
}
EMPTY = {
    "pending": "The crawl knows no URL.",
    "errors": "No URL failed at its last visit.",
    "redirects": "No URL redirects.",
    "mirrors": "No two origins have equal documents.",
    "workers": "No worker is known.",
    "refused": "No target refused a document.",
    "left-out": "The last run left no kind of page out.",
}
"""The reason why a list has no entry, by action."""
ARGUMENTS = {
    **dict.fromkeys(("stats", *EMPTY), ""),
    "import": "FILE",
    "clear-errors": "",
    "retry": "URL",
    "confirm": "[ORIGIN]",
    "delete-origin": "ORIGIN",
    "delete-realm": "REALM",
    "prune": "DURATION",
    "forget-target": "TARGET",
}
"""The actions, each with its argument."""


class Command(StoredCommand):
    """Print lists with one entry per line; with --json one object per line."""

    def syntax(self) -> str:
        """Return the command's syntax."""
        actions = (f"{action} {argument}".strip() for action, argument in ARGUMENTS.items())
        return f"[options] [{' | '.join(actions)}]"

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Run the action; return 1 if it found nothing."""
        action, argument = _read(args)
        setting, origin = self.settings["SITECRAWL_DATABASE"], origin_of(argument)
        if opts.config:
            return _show_overview(setting, action, opts)
        if opts.realm:
            opts.spargs["realm"] = opts.realm
        source = find_crawl(setting, opts.spargs, origin)
        if action == "stats":
            return _show_statistics(source, as_json=opts.json)
        lists: Mapping[str, Lister] = {**LISTS, "workers": partial(list_workers, host=opts.host)}
        if action in lists:
            with open_records(source.database) as records:
                return _print(lists[action](records, opts.realm), action, as_json=opts.json)
        if action == "refused":
            with open_change_log(source.database) as log:
                return _print(list_refused(log), action, as_json=opts.json)
        if action == "prune":
            done = prune(source.database, opts.spargs.get("realm"), _read_age(argument))
        else:
            done = self._do(action, argument, source)
        print_answer(asdict(done), [done.said], as_json=opts.json)
        print_errors(done.problems)
        return DONE if done.count and not done.problems else NO_RESULT

    def _do(self, action: str, argument: str, source: CrawledSource) -> ChangeReport:
        database, realm = source.database, source.configuration.params.realm
        match action:
            case "clear-errors":
                return maintenance.clear_errors(database, realm)
            case "confirm":
                return maintenance.confirm(database, realm, origin_of(argument) or None)
            case "forget-target":
                return maintenance.forget_target(database, argument)
            case "delete-origin":
                return maintenance.delete_origin(database, realm, origin_of(argument) or argument)
            case "delete-realm":
                return maintenance.delete_realm(database, argument)
            case "retry":
                rules = self.rules(source.configuration)
                return _warned(
                    maintenance.retry(database, realm, rules, argument), source, rules, argument
                )
        return maintenance.adopt(database, self.rules(source.configuration), argument)


def _warned(done: ChangeReport, source: CrawledSource, rules: Rules, url: str) -> ChangeReport:
    """Return the report on a requeued URL, with a warning if the next crawl will refuse it."""
    with open_records(source.database) as records:
        refusal = Explainer(source.configuration, rules, records).explain(url).refusal
    if refusal is None or not done.count:
        return done
    holds = f"the next crawl leaves it out as long as this holds: {refusal.detail}"
    return replace(done, said=f"{url} waits, but {holds}")


def _read(args: Sequence[str]) -> tuple[str, str]:
    action, *rest = args or ["stats"]
    if action not in ARGUMENTS:
        known = ", ".join(ARGUMENTS)
        raise MisuseError(f"there is no action {action!r}; known: {known}")
    wanted = ARGUMENTS[action]
    if len(rest) > bool(wanted) or (not rest and wanted and not wanted.startswith("[")):
        raise MisuseError(f"write {typed_program()} frontier {action} {wanted}".strip())
    return action, rest[0] if rest else ""


def _read_age(argument: str) -> float:
    try:
        return read_duration(argument)
    except ValueError as error:
        raise MisuseError(f"DURATION {error}") from None


def _show_statistics(source: CrawledSource, *, as_json: bool) -> int:
    statistics = CrawlStatistics.read(source.database, source.run)
    record = {"database": source.name, **statistics.record()}
    return print_answer(record, [source.name, *statistics.lines(time.time())], as_json=as_json)


def _show_overview(setting: str, action: str, opts: argparse.Namespace) -> int:
    """Print a line for each crawl of a file; the status is 3 if a database cannot be read."""
    if action != "stats" or opts.realm:
        raise MisuseError(
            "--config is for all crawls of the file at once; write "
            f"-a config={opts.config} -a crawl=NAME for one"
        )
    crawls = list(read_overviews(setting, opts.config, opts.spargs))
    width, now = max(len(each.name) for each in crawls), time.time()
    entries = ((each.record(), each.line(width, now)) for each in crawls)
    status = _print(entries, action, as_json=opts.json)
    return DATABASE_ERROR if any(each.problem for each in crawls) else status


def _print(entries: Iterable[Entry], action: str, *, as_json: bool) -> int:
    if as_json:
        return print_lines(json.dumps(record, ensure_ascii=False) for record, _ in entries)
    status = print_lines(line for _, line in entries)
    if status == NO_RESULT:
        print_errors([EMPTY[action]])
    return status
