"""Sitemaps that robots.txt names: fetched like robots.txt, their URLs candidates like any other."""

from __future__ import annotations

import gzip

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect


def urlset(*urls: str) -> str:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


def index(*urls: str) -> str:
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</sitemapindex>'


@pytest.mark.behaviour("K-25", "X-02", "X-03", "X-15", "RT-17", "F-08")
def test_sitemaps_of_robots_txt_are_extra_starts(server: Server, crawl: CrawlCommand) -> None:
    elsewhere = server.serve({"*": page(title="elsewhere")}, address="127.0.0.2")
    site: dict[str, Page] = {
        "/": page("/linked", title="Start"),
        "/linked": page(title="Linked"),
        "/only-listed": page("/found", title="Only listed"),
        "/found": page(title="Found"),
        "/zipped": page(title="Zipped"),
        "/moved": page(title="Moved"),
        "/deep": page(title="Deep"),
    }
    origin = server.serve(site)
    maps: dict[str, Page] = {
        "/sitemap.xml": index(
            f"{origin}/a.xml", f"{origin}/b.xml.gz", f"{origin}/sitemap.xml", f"{origin}/none.xml"
        ),
        "/a.xml": urlset(
            f"{origin}/only-listed",
            f"{origin}/private/x",
            f"{origin}/no.zip",
            f"{elsewhere}/offsite",
            "/linked",
        ),
        "/b.xml.gz": Answer(
            gzip.compress(urlset(f"{origin}/zipped").encode()),
            headers={"Content-Type": "application/x-gzip"},
        ),
        "/old.xml": redirect("/new.xml"),
        "/new.xml": urlset(f"{origin}/moved"),
        "/private/map.xml": urlset(f"{origin}/never"),
        "/loop1.xml": index(f"{origin}/loop2.xml"),
        "/loop2.xml": index(f"{origin}/loop1.xml", f"{origin}/loop3.xml"),
        "/loop3.xml": urlset(f"{origin}/deep"),
        "/robots.txt": "User-agent: *\nDisallow: /private/\nSitemap: /sitemap.xml\n"
        f"Sitemap: {origin}/old.xml\nSitemap: {origin}/private/map.xml\n"
        f"Sitemap: {origin}/loop1.xml\nSitemap: {elsewhere}/sitemap.xml\n",
    }
    site.update(maps)
    run = crawl(f"{origin}/")
    assert run.status == 0, run.log[-3000:]
    assert "Traceback" not in run.log
    paths = {url.removeprefix(origin) for url in run.documents}
    assert paths == {"/", "/linked", "/only-listed", "/found", "/zipped", "/moved", "/deep"}
    assert run.documents[f"{origin}/only-listed"]["discovered_via"] == "sitemap"
    assert server.log.header("/only-listed", "Referer") == [None]
    asked = server.log.targets(origin)
    assert asked[0] == "/robots.txt"
    assert len(asked) == len(set(asked)), "nothing twice, for all the loops"
    assert "/private/map.xml" not in asked
    assert "/private/x" not in asked
    assert "/no.zip" not in asked
    assert server.log.targets(elsewhere) == []
    assert server.log.most_in_flight(origin) == 1
    assert run.stats["sitecrawl/sitemaps/read"] == 7
    assert run.stats["sitecrawl/sitemaps/entries"] == 15
    assert run.stats["sitecrawl/sitemaps/failed"] == 2
    assert f"The sitemap {origin}/none.xml is not read: it answered 404" in run.log
    assert f"The sitemap {origin}/private/map.xml is not read: robots_txt" in run.log
    accepted = server.log.header("/sitemap.xml", "Accept")[0] or ""
    assert "application/xml" in accepted
    assert "*/*" not in accepted


@pytest.mark.behaviour("K-25", "X-15")
@pytest.mark.parametrize(
    ("option", "value"), [("sitemaps", 0), ("profile", "roboto"), ("discover", 0)]
)
def test_sitemaps_are_left_alone_on_demand(
    server: Server, crawl: CrawlCommand, option: str, value: object
) -> None:
    origin = server.serve(
        {
            "/": page(title="Start"),
            "/robots.txt": "Sitemap: /sitemap.xml\n",
            "/sitemap.xml": urlset("/listed"),
            "/listed": page(title="Listed"),
        }
    )
    run = crawl(f"{origin}/", **{option: value})
    assert server.log.targets(origin) == ["/robots.txt", "/"]
    assert len(run.documents) == 1


@pytest.mark.behaviour("X-02")
def test_a_location_with_an_entity_of_its_dtd_is_dropped(
    server: Server, crawl: CrawlCommand
) -> None:
    dtd = '<!DOCTYPE urlset SYSTEM "/sitemap.dtd" [<!ENTITY x SYSTEM "/x.txt">]>'
    site: dict[str, Page] = {"/a": page(title="A"), "*": page(title="anything")}
    origin = server.serve(site)
    site["/sitemap.xml"] = dtd + urlset(f"{origin}/&x;", f"{origin}/&y;/b", f"{origin}/a")
    run = crawl(f"{origin}/sitemap.xml", mode="sitemap")
    assert set(server.log.targets(origin)) == {"/robots.txt", "/sitemap.xml", "/a"}
    assert run.stats["sitecrawl/sitemaps/dropped"] == 2
    assert "/sitemap.xml names 1 URLs (entity_in_location)" in run.log
