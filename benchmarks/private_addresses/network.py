"""A network namespace in which every address is this machine, with a DNS server and a sniffer."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from ipaddress import IPv6Address, ip_address
from itertools import count
from pathlib import Path
from typing import NamedTuple

PUBLIC = "1.2.3.4"
"""Address of the site, the only public one."""
RESOLVER = "127.0.0.53"
FIRST_EPHEMERAL = 32768  # /proc/sys/net/ipv4/ip_local_port_range
HOSTS = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n"
SETUP = (
    "link add wan type veth peer name provider",  # WebRTC uses no loopback device
    f"addr add {PUBLIC}/24 dev wan",
    "link set wan up",
    "link set provider up",
    "link set lo up",
    "link set lo multicast on",
    "route add local 0.0.0.0/0 dev lo",
    "route add multicast 224.0.0.0/4 dev lo",
    "route add broadcast 255.255.255.255 dev lo",
    "-6 route add local ::/0 dev lo",
)
IP = (0x0800, 0x86DD)  # EtherTypes
SEPARATE = ("unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child")


def problem() -> str | None:
    """Return the reason why this machine cannot give a network namespace; None if it can."""
    asked = [*_separate(), "ip", "link", "set", "lo", "up"]
    try:
        tried = subprocess.run(asked, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return tried.stderr.strip() or None if tried.returncode else None


def _separate() -> list[str]:
    return [*SEPARATE, *([] if os.geteuid() == 0 else ["--map-root-user"]), "--"]


def run_inside(module: str, arguments: Sequence[str]) -> int:
    """Run a module in a namespace of its own; every process in it ends with it."""
    command = [*_separate(), sys.executable, "-m", module, "--inside", *arguments]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # subprocess.run() then kills the child
    return subprocess.run(command, check=False).returncode


def prepare(folder: Path) -> None:
    """Give all addresses to the loopback device, and names to the server of the bench."""
    for route in SETUP:
        subprocess.run(["ip", *route.split()], check=True)
    for path, text in (
        ("/etc/hosts", HOSTS),
        ("/etc/resolv.conf", f"nameserver {RESOLVER}\noptions timeout:1 attempts:1\n"),
    ):
        file = folder / Path(path).name
        file.write_text(text, encoding="ascii")
        subprocess.run(["mount", "--bind", str(file), path], check=True)


class NameServer(threading.Thread):
    """DNS server (RFC 1035); ``answers`` gives the addresses of a name, none for NXDOMAIN."""

    def __init__(self, answers: Callable[[str], Sequence[str]]) -> None:
        super().__init__(daemon=True)
        self._answers = answers
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((RESOLVER, 53))

    def run(self) -> None:
        """Answer for ever."""
        while True:
            question, asker = self._socket.recvfrom(2048)
            self._socket.sendto(self._answer(question), asker)

    def _answer(self, asked: bytes) -> bytes:
        labels, at = [], 12
        while asked[at]:
            labels.append(asked[at + 1 : at + 1 + asked[at]].decode("latin-1"))
            at += 1 + asked[at]
        end = at + 5
        kind = int.from_bytes(asked[at + 1 : at + 3], "big")
        addresses = [ip_address(each) for each in self._answers(".".join(labels).lower())]
        version = {1: 4, 28: 6}.get(kind)
        records = b"".join(
            b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(each.packed)) + each.packed
            for each in addresses
            if each.version == version
        )
        number = sum(each.version == version for each in addresses)
        flags = 0x8180 if addresses else 0x8183
        head = asked[:2] + struct.pack(">HHHHH", flags, 1, number, 0, 0)
        return head + asked[12:end] + records


def rebinding(
    names: Mapping[str, Sequence[str]], rebound: Mapping[str, str], public: str, domain: str
) -> Callable[[str], Sequence[str]]:
    """Return the answers of a domain; every second answer of the rebound names is private."""
    turns = {name: count() for name in rebound}

    def answers(name: str) -> Sequence[str]:
        if name in rebound:  # a look-up asks for A and AAAA
            return [rebound[name] if next(turns[name]) // 2 % 2 else public]
        if name in names:
            return names[name]
        return [public] if name == domain or name.endswith(f".{domain}") else []

    return answers


class Packet(NamedTuple):
    """A packet that asks something: TCP's SYN, a datagram of UDP, or another protocol."""

    protocol: str
    address: str
    port: int


class Sniffer(threading.Thread):
    """Reader of every packet of the loopback device, which keeps those that are not permitted."""

    def __init__(self, is_permitted: Callable[[Packet], bool]) -> None:
        super().__init__(daemon=True)
        self._is_permitted = is_permitted
        self._seen: list[Packet] = []
        # SOCK_DGRAM: without the head of the link layer; 3: ETH_P_ALL (packet(7)).
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self._socket.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE

    def run(self) -> None:
        """Read for ever."""
        while True:
            data, (_, protocol, kind, *_) = self._socket.recvfrom(256)
            # Each packet is seen a second time as it arrives.
            if kind == socket.PACKET_OUTGOING and protocol in IP:
                packet = read_packet(data)
                if packet is not None and not self._is_permitted(packet):
                    self._seen.append(packet)

    def take(self) -> list[Packet]:
        """Return the packets since the last call; raises RuntimeError if any were lost."""
        time.sleep(0.3)
        _, lost = struct.unpack("II", self._socket.getsockopt(263, 6, 8))  # PACKET_STATISTICS
        if lost:
            raise RuntimeError(f"the sniffer lost {lost} packets")
        seen, self._seen = self._seen, []
        return seen


def read_packet(data: bytes) -> Packet | None:
    """Read the heads of a packet; None for answers and for what the kernel itself sends."""
    if data[0] >> 4 == 4:
        protocol, address, rest = data[9], data[16:20], data[(data[0] & 15) * 4 :]
        if data[12:16] == ip_address(RESOLVER).packed:
            return None
    else:
        protocol, address, rest = data[6], data[24:40], data[40:]
    name = str(ip_address(address))
    if protocol == socket.IPPROTO_TCP:
        is_first = rest[13] & 0x12 == 0x02  # SYN without ACK
        return Packet("tcp", name, int.from_bytes(rest[2:4], "big")) if is_first else None
    if protocol == socket.IPPROTO_UDP:
        return Packet("udp", name, int.from_bytes(rest[2:4], "big"))
    of_kernel = {socket.IPPROTO_ICMP: (0, 3), socket.IPPROTO_ICMPV6: (1, 133, 134, 135, 136, 143)}
    if protocol in (0, 2) or (rest[:1] and rest[0] in of_kernel.get(protocol, ())):
        return None  # IGMP, MLD, unreachable ports
    return Packet(f"protocol {protocol}", name, 0)


def on_the_wire(address: str) -> str:
    """Return the address that packets have: IPv4 for a mapped one (RFC 4291, 2.5.5.2).

    Linux connects to its loopback device for the unspecified addresses.
    """
    parsed = ip_address(address)
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(str(parsed), str(parsed))


def send_to(address: str, port: int) -> None:
    """Connect to an address and send it a datagram, as a client without any rule."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    scope = socket.if_nametoindex("lo") if address.startswith(("fe80", "ff02")) else 0
    place: tuple[object, ...] = (address, port, 0, scope) if ":" in address else (address, port)
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(family, kind) as client:
            if kind == socket.SOCK_DGRAM:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            client.settimeout(1)
            try:
                client.connect(place)
                client.send(b"x")
            except OSError:
                continue  # such as TCP to a multicast address
