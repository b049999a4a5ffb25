"""Links in headers are facts like those in elements; those of interim responses are none."""

from __future__ import annotations

import brotli
import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Raw, Server, page

LINKS = (
    '<{0}?x=1>; rel="alternate"; hreflang=de',
    "</fr{0}>; rel=alternate; hreflang=\"fr\"; title*=UTF-8''En%20fran%C3%A7ais",
    "</next{0}>; rel=next",
)
ELEMENTS = """<link rel=alternate hreflang=de href="{0}?x=1">
<link rel=alternate hreflang=fr title="En français" href="/fr{0}"><link rel=next href="/next{0}">"""


def hinted(path: str, *links: str, title: str) -> Raw:
    """A page in Brotli, whose links stand in its headers, behind two early hints."""
    html = f"<html lang=en><title>{title}</title><h1>{title}</h1><p>The text of {title}."
    body = brotli.compress(html.encode())
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </hint>; rel=next\r\n\r\n" * 2
    fields = "".join(f"Link: {each.format(path)}\r\n" for each in links).encode("utf-8")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br\r\n%bContent-Length: %d"
    return Raw(hints, head % (fields, len(body)) + b"\r\n\r\n", body)


@pytest.mark.behaviour("L-08", "DU-03")
def test_links_of_headers_are_those_of_elements(server: Server, crawl: CrawlCommand) -> None:
    canonical = "</one>; rel=canonical"
    site: dict[str, Page] = {
        "/robots.txt": "",
        "/": page("/one", "/two", "/copy"),
        "/one": hinted("/one", *LINKS, canonical, title="One"),
        "/two": page(title="Two", head=ELEMENTS.format("/two")),
        "/copy": hinted("/copy", canonical, title="Copy"),
        **{f"/next/{name}": page(title=f"After {name}") for name in ("one", "two")},
        "*": page(title="Another"),
    }
    origin = server.serve(site)
    run = crawl(f"{origin}/", preset="full")
    assert run.status == 0, run.log[-3000:]
    one, two = run.documents[f"{origin}/one"], run.documents[f"{origin}/two"]
    assert [each["hreflang"] for each in one["alternates"]] == ["de", "fr"]
    assert str(one["alternates"]).replace("/one", "/two") == str(two["alternates"])
    assert {f"{origin}/next/one", f"{origin}/next/two", f"{origin}/fr/one"} <= run.documents.keys()
    assert f"{origin}/copy" not in run.kept
    assert server.log.count("/hint", origin) == 0
