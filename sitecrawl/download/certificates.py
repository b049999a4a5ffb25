"""Verifies the certificates of servers, except where the user says not to."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from functools import cached_property
from urllib.parse import urlsplit

OP_LEGACY_SERVER_CONNECT = 0x4  # as Scrapy; Python 3.12 has a name for it


class Certificates:
    """TLS for each origin: verified by the system's authorities unless it is exempt.

    Two contexts serve all connections, each made when it is first needed: reading the
    system's authorities takes several ms.
    """

    def __init__(self, *, verify: bool = True, exempt: Iterable[str] = ()) -> None:
        self._verify = verify
        self._exempt = frozenset(map(_address, exempt))

    def context(self, host: str, port: int) -> ssl.SSLContext:
        """The TLS context for connections to a host."""
        if not self._verify or (host, port) in self._exempt:
            return self._lenient
        return self._strict

    @cached_property
    def _strict(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        # Python 3.13 asks for more than browsers do, such as key identifiers.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        context.hostname_checks_common_name = False  # RFC 9525, 2
        context.options |= OP_LEGACY_SERVER_CONNECT
        return context

    @cached_property
    def _lenient(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.options |= OP_LEGACY_SERVER_CONNECT
        return context


def _address(origin: str) -> tuple[str, int]:
    parts = urlsplit(origin)
    return parts.hostname or "", parts.port or 443
