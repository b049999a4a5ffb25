"""The plain spider with crawlee: crawlee_spider.py parsel|beautifulsoup FILE START ...

Runs in crawlee's own environment. Requests wait in memory, the quickest of its storages.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from typing import IO, Any

from crawlee.configuration import Configuration
from crawlee.crawlers import (
    BeautifulSoupCrawler,
    BeautifulSoupCrawlingContext,
    ParselCrawler,
    ParselCrawlingContext,
)
from crawlee.storage_clients import MemoryStorageClient


def parsel_page(context: ParselCrawlingContext) -> dict[str, Any]:
    """The fields that the plain spider keeps of a page."""
    page = context.selector
    return {
        "url": context.request.url,
        "title": page.css("title::text").get(),
        "description": page.css('meta[name="description"]::attr(content)').get(),
        "body": " ".join(page.css("body ::text").getall()),
    }


def soup_page(context: BeautifulSoupCrawlingContext) -> dict[str, Any]:
    """The fields that the plain spider keeps of a page."""
    page = context.soup
    description = page.find("meta", attrs={"name": "description"})
    return {
        "url": context.request.url,
        "title": page.title.string if page.title else None,
        "description": description.get("content") if description else None,
        "body": page.body.get_text(" ") if page.body else "",
    }


KINDS: dict[str, Any] = {
    "parsel": (ParselCrawler, parsel_page),
    "beautifulsoup": (BeautifulSoupCrawler, soup_page),
}


async def crawl(kind: str, output: IO[str], starts: list[str]) -> None:
    """Follow every link within the hosts of the starts, and write a line for each page."""
    crawler_class, page = KINDS[kind]

    async def keep(context: Any) -> None:
        await context.enqueue_links()
        output.write(json.dumps(page(context), ensure_ascii=False) + "\n")

    crawler = crawler_class(
        request_handler=keep,
        respect_robots_txt_file=True,
        storage_client=MemoryStorageClient(),
        configuration=Configuration(log_level="ERROR"),
        configure_logging=False,
    )
    await crawler.run(starts)


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    with open(sys.argv[2], "w", encoding="utf-8") as file:  # noqa: PTH123
        asyncio.run(crawl(sys.argv[1], file, sys.argv[3:]))
