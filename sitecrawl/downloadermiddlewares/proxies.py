"""Send each request through the next of several proxies."""

from __future__ import annotations

from itertools import count

from scrapy import Request
from scrapy.crawler import Crawler

from sitecrawl.components import Component, params_of
from sitecrawl.reqmeta import PROXY

REST = 100
"""Requests for which a proxy rests after a failure, while there are others."""


class RotatingProxies(Component):
    """Choice of the proxy whose turn it is, unless the request names one.

    Scrapy's middleware, which comes next, takes name and password from its URL.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._order = count()
        proxies = params_of(crawler).proxies
        self._turns = {proxy.get_secret_value(): next(self._order) for proxy in proxies}

    def process_request(self, request: Request) -> None:
        """Choose a proxy for the request."""
        if "proxy" in request.meta:
            return
        proxy = min(self._turns, key=self._turns.__getitem__)
        self._turns[proxy] = next(self._order)
        request.meta["proxy"] = request.meta[PROXY] = proxy

    def process_exception(self, request: Request, exception: Exception) -> None:  # noqa: ARG002
        """Let the proxy of a request that had no response rest."""
        proxy = request.meta.get(PROXY)
        if proxy is not None:
            self._turns[proxy] += REST
