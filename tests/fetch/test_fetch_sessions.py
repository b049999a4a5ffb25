"""Sessions from files, certificates of ours, and proxies that take turns, in whole crawls."""

from __future__ import annotations

import json
import socket
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request

from fixtures.crawls import CrawlCommand
from fixtures.proxy import Proxy, microsocks
from fixtures.server import Page, Server, page
from sitecrawl.http.session_file import UnusableSessionError, read_cookies
from tests.fetch.tls import Authority

if TYPE_CHECKING:
    from tests.fetch.conftest import Fetch

SECRET = "c0ffee-secret"
SITE: dict[str, Page] = {"/robots.txt": "", "/": page("/a", title="Start"), "/a": page(title="A")}
NETSCAPE = f"""# Netscape HTTP Cookie File

127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t{SECRET}
#HttpOnly_127.0.0.1\tFALSE\t/a\tFALSE\t4102444800\tdeep\t1
127.0.0.1\tFALSE\t/\tFALSE\t1000000000\texpired\t1
127.0.0.2\tFALSE\t/\tFALSE\t0\tother\t1
127.0.0.1\tFALSE\t/\tTRUE\t0\tsecure\t1
"""
COOKIE = {"name": "sid", "value": SECRET, "domain": "127.0.0.1", "path": "/", "expires": -1}
STATE = {"cookies": [COOKIE | {"secure": False, "httpOnly": True, "sameSite": "Lax"}]}
BAD_FILES = {
    "": "is no cookie file in Netscape form",
    "# Netscape HTTP Cookie File\n": "has no cookies",
    f"127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t{SECRET}\n": "is no cookie file in Netscape form",
    f"# Netscape HTTP Cookie File\n{SECRET}\n": "is no cookie file in Netscape form",
    f"# Netscape HTTP Cookie File\na.test\tFALSE\t/\tFALSE\t9\tsid\t{SECRET}\n": "still valid",
    f'{{"cookies": [{{"name": "{SECRET}"}}]}}': "is no storage state of Playwright",
    f'{{"{SECRET}": 1': "is no storage state of Playwright",
    '{"cookies": []}': "has no cookies",
}


@pytest.mark.behaviour("SESSION-01")
@pytest.mark.parametrize("text", [NETSCAPE, json.dumps(STATE)], ids=["netscape", "storage-state"])
def test_cookies_of_a_file_go_to_their_site(text: str, server: Server, crawl: CrawlCommand) -> None:
    origin, other = server.serve(SITE), server.serve(SITE, "127.0.0.3")
    (crawl.directory / "cookies.txt").write_text(text, encoding="utf-8")
    run = crawl(f"{origin}/", f"{other}/", cookie_file="cookies.txt")
    assert run.status == 0, run.log[-3000:]
    sent = {each.target: each.headers.get("cookie") for each in server.log.of(origin)}
    deep = "deep=1; " if text is NETSCAPE else ""
    assert sent == {
        "/robots.txt": f"sid={SECRET}",
        "/": f"sid={SECRET}",
        "/a": f"{deep}sid={SECRET}",
    }
    assert not any("cookie" in each.headers for each in server.log.of(other))
    for path in (path for path in crawl.directory.rglob("*") if path.is_file()):
        assert path.name == "cookies.txt" or SECRET.encode() not in path.read_bytes(), path


@pytest.mark.behaviour("SESSION-02")
@pytest.mark.parametrize("text", BAD_FILES)
def test_unusable_sessions(tmp_path: Path, text: str) -> None:
    path = tmp_path / "cookies.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnusableSessionError, match=BAD_FILES[text]) as caught:
        read_cookies(path)
    assert SECRET not in str(caught.value)


