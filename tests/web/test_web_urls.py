"""URLs as browsers read them, and the repairs that hrefs need."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from sitecrawl.web.urls import url as urls

CASES = Path(__file__).parent / "cases"
HREFS = tomllib.loads((CASES / "urls_hrefs.toml").read_text(encoding="utf-8"))


def resolutions() -> list[Any]:
    cases = tomllib.loads((CASES / "urls_resolve.toml").read_text(encoding="utf-8"))["case"]
    return [
        pytest.param(case, id=case["href"], marks=pytest.mark.behaviour(*case.get("ids", ())))
        for case in cases
    ]


def parts() -> list[Any]:
    cases = tomllib.loads((CASES / "urls_parts.toml").read_text(encoding="utf-8"))["case"]
    return [pytest.param(case, id=case["url"]) for case in cases]


def hrefs(group: str, key: str = "href") -> list[Any]:
    return [pytest.param(case, id=case[key]) for case in HREFS[group]]


@pytest.mark.parametrize("case", resolutions())
def test_href_means(case: dict[str, Any]) -> None:
    base = case["base"] or "about:blank"
    assert urls.resolve(case["href"], base, case.get("encoding", "utf-8")) == case.get("url")


def test_resolved_url_is_its_own_normal_form() -> None:
    for case in resolutions():
        if url := case.values[0].get("url"):
            assert urls.normalize(url) == url
            assert urls.resolve(url, "http://elsewhere.example/x") == url


@pytest.mark.parametrize("text", ["", "/path", "example.org", "http://", "//example.org/"])
def test_what_is_no_absolute_url_has_no_normal_form(text: str) -> None:
    assert urls.normalize(text) is None


def test_lone_surrogates_are_replaced() -> None:
    assert urls.resolve("a\ud800b", "http://example.org/") == "http://example.org/a%EF%BF%BDb"
    assert urls.normalize("http://example.org/\udfff") == "http://example.org/%EF%BF%BD"


@pytest.mark.parametrize("case", parts())
def test_parts(case: dict[str, Any]) -> None:
    assert urls.origin(case["url"]) == case["origin"]
    assert urls.split(case["url"]) == tuple(case["parts"])


@pytest.mark.behaviour("U-11")
@pytest.mark.parametrize("case", hrefs("quotes"))
def test_quotes(case: dict[str, Any]) -> None:
    assert urls.trim_quotes(case["href"]) == case["trimmed"]
    assert urls.strip_quotes(case["href"]) == case["stripped"]


@pytest.mark.behaviour("L-15")
@pytest.mark.parametrize("case", hrefs("split"))
def test_broken_href_is_joined(case: dict[str, Any]) -> None:
    assert urls.join_split(case["href"]) == case["joined"]


@pytest.mark.behaviour("U-12", "K-27")
@pytest.mark.parametrize("case", hrefs("embedding"))
def test_address_within_relative_href(case: dict[str, Any]) -> None:
    assert urls.embeds_url(case["href"]) is case["embeds"]


@pytest.mark.parametrize("case", hrefs("addresses", "host"))
def test_address_as_host(case: dict[str, Any]) -> None:
    assert urls.is_ip_host(case["host"]) is case["is_address"]


@pytest.mark.behaviour("U-14")
@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("x?a=1&amp;b=2", "http://example.org/x?a=1&b=2"),
        ("x?a=1&b=2", "http://example.org/x?a=1&b=2"),
        ("x?a=1&#38;b=2", "http://example.org/x?a=1&b=2"),
        ("x?a=1&#x26;b=2", "http://example.org/x?a=1&b=2"),
        ("x?a=1&copy=2", "http://example.org/x?a=1&copy=2"),
        ("x?a=1&ampb=2", "http://example.org/x?a=1&ampb=2"),
        ("sm&ouml;r", "http://example.org/sm%C3%B6r"),
        ("&quot;page.html&quot;", "http://example.org/page.html"),
    ],
)
def test_entities_in_an_attribute(written: str, url: str) -> None:
    (anchor,) = LexborHTMLParser(f'<a href="{written}">x</a>').css("a")
    href = anchor.attributes["href"] or ""
    assert urls.resolve(urls.trim_quotes(href), "http://example.org/") == url
