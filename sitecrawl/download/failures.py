"""Why a fetch brought no answer, in exceptions that each mean one thing.

Scrapy hands Twisted's failures on as they come: a bad certificate, a reset and an answer
that is not HTTP are all a DownloadFailedError. ``policy.answers`` goes by these names.
"""

from __future__ import annotations

from collections.abc import Iterator

from OpenSSL.SSL import Error as TlsError
from scrapy.exceptions import (
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from service_identity import VerificationError
from twisted.internet import error as network
from twisted.python.failure import Failure
from twisted.web.http import _DataLoss


class AddressRefusedError(DownloadCancelledError):
    """The host leads to an address that this crawl must not connect to."""


class HeaderTooLargeError(DownloadCancelledError):
    """The status line and headers are larger than allowed."""


class BodyTooLargeError(DownloadCancelledError):
    """The body is larger than allowed, as sent."""


class DecodedTooLargeError(DownloadCancelledError):
    """The body is larger than allowed once decompressed."""


class SilenceError(DownloadTimeoutError):
    """The server sent nothing for too long."""


class TooSlowError(DownloadTimeoutError):
    """The server sends, but below the lowest rate or beyond the longest time."""


class TlsFailedError(DownloadFailedError):
    """No trusted TLS connection could be made."""


class GibberishError(DownloadFailedError):
    """The answer is not HTTP, or its chunks or lengths are malformed."""


class BrokenEncodingError(DownloadFailedError):
    """The body is not what its Content-Encoding says."""


class ConnectionBrokenError(DownloadFailedError):
    """The connection ended before any answer, or could not be made."""


class CutShortError(ResponseDataLossError):
    """The connection ended within the body."""


OURS = (
    AddressRefusedError,
    HeaderTooLargeError,
    BodyTooLargeError,
    DecodedTooLargeError,
    SilenceError,
    TooSlowError,
    BrokenEncodingError,
    CutShortError,
)


ENDED = (network.ConnectionClosed, network.ConnectError, _DataLoss)
CONNECTING = {
    network.ConnectionRefusedError: DownloadConnectionRefusedError,
    network.TimeoutError: DownloadTimeoutError,
    network.TCPTimedOutError: DownloadTimeoutError,
}


def names_of(error: BaseException) -> list[str]:
    """The names of the exception's class and of those it derives from."""
    return [each.__name__ for each in type(error).__mro__]


def translate(error: Exception) -> Exception:
    """What one of Twisted's failures of a request means, as one exception."""
    causes = tuple(_causes(error))
    for cause in causes:
        if isinstance(cause, OURS):
            return cause
    if any(isinstance(cause, (TlsError, VerificationError)) for cause in causes):
        return TlsFailedError(_text(causes))
    if isinstance(error, network.ConnectError):
        return CONNECTING.get(type(error), ConnectionBrokenError)(str(error))
    return _broken(tuple(cause for cause in causes if not hasattr(cause, "reasons")))


def _broken(leaves: tuple[BaseException, ...]) -> Exception:
    """Tell a connection that ended from an answer that could not be read."""
    if not all(isinstance(leaf, ENDED) for leaf in leaves):
        return GibberishError(_text(leaves))
    if any(isinstance(leaf, _DataLoss) for leaf in leaves):
        return CutShortError(_text(leaves))
    return ConnectionBrokenError(_text(leaves))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and everything that Twisted wrapped into it."""
    yield error
    for reason in getattr(error, "reasons", ()):
        cause = reason.value if isinstance(reason, Failure) else reason
        if isinstance(cause, BaseException):
            yield from _causes(cause)


def _text(causes: tuple[BaseException, ...]) -> str:
    return "; ".join(str(cause) or type(cause).__name__ for cause in causes)
