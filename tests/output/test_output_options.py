"""Options of the reading and of the making of documents, each by what a crawl writes."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

NEWS = """<html lang=en><head><title>NEWS FROM THE CITY HALL</title>
<meta name=keywords content="cats, small animals, cats">
<meta http-equiv=content-language content=fr></head>
<body><nav>Our menu</nav><main><p>Lead at the top.</p><h1>A heading</h1>
<p>Cats eat   fish.
 Dogs bark at all cats in town. Cats sleep. Nobody knows.</p>
<!-- mine -->Left out.<!-- /mine -->
<pre>a   b
  c</pre><a href=/more title=More>read on</a></main></body></html>"""
XML = """<r xmlns:x="urn:x"><item><x:name>Anna</x:name><name>Bob</name></item><note>&lt;b&gt;</note></r>"""
SITE: dict[str, Page] = {
    "/": NEWS,
    "/more": page("/data.xml", "/binary", "/tiny", title="More"),
    "/data.xml": Answer(XML, headers={"Content-Type": "text/xml"}),
    "/binary": "<title>B</title><p>" + "x" * 3000,
    "/tiny": "<p>ti ny",
}


@pytest.mark.behaviour("C-08", "C-26", "T-12", "O-11", "L-31", "MD-09", "MD-19")
def test_what_is_read_and_kept_by_option(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(SITE)
    plain = crawl(f"{origin}/", crawl_name="plain").documents
    told = crawl(
        f"{origin}/",
        crawl_name="told",
        noindex_markers="mine|/mine",
        title_repairs="capitals",
        more_fields="elements links anchors metas",
        content="all",
    ).documents
    before, after = plain[f"{origin}/"], told[f"{origin}/"]
    assert not {"links", "metas"} & before.keys()
    assert (before["title"], after["title"]) == (
        "NEWS FROM THE CITY HALL",
        "News From The City Hall",
    )
    assert "Left out." in before["body"]
    assert "Left out." not in after["body"]
    assert "a b\nc" in before["body"]
    assert "Cats eat fish. Dogs bark" in after["body"]
    assert after["links"] == [{"url": f"{origin}/more", "text": "read on", "title": "More"}]
    assert after["metas"]["content-language"] == ["fr"]
    assert (after["language"], after["meta_keywords"]) == ("en", ["cats", "small animals"])
    assert told[f"{origin}/more"]["anchors"] == ["read on"]
    assert "anchors" not in plain[f"{origin}/more"]
    names = {"r/item/name": ["Anna", "Bob"], "r/note": ["<b>"]}
    assert told[f"{origin}/data.xml"]["fields"] == names
    assert "fields" not in plain[f"{origin}/data.xml"]


@pytest.mark.behaviour("T-03", "T-04", "T-05", "T-06", "T-07", "T-08")
@pytest.mark.parametrize(
    ("order", "source", "text"),
    [
        ("meta heading", "heading", "A heading Cats eat fish. Dogs bark at all cats"),
        ("top heading", "top", "Lead at the top. A heading Cats eat fish."),
        ("summary", "summary", "Dogs bark at all cats in town."),
        ("meta", None, ""),
    ],
)
def test_the_order_of_descriptions(
    order: str, source: str | None, text: str, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(SITE)
    (document,) = crawl(f"{origin}/", mode="page", description_order=order).lines
    assert document.get("description_source") == source
    assert text in document.get("description", "")
    assert document["body"].endswith("read on"), "all of it, whatever describes it"


@pytest.mark.behaviour("C-22")
@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ({}, {}),
        ({"binary_guard": 1}, {"/binary": "too_little_space", "/tiny": "too_little_text"}),
    ],
)
def test_what_is_hardly_text_can_be_kept_out(
    options: dict[str, Any], reasons: dict[str, str], server: Server, crawl: CrawlCommand
) -> None:
    words = "Cats eat fish, and dogs bark at all cats in town. " * 3
    binary, tiny = SITE["/binary"], SITE["/tiny"]
    site = {"/": page("/binary", "/tiny", text=words), "/binary": binary, "/tiny": tiny}
    origin = server.serve(site)
    written = crawl(f"{origin}/", **options).documents.keys()
    assert {f"{origin}{path}" for path in site} - written == {f"{origin}{path}" for path in reasons}
    assert dict(crawl.rows("SELECT url, reason FROM url WHERE reason <> 'ok'")) == {
        f"{origin}{path}": reason for path, reason in reasons.items()
    }
