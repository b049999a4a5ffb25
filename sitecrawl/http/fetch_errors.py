"""Why a fetch brought no answer, in exceptions that each mean one thing.

``policy.answers`` goes by these names, and by those of Scrapy's own.
"""

from __future__ import annotations

import os
import ssl

from scrapy.exceptions import (
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)


class AddressRefusedError(DownloadCancelledError):
    """The host leads to an address that this crawl must not connect to."""


class HeaderTooLargeError(DownloadCancelledError):
    """The status line and headers are larger than allowed."""


class BodyTooLargeError(DownloadCancelledError):
    """The body is larger than allowed, as sent."""


class DecodedTooLargeError(DownloadCancelledError):
    """The body is larger than allowed once decompressed."""


class ReadTimeoutError(DownloadTimeoutError):
    """The server sent nothing for too long."""


class TooSlowError(DownloadTimeoutError):
    """The server sends, but below the lowest rate or beyond the longest time."""


class TlsFailedError(DownloadFailedError):
    """No trusted TLS connection could be made."""


class TunnelError(DownloadFailedError):
    """The proxy opened no tunnel to the server."""


class MalformedResponseError(DownloadFailedError):
    """The answer is not HTTP, or its chunks or lengths are malformed."""


class BrokenEncodingError(DownloadFailedError):
    """The body is not what its Content-Encoding says."""


class ConnectionBrokenError(DownloadFailedError):
    """The connection ended before any answer, or could not be made."""


class UnansweredError(ConnectionBrokenError):
    """The connection ended before the first byte of an answer."""


class IncompleteReadError(ResponseDataLossError):
    """The connection ended within the body."""


def error_class_names(error: BaseException) -> list[str]:
    """The names of the exception's class and of those it derives from."""
    return [each.__name__ for each in type(error).__mro__]


def connect_error(error: OSError, at: str = "") -> Exception:
    """What it means that a connection could not be made ``at`` a proxy, or at the server."""
    if isinstance(error, ssl.SSLError):
        return TlsFailedError(str(error))
    if isinstance(error, ConnectionRefusedError):
        return DownloadConnectionRefusedError(at + _text(error))
    if isinstance(error, TimeoutError):
        return DownloadTimeoutError(f"{at}no connection within timeout")
    return ConnectionBrokenError(at + _text(error))


def disconnect_error(error: Exception | None, *, received: int = 0, in_body: bool) -> Exception:
    """What it means that a connection ended, as it should (None) or not, within an answer.

    ``received`` is the number of bytes that came of it.
    """
    if isinstance(error, ssl.SSLError):
        return TlsFailedError(str(error))
    if error is not None and not isinstance(error, OSError):
        return error  # not the connection's fault
    broken = ConnectionBrokenError if received else UnansweredError
    meaning = IncompleteReadError if in_body else broken
    return meaning(_text(error) if error else "the server closed the connection")


def _text(error: OSError) -> str:
    """The system's word for it; asyncio puts its own in its place."""
    return os.strerror(error.errno) if error.errno else str(error) or type(error).__name__
