"""Redirects whose targets servers write as no standard says, but as many do."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Raw, Server, page

WRITTEN = {"utf-8": "%C3%B6", "latin-1": "%F6"}


def moved(to: bytes) -> Raw:
    """A redirect with these bytes as its Location."""
    return Raw(b"HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nLocation: " + to + b"\r\n\r\n")


@pytest.mark.behaviour("R-02", "U-16")
@pytest.mark.parametrize("encoding", WRITTEN)
def test_target_that_is_not_ascii_is_asked_for_byte_by_byte(
    encoding: str, server: Server, crawl: CrawlCommand
) -> None:
    octet = WRITTEN[encoding]
    name = "ö".encode(encoding)
    link = b"<" + name + b"-c>; rel=canonical"
    site: dict[str, Page] = {
        "/robots.txt": moved(b"/r" + name),
        f"/r{octet}": "User-agent: *\nDisallow: /private\n",
        "/": page("/old", "/private", "/copy", title="Start"),
        "/old": moved(b"/h" + name + b"?" + name),
        f"/h{octet}?{octet}": page(title="New"),
        "/copy": Answer(page(title="Copy"), headers={"Link": link.decode("latin-1")}),
        f"/{octet}-c": page(title="Copy"),
    }
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    found = {"/", f"/h{octet}?{octet}", f"/{octet}-c"}
    assert {url.removeprefix(origin) for url in run.documents} == found, run.log[-3000:]
    assert server.log.count("/private") == 0
