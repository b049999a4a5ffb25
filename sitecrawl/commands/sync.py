"""`scrapy sync`: keep a search engine or another target equal to the documents of a crawl."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict
from types import FrameType

from sitecrawl import typed_program
from sitecrawl.console.command_base import StoredCommand
from sitecrawl.console.crawl_sources import Source, find_crawl
from sitecrawl.console.scrapy_commands import MisuseError
from sitecrawl.console.search_files import search_file
from sitecrawl.console.terminal import print_answer, print_errors
from sitecrawl.crawl.run_summary import counted
from sitecrawl.frontier.change_log import ChangeLog
from sitecrawl.frontier.opening import open_change_log
from sitecrawl.statuses import BAD_USAGE, DATABASE_ERROR, DONE, NO_RESULT
from sitecrawl.sync.synchronizer import BATCH, Synchronizer, SyncReport
from sitecrawl.sync.target import (
    SyncError,
    TargetMismatchError,
    TargetUriError,
    open_target,
    shown_target,
    target_options,
)


class Command(StoredCommand):
    """Apply the changes that a target has not received yet."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Synchronise; return 1 if the target refused documents."""
        if len(args) > 1:
            raise MisuseError("give one TARGET")
        if opts.rebuild + opts.follow + opts.dry_run > 1:
            raise MisuseError("give one of --rebuild, --follow and --dry-run")
        if opts.batch is not None and opts.batch < 1:
            raise MisuseError("--batch is a number of changes, 1 or more")
        source = find_crawl(self.settings["SITECRAWL_DATABASE"], opts.spargs)
        uri = args[0] if args else f"sqlite:///{search_file(source)}"
        try:
            with open_change_log(source.database) as log:
                return _synchronize(log, source, uri, opts)
        except TargetUriError as error:
            raise MisuseError(str(error)) from error


def _synchronize(log: ChangeLog, source: Source, uri: str, opts: argparse.Namespace) -> int:
    options = target_options(source.configuration.params)
    with closing(open_target(uri, options)) as target:
        synchronizer = Synchronizer(
            log,
            target,
            uri,
            report=lambda line: print_errors([line]),
            realm=opts.spargs.get("realm"),
            batch=opts.batch or BATCH,
        )
        try:
            if opts.dry_run:
                return _print_pending(uri, *synchronizer.pending(), as_json=opts.json)
            if opts.follow:
                done = synchronizer.follow(_asked_to_end())
            else:
                done = synchronizer.rebuild() if opts.rebuild else synchronizer.run()
        except (TargetMismatchError, TargetUriError) as error:
            print_errors([str(error)])
            return BAD_USAGE
        except SyncError as error:
            print_errors([str(error)])
            return DATABASE_ERROR
    return _print_report(uri, done, as_json=opts.json)


def _asked_to_end() -> Callable[[], bool]:
    """Handle Ctrl-C and SIGTERM as a request to stop; the second one stops at once."""
    asked: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        asked.append(number)
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    return lambda: bool(asked)


def _print_pending(uri: str, upserts: int, deletions: int, *, as_json: bool) -> int:
    name = shown_target(uri)
    record = {"target": name, "upserts": upserts, "deletions": deletions, "written": False}
    wanted = f"{counted(upserts, 'document')} and {counted(deletions, 'deletion')}"
    said = f"would get {wanted}" if upserts + deletions else "has every change"
    return print_answer(record, [f"{name} {said}."], as_json=as_json)


def _print_report(uri: str, done: SyncReport, *, as_json: bool) -> int:
    name = shown_target(uri)
    said = "has every change; there was nothing to write"
    if done.count:
        how = "was rebuilt with" if done.rebuilt else "got"
        said = (
            f"{how} {counted(done.upserts, 'document')} and {counted(done.deletions, 'deletion')}"
        )
    print_answer({"target": name, **asdict(done)}, [f"{name} {said}."], as_json=as_json)
    if done.refused:
        refused = counted(done.refused, "document")
        print_errors(
            [f"{name} refused {refused}; {typed_program()} frontier refused says which, and why."]
        )
    return NO_RESULT if done.refused else DONE
