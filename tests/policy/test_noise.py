"""Noise of a site: lines that differ between two readings of one page."""

from __future__ import annotations

import json

import pytest

from sitecrawl.policy.worth.evidence import Evidence, Read
from sitecrawl.policy.worth.noise import MAX_CHANGED, Noise

pytestmark = pytest.mark.behaviour("Q-64")

CASES = {
    "a counter": ("Text\nVisits: 1,204", "Text\nVisits: 1,207", "Other\nVisits: 9", "Other"),
    "a clock": (
        "12:04:09\nMenu\nText",
        "12:04:11\nMenu\nText",
        "3:15:59\nMenu\n8:05 8:25 8:45\nOther",
        "Menu\n8:05 8:25 8:45\nOther",
    ),
    "a quotation after a heading": (
        "Said today\nTo be\nText",
        "Said today\nWe are\nText",
        "News\nSaid today\nI think\nMore",
        "News\nSaid today\nMore",
    ),
    "a quotation of two lines above the foot": (
        "Text\nTo be\nS.\nImprint",
        "Text\nWe are\nM.\nImprint",
        "Other\nI think\nD.\nImprint",
        "Other\nImprint",
    ),
    "a quotation at the end": ("Text\nTo be", "Text\nWe are", "Other\nI think", "Other"),
    "a visitor who has come": (
        "Text\nAnn\nEnd",
        "Text\nAnn\nBob\nEnd",
        "Other\nBob\nEnd",
        "Other\nEnd",
    ),
    "nothing": ("Text\nEnd", "Text\nEnd", "Other\nEnd", "Other\nEnd"),
    "another page": ("a\nb\nc", "x\ny\nz", "a\nx\nc", "a\nx\nc"),
}


@pytest.mark.parametrize(("first", "second", "text", "left"), CASES.values(), ids=CASES)
def test_what_differs_between_two_readings_is_left_out_of_other_pages(
    first: str, second: str, text: str, left: str
) -> None:
    noise = Noise()
    noise.learn(first, second)
    again = Noise.restored(json.loads(json.dumps(noise.as_stored())))
    for each in (noise, again):
        assert each.without(f"Title 12:04:09\n{text}") == f"Title 12:04:09\n{left}"


def test_a_page_that_is_another_one_at_each_request_is_no_noise() -> None:
    same = [f"line {chr(97 + n)}" for n in range(20)]
    changed = [f"{n} of {chr(97 + n)}" for n in range(MAX_CHANGED + 1)]
    noise = Noise()
    noise.learn("\n".join(same), "\n".join(same + changed))
    assert noise == Noise()


def test_a_page_that_differs_in_noise_only_is_not_new() -> None:
    evidence = Evidence(10)
    evidence.noise.learn("Text\nVisits: 1,204", "Text\nVisits: 1,207")
    new = [
        evidence.read(Read(f"http://pages.test/{name}", None, f"Home\nText\nVisits: {visits}"))
        for name, visits in (("a", "1,300"), ("b", "1,301"))
    ]
    assert new == [True, False]
