"""Verifies the certificates of servers, except where the user says not to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from scrapy.core.downloader.contextfactory import (
    _ScrapyCertificateOptions,
    _ScrapyClientContextFactory,
)
from twisted.internet._sslverify import ClientTLSOptions
from twisted.internet.ssl import platformTrust
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer


@implementer(IPolicyForHTTPS)
class Certificates:
    """TLS for each origin: verified by the system's authorities unless it is exempt.

    All verified connections share one context. Twisted's ``optionsForClientTLS``, which
    Scrapy uses, reads the system's authorities again for each connection: 6 ms and 0.9 MB.
    """

    def __init__(self, *, verify: bool = True, exempt: Iterable[str] = ()) -> None:
        self._verify = verify
        self._exempt = frozenset(map(_address, exempt))
        self._lenient = _ScrapyClientContextFactory(verify_certificates=False)
        self._strict = _ScrapyCertificateOptions(trustRoot=platformTrust())  # type: ignore[no-untyped-call]

    def creatorForNetloc(self, hostname: bytes, port: int) -> Any:  # noqa: N802 - Twisted's name
        """What makes the TLS side of a connection to a host."""
        name = hostname.decode("ascii")
        if not self._verify or (name, port) in self._exempt:
            return self._lenient.creatorForNetloc(hostname, port)
        return ClientTLSOptions(self._strict._makeTLSConnection, name)


def _address(origin: str) -> tuple[str, int]:
    parts = urlsplit(origin)
    return parts.hostname or "", parts.port or 443
