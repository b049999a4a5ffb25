"""The options of reading and of documents: defaults, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sitecrawl.config.option_texts import descriptions, option_groups
from sitecrawl.config.options.content import ContentParams
from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.web.read_options import ReadOptions


def test_defaults_are_those_of_the_layers_below() -> None:
    params = ContentParams()
    assert params.read_options() == ReadOptions()
    assert params.document_options() == DocumentOptions()


def test_values_reach_the_layers_below() -> None:
    params = ContentParams.model_validate(
        {
            "more_fields": "anchors",
            "remove_elements": "nav, aside",
            "fields": {"price": "p:first-child@title"},
            "title_order": "og:title title",
            "metadata": "og:type:extra_type",
            "extra_fields": "extra_type:keyword",
            "field_map": {"url": "id"},
        }
    )
    read, documents = params.read_options("other"), params.document_options()
    assert (read.agent, read.link_text, read.remove_elements) == ("other", True, ("nav", "aside"))
    assert read.fields == (("price", "p:first-child@title"),)
    assert documents.title_order == ("og:title", "title")
    assert documents.metadata == (("og:type", "extra_type"),)
    assert documents.field_map == (("url", "id"),)
    assert hash(read) != hash(ReadOptions())


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"link_patterns": "a"}, "tag@attribute"),
        ({"noindex_markers": "off"}, "opening|closing"),
        ({"fields": {"x": "p["}}, "no CSS selector"),
        ({"description_order": "guess"}, "'guess' is none of"),
        ({"metadata": "og:type:extra_type"}, "does not declare"),
        ({"image_maps": "all"}, "'ignore', 'sample' or 'mapfile'"),
        ({"title_length": -1}, "greater than or equal to 0"),
    ],
)
@pytest.mark.behaviour("MD-06")
def test_what_cannot_be_meant_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        ContentParams.model_validate(values)
    assert words in str(refused.value)


def test_every_option_is_described() -> None:
    for part, options in option_groups():
        assert descriptions(part).keys() == options.keys()
        assert all(descriptions(part).values())
