"""`scrapy reindex`: apply the current configuration to stored documents, without fetching."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sitecrawl.config.assembly import apply_learned
from sitecrawl.config.configuration import changed_options
from sitecrawl.config.options.crawl_options import NAMING
from sitecrawl.console.command_base import StoredCommand
from sitecrawl.console.crawl_sources import CrawledSource, find_crawl
from sitecrawl.console.reindexing import ReindexPlan, StoredJudge, rewrite_unchanged
from sitecrawl.console.terminal import print_answer
from sitecrawl.frontier.opening import open_records, open_reindex
from sitecrawl.frontier.stored_reindex import Reindex
from sitecrawl.statuses import DONE, NO_RESULT

LIVE = frozenset(
    {"activity", "database", "force", "interval", "max_pages", "render", "warc", "workers"}
)
"""Options of a crawl that reads the network, or goes on."""


class Command(StoredCommand):
    """Delete documents that the rules no longer admit; rewrite those whose output names changed."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:  # noqa: ARG002
        """Apply the configuration, or print the plan; return 1 if nothing changes."""
        source = find_crawl(self.settings["SITECRAWL_DATABASE"], opts.spargs)
        rules, params = self.rules(source.configuration), source.configuration.params
        with open_records(source.database) as records:
            apply_learned(rules, params, records)
        today = StoredJudge(source.configuration, rules)
        with open_reindex(source.database, params.realm) as reindex:
            found = plan(source, reindex, today)
            if not opts.dry_run:
                apply(found, source, reindex, today)
        print_answer(found.record(), found.lines(), as_json=opts.json)
        if params.from_warc and not opts.dry_run:
            return self._read_again(source, opts)
        return NO_RESULT if found.nothing else DONE

    def _read_again(self, source: CrawledSource, opts: argparse.Namespace) -> int:
        """Crawl what is known from the archive, with the options of the reindex; return the status."""
        command = [sys.executable, "-m", "scrapy", "crawl", opts.spider]
        for pair in archived_crawl(source.configuration.stored()["params"]):
            command += ["-a", "=".join(pair)]
        command += ["-s", f"SITECRAWL_DATABASE={source.database}"]
        return subprocess.run(command, check=False).returncode  # noqa: S603 -- our own command


def archived_crawl(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Return the arguments of a crawl with these options that reads what is known once again."""
    for name, value in options.items():
        if name not in LIVE:
            yield name, value if isinstance(value, str) else json.dumps(value)
    yield "activity", "refresh"
    yield "force", "yes"


def plan(source: CrawledSource, reindex: Reindex, today: StoredJudge) -> ReindexPlan:
    """Return the changes that a reindex would make."""
    params = source.configuration.params
    options = changed_options(source.run.configuration, source.configuration.stored())
    found = ReindexPlan(source.database, params.realm, options)
    found.delete(reindex.planned(today.refused))
    if NAMING.intersection(options):
        deleted = sum(len(each) for each in found.deleted.values())
        found.written = sum(1 for _ in reindex.planned(rewrite_unchanged)) - deleted
    with open_records(source.database) as records:
        found.reread = records.read_otherwise(params.realm, params.reading)
        if "purpose" in options:
            found.reread += records.forbidden(params.realm)
    return found


def apply(found: ReindexPlan, source: CrawledSource, reindex: Reindex, today: StoredJudge) -> None:
    """Apply the planned changes; the next run delivers them."""
    params = source.configuration.params
    found.since = reindex.last_seq
    while list(reindex.apply(today.refused)):
        pass  # a deletion may restore a duplicate, which is judged in the next pass
    if found.written:
        found.written = len(list(reindex.apply(rewrite_unchanged)))
    reindex.finish(params.reading, source.configuration.stored())
