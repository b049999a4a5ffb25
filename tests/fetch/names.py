"""A name service whose answers the test sets."""

from __future__ import annotations

from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer


@implementer(IHostnameResolver)
class Names:
    """Knows the addresses of names; a name without any does not exist.

    A look-up of a name that is ``late`` has no end; who asked is ``waiting``.
    """

    def __init__(self) -> None:
        self.known: dict[str, list[str]] = {}
        self.late: set[str] = set()
        self.waiting: list[Any] = []

    def resolveHostName(  # noqa: N802
        self, receiver: Any, name: str, port: int = 0, *_: object
    ) -> Any:
        """Answer a look-up."""
        receiver.resolutionBegan(self)
        if name in self.late:
            self.waiting.append(receiver)
            return self
        for address in self.known.get(name, ()):
            family = IPv6Address if ":" in address else IPv4Address
            receiver.addressResolved(family("TCP", address, port))
        receiver.resolutionComplete()
        return self
