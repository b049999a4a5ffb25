"""Markup that would have elements open, copied or repeated without end; authors write none."""

from __future__ import annotations

import pytest

from fixtures.effort import effort_within
from sitecrawl.web.html.page import Page
from sitecrawl.web.html.parser_bounds import Nesting, bounded
from sitecrawl.web.html.script_shells import read_shell, without_scripts
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions


def read(body: bytes) -> Page:
    return read_page(
        body,
        url="http://example.org/",
        content_type="text/html; charset=utf-8",
        headers={},
        options=ReadOptions(),
    )


OPENED_AGAIN = b"".join(b"<b a%d><p>x" % number for number in range(3_000))
HOSTILE = {
    "ends of others": b"<div></i>" * 50_000 + b"<a href=x>last</a>",
    "ends of others, of lists": b"<ul><li></i>" * 30_000 + b"<a href=x>last</a>",
    "ends in comments": b"<div><!--</div>-->" * 30_000 + b"<a href=x>last</a>",
    "ends behind a table": b"<div><table><td></div></table>" * 20_000 + b"<a href=x>last</a>",
    "ends in values": b'<div title="</div>">' * 30_000 + b"<a href=x>last</a>",
    "ends in scripts": b"<div><script></div></script>" * 15_000 + b"<a href=x>last</a>",
    "ends in what is no tag": b"<div><?x </div>>" * 20_000 + b"<a href=x>last</a>",
    "ends of another name": b"<div></div\x0b>" * 30_000 + b"<a href=x>last</a>",
    "ends of a form": b"<form><div></form>" * 20_000 + b"<a href=x>last</a>",
    "ends of the body": b"<body><div></body>" * 20_000 + b"<a href=x>last</a>",
    "ends of what holds no blocks": b"<span><div></span>" * 20_000 + b"<a href=x>last</a>",
    "scripts that a drawing has not": b"<svg>"
    + b"<g><xmp><g></g></g></xmp>" * 15_000
    + b"</svg><a href=x>last</a>",
    "formats in what never ends": b"<object><nobr><p>" * 30_000 + b"<a href=x>last</a>",
    "what is shallow elsewhere": b"<svg>"
    + b"<td>" * 40_000
    + b"</x>" * 40_000
    + b"</svg><a href=x>last</a>",
    "a name without end": b"<b>" * 600
    + b"<i></i>" * 5_000
    + b"<a href=x>last</a><"
    + b"n" * 200_000,
    "formats in each block": OPENED_AGAIN + b"<a href=x>last</a>",
    "formats that seem to end": OPENED_AGAIN.replace(b"<p>", b"</q><p>") + b"<a href=x>last</a>",
    "formats that end in their values": b"".join(
        b'<b id="%d></b "></q><p>x' % number for number in range(2_600)
    )
    + b"<a href=x>last</a>",
    "formats that end in values within": b"<p>"
    + b"".join(b'<b id=%d>x<span title="</b>">y</span>' % number for number in range(1_500))
    + b"</p>"
    + b"<p>z</p>" * 1_500
    + b"<a href=x>last</a>",
    "formats that end with their block": b"".join(
        b"<small a=%d><code class=x%d></h1><h1>x" % (number, number) for number in range(2_500)
    )
    + b"<a href=x>last</a>",
    "formats that end at last": b"<p>"
    + b"".join(b"<b id=%d>" % number for number in range(250))
    + b"</p><p>%b" % (b"x" * 40) * 8_000
    + b"</b>" * 250
    + b"<a href=x>last</a>",
    "formats that end in comments": OPENED_AGAIN.replace(b"<p>", b"<!--</b>--><p>")
    + b"<a href=x>last</a>",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_elements_without_end_take_no_time_and_lose_no_text(body: bytes) -> None:
    with effort_within(900):  # else up to 5,000, and a gigabyte where there are formats
        page = read(body)
    assert page.cuts == ("too_deep",)
    assert page.text.endswith("last")
    assert [link.url for link in page.links] == ["http://example.org/x"]


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_look_for_applications_takes_no_time(body: bytes) -> None:
    with effort_within(1_800):
        assert read_shell(body).links == 1
        assert "last" in without_scripts(body.decode())


def test_notes_within_notes_take_no_time() -> None:
    with effort_within(400):
        read_shell(b"<noscript>a" * 20_000)


@pytest.mark.parametrize(
    "part",
    [
        b"<p><font size=2>a<p>",
        b"<td><b>a</b><!-- <div> --><i class=x>b</i>",
        b"<div><span>a</div>",
        b"<svg><a href=x><path d='M0'/><g></g></a></svg><li><tt>b</tt>",
        b"<div><b><p>a</p></b><em>b</em></div>",
    ],
)
def test_what_authors_write_stays_as_it_is(part: bytes) -> None:
    body = part * (150_000 // len(part)) if b"</" in part else part * 400
    markup, cuts = bounded(body, 10_000_000, 512)
    assert cuts == ()
    assert markup.replace(b"></path>", b"/>") == body


@pytest.mark.parametrize(
    "part",
    [
        b"<form><div><b><p>a</p></b></div></form>",
        b"<table><caption><i>a</i></caption><tr><td><select><option>x</select></table>",
        b"<svg><title>a</title><foreignObject><div><p>x</div></foreignObject></svg>",
        b"<div><svg><g><p>ends the drawing</p></div>",
        b"<noscript><div><img></div></noscript><!-- <div> --><script>'<div>'</script>",
        b"<h2><font>a</h2><ul><li><span>b<li>c</ul></font>",
    ],
)
def test_what_authors_write_is_not_deep(part: bytes) -> None:
    body = part * 5_000
    assert not Nesting.is_too_deep(body, 512)
    assert bounded(body, 10_000_000, 512)[1] == ()


def test_so_many_fragments_are_parsed_and_no_more() -> None:
    page = read(b"<body>" + b"<noscript><a href=x>a </a></noscript>" * 1_010)
    assert page.text.count("a") == 1_000
    assert set(page.cuts) == {"fragments"}


def test_headings_within_headings_do_not_repeat_all_text() -> None:
    page = read(b"<h1><div>" * 200 + b"<p>word</p>" * 20_000)
    assert len(page.headings) == 200
    assert sum(len(heading.text) for heading in page.headings) <= 200 * 10_000


def test_signs_that_the_reading_itself_uses_take_no_time() -> None:
    with effort_within(400):  # else 2,000
        page = read(b"<img src=//y/ alt=z>word" + "\ufdd0".encode() * 100_000)
    assert page.text == "z word"


def test_text_left_out_within_a_long_line_takes_no_time() -> None:
    with effort_within(600):  # else 4,000
        page = read(b"x<!--noindex-->y<!--/noindex-->" * 60_000)
    assert page.text == "x" * 60_000


@pytest.mark.parametrize(
    "part",
    [
        b"<div><svg a='></svg></div>'></svg>",
        b"<svg><path></svg><div><b></div>",
        b"<svg><div></svg>",
        b"<b><p>x<p>y",
        b"<?xml a='><div></div>'?><div>",
    ],
)
def test_icons_and_declarations_hide_no_open_elements(part: bytes) -> None:
    body = part * 9_000 + b"<p>End"
    deep = Nesting.is_too_deep(body, 256)
    assert bounded(body, len(body), 256)[1] == (("too_deep",) if deep else ())
