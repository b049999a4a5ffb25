"""`scrapy parse`: says what to use in its place, since a page alone is no crawl."""

from __future__ import annotations

import argparse
from typing import NoReturn

from scrapy.commands import parse
from scrapy.exceptions import UsageError


class Command(parse.Command):
    """Points to the commands that show what the crawl makes of a page."""

    def short_desc(self) -> str:
        """What `scrapy` alone prints of this command."""
        return "Not of use here: see scrapy links, scrapy explain, and -a mode=page"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> NoReturn:  # noqa: ARG002 -- Scrapy names it
        """Always raises UsageError."""
        url = args[0] if args else "URL"
        raise UsageError(
            "a page is read as part of a crawl. Its links: scrapy links "
            f"{url}; whether it is crawled: scrapy explain {url}; its document: "
            f"scrapy crawl site -a mode=page -a start={url} -O document.jsonl",
            print_help=False,
        )
