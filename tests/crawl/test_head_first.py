"""URLs without extension, asked for with HEAD first."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Request, Server, Site, page


def no_head(request: Request) -> Answer:
    """A server that does not know HEAD."""
    return Answer(status=405) if request.method == "HEAD" else Answer(page(text="Old server."))


@pytest.mark.behaviour("F-13")
def test_head_tells_the_type_before_a_body_is_sent(server: Server, crawl: CrawlCommand) -> None:
    film = Answer(b"\0" * 500_000, headers={"Content-Type": "video/mp4"})
    site: Site = {"/": page("/clip", "/text", "/old", "/page.html"), "/clip": film}
    pages: Site = {"/text": page(text="Words."), "/old": no_head, "/page.html": page(text="Page.")}
    origin = server.serve({**site, **pages})
    run = crawl(f"{origin}/", head_first=1)
    assert {url.removeprefix(origin) for url in run.documents} == {"/", *pages}, run.log[-2000:]
    asked = [(exchange.method, exchange.target) for exchange in server.log.of(origin)]
    assert [method for method, target in asked if target == "/clip"] == ["HEAD"]
    assert [method for method, target in asked if target == "/text"] == ["HEAD", "GET"]
    assert [method for method, target in asked if target == "/old"] == ["HEAD", "GET"]
    assert [method for method, target in asked if target == "/page.html"] == ["GET"]
    assert (
        sum(exchange.sent for exchange in server.log.of(origin) if "clip" in exchange.target) == 0
    )
    server.log.clear()
    again = crawl(f"{origin}/", head_first=1, recrawl=0)
    assert again.lines == []
    assert {e.method for e in server.log.of(origin) if e.target == "/text"} == {"GET"}
