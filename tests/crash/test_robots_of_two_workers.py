"""Two workers whose origins name each other's robots.txt do not wait for each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page, redirect

ASKED = 4.0  # seconds until both workers have leased their origin
DELAY = 0.1


@pytest.mark.slow
@pytest.mark.behaviour("R-13", "W-02")
def test_robots_txt_that_redirect_to_each_other_with_sitemaps_to_read(
    server: Server, crawl: CrawlCommand, database_url: str
) -> None:
    sites: list[dict[str, Page]] = [
        {
            "/map.xml": "<urlset><url><loc>/listed</loc></url></urlset>",
            "/listed": page(text=f"Listed by {name}."),
        }
        for name in ("one", "two")
    ]
    first, second = (server.serve(site, f"127.0.9.{n + 1}") for n, site in enumerate(sites))
    for site, other in zip(sites, (second, first), strict=True):
        answer = redirect(f"{other}/robots.txt")
        site["/robots.txt"] = [replace(answer, delay=ASKED), answer]
    settings = {"SITECRAWL_DATABASE": database_url}
    options = {"crawl_name": "shared", "delay": DELAY, "politeness": 0, "mode": "sitemap"}
    # The other start is not known to each, which may take over its origin once it is free.
    options |= {"allow_private": "yes", "allowed_domains": "127.0.9.1 127.0.9.2"}
    running = [
        crawl.begin(f"{origin}/map.xml", settings=settings, **options) for origin in (first, second)
    ]
    ended = [each.finish(60) for each in running]
    assert [each.status for each in ended] == [0, 0], ended[0].log + ended[1].log
    assert ended[0].documents.keys() | ended[1].documents.keys() == {
        f"{origin}/listed" for origin in (first, second)
    }
