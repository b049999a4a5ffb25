"""Statements about the use of content, and the uses that they permit."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.policy.documents.usage_permissions import permits_models, usage_field, usage_refusal
from sitecrawl.web.robots.robots_txt import RobotsTxt
from sitecrawl.web.robots.usage_statements import (
    PARSERS,
    content_signal,
    content_usage,
    page_statements,
)
from sitecrawl.web.robots.usage_terms import TDMREP, read_license, read_tdmrep, read_terms, terms_of

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


ALL = ("search", "ai-input", "ai-train")


def rsl(*licenses: str, attributes: str = 'url="/"') -> bytes:
    inner = "".join(f"<license>{each}</license>" for each in licenses)
    content = f"<content {attributes}>{inner}</content>"
    return f'<?xml version="1.0"?><rsl xmlns="https://rslstandard.org/rsl">{content}</rsl>'.encode()


def usage(element: str, words: str) -> str:
    return f'<{element} type="usage">{words}</{element}>'


PAID = '<payment type="subscription"><custom>https://a.test/pay</custom></payment>'


@pytest.mark.behaviour("PERM-01", "PERM-08")
@pytest.mark.parametrize(
    ("body", "answers"),
    [
        (rsl(usage("permits", "search")), (True, False, False)),
        (rsl(usage("permits", "all")), (True, True, True)),
        (rsl(usage("permits", "ai-input, search")), (True, True, False)),
        (rsl(usage("prohibits", "ai-train")), (None, None, False)),
        (rsl(usage("prohibits", "ai-all")), (None, False, False)),
        (rsl(usage("permits", "ai-input") + usage("prohibits", "all")), (False, True, False)),
        (rsl(usage("permits", "ai-input") + usage("prohibits", "ai-all")), (False, False, False)),
        (rsl(usage("permits", "all") + usage("prohibits", "all")), (False, False, False)),
        (rsl(usage("permits", "ai-train") + PAID), (False, False, False)),
        (rsl(usage("permits", "ai-train") + '<payment type="free"/>'), (False, False, True)),
        (
            rsl(usage("permits", "ai-train") + PAID, usage("permits", "search")),
            (True, False, False),
        ),
        (rsl(usage("permits", "all"), attributes='url="/" server="https://l.test"'), (False,) * 3),
        (rsl('<permits type="user">education</permits>'), (None, None, None)),
        (rsl(usage("permits", "ai-index")), (False, False, False)),
        (rsl(usage("permits", "all"), attributes='url=""'), (True, True, True)),
        (rsl(usage("permits", "all"), attributes='url="https://b.test/*"'), ()),
        (rsl(usage("permits", "all"), attributes='url="/elsewhere/"'), ()),
        (b"<rsl><content url='/'><license><permits type='usage'>all</permits>", ()),
        (b"no XML", ()),
        (b"", ()),
    ],
)
def test_licenses(body: bytes, answers: tuple[bool | None, ...]) -> None:
    found = [dict(each.permits) for each in terms_of(read_license(body, f"{SITE}/l.xml"), SITE)]
    assert [tuple(each.get(use) for use in ALL) for each in found] == ([answers] if answers else [])


def reserve(**places: object) -> bytes:
    return json.dumps([{"location": k, "tdm-reservation": v} for k, v in places.items()]).encode()


@pytest.mark.behaviour("PERM-01", "PERM-08")
@pytest.mark.parametrize(
    ("body", "reserved"),
    [
        (reserve(**{"/": 1}), [True]),
        (reserve(**{"/": "1"}), [True]),
        (reserve(**{"/": 1, "/docs": 0}), [False]),
        (reserve(**{"/*": 0, "/*.html$": 1}), [True]),
        (reserve(**{"/docs/*": 1, "/docs/": 0}), [True]),
        (reserve(**{"/other": 1}), []),
        (reserve(**{"/": 2}), []),
        (reserve(**{"/": True}), []),
        (b'{"location": "/", "tdm-reservation": 1}', []),
        (b'[1, {"tdm-reservation": 1}, {"location": null}]', []),
        (b"[" * 100_000, []),
        (b"\xff", []),
    ],
)
def test_tdmrep(body: bytes, reserved: list[bool]) -> None:
    terms = read_tdmrep(body, SITE + TDMREP)
    found = [dict(each.permits) for each in terms_of([*terms], f"{SITE}/docs/a.html")]
    assert [not each["ai-train"] for each in found] == reserved


@pytest.mark.behaviour("PERM-08")
@given(st.binary(), st.sampled_from([TDMREP, "/license.xml"]))
def test_no_file_raises(body: bytes, path: str) -> None:
    list(terms_of(read_terms(body, SITE + path), f"{SITE}/a"))


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
        "tdm-policy": ["https://tdm.test/header"],
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
    assert "tdm-policy: https://tdm.test/header" in [each["text"] for each in usage["sources"]]
    assert usage_refusal(usage, ["search"]) is None
    refusal = usage_refusal(usage, ["search", "ai-train"])
    assert refusal == ("ai_train", "header: tdm-reservation: 1")
    assert usage_field(()) == {}
    assert usage_refusal({}, ["ai-train"]) is None


@pytest.mark.behaviour("PERM-07")
@pytest.mark.parametrize(("answer", "given_out"), [(False, False), (True, True), (None, True)])
def test_models(answer: bool | None, given_out: bool) -> None:
    assert permits_models({"usage": {"ai_input": answer}}) is given_out
