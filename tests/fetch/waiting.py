"""Waiting in a test for what happens elsewhere in the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from scrapy.utils.defer import deferred_from_coro


async def until(happened: Callable[[], bool]) -> None:
    """Wait for something to happen; fails when it does not."""
    for _ in range(3000):
        if happened():
            return
        await deferred_from_coro(asyncio.sleep(0.01))
    pytest.fail("it did not happen")
