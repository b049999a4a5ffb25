"""The network is reached by named files only, so that every address passes one rule."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "sitecrawl"
MODULES = frozenset(
    {
        *("aiohttp", "ftplib", "http.client", "http.server", "httpx", "requests", "smtplib"),
        *("socket", "socketserver", "ssl.wrap_socket", "telnetlib", "urllib.request", "urllib3"),
        *("websocket", "websockets", "xmlrpc.client", "twisted.web.client", "twisted.names.client"),
    }
)
CALLS = frozenset(
    {
        *("create_connection", "create_datagram_endpoint", "create_server", "getaddrinfo"),
        *("create_unix_connection", "open_connection", "open_unix_connection", "sock_connect"),
        *("start_server", "start_unix_server", "connectSSL", "connectTCP", "connectUNIX"),
        *("connectUDP", "listenSSL", "listenTCP", "listenUDP", "gethostbyname", "urlopen"),
        *("create_unix_server", "HTTP11DownloadHandler", "OpenSearch"),
    }
)
MAY = {
    "http/dialing.py": "connects to the addresses that AddressRule permits, and to proxies",
    "http/agent_files.py": "checks what an agent has published, at URLs that the user names",
    "render/sandbox_proxy.py": "listens for the browser on loopback; connects by http/dialing.py",
    "render/browser.py": "listens on loopback for what the browser must not send",
    "render/splash.py": "asks the Splash server, which the user names",
    "sync/opensearch_target.py": "asks the search engine, which the user names",
    "browse/web_server.py": "listens on loopback",
    "commands/mcp.py": "tries the port on which it will listen",
    "frontier/leases.py": "reads the name of this host",
}


def ways(source: str) -> Iterator[str]:
    """The ways to the network that a file names; to parse all files would take seconds."""
    if not any(all(part in source for part in name.split(".")) for name in MODULES | CALLS):
        return
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in CALLS:
                yield name
        yield from (name for name in names if name in MODULES)


@pytest.mark.parametrize(
    "source",
    [
        "import socket",
        "from urllib.request import urlopen",
        "from urllib import request",
        "import http.client as c",
        "reactor.connectTCP('h', 1, f)",
        "await asyncio.open_connection('h', 1)",
        "await loop.create_datagram_endpoint(f, remote_addr=a)",
    ],
)
def test_a_way_to_the_network_is_found(source: str) -> None:
    body = f"async def f():\n    {source}" if "await" in source else source
    assert list(ways(body))


@pytest.mark.behaviour("NE-01")
def test_only_named_files_reach_the_network() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): words
        for path in ROOT.rglob("*.py")
        if (words := set(ways(path.read_text(encoding="utf-8"))))
    }
    assert found.keys() == MAY.keys(), {each: found[each] for each in found.keys() - MAY.keys()}
