"""One Scrapyd for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from scrapyd_server import Scrapyd


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    """A server that has the project by its installed package."""
    running = Scrapyd(tmp_path_factory.mktemp("scrapyd"))
    yield running
    running.close()
