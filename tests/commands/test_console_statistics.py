"""The origins of a crawl in `scrapy frontier`, few or very many."""

from __future__ import annotations

import pytest

from sitecrawl.console.crawl_statistics import CrawlStatistics
from sitecrawl.frontier.records import OriginCounts, RunRecord

RUN = RunRecord(
    1,
    "default",
    {"params": {"max_pages": 9}},
    1000.0,
    2000.0,
    "finished",
    {"sitecrawl/patience/http://0070": 1},
    None,
)


def origins(count: int) -> list[str]:
    """The part on origins, where every 50th has something left and the 71st was given up."""
    counts = [
        OriginCounts(f"http://{number:04}", "default", 9, int(number % 50 == 9), 8, 0)
        for number in range(count)
    ]
    lines = list(CrawlStatistics(RUN, {}, counts).lines(3000.0))
    return lines[lines.index("Origins") + 1 :]


@pytest.mark.behaviour("A-14")
def test_few_origins_are_all_listed_those_that_did_not_finish_first() -> None:
    said = origins(20)
    assert said[:3] == [
        "  http://0009 (default): stopped at its limit",
        "    9 URLs, 1 waiting, 8 documents",
        "  http://0000 (default): finished",
    ]
    assert len(said) == 40


@pytest.mark.behaviour("A-14")
def test_of_many_origins_those_are_listed_that_did_not_finish() -> None:
    said = origins(10_000)
    assert said[:3] == [
        "       9799 finished",
        "        200 stopped at its limit",
        "          1 given up after too many failures",
    ]
    assert said[3] == "  http://0070 (default): given up after too many failures"
    assert said[5] == "  http://0009 (default): stopped at its limit"
    assert said[-1] == "  To list all 10000: scrapy frontier --json"
    assert len(said) == 3 + 2 * 20 + 1
