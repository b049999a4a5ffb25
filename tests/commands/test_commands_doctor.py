"""`scrapy doctor URL`: what is found at a site, and a configuration that works."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from saying import Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page, redirect
from scripts.terminal_session import WALLED
from sitecrawl.console.site_diagnosis import addresses

SHELL = """<!DOCTYPE html><html><head><title>App</title></head>
<body><div id="root"></div><script src="/app.js"></script></body></html>"""


@pytest.fixture
def site() -> dict[str, Page]:
    return {
        "/robots.txt": "User-agent: *\nDisallow: /private/\nDisallow: https://test.example/*\n"
        "Crawl-delay: 0.5\nSitemap: /index.xml\n",
        "/": page("/a", "/b", "/private/x", title="Start", head='<link rel="canonical" href="/">'),
        "/a": page(title="A"),
        "/b": page(title="B"),
        "/index.xml": "<sitemapindex><sitemap><loc>/one.xml</loc></sitemap>"
        "<sitemap><loc>/two.xml</loc></sitemap></sitemapindex>",
        "/one.xml": "<urlset><url><loc>/a</loc></url><url><loc>/private/x</loc></url></urlset>",
        "/two.xml": "<urlset><url><loc>/b</loc></url><url><loc>/a</loc></url>"
        "<url><loc>http://elsewhere.test/</loc></url></urlset>",
        "/old": redirect("/"),
        "/app": SHELL,
    }


@pytest.mark.slow
def test_what_is_found(server: Server, fetching: Say, site: dict[str, Page]) -> None:
    origin = server.serve(site)
    record = fetching("doctor", f"{origin}/", "--json", "-a", "delay=0").record
    assert record == {
        "url": f"{origin}/",
        "start": f"{origin}/",
        "read": True,
        "allowed": True,
        "robots_line": "",
        "robots_line_number": 0,
        "robots_status": 200,
        "crawl_delay": 0.5,
        "delay": 0.5,
        "hosts": {f"{origin}/": "answers with a page"},
        "canonical": f"{origin}/",
        "needs_scripts": False,
        "scripts": "the page has no scripts",
        "placeholder": None,
        "placeholder_detail": None,
        "language": "en",
        "directives": [],
        "links": 3,
        "admitted": 2,
        "sitemaps": {f"{origin}/index.xml": 2, f"{origin}/one.xml": 2, f"{origin}/two.xml": 3},
        "expected_pages": 2,
        "expected_seconds": 1.0,
    }
    asked = {"/robots.txt", "/", "/index.xml", "/one.xml", "/two.xml"}
    assert set(server.log.targets()) == asked
    assert len(server.log.targets()) == len(asked)
    assert server.log.shortest_gap(origin) >= 0.5


def test_its_output_is_a_configuration(
    server: Server, crawl: CrawlCommand, fetching: Say, site: dict[str, Page], tmp_path: Path
) -> None:
    origin = server.serve(site)
    site["/robots.txt"] = "User-agent: *\nDisallow: /private/\n"
    said = fetching("doctor", f"{origin}/old", "-a", "delay=0")
    assert said.status == 0, said.err
    assert f"# address     {origin}/old redirects to {origin}/" in said.lines
    assert "# pages       unknown: there is no sitemap; each takes 0 s or more" in said.lines
    (tmp_path / "site.toml").write_text(said.out)
    run = crawl(config="site.toml")
    assert run.status == 0, run.log[-3000:]
    assert run.documents.keys() == {f"{origin}/", f"{origin}/a", f"{origin}/b"}


@pytest.mark.behaviour("A-19")
def test_it_writes_its_configuration_to_a_new_file(
    server: Server, fetching: Say, site: dict[str, Page], tmp_path: Path
) -> None:
    origin, file = server.serve(site), tmp_path / "own.toml"
    said = fetching("doctor", f"{origin}/app", "-a", "delay=0", "--write", file)
    assert said.status == 0, said.err
    assert f"Next: scrapy crawl site -a config={file}" in said.err
    assert tomllib.loads(file.read_text()) == {"start": [f"{origin}/app"], "render": "auto"}
    assert said.out == file.read_text()
    asked = len(server.log.targets())
    again = fetching("doctor", f"{origin}/app", "--write", file)
    assert (again.status, again.out) == (2, "")
    assert "the file exists" in again.err
    assert len(server.log.targets()) == asked


def test_a_login_wall_is_said(server: Server, fetching: Say) -> None:
    said = fetching("doctor", f"{server.serve(WALLED)}/", "-a", "delay=0")
    assert "# no content  login wall (a password field, its title, and no content)" in said.out
    assert "-a auth=ORIGIN=user:password" in said.out


def test_a_page_made_by_scripts_is_noticed(
    server: Server, fetching: Say, site: dict[str, Page]
) -> None:
    said = fetching("doctor", f"{server.serve(site)}/app")
    assert "# scripts     a browser is needed: #root holds 0 characters" in said.out
    assert 'render = "auto"' in said.out


def test_a_moved_site_is_reported_with_its_own_robots_txt(
    server: Server, fetching: Say, site: dict[str, Page]
) -> None:
    origin = server.serve({**site, "/": redirect("http://127.9.9.9/")})
    said = fetching("doctor", f"{origin}/", "-a", "delay=0")
    assert said.status == 1
    assert f"# address     {origin}/ redirects to http://127.9.9.9/" in said.lines
    told = "# robots.txt  status 200; the page is allowed; asks for 0.5 s between requests"
    assert told in said.lines
    assert "to http://127.9.9.9/, the target is refused: scope" in said.err


def test_what_cannot_be_read_says_why(server: Server, fetching: Say, site: dict[str, Page]) -> None:
    origin = server.serve(site)
    said = fetching("doctor", f"{origin}/private/x")
    assert said.status == 1
    assert "the page is forbidden by line 2: Disallow: /private/" in said.out
    assert said.err.startswith(f"{origin}/private/x produced nothing: forbidden by robots.txt")
    assert "start = " not in said.out


@pytest.mark.parametrize(
    ("url", "others"),
    [
        (
            "https://example.org/page",
            ["https://www.example.org/", "http://example.org/", "http://www.example.org/"],
        ),
        (
            "http://www.example.org/",
            ["https://example.org/", "https://www.example.org/", "http://example.org/"],
        ),
        ("http://example.org:8080/", []),
        ("http://127.0.0.1/", []),
        ("http://[::1]/", []),
        ("http://intranet/", []),
    ],
)
def test_the_other_addresses_of_a_site(url: str, others: list[str]) -> None:
    assert addresses(url) == others
