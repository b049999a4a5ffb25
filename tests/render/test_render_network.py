"""Reach of a rendered page: nothing of private networks, by no protocol."""

from __future__ import annotations

import socket

import pytest

from fixtures.applications import shell
from fixtures.crawls import CrawlCommand
from fixtures.server import Server
from sitecrawl.policy.outcomes import Outcome

WAYS = """
const at = 'TARGET', port = PORT;
const element = (tag, attributes) => {
    const made = Object.assign(document.createElement(tag), attributes);
    document.body.append(made);
    return made;
};
fetch(at + '/fetch', {mode: 'no-cors'}).catch(() => 0);
fetch(at + '/post', {method: 'POST', mode: 'no-cors', body: 'x', keepalive: true}).catch(() => 0);
navigator.sendBeacon(at + '/beacon', 'x');
const asked = new XMLHttpRequest(); asked.open('GET', at + '/xhr'); asked.send();
new WebSocket(at.replace('http', 'ws') + '/socket');
new EventSource(at + '/events');
new Image().src = at + '/image';
element('script', {src: at + '/script'});
element('link', {rel: 'stylesheet', href: at + '/style'});
element('link', {rel: 'preconnect', href: at});
element('link', {rel: 'dns-prefetch', href: at});
element('link', {rel: 'prefetch', href: at + '/prefetch'});
element('link', {rel: 'preload', as: 'fetch', href: at + '/preload'});
element('link', {rel: 'modulepreload', href: at + '/module'});
element('link', {rel: 'icon', href: at + '/icon'});
element('iframe', {src: at + '/frame'});
element('object', {data: at + '/object'});
element('embed', {src: at + '/embed'});
element('video', {src: at + '/video', autoplay: true});
element('a', {href: 'data:,x', ping: at + '/ping'}).click();
element('style', {textContent: `@import "${at}/import"; body { background: url(${at}/css) }`});
new FontFace('x', `url(${at}/font)`).load().catch(() => 0);
try { new Worker(at + '/worker') } catch (error) {}
import(at + '/import').catch(() => 0);
window.open(at + '/window');
const ice = [{urls: `stun:127.0.0.1:${port}`}, {urls: `stun:127.0.0.2:${port}`},
    ...['udp', 'tcp'].map(by => (
        {urls: `turn:127.0.0.2:${at.split(':')[2]}?transport=${by}`, username: 'a', credential: 'b'}))];
const peer = new RTCPeerConnection({iceServers: ice}), other = new RTCPeerConnection({iceServers: ice});
peer.createDataChannel('x');
(async () => {
    await peer.setLocalDescription(await peer.createOffer());
    await other.setRemoteDescription(peer.localDescription);
    await other.setLocalDescription(await other.createAnswer());
    await peer.setRemoteDescription(other.localDescription);
    const candidate = `candidate:1 1 UDP 2122252543 127.0.0.1 ${port} typ host`;
    await peer.addIceCandidate({candidate, sdpMid: '0'});
    element('p', {textContent: 'All ways were tried.'});
})();
"""
STORM = "for (let n = 0; n < 100000; n++) history.pushState(null, '', '#' + n);"


@pytest.mark.behaviour("NE-01", "NE-02")
def test_a_page_reaches_nothing_private_by_any_way(server: Server, crawl: CrawlCommand) -> None:
    target = server.serve({"*": "secret"}, address="127.0.0.2")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("0.0.0.0", 0))
        listening.setblocking(False)
        port = str(listening.getsockname()[1])
        script = WAYS.replace("TARGET", target).replace("PORT", port)
        origin = server.serve({"/": shell("Ways", script)})
        done = crawl(f"{origin}/", render="auto", render_wait=3, render_block="[]", max_pages=1)
        assert "All ways were tried." in done.documents[f"{origin}/"]["body"]
        assert server.log.connected(target) == 0
        with pytest.raises(BlockingIOError):
            listening.recv(2000)
    assert done.stats["sitecrawl/render/refused_connections"] > 5


@pytest.mark.behaviour("NE-02")
def test_a_browser_that_sends_past_the_proxy_is_not_used(
    server: Server, crawl: CrawlCommand
) -> None:
    settings = {"PLAYWRIGHT_LAUNCH_OPTIONS": '{"args": []}'}  # without ours
    origin = server.serve({"/": shell("Ways", "document.body.append('made')")})
    done = crawl(f"{origin}/", render="auto", settings=settings)
    query = "select url, outcome, reason from url"
    assert crawl.rows(query) == [(f"{origin}/", Outcome.CANCELLED, "renderer_missing")]
    assert "Pages cannot be rendered: WebRTC in this browser sends packets" in done.log


@pytest.mark.behaviour("NE-03")
def test_a_page_that_changes_its_address_without_end_costs_no_browser(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": shell("Storm", STORM + "document.body.append('It ended.')")})
    done = crawl(f"{origin}/", render="auto", max_pages=1)
    assert "It ended." in done.documents[f"{origin}/"]["body"]
    assert done.stats["playwright/browser_count"] == 1
