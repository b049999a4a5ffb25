"""Words of the commands: durations, and what of a database URL is shown."""

from __future__ import annotations

import pytest

from sitecrawl.console.terminal import ago, ahead, span, stamp
from sitecrawl.frontier.opening import shown


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (0.4, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (-7199, "120 min"),
        (7200, "2 h"),
        (48 * 3600 - 5, "48 h"),
        (3 * 86400, "3 d"),
        (30 * 86400, "30 d"),
    ],
)
def test_a_duration_has_the_unit_that_suits_it(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_moments() -> None:
    assert ago(100.0, 160.0) == "60 s ago"
    assert ahead(160.0, 100.0) == "in 60 s"
    assert ahead(100.0, 160.0) == "now"
    assert stamp(0.0) == "1970-01-01T00:00:00Z"
    assert stamp(None) is None


@pytest.mark.parametrize(
    ("database", "text"),
    [
        ("sqlite:///.sitecrawl/NAME.db", "sqlite:///.sitecrawl/NAME.db"),
        ("postgresql://crawl@host/db", "postgresql://crawl@host/db"),
        ("postgresql://crawl:secret@host:5432/db", "postgresql://crawl:***@host:5432/db"),
        ("postgresql://crawl:s@cr:et@host/db", "postgresql://crawl:***@host/db"),
        ("postgresql://crawl:se/cr?et@host/db", "postgresql://crawl:***@host/db"),
        ("postgresql://host/db?user=u&password=secret", "postgresql://host/db?user=u&password=***"),
        ("postgresql:///db?password=s&host=h", "postgresql:///db?password=***&host=h"),
    ],
)
def test_a_password_is_not_shown(database: str, text: str) -> None:
    assert shown(database) == text
