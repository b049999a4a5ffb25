"""Exceptions of failed fetches, each with one meaning.

``policy.http.answers`` maps these names, and those of Scrapy's own exceptions, to outcomes.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator

from scrapy.exceptions import (
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

NOT_TLS = frozenset({"HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "WRONG_VERSION_NUMBER"})
"""OpenSSL's reasons for a first answer that is no TLS record."""


class AddressRefusedError(DownloadCancelledError):
    """The host resolves only to addresses that this crawl must not connect to."""


class HeaderTooLargeError(DownloadCancelledError):
    """The status line and headers are larger than allowed."""


class BodyTooLargeError(DownloadCancelledError):
    """The body is larger than allowed, before decompression."""


class DecodedTooLargeError(DownloadCancelledError):
    """The body is larger than allowed once decompressed."""


class ReadTimeoutError(DownloadTimeoutError):
    """The server sent nothing for too long."""


class TooSlowError(DownloadTimeoutError):
    """The server sends below the minimum rate, or beyond the maximum time."""


class TlsFailedError(DownloadFailedError):
    """No trusted TLS connection could be made."""


class NoTlsError(TlsFailedError):
    """The server answered the TLS handshake with something else, as a server of plain HTTP does."""


class TunnelError(DownloadFailedError):
    """The proxy opened no tunnel to the server."""


class MalformedResponseError(DownloadFailedError):
    """The response is not HTTP, or its chunks or lengths are malformed."""


class BrokenEncodingError(DownloadFailedError):
    """The body is not what its Content-Encoding says."""


class ConnectionBrokenError(DownloadFailedError):
    """The connection ended before any response, or could not be made."""


class LeaseExpiredError(DownloadFailedError):
    """The request was not sent: this worker no longer has the lease of its origin."""


class NotArchivedError(DownloadCancelledError):
    """The archives that take the place of the network have no response of the URL."""


class ArchiveFailedError(DownloadCancelledError):
    """The response was received and could not be archived."""


class KeyExpiredError(DownloadCancelledError):
    """The request was not sent: the key that signs it has expired."""


class UnansweredError(ConnectionBrokenError):
    """The connection ended before the first byte of a response."""


class IncompleteReadError(ResponseDataLossError):
    """The connection ended within the body."""


def exception_names(error: BaseException | None) -> Iterator[str]:
    """Yield the class names of an exception and of its causes."""
    while error is not None:
        yield from (each.__name__ for each in type(error).__mro__)
        error = error.__cause__ or error.__context__


def connect_error(error: OSError, at: str = "") -> Exception:
    """Return the exception for a failed connection to a server, or ``at`` a proxy."""
    if isinstance(error, ssl.SSLError):
        return _tls_error(error)
    if isinstance(error, ConnectionRefusedError):
        return DownloadConnectionRefusedError(at + _text(error))
    if isinstance(error, TimeoutError):
        return DownloadTimeoutError(f"{at}no connection within timeout")
    return ConnectionBrokenError(at + _text(error))


def disconnect_error(error: Exception | None, *, received: int = 0, in_body: bool) -> Exception:
    """Return the exception for a connection that ended within a response; None is a regular end.

    ``received`` is the number of bytes of the response that arrived.
    """
    if isinstance(error, ssl.SSLError):
        return _tls_error(error)
    if error is not None and not isinstance(error, OSError):
        return error  # not the connection's fault
    broken = ConnectionBrokenError if received else UnansweredError
    meaning = IncompleteReadError if in_body else broken
    return meaning(_text(error) if error else "the server closed the connection")


def _tls_error(error: ssl.SSLError) -> Exception:
    return (NoTlsError if error.reason in NOT_TLS else TlsFailedError)(str(error))


def _text(error: OSError) -> str:
    """Return the system's message, which asyncio replaces with its own."""
    return os.strerror(error.errno) if error.errno else str(error) or type(error).__name__
