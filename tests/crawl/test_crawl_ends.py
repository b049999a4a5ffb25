"""Crawls that once waited for hours, or for ever, for what would not come."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect

REST = Answer(status=503, headers={"Retry-After": "3600"})


@pytest.mark.behaviour("S-06", "S-12")
def test_sitemaps_of_an_origin_that_asks_for_a_long_rest_are_left_too(
    server: Server, crawl: CrawlCommand
) -> None:
    robots = "Sitemap: /1.xml\nSitemap: /2.xml\nSitemap: /3.xml\n"
    site: dict[str, Page] = {"/robots.txt": robots, "/": page(title="Start"), "*": REST}
    origin = server.serve(site)
    run = crawl.begin(f"{origin}/", delay=0, max_wait=3).finish(60)
    assert run.status == 1, run.log[-3000:]
    assert server.log.targets(origin) == ["/robots.txt", "/1.xml", "/2.xml"]
    assert f"The sitemap {origin}/3.xml is not read: {origin} asks for a pause" in run.log


@pytest.mark.behaviour("S-06", "P-07")
def test_an_address_that_asks_for_a_long_rest_is_left_by_all_its_origins(
    server: Server, crawl: CrawlCommand
) -> None:
    pages = {f"/{n}": page(title=f"Page {n}") for n in range(40)}
    site: dict[str, Page] = {"/robots.txt": "", "/": page(*pages, title="Start"), **pages}
    first, second = server.serve(site | {"/0": REST, "/1": REST}), server.serve(site)
    options: dict[str, object] = {"pace_by": "address", "delay": 0.05, "max_wait": 3}
    run = crawl.begin(f"{first}/", f"{second}/", **options).finish(60)
    assert run.status == 0, run.log[-3000:]
    for origin in (first, second):
        assert f"{origin} asks for a pause" in run.log


@pytest.mark.slow
@pytest.mark.behaviour("S-06", "S-10", "S-12")
def test_sitemaps_that_are_refused_one_after_the_other_cost_patience(
    server: Server, crawl: CrawlCommand
) -> None:
    robots = "".join(f"Sitemap: /{n}.xml\n" for n in range(20))
    limited = Answer(status=429)
    site: dict[str, Page] = {"/robots.txt": robots, "/": page(title="Start"), "*": limited}
    origin = server.serve(site)
    run = crawl.begin(f"{origin}/", delay=0, patience=1).finish(60)
    assert server.log.count("/3.xml") == 0
    assert f"{origin} is given up for this run" in run.log
    assert run.status == 1


@pytest.mark.behaviour("R-13")
def test_two_robots_txt_that_redirect_to_each_other(server: Server, crawl: CrawlCommand) -> None:
    sites: list[dict[str, Page]] = [{"/": page(title=name)} for name in ("A", "B")]
    first, second = (server.serve(site) for site in sites)
    sites[0]["/robots.txt"] = redirect(f"{second}/robots.txt")
    sites[1]["/robots.txt"] = redirect(f"{first}/robots.txt")
    run = crawl.begin(f"{first}/", f"{second}/", delay=0).finish(60)
    assert run.documents.keys() == {f"{first}/", f"{second}/"}, run.log[-3000:]
    assert server.log.count("/robots.txt") == 2 * 6


@pytest.mark.behaviour("R-13", "X-02")
@pytest.mark.parametrize("target", ["mailto:us@example.org", "ftp://127.0.0.1/", "data:,x"])
def test_robots_txt_and_sitemaps_that_lead_to_no_web_page(
    target: str, server: Server, crawl: CrawlCommand
) -> None:
    names = f"<sitemap><loc>{target}</loc></sitemap><sitemap><loc>/pages.xml</loc></sitemap>"
    site: dict[str, Page] = {
        "/": page(title="Start"),
        "/robots.txt": [redirect(target)],
        "/map.xml": f"<sitemapindex>{names}</sitemapindex>",
        "/pages.xml": "<urlset><url><loc>/listed</loc></url></urlset>",
        "/listed": page(title="Listed"),
    }
    origin = server.serve(site)
    assert crawl.begin(f"{origin}/", delay=0).finish(60).documents.keys() == {f"{origin}/"}
    run = crawl.begin(f"{origin}/map.xml", mode="sitemap", delay=0).finish(60)
    assert run.documents.keys() == {f"{origin}/listed"}, run.log[-3000:]
    assert "Traceback" not in run.log
