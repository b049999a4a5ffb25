"""Fair shares of a crawl: each worker's part of the waiting URLs, and of a limited run's requests.

Every worker decides for itself from the same numbers, without a coordinator. The load of a worker
is that of the origins that it has leased.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

UNDERLOADED = 0.75
"""Part of the mean load below which a worker gets origins of others: smaller differences do not
justify loading the state of an origin again."""

UNDISCOVERED = 50
"""URLs for which every origin with waiting ones counts beside these: its pages have links that are not
known yet. At the beginning of a crawl the waiting ones are few, and tell little of what will come."""


def load_of(waiting: int, origins: int = 1) -> int:
    """Return the load of origins that have so many waiting URLs together."""
    return waiting + UNDISCOVERED * origins


def to_lease(mine: int, others: Sequence[int], free: Iterable[int]) -> int:
    """Return how many of the free origins, given by their loads, a worker may lease.

    It may take the mean load; the last origin may exceed it, so that none remains free.
    """
    loads = list(free)
    if not others:
        return len(loads)
    missing = (mine + sum(others) + sum(loads)) / (len(others) + 1) - mine
    taken = 0
    for load in loads:
        if missing <= 0:
            break
        missing -= load
        taken += 1
    return taken


def to_hand_over(
    mine: Mapping[str, int], others: Sequence[int], fixed: int = 0, moving: int = 0
) -> list[str]:
    """Return the origins that a worker hands over to less loaded ones, the largest first.

    ``mine`` has the load of each origin that it may hand over, ``fixed`` that of its other origins,
    and ``moving`` what it has handed over and nobody has leased yet. A worker gives
    only what it has above the mean, so several that do so at once give no more than the others lack. If
    every origin is larger than that, the most loaded worker gives one if the receiver then has less
    than it had.
    """
    load = sum(mine.values()) + fixed
    if not others or len(mine) + bool(fixed) < 2:
        return []
    mean = (load + sum(others) + moving) / (len(others) + 1)
    least = min(others)
    if load <= mean or least >= UNDERLOADED * mean:
        return []
    surplus, given = load - mean, []
    ordered = sorted(mine, key=lambda key: (-mine[key], key))
    for key in ordered:
        if mine[key] <= surplus:
            surplus -= mine[key]
            given.append(key)
    if not given and load > max(others) + moving:
        given = [key for key in reversed(ordered) if mine[key] < load - least - moving][:1]
    return given


MAX_BLOCK = 50
"""Requests granted at a time, so that a limit costs no transaction for each page."""
BLOCKS_LEFT = 4
"""Blocks left for each worker after a grant; they shrink, so that all end at about the same time."""


def block_size(left: int, workers: int) -> int:
    """Return how many of the requests that are left a worker may have next."""
    if left <= 0:
        return 0
    return max(1, min(MAX_BLOCK, left // (BLOCKS_LEFT * max(workers, 1))))
