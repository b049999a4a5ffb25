"""Pages that differ in a few words only, where that makes them duplicates."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from workers import Crawls, ingested

from sitecrawl.frontier.base import DueUrl, VisitResult
from sitecrawl.policy.lifecycle.duplicates import bands, near, simhash
from sitecrawl.policy.lifecycle.revisit import Revisit

TEXT = " ".join(f"sentence {n} tells of the {n * 7919 % 997} things that follow" for n in range(60))
NEARLY = TEXT.replace("sentence 30 tells", "sentence 30 spoke")
OTHER = " ".join(f"chapter {n} has {n * 31 % 89} words of its own kind" for n in range(60))


@pytest.mark.behaviour("DU-06")
def test_near_texts_have_near_simhashes() -> None:
    assert near(simhash(TEXT), simhash(TEXT))
    assert near(simhash(TEXT), simhash(NEARLY))
    assert not near(simhash(TEXT), simhash(OTHER))
    assert set(bands(simhash(TEXT))) & set(bands(simhash(NEARLY)))
    assert -(2**63) <= simhash("") < 2**63


def comparable(text: str) -> Callable[[DueUrl, float], VisitResult]:
    """A page that is compared with those that are nearly equal."""
    return lambda due, at: ingested(due, text, at, simhash=simhash(text))


@pytest.mark.behaviour("DU-06")
@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        (False, ["new /a", "new /bb", "new /c"]),
        (True, ["new /a", "metadata /a", "new /c"]),
    ],
)
def test_near_duplicates_are_one_document_where_asked(
    work: Crawls, asked: bool, lines: list[str]
) -> None:
    texts = {"/a": TEXT, "/bb": NEARLY, "/c": OTHER}
    pages = {path: comparable(text) if asked else text for path, text in texts.items()}
    options = {"revisit": Revisit(interval=0.0)}
    worker = work(**options)
    worker.seed(*pages)
    worker.crawl(pages)
    assert worker.lines() == lines
    worker.end()
    again = work(**options)
    again.crawl(pages)
    assert again.lines() == lines  # nothing changes by being looked at again


def test_the_first_of_near_pages_is_kept(work: Crawls) -> None:
    worker = work()
    worker.seed("/longer", "/a")
    worker.crawl({"/longer": comparable(TEXT), "/a": comparable(NEARLY)})
    assert worker.lines() == ["new /longer", "metadata /longer"]
