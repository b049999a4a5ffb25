"""Types that the renderers share: the fetched page, the rendered document, their errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scrapy.exceptions import DownloadFailedError

if TYPE_CHECKING:
    from sitecrawl.render.sandbox_proxy import SandboxProxy

MAX_SCROLLS = 5
"""Number of times that a page is scrolled to its end for more content."""


class RendererMissingError(DownloadFailedError):
    """No browser is available; the message says what to install or start."""


class RendererLostError(DownloadFailedError):
    """The browser died or did not respond while it had the page."""


class RenderTimeoutError(DownloadFailedError):
    """The page keeps the browser too busy for its content to be read."""


class RenderTooLargeError(DownloadFailedError):
    """The page's content, or what it loads, is larger than allowed."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """Response to a page request: the document to render.

    ``cookies`` is the Cookie header that the request carried, ``authorization`` its
    credentials; ``headers`` are those of the response, each with its values.
    """

    url: str
    body: bytes
    headers: Mapping[str, tuple[str, ...]]
    cookies: str = ""
    authorization: str = ""


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """Page after its scripts have run.

    ``url`` is its final address; ``sent_to`` is the target of a script's navigation, if any.
    ``finished`` is false if ``render_time`` ran out.
    """

    html: str
    url: str
    sent_to: str | None = None
    finished: bool = True


class Renderer(Protocol):
    """Interface of the renderers, local or remote.

    ``proxy_address`` is our address as the browser reaches the proxy, empty if it cannot.
    """

    proxy_address: str

    async def show(self, page: FetchedPage, proxy: SandboxProxy) -> RenderedDocument:
        """Run the page's scripts, with all traffic through ``proxy``.

        Raises one of this module's errors.
        """

    async def close(self) -> None:
        """Close the browser."""