@pytest.mark.behaviour("SESSION-02")
def test_unusable_files_end_with_one_line_each(crawl: CrawlCommand) -> None:
    (crawl.directory / "bad.pem").write_text("no certificate", encoding="utf-8")
    certificates = "https://a.test=bad.pem https://b.test=none.pem"
    run = crawl("http://127.0.0.1:9/", cookie_file="missing.txt", client_certificates=certificates)
    assert run.status == 2
    assert run.log.splitlines() == [
        "cookie_file: missing.txt cannot be read: No such file or directory.",
        "client_certificates: bad.pem is no PEM file of a certificate and its key without a password.",
        "client_certificates: none.pem cannot be read: No such file or directory.",
    ]
    run = crawl("http://127.0.0.1:9/", proxies=f"ftp://me:{SECRET}@127.0.0.1:9")
    assert (run.status, len(run.log.splitlines())) == (2, 1)
    assert SECRET not in run.log


@pytest.mark.behaviour("SESSION-03")
@ensureDeferred
async def test_certificate_is_shown_to_its_origin_alone(
    fetch: Fetch, server: Server, authority: Authority, tmp_path: Path
) -> None:
    authority.context("crawler")  # written to crawler.9.pem
    wants = authority.context("127.0.0.1")
    wants.load_verify_locations(authority.path)
    wants.verify_mode = ssl.CERT_REQUIRED
    own, other = (server.serve({"/": "<p>inside"}, tls=wants) for _ in range(2))
    handler = fetch.handler(own, client_certificates=f"{own}={tmp_path / 'crawler.9.pem'}")
    assert (await fetch.send(handler, Request(f"{own}/"))).body == b"<p>inside"
    with pytest.raises(Exception, match=r"(?i)certificate|closed|reset"):
        await fetch.send(handler, Request(f"{other}/"))


@pytest.mark.behaviour("SESSION-04")
def test_proxies_take_turns_and_a_dead_one_rests(server: Server, crawl: CrawlCommand) -> None:
    pages = {f"/{n}": page(title=f"{n}") for n in range(8)}
    origin = server.serve({"/robots.txt": "", "/": page(*pages, title="Start"), **pages})
    with Proxy(credentials=f"me:{SECRET}") as first, Proxy() as second, socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))
        urls = [
            first.url.replace("//", f"//me:{SECRET}@"),
            second.url,
            f"http://127.0.0.1:{dead.getsockname()[1]}",
        ]
        run = crawl(f"{origin}/", proxies=" ".join(urls), retries=1)
    assert run.status == 0, run.log[-3000:]
    assert len(run.documents) == 9
    assert abs(len(first.asked) - len(second.asked)) <= 1
    assert server.log.connected(origin) == len(first.asked) + len(second.asked)
    assert SECRET not in run.log


@pytest.mark.behaviour("SESSION-05")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_site_is_asked_for_through_socks(
    server: Server, crawl: CrawlCommand, authority: Authority, scheme: str
) -> None:
    tls = authority.context("127.0.0.1") if scheme == "https" else None
    origin = server.serve(SITE, tls=tls)
    with microsocks("-u", "me", "-P", SECRET) as address:
        run = crawl(f"{origin}/", proxies=f"socks5h://me:{SECRET}@{address}")
    assert run.status == 0, run.log[-3000:]
    assert set(run.documents) == {f"{origin}/", f"{origin}/a"}
    assert not any("proxy-authorization" in each.headers for each in server.log.of(origin))
    assert SECRET not in run.log


@pytest.mark.behaviour("SESSION-05")
def test_socks_of_the_environment_and_its_failures(
    server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = server.serve(SITE)
    monkeypatch.setenv("no_proxy", "")
    told = []
    with microsocks("-u", "me", "-P", SECRET) as address:
        for password in (SECRET, "wrong"):
            monkeypatch.setenv("http_proxy", f"socks5://me:{password}@{address}")
            told.append(crawl(f"{origin}/", force=1, obey_robots=0, retries=0).log)
    connected = server.log.connected(origin)
    told.append(crawl(f"{origin}/", force=1, obey_robots=0, retries=0).log)
    assert connected
    assert server.log.connected(origin) == connected, "nothing goes past the proxy"
    assert "authentication" in told[1].lower(), told[1][-2000:]
    assert f"proxy {address}: Connection refused" in told[2]
