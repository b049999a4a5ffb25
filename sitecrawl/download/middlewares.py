"""The way of a request through the downloader middlewares, and of its answer back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.middleware import DownloaderMiddlewareManager
from scrapy.exceptions import _InvalidOutput
from scrapy.http import Request, Response
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.python import global_object_name
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


class Middlewares(DownloaderMiddlewareManager):
    """Scrapy's chain, which awaits only what has to be awaited.

    Scrapy makes a coroutine of every plain answer: twelve for a page.
    """

    @override
    async def _process_request(
        self, request: Request, download_func: Callable[[Request], Coroutine[Any, Any, Response]]
    ) -> Response | Request:
        for method in self.methods["process_request"]:
            answer = await self._called(method, request=request)
            if answer is not None:
                return _checked(answer, method)
        return await download_func(request)

    @override
    async def _process_response(
        self, response: Response | Request, request: Request
    ) -> Response | Request:
        for method in self.methods["process_response"]:
            if isinstance(response, Request):
                break
            answer = await self._called(method, request=request, response=response)
            response = _checked(answer, method)
        return response

    async def _called(self, method: Any, **arguments: Any) -> Any:
        answer = self._handle_mw_method(method, **arguments)
        if answer is None or isinstance(answer, Response):
            return answer
        return await ensure_awaitable(answer, _warn=global_object_name(method))


def _checked(answer: Any, method: Any) -> Response | Request:
    if isinstance(answer, Response | Request):
        return answer
    name = global_object_name(method)
    raise _InvalidOutput(f"{name} must return a Response or a Request, not {type(answer).__name__}")
