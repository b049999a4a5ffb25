"""Decisions per second on one core: python benchmarks/decisions.py [PAGES]

A site of PAGES pages (default 4,000) with 60 links each: 45 navigation links that stand on
every page, 9 links to pages known by then, 3 new pages, one with a query, 2 that leave the
site. ``links`` is every link as a crawl sees them; ``new URLs`` are those met for the first time alone;
``with limits`` adds what is asked of the limits for the admitted ones. Default options.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from time import process_time

from sitecrawl.config.assembly import build_rules
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.urls.rule_engine import Rules
from sitecrawl.policy.worth.evidence import Evidence, Read

HOME = "https://www.example.org"
ROUNDS = 5


def site(pages: int) -> list[list[str]]:
    """The absolute links of each page."""
    navigation = [f"{HOME}/section-{n // 9}/topic-{n}/" for n in range(45)]
    return [
        [
            *navigation,
            *(f"{HOME}/articles/2026/story-{max(0, page * 3 - step)}.html" for step in range(9)),
            *(f"{HOME}/articles/2026/story-{page * 3 + step}.html" for step in range(1, 4)),
            f"{HOME}/search?author=a{page % 400}&page={page // 400}&utm_source=site",
            f"https://social.example/share?u={page}",
            f"mailto:editor{page}@example.org",
        ]
        for page in range(pages)
    ]


def rate(work: Callable[[], int]) -> float:
    """Decisions per second of CPU: the median of several rounds."""
    rates = []
    for _ in range(ROUNDS):
        began = process_time()
        decisions = work()
        rates.append(decisions / (process_time() - began))
    return statistics.median(rates)


def engine(params: CrawlParams) -> Rules:
    """Fresh rules, remembering nothing."""
    return build_rules(params, {})


def main() -> None:
    """Print one line for each case."""
    pages = site(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
    links = [url for page in pages for url in page]
    first_seen = list(dict.fromkeys(links))
    params = CrawlParams(start=(f"{HOME}/",))

    def decide(urls: list[str]) -> int:
        rules = engine(params)
        for url in urls:
            rules.admit(url, depth=3, via="a")
        return len(urls)

    def judge() -> int:
        evidence = Evidence(effort=params.effort)
        for url in first_seen:
            evidence.verdict(url)
            evidence.read(Read(url, f"{HOME}/", url))
        return len(first_seen)

    print(f"links        {rate(lambda: decide(links)):>10,.0f} decisions/s")
    print(f"new URLs     {rate(lambda: decide(first_seen)):>10,.0f} decisions/s")
    print(f"by yield     {rate(judge):>10,.0f} decisions/s")


if __name__ == "__main__":
    main()
