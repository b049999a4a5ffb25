"""Requests of a rendered page go through the proxy of the page itself."""

from __future__ import annotations

import pytest

from fixtures.applications import shell
from fixtures.crawls import CrawlCommand
from fixtures.proxy import Proxy, microsocks
from fixtures.server import Server

LOAD = """
const show = text => {
    const told = document.createElement('p');
    told.textContent = text;
    document.getElementById('root').append(told);
};
fetch('/told').then(answer => answer.text()).then(show);
fetch('https://tls.test/', {mode: 'no-cors'}).catch(() => 0);
fetch('http://127.0.0.9:PORT/', {mode: 'no-cors'}).catch(() => 0);
"""


@pytest.mark.behaviour("SESSION-11")
def test_a_rendered_page_loads_through_the_proxy_of_the_page(
    server: Server, crawl: CrawlCommand
) -> None:
    private = server.serve({"*": "secret"}, address="127.0.0.9")
    script = LOAD.replace("PORT", private.rpartition(":")[2])
    origin = server.serve({"/": shell("App", script), "/told": "Told by the server."})
    with Proxy({"app.test:80": origin}, credentials="me:open") as proxy:
        run = crawl(
            "http://app.test/",
            render="playwright",
            obey_robots=0,
            proxies=proxy.url.replace("//", "//me:open@"),
        )
    assert run.status == 0, run.log[-3000:]
    assert "Told by the server." in run.documents["http://app.test/"]["body"]
    assert {"http://app.test/told", "tls.test:443"} <= set(proxy.targets)
    assert "'sitecrawl/render/refused_connections': 1" in run.log
    assert server.log.connected(private) == 0


@pytest.mark.behaviour("SESSION-11")
def test_a_rendered_page_loads_through_socks(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": shell("App", LOAD), "/told": "Told by the server."})
    with microsocks("-u", "me", "-P", "open") as address:
        run = crawl(
            f"{origin}/",
            render="playwright",
            obey_robots=0,
            proxies=f"socks5://me:open@{address}",
        )
        asked = server.log.of(origin)
    assert "Told by the server." in run.documents[f"{origin}/"]["body"], run.log[-3000:]
    assert {each.target for each in asked} == {"/", "/told"}
