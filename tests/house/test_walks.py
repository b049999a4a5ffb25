"""The walks of the architecture are those of a traced crawl, and of ``explain``."""

from __future__ import annotations

import pytest

from scripts import walks


@pytest.mark.slow
def test_the_walks_of_the_architecture_are_those_of_a_crawl() -> None:
    page = walks.PAGE.read_text(encoding="utf-8")
    assert page == walks.text(page, walks.traced()), "run python -m scripts.walks"
