"""Blocks in which the requests of a limited run are granted to its workers."""

from __future__ import annotations

MAX_BLOCK = 50
"""Requests granted at a time, so that a limit costs no transaction for each page."""
BLOCKS_LEFT = 4
"""Blocks left for each worker after a grant; they shrink, so that all end at about the same time."""


def block_size(left: int, workers: int) -> int:
    """Return how many of the requests that are left a worker may have next."""
    if left <= 0:
        return 0
    return max(1, min(MAX_BLOCK, left // (BLOCKS_LEFT * max(workers, 1))))
