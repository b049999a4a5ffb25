"""Requests pass the downloader middlewares as they do in Scrapy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from scrapy import Request
from scrapy.exceptions import _InvalidOutput
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.test import get_crawler

from sitecrawl.download.middlewares import Middlewares

ANOTHER = Request("http://another.test/")
OWN = Response("http://own.test/")


class OnTheWay:
    """A middleware that answers a request with ``value``, awaited or not."""

    def __init__(self, value: Any, *, awaited: bool) -> None:
        self._value = value
        self._awaited = awaited

    def process_request(self, request: Request) -> Any:  # noqa: ARG002 -- Scrapy names it
        """Answer it."""
        return later(self._value) if self._awaited else self._value


class OnTheWayBack:
    """The same for responses."""

    def __init__(self, value: Any, *, awaited: bool) -> None:
        self._value = value
        self._awaited = awaited

    def process_response(self, request: Request, response: Response) -> Any:  # noqa: ARG002
        """Answer in the place of ``response``."""
        return later(self._value) if self._awaited else self._value


class Back:
    """A middleware that sees responses and lets them pass."""

    def __init__(self) -> None:
        self.seen: list[Response] = []

    def process_response(self, request: Request, response: Response) -> Response:  # noqa: ARG002
        """Note it."""
        self.seen.append(response)
        return response


async def later(value: Any) -> Any:
    """The value, after a while."""
    await asyncio.sleep(0)
    return value


def passed(*middlewares: Any) -> Any:
    """What becomes of a request; the network answers with ``OWN``."""

    async def send(_: Request) -> Response:
        return OWN

    manager = Middlewares(*middlewares, crawler=get_crawler())
    return deferred_from_coro(manager.download_async(send, Request("http://a.test/")))


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("value", [None, Response("http://held.test/"), ANOTHER])
@ensureDeferred
async def test_a_middleware_may_answer_a_request(value: Any, awaited: bool) -> None:
    back = Back()
    answer = await passed(back, OnTheWay(value, awaited=awaited))
    assert answer is (OWN if value is None else value)
    assert back.seen == ([] if value is ANOTHER else [answer])


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("value", [Response("http://made.test/"), ANOTHER])
@ensureDeferred
async def test_a_middleware_may_change_a_response(value: Any, awaited: bool) -> None:
    back = Back()
    answer = await passed(back, OnTheWayBack(value, awaited=awaited))
    assert answer is value
    assert back.seen == ([] if value is ANOTHER else [value])


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize(("kind", "value"), [(OnTheWay, "x"), (OnTheWayBack, None)])
@ensureDeferred
async def test_any_other_answer_is_an_error(
    kind: Callable[..., object], value: Any, awaited: bool
) -> None:
    with pytest.raises(_InvalidOutput, match=r"must return"):
        await passed(kind(value, awaited=awaited))
