"""Dates, validators, freshness and Retry-After as headers give them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.web.dates import http_date, read_date, read_http_date
from sitecrawl.web.validators import fresh_until, if_none_match, retry_after

TABLES = tomllib.loads((Path(__file__).parent / "cases" / "validators.toml").read_text("utf-8"))
NOW = 1_700_000_000.0


def rows(table: str) -> list[Any]:
    return [pytest.param(case, id=str(list(case.values()))) for case in TABLES[table]]


def moment(value: object) -> str | None:
    return http_date(NOW + value) if isinstance(value, int) else value  # type: ignore[return-value]


@pytest.mark.parametrize("case", rows("http_dates"))
def test_http_date(case: dict[str, Any]) -> None:
    assert read_http_date(case["text"]) == case.get("seconds")


@pytest.mark.parametrize("case", rows("dates"))
def test_document_date(case: dict[str, Any]) -> None:
    assert read_date(case["text"]) == case.get("moment")


def test_no_date_is_none() -> None:
    assert read_date(None) is None
    assert read_http_date(None) is None


def test_http_date_is_written_as_it_is_read() -> None:
    assert http_date(784111777) == "Sun, 06 Nov 1994 08:49:37 GMT"
    assert read_http_date(http_date(NOW)) == NOW


@pytest.mark.behaviour("RC-07")
@pytest.mark.parametrize("case", rows("freshness"))
def test_fresh_until(case: dict[str, Any]) -> None:
    until = fresh_until(
        expires=moment(case.get("expires")),
        cache_control=case.get("cache_control"),
        date=moment(case.get("date")),
        now=NOW,
    )
    assert until == (NOW + case["fresh"] if "fresh" in case else None)


@pytest.mark.parametrize("case", rows("etags"))
def test_if_none_match(case: dict[str, Any]) -> None:
    assert if_none_match(case["etag"]) == case.get("ask")


def test_no_tag_is_not_asked_about() -> None:
    assert if_none_match(None) is None


@pytest.mark.parametrize("case", rows("retries"))
def test_retry_after(case: dict[str, Any]) -> None:
    assert retry_after(case.get("value", moment(case.get("date"))), NOW) == case.get("wait")


def test_no_retry_after() -> None:
    assert retry_after(None, NOW) is None
