"""Sites on an IPv6 address: its spellings, its brackets, and the addresses that are not public."""

from __future__ import annotations

import socket

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect
from sitecrawl.policy.outcomes import Outcome
from sitecrawl.web.urls.identity import document_id, identity_key

LOOPBACK = "::1"


def has_loopback() -> bool:
    """Tell a machine that has the address; containers often have none."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind((LOOPBACK, 0))
    except OSError:
        return False
    return True


pytestmark = pytest.mark.skipif(not has_loopback(), reason="this machine has no address ::1")


def paths(crawl: CrawlCommand, origin: str) -> dict[str, int]:
    """The outcome of each path of an origin."""
    rows = crawl.rows("SELECT url, outcome FROM url WHERE url LIKE ?", f"{origin}/%")
    return {url.removeprefix(origin): outcome for url, outcome in rows}


def test_a_site_on_an_ipv6_address(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {}
    origin = server.serve(site, LOOPBACK)
    port = origin.rpartition(":")[2]
    assert origin == f"http://[::1]:{port}"
    same = [f"http://[0:0:0:0:0:0:0:1]:{port}/full", f"//[::0001]:{port}/zeros"]
    also = [f"http://[::0.0.0.1]:{port}/dotted", f"{origin}/index.html"]
    site |= {
        "/robots.txt": "User-agent: *\nDisallow: /private\n",
        "/": page("/a", *same, *also, "/private", "/old", "/elsewhere", title="Start"),
        "/a": Answer(page(title="A"), headers={"ETag": '"1"'}),
        "/old": redirect("/new"),
        "/elsewhere": redirect(f"http://[0::1]:{port}/there", 302),
        **{f"/{name}": page(title=name) for name in ("full", "zeros", "dotted", "new", "there")},
    }
    run = crawl(f"{origin}/")
    assert run.status == 0, run.log[-3000:]
    pages = {f"{origin}/{name}" for name in ("", "a", "full", "zeros", "dotted", "new", "there")}
    assert run.documents.keys() == pages
    assert {line["id"] for line in run.lines} == {document_id(identity_key(url)) for url in pages}
    assert {line["url_host"] for line in run.lines} == {"[::1]"}
    asked = server.log.targets(origin)
    assert asked[:2] == ["/robots.txt", "/"]
    assert len(asked) == len(set(asked)) == len(pages) + 3
    assert {exchange.host for exchange in server.log.of(origin)} == {f"[::1]:{port}"}
    found = paths(crawl, origin)
    assert found["/private"] == Outcome.BLOCKED_BY_ROBOTS_TXT
    assert (found["/old"], found["/elsewhere"]) == (Outcome.PERMANENT_REDIRECT, Outcome.REDIRECT)
    assert crawl.rows("SELECT key FROM origin") == [(origin,)]
    server.log.clear()
    assert crawl(f"{origin}/", recrawl=0).lines == []
    assert [each.status for each in server.log.of(origin) if each.target == "/a"] == [304]


def test_links_to_addresses_that_are_not_public_open_no_connection(
    server: Server, crawl: CrawlCommand
) -> None:
    hosts = ("::1", "::ffff:127.0.0.2", "::ffff:7f00:2", "fe80::1", "::")
    six = server.serve({"*": page(title="secret")}, LOOPBACK)
    port = int(six.rpartition(":")[2])
    four = server.serve({"*": page(title="secret")}, "127.0.0.2", port)
    links = [f"http://[{host}]:{port}/secret" for host in hosts]
    moved = {f"/moved{number}": redirect(link) for number, link in enumerate(links)}
    origin = server.serve({"/": page(*links, title="Start"), **moved})
    run = crawl(f"{origin}/", *(f"{origin}{path}" for path in moved), scope="any")
    assert run.documents.keys() == {f"{origin}/"}
    assert server.log.connected(six) == server.log.connected(four) == 0
    rows = crawl.rows("SELECT count(*) FROM url WHERE url LIKE '%/secret'")
    assert rows == [(len(hosts) - 1,)], "refused when connected to; two are spellings of one"


@pytest.mark.parametrize("host", ["[::1]", "[::ffff:127.0.0.3]"])
def test_a_start_opens_its_own_address_alone(
    host: str, server: Server, crawl: CrawlCommand
) -> None:
    port = 0
    site: dict[str, Page] = {"/": page(title="Start")}
    for address in ("::1", "127.0.0.3"):
        port = int(server.serve(site, address, port).rpartition(":")[2])
    other = server.serve({"*": page(title="secret")}, "127.0.0.2")
    site["/"] = page(f"{other}/secret", f"http://127.0.0.1:{port}/secret", title="Start")
    run = crawl(f"http://{host}:{port}/", scope="any")
    assert [line["title"] for line in run.lines] == ["Start"], run.log[-3000:]
    assert server.log.connected(other) == 0
    assert set(server.log.targets()) == {"/robots.txt", "/"}
