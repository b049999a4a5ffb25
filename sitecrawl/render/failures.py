"""Why a page could not be shown, in exceptions that ``policy.answers`` goes by."""

from __future__ import annotations

from scrapy.exceptions import DownloadFailedError


class RendererMissingError(DownloadFailedError):
    """There is no browser to show pages with; the text says what to install or start."""


class RendererLostError(DownloadFailedError):
    """The browser died or did not answer while it had the page."""


class RenderTimeoutError(DownloadFailedError):
    """The page keeps the browser busy, so that it never told what it shows."""


class RenderTooLargeError(DownloadFailedError):
    """What the page shows or loads is larger than allowed."""
