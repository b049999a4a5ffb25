"""Flaws of a page that reports name: mixed content, ALT, structured data, missing headers."""

from __future__ import annotations

import pytest

from sitecrawl.policy.documents.audit import audit_text, read_audit
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions


def page(html: str, url: str = "https://a.test/", **headers: str) -> Page:
    given = {name.replace("_", "-"): [value] for name, value in headers.items()}
    body, kind = html.encode(), "text/html; charset=utf-8"
    return read_page(body, url=url, content_type=kind, headers=given, options=ReadOptions())


@pytest.mark.behaviour("REP-10")
@pytest.mark.parametrize(
    ("html", "insecure"),
    [
        ('<img src="http://a.test/p.png" alt="">', ("http://a.test/p.png",)),
        ("<script src='http://a.test/s.js'></script>", ("http://a.test/s.js",)),
        ('<link rel="stylesheet" href="http://a.test/s.css">', ("http://a.test/s.css",)),
        ('<a href="http://a.test/">a link</a><img src="/p.png">', ()),
        ('<link rel="canonical" href="http://a.test/">', ()),
    ],
)
def test_mixed_content(html: str, insecure: tuple[str, ...]) -> None:
    assert page(html).insecure == insecure
    assert page(html, "http://a.test/").insecure == ()


@pytest.mark.behaviour("REP-10")
def test_alt_and_structured_data() -> None:
    found = page(
        '<img src="/a.png"><img src="/b.png" alt=""><img src="/c.png" alt="C">'
        '<script type="application/ld+json">{"name": "x",}</script>'
        '<script type="application/ld+json">{"name": "x"}</script>'
    )
    assert (found.no_alt, found.broken_json_ld) == (1, 1)


@pytest.mark.behaviour("REP-10")
def test_missing_headers() -> None:
    every = ("content-security-policy", "strict-transport-security", "x-content-type-options")
    assert page("").unprotected == (*every, "x-frame-options")
    framed = page("", "http://a.test/", content_security_policy="frame-ancestors 'none'")
    assert framed.unprotected == ("x-content-type-options",)


@pytest.mark.behaviour("REP-10")
def test_headings_beside_the_content_count() -> None:
    text = "<p>A text that is the content of this page, and not that of the site.</p>" * 9
    found = page(f"<header><h1>The site</h1></header><main><h1>The page</h1>{text}</main>")
    assert [each.text for each in found.headings] == ["The page"]
    assert found.h1 == ("The site", "The page")


@pytest.mark.behaviour("REP-10")
def test_texts_of_links_are_kept_where_they_are_read() -> None:
    body, kind = b'<a href="/next">The next page</a>', "text/html"
    for is_read, anchors in ((True, (("http://a.test/next", "The next page"),)), (False, ())):
        options = ReadOptions(link_text=is_read)
        found = read_page(
            body, url="http://a.test/", content_type=kind, headers={}, options=options
        )
        assert read_audit(audit_text(found)).anchors == anchors


@pytest.mark.behaviour("REP-10")
def test_the_stored_form() -> None:
    html = '<title>T</title><link rel="alternate" hreflang="de" href="/de"><h1>H</h1><img src="/a">'
    said = read_audit(audit_text(page(html, "http://a.test/")))
    assert (said.title, said.h1, said.no_alt) == ("T", ("H",), 1)
    assert said.languages == (("de", "http://a.test/de"),)
    assert read_audit("{}") == read_audit(audit_text(page("")))._replace(unprotected=())
