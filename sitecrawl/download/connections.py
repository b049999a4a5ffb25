"""Lets connections be made to permitted addresses only, checked as they are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IReactorPluggableNameResolver,
    IResolutionReceiver,
)
from zope.interface import implementer

from sitecrawl.download.failures import AddressRefusedError
from sitecrawl.policy.addresses import AddressRule


@implementer(IReactorPluggableNameResolver)
class GuardedReactor:
    """The part of the reactor that Twisted's agent connects with.

    Each address is judged at the moment of connecting to it, so that neither a name that
    leads elsewhere now nor a literal in any notation gets past. Only connections made
    through this object are judged: a proxy's or a database's are not.
    """

    def __init__(self, reactor: Any, rule: AddressRule, dns_timeout: float) -> None:
        self._reactor = reactor
        self._rule = rule
        self._dns_timeout = dns_timeout
        self.callLater = reactor.callLater
        self.seconds = reactor.seconds

    @property
    def nameResolver(self) -> GuardedResolver:  # noqa: N802 - Twisted's name
        """The reactor's resolver, watched."""
        return GuardedResolver(self._reactor, self._rule, self._dns_timeout)

    def connectTCP(self, host: str, *args: Any, **kwargs: Any) -> Any:  # noqa: N802
        """Connect to an IP address; AddressRefusedError if the crawl must not."""
        decision = self._rule.decide(host)
        if not decision.allowed:
            raise AddressRefusedError(decision.rule)
        return self._reactor.connectTCP(host, *args, **kwargs)


@implementer(IHostnameResolver)
class GuardedResolver:
    """Resolves as the reactor does, within a bounded time, and tells the rule what came."""

    def __init__(self, reactor: Any, rule: AddressRule, timeout: float) -> None:
        self._reactor = reactor
        self._rule = rule
        self._timeout = timeout

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        """Hand the addresses of ``hostName`` to the receiver; none at all after a time-out."""
        watch = Watch(resolutionReceiver, self._rule, hostName)
        watch.timer = self._reactor.callLater(self._timeout, watch.resolutionComplete)
        return self._reactor.nameResolver.resolveHostName(
            watch, hostName, portNumber, addressTypes, transportSemantics
        )


@implementer(IResolutionReceiver)
class Watch:
    """Passes the result of one look-up on, once."""

    timer: Any

    def __init__(self, receiver: Any, rule: AddressRule, host: str) -> None:
        self._receiver = receiver
        self._rule = rule
        self._host = host
        self._addresses: list[Any] = []
        self._done = False

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        """The look-up has begun."""
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        """One address has been found."""
        self._addresses.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        """There will be no more addresses."""
        if self._done:
            return
        self._done = True
        if self.timer.active():
            self.timer.cancel()
        self._rule.resolved(self._host, [address.host for address in self._addresses])
        for address in self._addresses:
            self._receiver.addressResolved(address)
        self._receiver.resolutionComplete()
