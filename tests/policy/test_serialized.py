"""Lines of JSON, whatever a page has written into its fields."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.policy.documents.output_shapes import ENTRY, LARGE, serialized, serialized_parts

LARGE_LIST = LARGE // ENTRY

TEXTS = st.text(max_size=20)
VALUES = st.recursive(
    TEXTS | st.integers(-(2**53), 2**53) | st.booleans() | st.none(),
    lambda children: st.lists(children, max_size=5) | st.dictionaries(TEXTS, children, max_size=5),
    max_leaves=20,
)
FIELDS = st.dictionaries(TEXTS, VALUES, max_size=10)


@pytest.mark.slow
@given(FIELDS)
def test_what_is_written_is_what_was_there_in_its_order(fields: dict[str, object]) -> None:
    read = json.loads(serialized(fields))
    assert read == fields
    assert list(read) == list(fields)


@pytest.mark.slow
@given(FIELDS)
def test_the_line_is_one_and_as_pythons_own(fields: dict[str, object]) -> None:
    own = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    assert serialized(fields) == own.encode()
    assert b"\n" not in serialized(fields)


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert serialized({"title": "a \ud800 b"}) == '{"title":"a � b"}'.encode()


def test_what_json_does_not_know_is_written_as_text() -> None:
    assert (
        serialized({"day": date(2026, 1, 2), "half": "\udc00"})
        == '{"day":"2026-01-02","half":"�"}'.encode()
    )


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"title": "x", "links": ["a", "b"]},
        {"body": 'a "\ud800" \\ é\n' * (LARGE // 8), "empty": [], "tags": ["x"], "size": 1},
        {"sections": [{"text": "x\n"}, {"text": "y"}] * LARGE_LIST, "id": "1"},
    ],
)
def test_the_parts_of_a_large_document_are_the_whole(fields: dict[str, object]) -> None:
    assert b"".join(serialized_parts(fields)) == serialized(fields)
