"""Numbers of texts and URLs that tell the pages of a series apart."""

from __future__ import annotations

import pytest

from sitecrawl.policy.traps.series import (
    MIN_NEW_NUMBERS,
    REMEMBERED_NUMBERS,
    RecentNumbers,
    SeriesState,
    only_number,
)
from sitecrawl.policy.urls.url_rules import read_target


def test_measurements_are_new_and_the_days_of_a_month_are_not() -> None:
    numbers = RecentNumbers()
    days = " ".join(str(day) for day in range(1, 32))
    assert numbers.add(f"{days} 2026") > 20
    assert numbers.add(f"{days} 2027, weeks 49 50 51 52 53") < MIN_NEW_NUMBERS
    assert numbers.add("3.14 2,718 9:45 0.1 0.2 0.3 0.4 0.5") >= MIN_NEW_NUMBERS - 1


@pytest.mark.parametrize("text", ["", "a1 b2 3c", "0f3a-77b1-9", "version 1.2.3.4.5"])
def test_digits_of_names_are_no_numbers(text: str) -> None:
    assert RecentNumbers().add(text) <= 1


def test_numbers_met_long_ago_are_new_again() -> None:
    numbers = RecentNumbers()
    first = "101 102 103 104 105 106 107 108 109"
    numbers.add(first)
    for start in range(1000, 1000 + 2 * REMEMBERED_NUMBERS, 10):
        numbers.add(" ".join(str(start + step) for step in range(10)))
    assert numbers.add(first) >= MIN_NEW_NUMBERS - 1


@pytest.mark.parametrize(
    ("path", "number"),
    [("/p/12", 12), ("/p?id=7", 7), ("/p/", None), ("/p/1?page=2", None), ("/p/1234567890", None)],
)
def test_the_only_number_of_a_url(path: str, number: int | None) -> None:
    assert only_number(read_target(f"http://127.0.0.1:80{path}")) == number


def test_a_number_between_known_ones_extends_nothing() -> None:
    series = SeriesState(0)
    found = [(1, True), (200, True), (100, False), (201, True), (5000, True), (300, True)]
    assert [series.extend(number) for number, _ in found] == [extends for _, extends in found]
    assert series.extend(None)
