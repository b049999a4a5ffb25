"""Pages that nobody means well with: nothing raises, and time stays linear."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.effort import effort_within
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import LINK_PATTERNS, ReadOptions

DEFAULT = ReadOptions()
ALL = ReadOptions(
    image_maps="sample",
    link_text=True,
    image_text="title",
    xml_fields=True,
    link_patterns=(*LINK_PATTERNS, "object@data", "x-y@z", "p@title"),
    fields=(("a", "p"), ("b", "*@title")),
    outline=True,
)
MARKUP = st.lists(
    st.sampled_from(
        (
            *("<p>", "</p>", "<a href=", "<a>", "</a>", "'x.html'", ">", "<", "&", "&#", ";", "\0"),
            *(
                "<img src=//y/ alt=z ismap>",
                "<script>",
                "</script>",
                "document.write('",
                "')",
                "\\",
            ),
            *(
                "<!--",
                "-->",
                "noindex",
                "/noindex",
                "<meta name=robots>",
                "<meta http-equiv=refresh",
            ),
            *(" content='0;url=", "'", '"', "<base href=", "<link rel=canonical href=", "<title>"),
            *("</title>", "<noscript>", "</noscript>", "<noframes>", "</noframes>", "<frameset>"),
            *("<select onchange=location>", "<option value=/a>", "<h1>", "</h1>", "<pre>", "\n"),
            *("<table>", "<tr>", "<td>", "<svg>", "<math>", "<template>", "<p lang=fr>", "</div>"),
            *(
                "<script type=application/ld+json>",
                '{"@type":"Article","name":',
                "[",
                "]",
                "{",
                "}",
            ),
            *(
                "<![CDATA[",
                "]]>",
                "<?xml ?>",
                "<!DOCTYPE ",
                "é",
                "\ud800",
                "\U0001f600",
                "¶",
                " x ",
            ),
            *(
                "http://[",
                "http://0x7f.1/",
                "//",
                "\ufdd0",
                "\ufdd2",
                "<header>",
                "<p class=noindex>",
                "<blockquote>",
                "<td class=gutter>",
            ),
        )
    ),
    max_size=40,
).map(lambda parts: "".join(parts).encode("utf-8", "surrogatepass"))
TYPES = st.sampled_from(
    (None, "", "text/html", "text/html; charset=utf-16", "text/plain", "text/xml", "x")
) | st.text(max_size=30)
VALUES = st.lists(st.text(max_size=60), max_size=3)
HEADERS = st.dictionaries(
    st.sampled_from(("Link", "X-Robots-Tag", "Refresh", "Content-Language", "Last-Modified")),
    VALUES,
)
URLS = st.sampled_from(("http://example.org/a/b.html", "http://example.org/m.map", "http://[::1]/"))


@given(body=MARKUP | st.binary(max_size=300), kind=TYPES, headers=HEADERS, url=URLS)
@settings(max_examples=300)
def test_nothing_raises(
    body: bytes, kind: str | None, headers: dict[str, list[str]], url: str
) -> None:
    for options in (ReadOptions(), ALL):
        page = read_page(body, url=url, content_type=kind, headers=headers, options=options)
        assert isinstance(page, Page)
        page.text.encode()
        assert all("#" not in link.url for link in page.links)


def test_a_quote_of_line_numbers_is_read() -> None:
    body = b"<p>one<blockquote><table><tr><td class=gutter>1</table></blockquote>"
    assert [block.text for block in read(body, ALL).content] == ["one"]


def test_a_picture_that_is_left_out_is_no_label_of_an_empty_line() -> None:
    body = "<section>one</section>\xad <code><img src=b.png alt=B></code>".encode()
    assert read(body, ReadOptions(remove_elements=("code",))).text == "one"


def read(body: bytes, options: ReadOptions = DEFAULT, kind: str = "text/html") -> Page:
    return read_page(
        body, url="http://example.org/", content_type=kind, headers={}, options=options
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        b"<div>",
        b"<ul><li>",
        b"<b>",
        b"<a href=x>",
        b"<noframes>",
        b"<p lang=fr>a",
        b"<h2>x",
        b"<!--noindex-->a",
        b"<script>document.write('",
        b"<script>document.write(/* ",
        b"<script>document.write(a);",
        b"<table><tr><td>",
        b" a=1",
        b"&",
        b"<link rel=alternate href=b>",
        b"<a href=x><img src=//y/ alt=z>",
    ],
)
def test_time_is_linear(part: bytes) -> None:
    start = b"<p " if part == b" a=1" else b""
    with effort_within(600):
        read(start + part * (320_000 // len(part)))


@pytest.mark.slow
@pytest.mark.behaviour("SE-04")
@pytest.mark.parametrize(
    ("start", "part"),
    [
        (b"<table>", b"<tr><td>x<td>y"),
        (b"<table>", b"<caption>x<tr><td>x<td>y"),
        (b"<table><tr>" + b"<td rowspan=60000>z" * 50, b"<tr><td>x<td>y"),
        (b"<table>", b"<tr><td colspan=50>x<td>y"),
        (b"<table><tr>", b"<td colspan=50>x"),
    ],
)
def test_time_of_tables_is_linear(start: bytes, part: bytes) -> None:
    body = start + part * (320_000 // len(part))
    with effort_within(600):
        page = read(body, ReadOptions(outline=True))
    assert sum(len(block.markdown) for block in page.content) < 2 * len(body)


@pytest.mark.parametrize(
    "part", [b"<!DOCTYPE [", b"<a b='", b"<![CDATA[", b"<a>", b"<!--", b"<?", b"<a><b></a>"]
)
def test_time_is_linear_for_xml(part: bytes) -> None:
    with effort_within(600):
        read(part * (320_000 // len(part)), kind="text/xml")


@pytest.mark.parametrize(
    "value", ["<" * 20_000, "<a>; rel" * 2_000, "<a>;" + " " * 10_000, "a:" * 9_000]
)
def test_headers_are_read_in_time(value: str) -> None:
    headers = {"Link": [value], "X-Robots-Tag": [value], "Refresh": [value]}
    with effort_within(200):
        read_page(
            b"x", url="http://x.org/", content_type="text/plain", headers=headers, options=DEFAULT
        )


def test_fifty_thousand_links_are_found() -> None:
    body = b"".join(b"<p><a href=p%d.html>Page</a>" % number for number in range(50_100))
    with effort_within(4_000):
        page = read(body)
    assert len(page.links) == 50_000
    assert page.cuts == ("too_many_links",)


@pytest.mark.parametrize(
    ("kind", "start", "parts", "end"),
    [
        ("text/html", b'<script>document.write("', (b"<div\\x3e", b"<p\\x3e"), b'")</script>'),
        (
            "text/xml",
            b'<documentdata version="1.0"><doc_body type="html">',
            (b"&lt;div&gt;", b"&lt;p&gt;"),
            b"</doc_body></documentdata>",
        ),
    ],
)
def test_escaped_markup_is_bounded(
    kind: str, start: bytes, parts: tuple[bytes, bytes], end: bytes
) -> None:
    with effort_within(1_200):  # else 4,000
        page = read(start + parts[0] * 80_000 + parts[1] * 80_000 + end, kind=kind)
    assert page.cuts[-1] == "too_deep"


def test_many_drawings_are_no_nesting() -> None:
    icon = b"<svg><path d='M0 0'/><CIRCLE r=1 /><use href='#a'/></svg>"
    body = b"".join(b"<tr><td>%s<td><h3>File %d</h3>" % (icon, number) for number in range(1_000))
    page = read(b"<table>" + body + b"</table>")
    assert len(page.headings) == 1_000
    assert page.cuts == ()


def test_deep_nesting_loses_tags_and_no_text() -> None:
    body = b"<div>" * 10_000 + b"deep <a href=x.html>link</a>" + b"</div>" * 10_000 + b"<p>after"
    page = read(body)
    assert page.text == "deep link\nafter"
    assert [link.url for link in page.links] == ["http://example.org/x.html"]
    assert page.cuts == ("too_deep",)


def test_nesting_of_authors_is_left_alone() -> None:
    page = read(b"<div><p>a<p>b<br><li>c" * 400 + b"</div>" * 400)
    assert page.cuts == ()
    assert page.text.count("a\nb\nc") == 400


def test_long_bodies_are_cut() -> None:
    page = read(b"<p>word</p>" * 1_000, ReadOptions(max_bytes=1_100))
    assert page.cuts == ("too_long",)
    assert page.text == "\n".join(["word"] * 100)


def test_tags_of_attributes_without_end_lose_them() -> None:
    long = b"<p data-x='" + b"x" * 30_000 + b"' lang=fr>long value</p>"
    many = b"<p " + b" ".join(b"a%d=1" % n for n in range(5_000)) + b">many</p>"
    page = read(b"<html lang=en>" + long + many)
    assert page.text == "long value\nmany"
    assert [block.language for block in page.blocks] == ["fr"]
    assert page.cuts == ("attributes",)


def test_markup_within_markup_within_markup_ends() -> None:
    page = read(b"<p>" + b"<noframes>" * 10 + b"text")
    assert page.cuts == ("fragments",)


@pytest.mark.behaviour("MD-20")
@pytest.mark.parametrize(
    "markup",
    [
        "<div itemscope itemtype=http://schema.org/Article itemprop=author>",
        "<p itemprop=author>x</p>",
        "<li itemscope itemtype=http://schema.org/ListItem><b><i>x</i></b>",
        "<a rel=author class='byline author'>By X</a>",
        "<p typeof=ListItem property='name schema:author'>x",
        "<meta name=author content='A &amp;amp; B'>",
    ],
)
def test_marked_items_are_bounded(markup: str) -> None:
    with effort_within(1_000):
        page = read((markup * 20_000).encode())
    assert len(page.json_ld.get("author", ())) <= 2_000
    assert len(page.bylines) <= 5
