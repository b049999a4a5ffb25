"""Policy of the network addresses that a crawl may connect to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self
from urllib.parse import urlsplit

from sitecrawl.policy.decision import ALLOWED, Decision, RefusalReason

# IANA's special-purpose registries (RFC 6890), with additions.
_SPECIAL = {
    "this network": "0.0.0.0/8",
    "private": "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 64:ff9b:1::/48",
    "shared by a carrier": "100.64.0.0/10",
    "loopback": "127.0.0.0/8 ::1/128",
    "link-local": "169.254.0.0/16 fe80::/10",
    "documentation": "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20",
    "benchmarking": "198.18.0.0/15",
    "multicast": "224.0.0.0/4 ff00::/8",
    "discarded": "100::/64",
    "unique-local": "fc00::/7",
    "site-local": "fec0::/10",
    "reserved": "192.0.0.0/24 192.88.99.0/24 240.0.0.0/4 2001::/23",
}
SPECIAL = [(ip_network(each), name) for name, all_ in _SPECIAL.items() for each in all_.split()]
GLOBAL_UNICAST = IPv6Network("2000::/3")  # all else is reserved by the IETF (RFC 4291, 2.4)
NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052, 2.1


def special_network(address: str) -> str | None:
    """Return the kind of non-public network of an IP address; None for a public address.

    Text that is not an IP address is ``not an address``.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return "not an address"
    if isinstance(parsed, IPv6Address):
        parsed = _embedded_ipv4(parsed) or parsed
    is_rest = isinstance(parsed, IPv6Address) and parsed not in GLOBAL_UNICAST
    rest = "reserved" if is_rest else None
    return next((name for network, name in SPECIAL if parsed in network), rest)


def _embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address within a mapped, NAT64 or 6to4 address."""
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def is_address(host: str) -> bool:
    """Return True for an address, False for a name."""
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _normalized(host: str) -> str:
    """Normalize a host for comparison: ``::ffff:127.0.0.1`` and ``::ffff:7f00:1`` are one address."""
    try:
        return str(ip_address(host))
    except ValueError:
        return host.lower()


PRIVATE_ADDRESS = RefusalReason(
    "private_address",
    "a host whose address is not public (`allow_private`)",
    options=("allow_private",),
)


class AddressRule:
    """Rule that keeps a crawl out of non-public networks, the same for all of its connections.

    A start whose host resolves only to such networks allows exactly the addresses of its first
    lookup. A host that resolves there later is refused, so that a site cannot point its name at
    the crawler's own network during the crawl.
    """

    def __init__(self, start_hosts: Iterable[str] = (), *, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        self._unresolved_starts = set(map(_normalized, start_hosts))
        self._allowed: set[str] = set()

    @classmethod
    def of_starts(cls, starts: Iterable[str], *, allow_private: bool) -> Self:
        """Return the rule of a crawl with these starts, which are URLs."""
        return cls((urlsplit(each).hostname or "" for each in starts), allow_private=allow_private)

    def add_start(self, url: str) -> None:
        """Add a start; its host is resolved after that."""
        self._unresolved_starts.add(_normalized(urlsplit(url).hostname or ""))

    def resolved(self, host: str, addresses: Sequence[str]) -> None:
        """Record the lookup of ``host``; only the first one of a start counts."""
        if not addresses or _normalized(host) not in self._unresolved_starts:
            return
        self._unresolved_starts.discard(_normalized(host))
        if all(map(special_network, addresses)):
            self._allowed.update(map(_normalized, addresses))

    def permitted(self, host: str, addresses: Sequence[str]) -> tuple[list[str], Decision]:
        """Return those addresses of ``host`` to connect to, and the decision about the first."""
        self.resolved(host, addresses)
        decisions = [(address, self.decide(address)) for address in addresses]
        allowed = [address for address, decision in decisions if decision.allowed]
        return allowed, decisions[0][1] if decisions else ALLOWED

    def decide(self, address: str) -> Decision:
        """Decide about a connection to ``address``."""
        network = special_network(address)
        if network is None or self._allow_private or _normalized(address) in self._allowed:
            return ALLOWED
        return PRIVATE_ADDRESS.refuse(f"allow_private: {address} is {network}")
