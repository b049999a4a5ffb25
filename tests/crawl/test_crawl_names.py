"""Rules that speak of the names of hosts, at work in a crawl that reaches them by a proxy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.proxy import Proxy
from fixtures.server import Page, Server, page

HOME = "http://www.firm.co.uk"
NAMES = (
    "www.firm.co.uk",
    "firm.co.uk",
    "shop.www.firm.co.uk",
    "notfirm.co.uk",
    "other.co.uk",
    "firm.co.uk.example",
)
Asked = Callable[..., tuple[Crawl, list[str]]]


@pytest.fixture
def asked(server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    """Crawls a start page with links to NAMES; the run, and what it asked for without robots.txt."""
    site: dict[str, Page] = {"/robots.txt": "", "/leaf": page(title="Leaf")}
    origin = server.serve(site)
    with Proxy({f"{name}:80": origin for name in NAMES}) as proxy:
        for name in ("http_proxy", "no_proxy"):
            monkeypatch.delenv(name.upper(), raising=False)
        monkeypatch.setenv("no_proxy", "")
        monkeypatch.setenv("http_proxy", proxy.url)

        def run(*links: str, start: str = f"{HOME}/", **options: object) -> tuple[Crawl, list[str]]:
            anchors = "".join(f'<p><a href="{link}">A page</a></p>' for link in links)
            site["/"] = page(title="Start", body=anchors)
            made = crawl(start, max_depth=1, **options)
            assert made.status == 0, made.log[-3000:]
            return made, [each for each in proxy.targets if not each.endswith("/robots.txt")]

        yield run


@pytest.mark.behaviour("LR-15", "LR-17", "LR-18")
@pytest.mark.parametrize(
    ("options", "hosts"),
    [
        ({}, "www.firm.co.uk"),
        ({"scope": "domain"}, "www.firm.co.uk firm.co.uk shop.www.firm.co.uk"),
        ({"allowed_domains": "other.co.uk"}, "www.firm.co.uk other.co.uk"),
        ({"scope": "any"}, " ".join(NAMES)),
    ],
)
def test_hosts_belong_to_a_domain_at_its_dots(
    options: dict[str, str], hosts: str, asked: Asked
) -> None:
    run, targets = asked(*(f"http://{name}/leaf" for name in NAMES), **options)
    expected = {f"http://{name}/leaf" for name in hosts.split()}
    assert set(targets) == {f"{HOME}/", *expected}
    refused = len(NAMES) - len(expected)
    assert run.stats.get("sitecrawl/rules/scope", 0) == refused


@pytest.mark.behaviour("U-09", "U-10", "L-25")
def test_a_default_port_and_the_case_of_a_host_make_no_second_page(
    asked: Asked, crawl: CrawlCommand
) -> None:
    _, targets = asked(f"{HOME}:80/leaf", "http://WWW.Firm.CO.UK/leaf", f"{HOME}:/leaf", "/leaf")
    assert targets == [f"{HOME}/", f"{HOME}/leaf"]
    assert crawl.rows("SELECT url FROM url ORDER BY id") == [(f"{HOME}/",), (f"{HOME}/leaf",)]


@pytest.mark.behaviour("U-20")
def test_a_password_in_a_link_is_neither_sent_nor_kept(
    asked: Asked, server: Server, crawl: CrawlCommand
) -> None:
    with_password = HOME.replace("//", "//me:pa55word@")
    run, targets = asked(f"{with_password}/leaf", start=f"{with_password}/")
    assert targets == [f"{HOME}/", f"{HOME}/leaf"]
    assert set(server.log.header("/leaf", "Authorization")) == {None}
    assert set(run.documents) == {f"{HOME}/", f"{HOME}/leaf"}
    written = [path for path in crawl.directory.rglob("*") if path.is_file()]
    assert len(written) >= 3, "database, lines, log"
    assert [path.name for path in written if b"pa55word" in path.read_bytes()] == []
