"""`scrapy export`: the documents of a crawl, or their changes, read from its database."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence

from sitecrawl.console.command_base import StoredCommand
from sitecrawl.console.crawl_sources import CrawledSource, find_crawl
from sitecrawl.console.line_files import append, overwrite
from sitecrawl.console.llms_export import export_llms
from sitecrawl.console.scrapy_commands import MisuseError
from sitecrawl.console.terminal import print_errors, print_lines
from sitecrawl.frontier.opening import open_change_log, open_records
from sitecrawl.frontier.records import Records
from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.policy.documents.output_shapes import serialized, written
from sitecrawl.statuses import NO_RESULT

OTHER_FORMATS = (".csv", ".html", ".json", ".parquet", ".xml")
NOT_KEPT = "No page was kept: crawl with -a keep=html."


class Command(StoredCommand):
    """Print the lines that a crawl writes to its feeds, with the same field names and seq."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:  # noqa: ARG002
        """Write the lines; return 1 if there were none."""
        _check(opts)
        source = find_crawl(self.settings["SITECRAWL_DATABASE"], opts.spargs)
        options = source.configuration.params.document_options()
        with open_records(source.database) as records:
            if opts.format == "llms":
                realm = source.configuration.params.realm
                return export_llms(records, realm, opts.overwrite_output, opts.language)
            realm = opts.spargs.get("realm")
            found = lines(records, opts.since, options, realm)
            if opts.format == "html":
                found = (json.dumps(page, ensure_ascii=False) for page in records.pages(realm))
            if opts.overwrite_output:
                status = overwrite(opts.overwrite_output, found)
            else:
                status = append(opts.output, found) if opts.output else print_lines(found)
        if status == NO_RESULT:
            print_errors([NOT_KEPT if opts.format == "html" else _nothing(source, opts.since)])
        return status


def _check(opts: argparse.Namespace) -> None:
    told, name = "", opts.output or opts.overwrite_output or ""
    if opts.output and opts.overwrite_output:
        told = "give -o or -O, not both"
    elif opts.format == "llms" and (opts.output or opts.since is not None):
        told = "--format llms takes -O FOLDER alone"
    elif opts.format == "llms" and not opts.overwrite_output:
        told = "--format llms writes files: give -O FOLDER"
    elif opts.format == "html" and opts.since is not None:
        told = "--format html writes the pages of documents, no changes: leave --since out"
    elif opts.format != "llms" and name.lower().endswith(OTHER_FORMATS):
        told = f"one JSON object a line is written: name the file .jsonl instead of {name!r}"
    if told:
        raise MisuseError(told)


def _nothing(source: CrawledSource, since: int | None) -> str:
    if since is None:
        return f"{source.name} has no document."
    with open_change_log(source.database) as log:
        return (
            f"No change has a seq above {since}: the last one of {source.name} is {log.newest()}."
        )


def lines(
    records: Records, since: int | None, options: DocumentOptions, realm: str | None = None
) -> Iterator[str]:
    """Yield lines of documents, or of changes after ``since``, of one realm or of all."""
    found = records.documents(realm) if since is None else records.changes(since, realm)
    for record in found:
        yield serialized(written(record, options)).decode()
