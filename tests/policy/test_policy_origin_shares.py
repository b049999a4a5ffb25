"""Shares of the waiting work, from numbers alone."""

from __future__ import annotations

import pytest

from sitecrawl.policy.origin_shares import UNDISCOVERED, load_of, to_hand_over, to_lease


@pytest.mark.behaviour("W-01")
@pytest.mark.parametrize(
    ("mine", "others", "free", "taken"),
    [
        (0, [], [5, 5, 5], 3),  # alone
        (0, [0], [1, 1, 1, 1], 2),
        (0, [0], [1, 1, 1], 2),  # the other gets one
        (0, [100], [10, 10], 2),
        (100, [0], [10, 10], 0),
        (0, [0], [1000, 1, 1], 1),  # a huge origin is a share
        (0, [0, 0], [7], 1),
    ],
)
def test_a_worker_leases_its_part(
    mine: int, others: list[int], free: list[int], taken: int
) -> None:
    assert to_lease(mine, others, free) == taken


@pytest.mark.parametrize(
    ("mine", "others", "given"),
    [
        ({"a": 5, "b": 5}, [], []),  # alone
        ({"a": 5}, [0], []),  # one origin has one worker
        ({"a": 5, "b": 5}, [0], ["a"]),
        ({"a": 6, "b": 5}, [0], ["b"]),
        ({"a": 5, "b": 5}, [9], []),  # a small difference
        ({"huge": 1000, "a": 10, "b": 10}, [0], ["a", "b"]),
        ({"a": 9, "b": 9}, [4], ["b"]),
        ({"a": 3, "b": 3}, [20], []),  # others have more
        ({"a": 4, "b": 4, "c": 4, "d": 4}, [0, 0], ["a", "b"]),
    ],
)
def test_a_worker_hands_over_what_others_lack(
    mine: dict[str, int], others: list[int], given: list[str]
) -> None:
    assert to_hand_over(mine, others) == given


def test_workers_that_give_at_once_give_no_more_than_is_lacking() -> None:
    loads = [{f"{worker}{n}": 10 for n in range(12)} for worker in "abc"]
    given = [len(to_hand_over(each, [120, 120, 0])) for each in loads]
    assert given == [3, 3, 3]  # the mean of four is nine


def test_origins_count_when_little_is_known_and_their_urls_when_much_is() -> None:
    begun = [load_of(89), load_of(89), *[load_of(1)] * 4]  # few links are known yet
    assert to_lease(0, [0], begun) == 2
    assert to_lease(0, [0], [load_of(8900), *[load_of(89)] * 6]) == 1
    assert load_of(30, origins=3) == 30 + 3 * UNDISCOVERED


def test_origins_that_stay_count() -> None:
    assert to_hand_over({"a": 5}, [0], fixed=5) == ["a"]


@pytest.mark.behaviour("W-02")
def test_what_is_on_its_way_is_not_handed_over_again() -> None:
    mine = {f"a{n:02}": 10 for n in range(40)}
    others, given = [0], 0
    for _ in range(5):  # heartbeats, while the first hand-over is still being written
        found = to_hand_over(mine, others, moving=given)
        given += sum(mine.pop(key) for key in found)
    assert (given, len(mine)) == (200, 20)
    assert to_hand_over({"huge": 300, "a": 10}, [0], moving=300) == []
