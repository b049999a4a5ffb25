"""Crawls through an HTTP proxy, as the proxy's own log and the servers' tell them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.proxy import Proxy
from fixtures.server import Page, Server, page, redirect, refusing_origin
from sitecrawl.policy.outcomes import Outcome
from tests.fetch.tls import Authority

PLAIN, SECURE = "http://site.test", "https://secure.test"
SITE: dict[str, Page] = {
    "/robots.txt": "User-agent: *\nDisallow: /private\n",
    "/": page("/a?b=1", "/old", "/private", title="Start"),
    "/a": page(title="A"),
    "/old": redirect("/new"),
    "/new": page(title="New"),
}
ASKED = ["/robots.txt", "/", "/a?b=1", "/old", "/new"]
TITLES = {"Start", "A", "New"}
CHOOSING = """
class Choosing:
    def process_request(self, request):
        request.meta["proxy"] = "{proxy}"
"""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No proxies but the test's."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


@pytest.fixture
def authority(tmp_path: Path, environment: pytest.MonkeyPatch) -> Authority:
    """An authority that this machine trusts for the time of the test."""
    made = Authority(tmp_path)
    environment.setenv("SSL_CERT_FILE", str(made.path))
    return made


def outcomes(crawl: CrawlCommand) -> set[tuple[int, str]]:
    """Outcome and reason of each visit."""
    return set(crawl.rows("SELECT outcome, reason FROM url"))


@pytest.mark.parametrize("given", ["by the environment", "by a request"])
def test_a_site_is_asked_for_through_the_proxy(
    given: str, server: Server, crawl: CrawlCommand, environment: pytest.MonkeyPatch
) -> None:
    origin = server.serve(SITE)
    settings = {}
    with Proxy({"site.test:80": origin}) as proxy:
        if given == "by the environment":
            environment.setenv("http_proxy", proxy.url)
        else:
            text = CHOOSING.format(proxy=proxy.url)
            (crawl.directory / "own.py").write_text(text, encoding="utf-8")
            chosen = {"own.Choosing": 740}
            settings["DOWNLOADER_MIDDLEWARES"] = json.dumps(chosen)
        run = crawl(f"{PLAIN}/", settings=settings)
    assert run.status == 0, run.log[-3000:]
    assert {line["title"] for line in run.lines} == TITLES
    assert proxy.targets == [f"{PLAIN}{target}" for target in ASKED]
    assert server.log.targets(origin) == ASKED
    assert {each.host for each in server.log.of(origin)} == {"site.test"}
    assert server.log.connected(origin) == len(proxy.asked), "all of them were the proxy's"
    assert server.log.most_in_flight(origin) == 1


def test_https_goes_through_a_tunnel_and_its_certificate_is_the_sites(
    server: Server, crawl: CrawlCommand, environment: pytest.MonkeyPatch, authority: Authority
) -> None:
    origin = server.serve(SITE, tls=authority.context("secure.test"))
    with Proxy({"secure.test:443": origin}, credentials="me:secret") as proxy:
        environment.setenv("https_proxy", proxy.url.replace("//", "//me:secret@"))
        run = crawl(f"{SECURE}/")
    assert run.status == 0, run.log[-3000:]
    assert {line["title"] for line in run.lines} == TITLES
    assert {(each.method, each.target) for each in proxy.asked} == {("CONNECT", "secure.test:443")}
    assert server.log.targets(origin) == ASKED
    assert {each.host for each in server.log.of(origin)} == {"secure.test"}
    assert server.log.connected(origin) == len(proxy.asked)
    for each in server.log.of(origin):
        assert "proxy-authorization" not in each.headers, "it is between us and the proxy"


def test_a_certificate_for_another_name_is_refused_through_a_tunnel_too(
    server: Server, crawl: CrawlCommand, environment: pytest.MonkeyPatch, authority: Authority
) -> None:
    origin = server.serve(SITE, tls=authority.context("other.test"))
    with Proxy({"secure.test:443": origin}) as proxy:
        environment.setenv("https_proxy", proxy.url)
        run = crawl(f"{SECURE}/", obey_robots=0, patience=1)
    assert run.status == 1
    assert server.log.exchanges == []
    assert outcomes(crawl) == {(Outcome.CONNECTION_FAILED, "tls_failed")}


def test_credentials_for_the_proxy_reach_it_and_nobody_else(
    server: Server, crawl: CrawlCommand, environment: pytest.MonkeyPatch
) -> None:
    origin = server.serve(SITE)
    with Proxy({"site.test:80": origin}, credentials="me:secret") as proxy:
        environment.setenv("http_proxy", proxy.url.replace("//", "//me:secret@"))
        run = crawl(f"{PLAIN}/")
    assert {line["title"] for line in run.lines} == TITLES, run.log[-3000:]
    assert server.log.targets(origin) == ASKED


def test_a_proxy_that_wants_credentials_lets_nothing_pass(
    server: Server, crawl: CrawlCommand, environment: pytest.MonkeyPatch
) -> None:
    origin = server.serve(SITE)
    with Proxy({"site.test:80": origin}, credentials="me:secret") as proxy:
        environment.setenv("http_proxy", proxy.url)
        run = crawl(f"{PLAIN}/")
    assert run.status == 1
    assert run.lines == []
    assert server.log.connections == []
    assert outcomes(crawl) == {(Outcome.SERVER_BLAMED_CLIENT, "client_error")}
    assert crawl.rows("SELECT status FROM url") == [(407,)]


def test_a_tunnel_that_is_refused_lets_nothing_pass(
    server: Server, crawl: CrawlCommand, environment: pytest.MonkeyPatch, authority: Authority
) -> None:
    origin = server.serve(SITE, tls=authority.context("secure.test"))
    with Proxy({"secure.test:443": origin}, credentials="me:secret") as proxy:
        environment.setenv("https_proxy", proxy.url)
        run = crawl(f"{SECURE}/", obey_robots=0, patience=1)
    assert run.status == 1
    assert server.log.connections == []
    ((outcome, status, detail),) = crawl.rows("SELECT outcome, status, detail FROM url")
    assert outcome in {Outcome.CONNECTION_FAILED, Outcome.SERVER_BLAMED_CLIENT}
    assert "407" in f"{status} {detail}"


def test_a_proxy_that_is_not_there_is_a_connection_that_failed(
    server: Server, crawl: CrawlCommand, environment: pytest.MonkeyPatch
) -> None:
    origin = server.serve(SITE)
    proxy = refusing_origin()
    environment.setenv("http_proxy", proxy)
    run = crawl(f"{origin}/", obey_robots=0, patience=1)
    assert run.status == 1
    assert server.log.connections == [], "nothing goes past it"
    assert outcomes(crawl) == {(Outcome.CONNECTION_FAILED, "connection_refused")}
    said = f"proxy {proxy.removeprefix('http://')}: Connection refused"
    assert f"produced nothing: nothing answers there ({said})" in run.log, "not the site's fault"


def test_what_no_proxy_names_is_asked_directly(
    server: Server, crawl: CrawlCommand, environment: pytest.MonkeyPatch
) -> None:
    origin = server.serve(SITE)
    with Proxy() as proxy:
        environment.setenv("http_proxy", proxy.url)
        environment.setenv("no_proxy", "127.0.0.1")
        assert crawl(f"{origin}/").status == 0
    assert proxy.asked == []
    assert server.log.targets(origin) == ASKED


def test_where_a_proxy_connects_is_for_the_proxy_to_judge(
    server: Server, crawl: CrawlCommand, environment: pytest.MonkeyPatch
) -> None:
    inside = server.serve({"*": page(title="Inside")}, "127.0.0.2")
    origin = server.serve({"/": page(f"{inside}/", title="Start")})
    with Proxy({"site.test:80": origin}) as proxy:
        environment.setenv("http_proxy", proxy.url)
        run = crawl(f"{PLAIN}/", scope="any")
    assert {line["title"] for line in run.lines} == {"Start", "Inside"}, run.log[-3000:]
    assert proxy.targets[2:] == [f"{inside}/robots.txt", f"{inside}/"]
