"""XML document data: which elements become which facts of the page."""

from __future__ import annotations

import pytest

from fixtures.effort import effort_within
from sitecrawl.web.feeds.xml_documents import is_documentdata
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions


def read(inner: str, root: str = 'documentdata version="1.0"') -> Page:
    body = f"<?xml version='1.0'?>\n<!-- one -->\n<{root}>{inner}</documentdata>".encode()
    return read_page(
        body,
        url="http://a.test/d/1.xml",
        content_type="text/xml",
        headers={},
        options=ReadOptions(),
    )


@pytest.mark.behaviour("X-04")
def test_elements_are_fields() -> None:
    page = read(
        "<doc_title>T</doc_title><doc_body>Plain &lt;text&gt;</doc_body><doc_url>../x</doc_url>"
        "<doc_description>D</doc_description><doc_authors><value>A</value><value>B</value>"
        "</doc_authors><one>1</one><list><value>2</value><value>3</value></list>"
    )
    assert (page.title, page.text, page.location) == ("T", "Plain <text>", "http://a.test/x")
    assert page.metas == {"description": ("D",), "author": ("A", "B")}
    assert page.fields == {"one": ("1",), "list": ("2", "3")}
    assert page.links == ()


@pytest.mark.behaviour("X-04", "X-05")
@pytest.mark.parametrize(
    "markup",
    [
        '&lt;h2&gt;H&lt;/h2&gt;a &lt;b&gt;b&lt;/b&gt; &amp;lt;<!-- <i> -->&lt;a href="/l"&gt;t&lt;/a&gt;',
        '<![CDATA[<h2>H</h2>a <b>b</b> &lt;<a href="/l">t</a>]]>',
        '<h2>H</h2>a <b>b</b> &lt;<script src="s"/><a href="/l">t</a>',
        '<h2>H</h2>a <b>b</b> <![CDATA[<]]><script>no</script><a href="/l">t</a>',
    ],
)
def test_a_body_may_be_markup(markup: str) -> None:
    page = read(f'<doc_body type="html">{markup}</doc_body>')
    assert page.text == "H\na b <t"
    assert [heading.text for heading in page.headings] == ["H"]
    assert page.links == ()


def test_a_tag_without_end_is_read_at_once() -> None:
    with effort_within(400):
        read("<doc_body " + "type='html' " * 20_000)


@pytest.mark.parametrize(
    "inner",
    [
        "<" + "n" * 200_000,
        "<" + "n" * 500_000 + ">" + "<b>x</b>" * 40_000,
        "<f>" + "<a>x</a>" * 50_000 + "".join(f"<b{n}>x</b{n}>" for n in range(1_900)) + "</f>",
    ],
    ids=["a name without end", "a long name around many", "many values, many fields"],
)
def test_names_and_values_without_end_are_read_in_time(inner: str) -> None:
    with effort_within(800):
        page = read(inner)
    assert all(len(name) <= 200 for name in page.fields)


def test_space_in_a_version_is_read_at_once() -> None:
    with effort_within(400):
        page = read("", 'documentdata version="' + " " * 2_000 + ">")
    assert page.fault == "unknown_version"


@pytest.mark.behaviour("X-04")
@pytest.mark.parametrize("root", ["documentdata", 'documentdata version="2.0"'])
def test_another_version_is_an_error(root: str) -> None:
    page = read("<doc_title>T</doc_title>", root)
    assert (page.fault, page.title, page.text) == ("unknown_version", "", "")


def test_other_documents_are_known_at_once() -> None:
    with effort_within(400):
        assert not is_documentdata("<!---->" * 1400 + "<report>")
        assert not is_documentdata("<?x?> " * 1400)
