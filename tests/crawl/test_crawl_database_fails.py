"""A crawl database that cannot take what it is given ends the crawl, and nothing waits for it."""

from __future__ import annotations

import json

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page
from sitecrawl.settings import ITEM_PIPELINES

PATHS = [f"/{number}" for number in range(8)]
SITE: dict[str, Page] = {"/": page(*PATHS, title="Start")}
SITE |= {path: page(title=f"Page {path}") for path in PATHS}
MISTAKEN = """
class Mistaken:
    def process_item(self, item):
        if item.visit.due.url.endswith("/3"):
            item.visit.etag = 304  # where a text belongs
        return item
"""


def test_any_error_of_a_commit_ends_the_crawl_as_an_error_of_the_database(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(SITE)
    (crawl.directory / "own.py").write_text(MISTAKEN, encoding="utf-8")
    settings = {"ITEM_PIPELINES": json.dumps({**ITEM_PIPELINES, "own.Mistaken": 450})}
    done = crawl(f"{origin}/", settings=settings)
    assert done.status == 3, done.log[-3000:]
    assert "The crawl database failed and the crawl ends: " in done.log
    again = crawl(f"{origin}/")
    assert again.status == 0, again.log[-3000:]
    written = done.documents.keys() | again.documents.keys()
    assert written == {f"{origin}{path}" for path in ("/", *PATHS)}
