"""Why a page could not be shown, in exceptions that ``policy.answers`` goes by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scrapy.exceptions import DownloadFailedError

if TYPE_CHECKING:
    from sitecrawl.render.sandbox_proxy import SandboxProxy


class RendererMissingError(DownloadFailedError):
    """There is no browser to show pages with; the text says what to install or start."""


class RendererLostError(DownloadFailedError):
    """The browser died or did not answer while it had the page."""


class RenderTimeoutError(DownloadFailedError):
    """The page keeps the browser busy, so that it never told what it shows."""


class RenderTooLargeError(DownloadFailedError):
    """What the page shows or loads is larger than allowed."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The answer to a page request: the document that a browser is to begin with.

    ``cookies`` is the Cookie header that the request carried, ``authorization`` its
    credentials; ``headers`` are the answer's, each with its values.
    """

    url: str
    body: bytes
    headers: Mapping[str, tuple[str, ...]]
    cookies: str = ""
    authorization: str = ""


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A page when its scripts have run.

    ``url`` is its address then; ``sent_to`` is where a script tried to lead on, if it did.
    ``finished`` is false where the time ended first.
    """

    html: str
    url: str
    sent_to: str | None = None
    finished: bool = True


class Renderer(Protocol):
    """A browser, wherever it runs.

    ``proxy_address`` is the address of ours at which it reaches the proxy, empty if it cannot.
    """

    proxy_address: str

    async def show(self, page: FetchedPage, proxy: SandboxProxy) -> RenderedDocument:
        """Run the page's scripts, all its traffic going through ``proxy``.

        Raises one of ``render.failures``.
        """

    async def close(self) -> None:
        """End the browser."""
