"""Pages that the crawl's options hold for one are one in the crawl database too."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page, redirect


@pytest.mark.parametrize(
    ("default_pages", "moved_to"), [("home.html", "/a/index.html"), ("index.html", "/a/")]
)
def test_a_refused_target_is_looked_up_by_the_crawls_own_identity(
    default_pages: str, moved_to: str, server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {
        "/": page("/a/", "/old", title="Start"),
        "/a/": page(title="The folder"),
        "/old": page(title="Old"),
    }
    origin = server.serve(site)
    options = {"default_pages": default_pages, "deny": "/a/index"}
    assert len(crawl(f"{origin}/", **options).documents) == 3
    site["/old"] = redirect("/a/index.html")
    (line,) = crawl(f"{origin}/", recrawl=0, **options).lines
    assert (line["op"], line["url"]) == ("delete", f"{origin}/old")
    assert line["moved_to"] == f"{origin}{moved_to}"
