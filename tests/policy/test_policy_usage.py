"""Statements about the use of content, and the uses that they permit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.policy.documents.model_use import permits_models
from sitecrawl.policy.documents.usage_permissions import usage_field, usage_refusal
from sitecrawl.web.robots.robots_txt import RobotsTxt
from sitecrawl.web.robots.usage_statements import (
    PARSERS,
    content_signal,
    content_usage,
    page_statements,
)

SITE = "http://a.test"


@pytest.mark.behaviour("PERM-01")
@pytest.mark.parametrize(
    ("value", "permits"),
    [
        ("train-ai=n", {"ai-train": False}),
        ("train-ai=y, search=n", {"search": False, "ai-train": True}),
        ("train-ai=n;reason=x , search=y", {"search": True, "ai-train": False}),
        ("train-ai=y,train-ai=n", {"ai-train": False}),  # RFC 9651, 4.2.2: the last one
        ("train-ai=n,train-ai=y", {"ai-train": True}),
        ('other="a, train-ai=n", search=y', {"search": True}),
        ("other=(a b;c=1);d, train-ai=n", {"ai-train": False}),
        ("other, train-ai=:bg==:", {}),
        ("train-ai", {}),
        ("train-ai=no", {}),
        ("train-ai=?0", {}),
        ('train-ai="n"', {}),
        ("train-ai=N", {}),
        ("Train-AI=n", {}),
        ("train-ai=n,", {}),
        ("train-ai=n search=y", {}),
        ("train-ai =n", {}),
        ("train-ai=n, =", {}),
        ("", {}),
    ],
)
def test_content_usage(value: str, permits: dict[str, bool]) -> None:
    assert content_usage(value) == permits


@pytest.mark.behaviour("PERM-01")
@pytest.mark.parametrize(
    ("value", "permits"),
    [
        ("search=yes,ai-train=no", {"search": True, "ai-train": False}),
        ("AI-Input = No ; search=YES", {"ai-input": False, "search": True}),
        ("ai-train=no, ai-train=yes", {"ai-train": False}),
        ("ai-train=maybe, use=reference", {}),
        ("no", {}),
    ],
)
def test_content_signal(value: str, permits: dict[str, bool]) -> None:
    assert content_signal(value) == permits


@pytest.mark.behaviour("PERM-01")
@given(st.sampled_from(sorted(PARSERS)), st.text())
def test_nothing_raises(name: str, value: str) -> None:
    PARSERS[name](value)


USAGE = """Content-Signal: search=yes, ai-train=no
License: https://rsl.test/license.xml
License: /relative.xml
User-agent: GPTBot
Content-Usage: train-ai=n
Disallow: /
User-agent: signals
Content-Signal: ai-input=no
User-agent: *
Content-Usage: search=y
Content-Usage: /a/ train-ai=n
Content-Usage: /a/b*c train-ai=y
Content-Usage: /a/b*c search=n
"""


@pytest.mark.behaviour("PERM-01", "PERM-02")
@pytest.mark.parametrize(
    ("path", "agent", "lines"),
    [
        ("/", "Foo", [10, 8, 2]),  # a Content-Signal is no rule that ends a list of agents
        ("/a/", "Foo", [11, 8, 2]),
        ("/a/bxc", "Foo", [12, 13, 8, 2]),
        ("/a/", "signals", [11, 8, 2]),
        ("/", "GPTBot", [5, 1, 2]),
    ],
)
def test_lines_of_robots_txt(path: str, agent: str, lines: list[int]) -> None:
    robots = RobotsTxt.parse(USAGE)
    assert not robots.notices
    assert [each.line for each in robots.usage(SITE + path, agent)] == lines


@pytest.mark.behaviour("PERM-01", "PERM-02")
def test_the_most_restrictive_statement_counts() -> None:
    headers = {
        "Content-Signal": ["ai-train=yes", "search=yes"],
        "tdm-reservation": ["1"],
        "X-Robots-Tag": ["other: noai", "foo: noimageai"],
    }
    usage = usage_field(page_statements(headers, {"tdm-reservation": ["0"]}, "foo"))
    assert (usage["search"], usage["ai_input"], usage["ai_train"]) == (True, True, True)
    assert [each["text"] for each in usage["sources"]] == [
        "Content-Signal: ai-train=yes, search=yes",
        "tdm-reservation: 0",
        "X-Robots-Tag: noimageai",
    ]
    usage = usage_field(page_statements(headers, {"robots": ["follow, NoAI"]}, "foo"))
    assert (usage["search"], usage["ai_input"], usage["ai_train"]) == (True, False, False)
    assert usage_refusal(usage, ["search"]) is None
    refusal = usage_refusal(usage, ["search", "ai-train"])
    assert refusal == ("ai_train", "header: tdm-reservation: 1")
    assert usage_field(()) == {}
    assert usage_refusal({}, ["ai-train"]) is None


@pytest.mark.behaviour("PERM-07")
@pytest.mark.parametrize(("answer", "given_out"), [(False, False), (True, True), (None, True)])
def test_models(answer: bool | None, given_out: bool) -> None:
    assert permits_models({"usage": {"ai_input": answer}}) is given_out
