"""What a run leaves in its row: figures, examples of what was refused, origins given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sitecrawl.crawl.discovery import Discovery
    from sitecrawl.crawl.hand import Hand


def account(stats: Mapping[str, Any], discovery: Discovery, hand: Hand) -> dict[str, Any]:
    """The numbers of ours among Scrapy's stats, and what ``scrapy explain`` tells of the run."""
    numbers = {
        name: value
        for name, value in stats.items()
        if name.startswith("sitecrawl/") and isinstance(value, int | float)
    }
    refusals = discovery.refusals.as_stored()
    return {**numbers, "refusals": refusals, "given_up": hand.given_up()}
