"""One timer watches all answers of a connection."""

from __future__ import annotations

import asyncio

from pytest_twisted import ensureDeferred
from scrapy.utils.defer import deferred_from_coro

from sitecrawl.config.options.fetching import FetchParams
from sitecrawl.http.exchange import ReadTimer
from sitecrawl.http.fetch_errors import ReadTimeoutError


@ensureDeferred
async def test_silence_is_counted_from_each_request_of_a_connection() -> None:
    loop = asyncio.get_running_loop()
    given_up: asyncio.Future[tuple[float, Exception]] = loop.create_future()
    watch = ReadTimer(
        FetchParams.model_validate({"timeout": 0.4}),
        lambda error: given_up.set_result((loop.time(), error)),
    )
    watch.start()
    watch.pause()
    await deferred_from_coro(asyncio.sleep(0.6))  # at rest it may be silent
    watch.start()
    watch.pause()
    await deferred_from_coro(asyncio.sleep(0.2))
    began = loop.time()
    watch.start()
    when, error = await deferred_from_coro(asyncio.wait_for(given_up, 10))
    assert isinstance(error, ReadTimeoutError)
    assert 0.4 <= when - began < 1.0
