"""`scrapy report`: what a crawl found, as one page, as lists, or in a few lines."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from importlib.util import find_spec

from sitecrawl import install_command, typed_program
from sitecrawl.config.types import read_duration
from sitecrawl.console.command_base import FetchingCommand
from sitecrawl.console.crawl_overview import read_overviews
from sitecrawl.console.crawl_sources import find_crawl
from sitecrawl.console.line_files import overwrite
from sitecrawl.console.page_fetcher import check_outside
from sitecrawl.console.scrapy_commands import MisuseError
from sitecrawl.console.terminal import print_errors, print_lines, status_line
from sitecrawl.frontier.opening import open_survey
from sitecrawl.frontier.records import RunRecord
from sitecrawl.report import problems
from sitecrawl.report.facts import Facts, FilledList, ReportList
from sitecrawl.report.lists import all_lists
from sitecrawl.report.many_crawls import read_crawls
from sitecrawl.report.overview import Overview
from sitecrawl.report.report_list import FORMATS, write_workbook
from sitecrawl.statuses import DONE, NO_RESULT

SHORT = ("held", "left_out", "pauses", "differences", "changes")
"""Lists that are counted in the terminal after the problems, if they are not empty."""
XLSX = ".xlsx"


class Command(FetchingCommand):
    """Write a page with all lists, or one list, or print a summary."""

    def long_desc(self) -> str:
        """Return the text of `scrapy report -h`, with the names of all lists."""
        return super().long_desc().replace("LISTS", ", ".join(all_lists()))

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:  # noqa: ARG002
        """Write the page or the list; return 1 if the list is empty."""
        if problem := _misuse(opts):
            raise MisuseError(problem)
        wanted = all_lists()[opts.list] if opts.list else None
        if opts.config:
            return self._report_crawls(wanted, opts)
        source = find_crawl(self.settings["SITECRAWL_DATABASE"], opts.spargs)
        if opts.check_outside:
            count = check_outside(self.fetch, source)
            print_errors([f"{count} addresses outside of the crawl were checked."])
        with open_survey(source.database, source.run.realm) as survey, status_line() as show:
            reading = lambda name: show(f"Reading the list {name}")
            facts = Facts(survey, source.run, reading=reading)
            if opts.against:
                facts.against = _run_before(opts.against, facts.runs)
            lists = all_lists().values() if wanted is None else [wanted]
            if (opts.overwrite_output or "").endswith(XLSX):
                filled = (FilledList(each, facts.rows(each)) for each in lists)
                return _write_workbook(opts.overwrite_output, filled)
            if wanted is not None:
                return _write_list(FilledList(wanted, facts.rows(wanted)), opts)
            if opts.overwrite_output:
                from sitecrawl.report.report_page import page  # noqa: PLC0415 -- with templates

                return _write_page(opts.overwrite_output, page(facts))
            return print_lines(_summary(facts, as_json=opts.json))

    def _report_crawls(self, wanted: ReportList | None, opts: argparse.Namespace) -> int:
        is_book = (opts.overwrite_output or "").endswith(XLSX)
        every = list(all_lists().values())
        lists = [wanted] if wanted else every if is_book else every[:1]
        setting = self.settings["SITECRAWL_DATABASE"]
        with status_line() as show:
            overviews = read_overviews(setting, opts.config, opts.spargs)
            filled = read_crawls(overviews, lists, show)
        if is_book:
            return _write_workbook(opts.overwrite_output, filled)
        if wanted is not None or not opts.overwrite_output:
            return _write_list(filled[wanted is not None], opts)
        from sitecrawl.report.report_page import crawls_page  # noqa: PLC0415

        return _write_page(opts.overwrite_output, crawls_page(opts.config, filled))


def _misuse(opts: argparse.Namespace) -> str:
    if opts.list and opts.list not in all_lists():
        return f"there is no list {opts.list!r}; known: {', '.join(all_lists())}"
    if opts.format and not (opts.list or opts.config):
        return "--format is for --list NAME or --config FILE"
    if (opts.overwrite_output or "").endswith(XLSX) and find_spec("xlsxwriter") is None:
        needed = f"-O {opts.overwrite_output} needs the package xlsxwriter, which is not installed"
        return f"{needed}: {install_command('xlsx')}"
    return ""


def _run_before(text: str, runs: Sequence[RunRecord]) -> int:
    """Return the number of a run, or that of the last before a date or an age; 0 if none was."""
    if text.isdecimal():
        return int(text)
    try:
        if "-" in text:
            at = datetime.fromisoformat(text).astimezone().timestamp()
        else:
            at = time.time() - read_duration(text)
    except ValueError:
        words = "--against: write the number of a run, a date (2026-11-23) or an age (7d)"
        raise MisuseError(words) from None
    return max((each.id for each in runs if each.started_at < at), default=0)


def _write_page(path: str, text: str) -> int:
    overwrite(path, [text])
    print_errors([f"Written to {path}."])
    return DONE


def _write_workbook(path: str, lists: Iterable[FilledList]) -> int:
    try:
        write_workbook(path, lists)
    except OSError as error:
        raise MisuseError(f"{path} cannot be written: {error.strerror}") from None
    print_errors([f"Written to {path}."])
    return DONE


def _write_list(filled: FilledList, opts: argparse.Namespace) -> int:
    lines = FORMATS[opts.format or ("jsonl" if opts.json else "csv")](filled.of, filled.rows)
    if opts.overwrite_output:
        overwrite(opts.overwrite_output, lines)
    else:
        print_lines(lines)
    return DONE if filled.rows else NO_RESULT


def _summary(facts: Facts, *, as_json: bool) -> Iterator[str]:
    overview = Overview.read(facts)
    names = [*(each.name for each in problems.all_problems()), *SHORT]
    counts = {name: len(facts.rows(all_lists()[name])) for name in names}
    if as_json:
        figures = dict(overview.figures)
        yield json.dumps({"starts": overview.sites, "figures": figures, "lists": counts})
        return
    yield from overview.lines()
    for name, number in counts.items():
        if number:
            yield f"{number:>9,}  {all_lists()[name].title}: {typed_program()} report --list {name}"
    yield f"All lists as one page: {typed_program()} report -O report.html"
