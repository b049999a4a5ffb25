"""Scrapy with a crawl database that pauses at random, and links and queue in random order.

    SEED=N python -m benchmarks.real_sites.shuffled crawl site ...

What a crawl learns depends on the order of its pages, and on when visits are committed. No page may
be lost in any.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import Sequence
from typing import Any

from scrapy.cmdline import execute

from sitecrawl.crawl.discovery import Discovery
from sitecrawl.frontier.base import DueUrl
from sitecrawl.frontier.threaded import Frontier

PAUSES = (0.0, 0.0, 0.01, 0.03, 0.1)  # longest pause of a run before and after a call, in seconds
PAUSED = 0.3  # share of the calls


def shuffle(seed: int) -> None:
    """Make the order of a crawl in this process depend on ``seed``."""
    chance = random.Random(seed)
    longest = chance.choice(PAUSES)
    run, pop, read_links = Frontier._run, Frontier.pop, Discovery._read_links

    async def pause() -> None:
        if chance.random() < PAUSED:
            await asyncio.sleep(chance.random() * longest)

    async def run_with_pauses(self: Frontier, *given: Any, **named: Any) -> Any:
        await pause()
        result = await run(self, *given, **named)
        await pause()
        return result

    async def pop_shuffled(self: Frontier, origin: str, limit: int) -> Sequence[DueUrl]:
        dues = list(await pop(self, origin, limit))
        chance.shuffle(dues)
        return dues

    def read_links_shuffled(self: Discovery, page: Any, due: Any, rel: Any, found: Any) -> None:
        read_links(self, page, due, rel, found)
        chance.shuffle(found.new)

    for owner, name, new in (
        (Frontier, "_run", run_with_pauses),
        (Frontier, "pop", pop_shuffled),
        (Discovery, "_read_links", read_links_shuffled),
    ):
        setattr(owner, name, new)


if __name__ == "__main__":
    shuffle(int(os.environ["SEED"]))
    sys.argv[0] = "scrapy"
    execute(sys.argv)
