"""Targets of ``scrapy sync`` for the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures.killed_syncs import Targets


@pytest.fixture(scope="module")
def targets() -> Iterator[Targets]:
    """Makes targets; see ``fixtures.killed_syncs``."""
    with Targets() as made:
        yield made
