"""What every test may use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures.server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    """A local HTTP server without origins yet; see ``fixtures.server``."""
    with Server() as running:
        yield running
