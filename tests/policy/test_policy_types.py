"""Content-Type headers, judged before the body is read."""

from __future__ import annotations

import pytest

from sitecrawl.config.assembly import build_rules
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.decision import Decision


def decide(path: str, content_type: str | None, **options: object) -> Decision:
    params = CrawlParams(start=["http://example.org/"], **options)
    return build_rules(params, {}).media_types.decide(f"http://example.org{path}", content_type)


@pytest.mark.behaviour("F-12", "K-09", "LR-29")
@pytest.mark.parametrize(
    "content_type",
    [
        "text/html",
        "Text/HTML; charset=utf-8",
        "application/xhtml+xml",
        "application/xml",
        "text/plain;charset=us-ascii",
        "text/xml",
        "text/html, text/html; charset=utf-8",
        "text/html,charset=utf-8",
        "text/html charset=utf-8",
        "text/html: charset=utf-8",
        'image/png; name="a, b", text/html',
    ],
)
def test_wanted_types(content_type: str) -> None:
    assert decide("/page", content_type) == Decision(allowed=True)


@pytest.mark.behaviour("F-12")
@pytest.mark.parametrize(
    "content_type", ["application/pdf", "image/png", "text/htmlx", "text/plain, image/png"]
)
def test_other_types(content_type: str) -> None:
    assert decide("/page.html", content_type).reason == "content_type"


def test_what_a_terminal_obeys_is_not_shown() -> None:
    assert decide("/page.html", "text/\x1b]0;title\x07\x9b2J").reason == "sniff"
    assert decide("/page.html", "text/x\x1b]0;title\x07").rule.endswith(": text/x")
    assert len(decide("/page.html", "text/" + "x" * 60_000).rule) < 300


@pytest.mark.behaviour("F-12", "K-26")
@pytest.mark.parametrize(
    "content_type",
    [None, "", " ; charset=utf-8", "rubbish", "html", "*/*", "unknown/unknown", '"text/html"'],
)
def test_no_type_at_all(content_type: str | None) -> None:
    sniffed = decide("/page", content_type)
    assert sniffed.allowed
    assert sniffed.reason == "sniff"
    dropped = decide("/page", content_type, missing_content_type="drop")
    assert dropped.reason == "content_type"


@pytest.mark.behaviour("F-13")
def test_a_type_of_an_ignored_extension_is_not_read_without_extension() -> None:
    decision = decide("/clip", "video/mp4")
    assert decision.reason == "mime_ignored"
    assert "video/mp4 is .m4v" in decision.rule
    assert decide("/clip.html", "video/mp4").reason == "content_type"


@pytest.mark.behaviour("F-14")
def test_the_table_can_be_maintained() -> None:
    wanted = {"content_types": "text/html text/x-log", "always_ignored_extensions": "lg"}
    assert decide("/x", "text/x-log", **wanted).allowed
    linked = {**wanted, "mime_extensions": "text/x-log:lg+l"}
    assert decide("/x", "text/x-log", **linked).reason == "mime_ignored"
    both = {"content_types": "application/pdf", "always_ignored_extensions": "pdf"}
    assert decide("/x", "application/pdf", **both).reason == "mime_ignored"
    assert decide("/x", "application/pdf", **both, mime_extensions="application/pdf:").allowed


@pytest.mark.behaviour("FI-06")
def test_the_extensions_of_wanted_files_leave_the_default_list() -> None:
    assert decide("/x", "application/pdf", content_types="pdf").allowed
    assert decide("/x.pdf", "application/octet-stream", content_types="pdf").reason == "sniff"
    assert decide("/x.bin", "application/octet-stream", content_types="pdf").reason == (
        "content_type"
    )
