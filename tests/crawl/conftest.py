"""What the tests of crawls share."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.own_spider import OwnCrawl


@pytest.fixture
def own(tmp_path: Path) -> OwnCrawl:
    """Runs a SiteSpider with a body of the test's own; see ``fixtures.own_spider``."""
    return OwnCrawl(tmp_path)
