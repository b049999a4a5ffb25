"""Connections through a SOCKS proxy, which also resolves the names of servers."""

from __future__ import annotations

import socket
from base64 import b64decode
from importlib.util import find_spec

from scrapy.exceptions import NotSupported

from sitecrawl import install_command
from sitecrawl.http.fetch_errors import TunnelError
from sitecrawl.http.messages import Route

PACKAGE = "python_socks"


async def connect_by_socks(route: Route, seconds: float) -> socket.socket:
    """Connect to the server of a route; raises OSError for the proxy, TunnelError for the server."""
    if find_spec(PACKAGE) is None:
        raise NotSupported(f"SOCKS proxies need the package {PACKAGE}: {install_command('socks')}")
    from python_socks import ProxyConnectionError, ProxyError, ProxyType  # noqa: PLC0415 -- optional
    from python_socks.async_.asyncio import Proxy  # noqa: PLC0415

    tunnel = route.tunnel
    assert tunnel is not None
    known = b64decode((tunnel.authorization or b"").removeprefix(b"Basic ")).decode("latin-1")
    user, _, password = known.partition(":")
    kind = ProxyType.SOCKS4 if tunnel.scheme.startswith("socks4") else ProxyType.SOCKS5
    proxy = Proxy(kind, tunnel.host, tunnel.port, user or None, password or None, rdns=True)
    try:
        made = await proxy.connect(route.host, route.port, seconds, local_addr=route.bind)
    except ProxyConnectionError as error:
        raise OSError(error.errno, error.strerror) from error
    except ProxyError as error:
        raise TunnelError(f"the proxy of {route.host}: {error}") from error
    return made
