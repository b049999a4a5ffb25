"""Private and special addresses, in the spellings in which a page may name them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.private_addresses.network import PUBLIC

SITE = "site.test"
NAMES: dict[str, tuple[str, ...]] = {
    "private.site.test": ("10.9.0.1",),
    "loopback.site.test": ("127.9.0.2",),
    "metadata.site.test": ("169.254.9.3",),
    "alias.site.test": ("100.64.9.4",),
    "six.site.test": ("fd09::5",),
    "mapped.site.test": ("::ffff:10.9.0.6",),
    "two.site.test": (PUBLIC, "10.9.0.7"),
    "two-reversed.site.test": ("10.9.0.8", PUBLIC),
    "two-families.site.test": (PUBLIC, "fd09::9"),
    "zero.site.test": ("0.0.0.0",),
}
"""Answers of the DNS server; any other name of the site is public."""
REBOUND = {"rebound.site.test": "10.9.0.10", "rebound-at-once.site.test": "10.9.0.11"}
"""Names that are public at first, and private in every second answer."""


class Target(NamedTuple):
    """The beginning of a URL, with ``{port}``, and the addresses that it means."""

    prefix: str
    addresses: tuple[str, ...]


def _targets() -> Iterator[Target]:
    for written, address in SPELLINGS.items():
        yield Target(f"http://{written}:{{port}}", (address,))
    for name, addresses in NAMES.items():
        private = tuple(each for each in addresses if each != PUBLIC)
        yield Target(f"http://{name}:{{port}}", private)
    for name, address in REBOUND.items():
        yield Target(f"http://{name}:{{port}}", (address,))
    for name in ("localhost", "LOCALHOST", "localhost.", "any.localhost", "ip6-localhost"):
        yield Target(f"http://{name}:{{port}}", ("127.0.0.1", "::1"))
    for prefix, address in PREFIXES.items():
        yield Target(prefix, (address,))


# One address for each spelling, so that a packet shows which one it was.
SPELLINGS = {
    "127.0.1.1": "127.0.1.1",
    "10.0.1.2": "10.0.1.2",
    "172.16.1.3": "172.16.1.3",
    "192.168.1.4": "192.168.1.4",
    "169.254.169.254": "169.254.169.254",
    "100.100.100.200": "100.100.100.200",
    "0.0.0.0": "0.0.0.0",
    "0.1.1.5": "0.1.1.5",
    "192.0.0.192": "192.0.0.192",
    "192.0.2.6": "192.0.2.6",
    "198.18.1.7": "198.18.1.7",
    "198.51.100.8": "198.51.100.8",
    "203.0.113.9": "203.0.113.9",
    "224.0.0.251": "224.0.0.251",
    "239.255.255.250": "239.255.255.250",
    "240.0.0.10": "240.0.0.10",
    "255.255.255.255": "255.255.255.255",
    "2130706689": "127.0.1.1",
    "0x7f000102": "127.0.1.2",
    "017700000403": "127.0.1.3",
    "127.260": "127.0.1.4",
    "127.0.261": "127.0.1.5",
    "0x7f.0.0x1.06": "127.0.1.6",
    "127.1": "127.0.0.1",
    "127.0.1.7.": "127.0.1.7",
    "１２７.０.１.８": "127.0.1.8",
    "①②⑦.⓪.①.⑨": "127.0.1.9",
    "127。0。1。10": "127.0.1.10",
    "%31%32%37.0.1.11": "127.0.1.11",
    "[::1]": "::1",
    "[::]": "::",
    "[fc00::1:12]": "fc00::1:12",
    "[fd00:ec2::254]": "fd00:ec2::254",
    "[fe80::1:13]": "fe80::1:13",
    "[fe80::1:14%25lo]": "fe80::1:14",
    "[fec0::1:15]": "fec0::1:15",
    "[ff02::fb]": "ff02::fb",
    "[::ffff:10.0.1.16]": "10.0.1.16",
    "[::ffff:7f00:111]": "127.0.1.17",
    "[0:0:0:0:0:ffff:169.254.1.18]": "169.254.1.18",
    "[::10.0.1.19]": "::10.0.1.19",
    "[::ffff:0:10.0.1.20]": "::ffff:0:10.0.1.20",
    "[64:ff9b::10.0.1.21]": "64:ff9b::10.0.1.21",
    "[64:ff9b:1::10.0.1.22]": "64:ff9b:1::10.0.1.22",
    "[2002:a00:117::1]": "2002:a00:117::1",
    "[2001:0:a00:118::1]": "2001:0:a00:118::1",
    "[2001:db8::25]": "2001:db8::25",
    "[100::26]": "100::26",
    "[5f00::27]": "5f00::27",
}
PREFIXES = {
    "http://user:word@10.0.2.1:{port}": "10.0.2.1",
    "http://site.test@10.0.2.2:{port}": "10.0.2.2",
    "http://site.test:80@10.0.2.3:{port}": "10.0.2.3",
    "http://10.0.2.4:{port}\\@site.test": "10.0.2.4",
    "http://10.0.2.5:{port}#@site.test": "10.0.2.5",
    "//10.0.2.6:{port}": "10.0.2.6",
    "http:\\\\10.0.2.7:{port}": "10.0.2.7",
    "hTTp:////10.0.2.8:{port}": "10.0.2.8",
    "http://10.0\t.2.9:{port}": "10.0.2.9",
    "https://10.0.2.10:{port}": "10.0.2.10",
    "http://127.0.2.11:22": "127.0.2.11",
    "http://127.0.2.12:5432": "127.0.2.12",
    "http://127.0.2.13:6379": "127.0.2.13",
    "http://127.0.2.14:9200": "127.0.2.14",
    "http://127.0.2.15": "127.0.2.15",
}

TARGETS = tuple(_targets())
