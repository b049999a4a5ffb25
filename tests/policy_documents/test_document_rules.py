"""Rules about documents: content hash, cuts, guards, mapping, refresh."""

from __future__ import annotations

import re

import pytest

from sitecrawl.policy.documents.binary_content import check_text
from sitecrawl.policy.documents.content_hash import (
    content_hash,
    stable_links,
    stable_text,
    text_hash,
)
from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.policy.documents.metadata_mapping import mapping_problems
from sitecrawl.policy.documents.obedience import refresh_target
from sitecrawl.policy.documents.text_fields import WORD_BREAKS, cut_at_word
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

CONTENT = "<p>Text</p><a href=a.html>A</a><img src=own.png alt=own>"
BANNER = (
    "<a href='http://ads.example.net/{0}'><img src='//ads.example.net/{0}.gif' alt='Buy {0}'></a>"
)


def page(html: str, url: str = "http://example.org/dir/x.html") -> Page:
    return read_page(
        html.encode(), url=url, content_type="text/html", headers={}, options=ReadOptions()
    )


def hashed(html: str, keys: list[str] | None = None) -> str:
    facts = page(html)
    text = text_hash("", stable_text(facts)) or ""
    return content_hash(text, keys or stable_links(facts), facts.images)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CONTENT + BANNER.format(1), CONTENT + BANNER.format(2)),
        (CONTENT + "<img src='http://ads.example.net/1'>", CONTENT),
        (CONTENT + "<iframe src='http://ads.example.net/1'></iframe>", CONTENT),
        (CONTENT + "<script>document.write('<a href=http://ads.net/1></a>')</script>", CONTENT),
    ],
)
@pytest.mark.behaviour("RC-11")
def test_banners_do_not_change_content(before: str, after: str) -> None:
    assert hashed(before) == hashed(after)


@pytest.mark.parametrize(
    "after",
    [
        CONTENT.replace("own.png", "new.png"),
        CONTENT.replace("alt=own", "alt=new"),
        CONTENT + "<a href='http://example.net/'>words</a>",
        CONTENT + "<a href='http://example.net/'>word <img src='http://example.net/i' alt=x></a>",
    ],
)
@pytest.mark.behaviour("RC-11")
def test_own_images_and_links_of_words_change_content(after: str) -> None:
    assert hashed(CONTENT) != hashed(after)


@pytest.mark.parametrize(
    "after",
    [
        f"<!-- generated at 12:01 --><script>var now = 1</script>{CONTENT}",
        CONTENT.replace("<p>", "<p class=new style='x'>").replace(">A<", "  >A<"),
        f"<style>p {{}}</style>{CONTENT}<link rel=stylesheet href=new.css>",
    ],
)
@pytest.mark.behaviour("RC-12")
def test_bytes_alone_do_not_change_content(after: str) -> None:
    assert hashed(CONTENT) == hashed(after)


@pytest.mark.parametrize(
    "after", [CONTENT.replace("Text", "Texts"), CONTENT.replace("a.html", "b.html")]
)
@pytest.mark.behaviour("RC-12", "C-27")
def test_text_and_links_change_content(after: str) -> None:
    assert hashed(CONTENT) != hashed(after)


def test_links_may_be_compared_by_keys() -> None:
    first = CONTENT.replace("a.html", "a.html?sid=1")
    second = CONTENT.replace("a.html", "a.html?sid=2")
    assert hashed(first) != hashed(second)
    keys = ["http://example.org/dir/a.html"]
    assert hashed(first, keys) == hashed(second, keys)
    assert re.fullmatch(r"[0-9a-f]{32}", hashed(first, keys))


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("one two", 7, "one two"),
        ("one two three", 0, "one two three"),
        ("one two three", 10, "one two..."),
        ("one two three", 9, "one..."),
        ("one, two three", 8, "one..."),
        ("abcdefghijkl", 8, "abcde..."),
        ("abc def", 2, "..."),
        ("", 5, ""),
    ],
)
@pytest.mark.behaviour("T-10")
def test_cuts_are_at_words(text: str, limit: int, cut: str) -> None:
    assert cut_at_word(text, limit) == cut


@pytest.mark.behaviour("C-16")
def test_word_breaks_can_be_added_for_a_language() -> None:
    breaks = {**WORD_BREAKS, "xx": re.compile("-")}
    assert cut_at_word("one two-three", 12, "xx-YY", breaks) == "one two..."
    assert cut_at_word("one two-three", 12, "en", breaks) == "one..."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x" * 127, "too_little_text"),
        ("x" * 128, "too_little_space"),
        ("x " * 64, ""),
        ("漢字かな" * 40, ""),
    ],
)
@pytest.mark.behaviour("C-22")
def test_binary_content_is_no_document(text: str, reason: str) -> None:
    options = DocumentOptions(binary_guard=True)
    decision = check_text(text, options)
    assert (decision.allowed, decision.reason) == (not reason, reason)
    assert check_text(text, DocumentOptions()).allowed


@pytest.mark.parametrize(
    ("metadata", "extra", "words"),
    [
        ([("a", "extra_a")], [("extra_a", "keyword")], []),
        ([("a", "extra_a")], [], ["'extra_a'", "declare"]),
        ([], [("extra_a", "colour")], ["'colour'", "keyword, text"]),
        ([], [("Extra A", "date")], ["'Extra A'", "small letters"]),
    ],
)
@pytest.mark.behaviour("MD-06")
def test_mappings_are_checked(
    metadata: list[tuple[str, str]], extra: list[tuple[str, str]], words: list[str]
) -> None:
    problems = mapping_problems(metadata, extra)
    assert bool(problems) == bool(words)
    assert all(word in problems[0] for word in words)


@pytest.mark.parametrize(
    ("content", "delay", "min_text", "target"),
    [
        ("9; url=/t", 10, 0, "http://example.org/t"),
        ("10; url=/t", 10, 0, None),
        ("0; url=/t", 0, 0, None),
        ("0; url=x.html#frag", 10, 0, None),
        ("5", 10, 0, None),
        ("1; url=/t", 10, 5, None),
        ("1; url=/t", 10, 6, "http://example.org/t"),
    ],
)
@pytest.mark.behaviour("K-20", "R-06")
def test_quick_refresh_is_a_redirect(
    content: str, delay: float, min_text: int, target: str | None
) -> None:
    read = page(f"<meta http-equiv=refresh content='{content}'><p>Words")
    assert refresh_target(read, delay=delay, min_text=min_text) == target
