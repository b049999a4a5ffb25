"""`scrapy search`: full-text search in the documents of a crawl."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from sitecrawl import typed_program
from sitecrawl.console.command_base import StoredCommand
from sitecrawl.console.crawl_sources import find_crawl
from sitecrawl.console.scrapy_commands import MisuseError
from sitecrawl.console.search_files import update_search_file
from sitecrawl.console.terminal import print_errors, print_lines, printable
from sitecrawl.crawl.run_summary import counted
from sitecrawl.statuses import DATABASE_ERROR
from sitecrawl.sync.embedding import EMBED, query_vector
from sitecrawl.sync.target import SyncError

if TYPE_CHECKING:
    from sitecrawl.search.search_results import SearchHit, SearchResults, Snippet

BOLD, RESET = "\x1b[1m", "\x1b[0m"


class Command(StoredCommand):
    """Print the pages that match best."""

    def answer(self, args: Sequence[str], opts: argparse.Namespace) -> int:
        """Search; return 1 if nothing was found."""
        # Every command imports this module; only this one needs the index.
        from sitecrawl.search.search_index import IndexFileError, open_index  # noqa: PLC0415
        from sitecrawl.search.search_results import SearchFilters, search  # noqa: PLC0415

        words = " ".join(args)
        if not words.strip():
            raise MisuseError(f"give words to search for: {typed_program()} search how to install")
        if opts.limit < 1 or opts.offset < 0:
            raise MisuseError("--limit is 1 or more, --offset 0 or more")
        filters = SearchFilters(
            opts.site, opts.under, opts.language, opts.type, opts.spargs.get("realm", "")
        )
        try:
            if opts.file:
                path = Path(opts.file)
            else:
                source = find_crawl(self.settings["SITECRAWL_DATABASE"], opts.spargs)
                path = update_search_file(source)
            with open_index(path) as index:
                # The file of another person names no function to run here.
                is_trusted = not opts.file or index.meta(EMBED) == opts.spargs.get("embed")
                vector = query_vector(index, words) if is_trusted else None
                found = search(
                    index, words, filters, vector=vector, limit=opts.limit, offset=opts.offset
                )
        except (IndexFileError, SyncError) as error:
            print_errors([str(error)])
            return DATABASE_ERROR
        if opts.json:
            return print_lines(json.dumps(hit.record(), ensure_ascii=False) for hit in found.hits)
        return _print_results(words, found)


def _print_results(words: str, found: SearchResults) -> int:
    marked = sys.stdout.isatty()
    if found.correction:
        print_errors([f"Searched for: {found.correction}"])
    if found.excluded:
        print_errors([f"Without pages that have: {', '.join(found.excluded)}"])
    if found.any_word:
        print_errors([f"No page has all of these words: {words}. Pages with any of them:"])
    elif not found.total:
        print_errors([f"No page has these words: {words}."])
        if found.suggestions:
            print_errors([f"Words in titles and headings: {', '.join(found.suggestions)}"])
    lines = (line for hit in found.hits for line in _lines(hit, marked=marked))
    total = [counted(found.total, "page")] if found.hits else []
    return print_lines(chain(lines, total), escaped=True)


def _lines(hit: SearchHit, *, marked: bool) -> Iterator[str]:
    section = f" › {hit.best.title}" if hit.best.title else ""
    yield printable(f"{hit.title}{section}")
    yield printable(f"  {hit.best.target}")
    if hit.best.snippet.text:
        yield f"  {_shown(hit.best.snippet, marked=marked)}"


def _shown(snippet: Snippet, *, marked: bool) -> str:
    """Return a snippet for the terminal; matches are bold if ``marked``, else between asterisks."""
    before, after = (BOLD, RESET) if marked else ("*", "*")
    pieces = ((printable(text), mark) for text, mark in snippet.parts())
    return "".join(f"{before}{text}{after}" if mark else text for text, mark in pieces)
