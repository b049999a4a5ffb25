"""`scrapy parse`: Scrapy's own, for the callbacks of a project's spider."""

from __future__ import annotations

import argparse

from scrapy.commands import parse

from sitecrawl.console.scrapy_commands import MisuseError, SinglePageCommand


class Command(SinglePageCommand, parse.Command):
    """Show the result of a callback; other commands show the crawl's own documents."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Raise UsageError if no spider is named; a single page needs no crawl."""
        super().process_options(args, opts)
        url = args[0] if args else "URL"
        if opts.spider in (None, "site"):
            raise MisuseError(
                "a page is read as part of a crawl. Its links: scrapy links "
                f"{url}; whether it is crawled: scrapy explain {url}; its document: "
                f"scrapy crawl site -a mode=page -a start={url} -O document.jsonl; "
                "a spider of your own: --spider NAME"
            )
