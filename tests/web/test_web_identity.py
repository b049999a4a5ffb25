"""Identity of URLs: equal and different ones, and their fingerprints."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.web.urls.identity import document_id, fingerprint, identity_key

CASES = tomllib.loads((Path(__file__).parent / "cases" / "identity.toml").read_text("utf-8"))


def groups(kind: str) -> list[Any]:
    return [
        pytest.param(case, id=case["urls"][0], marks=pytest.mark.behaviour(*case.get("ids", ())))
        for case in CASES[kind]
    ]


def keys_of(case: dict[str, Any]) -> list[str]:
    options = {name: frozenset(words) for name, words in case.get("options", {}).items()}
    return [identity_key(url, **options) for url in case["urls"]]


@pytest.mark.parametrize("case", groups("same"))
def test_spellings_of_one_page_share_a_key(case: dict[str, Any]) -> None:
    assert len(set(keys_of(case))) == 1


@pytest.mark.parametrize("case", groups("apart"))
def test_two_pages_have_two_keys(case: dict[str, Any]) -> None:
    keys = keys_of(case)
    assert len(set(keys)) == len(keys)
    assert len(set(map(fingerprint, keys))) == len(keys)
    assert len(set(map(document_id, keys))) == len(keys)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["url"]) for case in CASES["keys"]])
def test_key(case: dict[str, Any]) -> None:
    assert identity_key(case["url"]) == case["key"]
    assert identity_key(case["key"]) == case["key"]


def test_numbers_never_change() -> None:
    # Stored in databases and known to readers of the output: a change would orphan both.
    assert fingerprint("http://example.org/") == 8654722553547130012
    assert document_id("http://example.org/") == "781bc04ec9bd049cdfacaec4ae202610"


def test_fingerprint_fits_a_signed_column() -> None:
    numbers = [fingerprint(str(number)) for number in range(1000)]
    assert min(numbers) < 0 < max(numbers)
    assert all(-(2**63) <= number < 2**63 for number in numbers)
