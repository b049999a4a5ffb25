"""Check that a browser's WebRTC sends nothing past its proxy, by listening for its packets."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from typing_extensions import override

if TYPE_CHECKING:
    from playwright.async_api import Browser

LOOPBACK = "127.0.0.1"
GATHERING_SECONDS = 2.0  # at most; a browser that sends nothing is done at once
NO_PROXY = "http://127.0.0.1:9"  # the discard port: nothing is to be reached
GATHER = """async ([port, seconds]) => {
    if (typeof RTCPeerConnection === 'undefined') return;
    const peer = new RTCPeerConnection({iceServers: [{urls: `stun:127.0.0.1:${port}`}]});
    peer.createDataChannel('x');
    const gathered = new Promise(resolve => {
        peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve();
        setTimeout(resolve, seconds * 1000);
    });
    await peer.setLocalDescription(await peer.createOffer());
    await gathered;
    peer.close();
}"""


class PacketCounter(asyncio.DatagramProtocol):
    """Receiver that counts packets."""

    def __init__(self) -> None:
        self.packets = 0

    @override
    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Count a packet."""
        self.packets += 1


async def sends_past_proxy(browser: Browser) -> bool:
    """Return True if a page with a proxy sends a packet (STUN, RFC 8489) to this machine."""
    loop = asyncio.get_running_loop()
    transport, counter = await loop.create_datagram_endpoint(
        PacketCounter, local_addr=(LOOPBACK, 0)
    )
    port = transport.get_extra_info("sockname")[1]
    context = await browser.new_context(proxy={"server": NO_PROXY})
    try:
        page = await context.new_page()
        await page.evaluate(GATHER, [port, GATHERING_SECONDS])
    finally:
        await context.close()
        transport.close()
    return counter.packets > 0
