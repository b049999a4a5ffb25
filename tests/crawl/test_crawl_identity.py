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


@pytest.mark.behaviour("DU-05")
@pytest.mark.parametrize("way", ["canonical", "sitemap"])
def test_of_equal_pages_the_one_that_the_site_prefers_is_kept_at_once(
    server: Server, crawl: CrawlCommand, way: str
) -> None:
    head = '<link rel="canonical" href="/real">' if way == "canonical" else ""
    site: dict[str, Page] = {
        "/": page("/aaa", "/real", title="Start"),
        "/aaa": page(title="Same", head=head),
        "/real": page(title="Same"),
    }
    origin = server.serve(site)
    if way == "sitemap":
        location = f"<url><loc>{origin}/real</loc></url>"
        schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
        site["/robots.txt"] = f"Sitemap: {origin}/sitemap.xml\n"
        site["/sitemap.xml"] = f'<urlset xmlns="{schema}">{location}</urlset>'
    run = crawl(f"{origin}/")
    assert set(run.documents) == {f"{origin}/", f"{origin}/real"}, run.log[-3000:]
    assert not run.deletions
    assert crawl(f"{origin}/", recrawl=0).lines == []
