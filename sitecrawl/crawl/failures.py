"""What failed downloads are called, and when an origin has failed too often."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.statscollectors import StatsCollector

    from sitecrawl.origins import Origin
    from sitecrawl.policy.answers import Answer

logger = logging.getLogger(__name__)


def names_of(error: BaseException | None) -> Iterator[str]:
    """The class names of an exception and of what caused it."""
    while error is not None:
        yield from (each.__name__ for each in type(error).__mro__)
        error = error.__cause__ or error.__context__


def take_toll(origin: Origin, answer: Answer, url: str, stats: StatsCollector) -> None:
    """Let an answer cost the origin's patience; when none is left, the origin is given up."""
    if not origin.patience.note(answer) or origin.ended:
        return
    origin.ended = f"{origin.key} failed too often, last with {answer.reason}"
    stats.set_value(f"sitecrawl/patience/{origin.key}", 0)
    logger.warning(
        "%s is given up for this run: too many failures, the last one %s at %s",
        origin.key,
        answer.reason,
        url,
    )
