"""Ways in which a page or a server names an address, each with a port of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from benchmarks.private_addresses.targets import SITE, Target
from fixtures.server import Answer, Page, page

FIRST_PORT = 20_001

# Several to a page; {url} is escaped.
LISTED = {
    "link": '<a href="{url}">link {n}</a>',
    "area": '<map name="m"><area href="{url}" alt="area"></map>',
    "iframe": '<iframe src="{url}"></iframe>',
    "longdesc": '<img src="/i.png" longdesc="{url}" alt="">',
    "server-side map": '<a href="{url}"><img src="/i.png" ismap alt="map"></a>',
    "object, embed": '<object data="{url}"></object><embed src="{url}">',
    "form": '<form action="{url}"><button>Go</button></form>',
    "next, prev": '<link rel="next" href="{url}"><link rel="prev" href="{url}">',
    "hreflang": '<link rel="alternate" hreflang="x-{n}" href="{url}">',
    "EditURI, pingback": '<link rel="EditURI" href="{url}"><link rel="pingback" href="{url}">',
    "icon, manifest": '<link rel="icon" href="{url}"><link rel="manifest" href="{url}">',
    "style sheet": '<link rel="stylesheet" href="{url}"><style>@import "{url}";</style>',
    "image": '<img src="{url}" srcset="{url} 2x" alt=""><video src="{url}"></video>',
    "script": '<script src="{url}"></script>',
    "preconnect": '<link rel="preconnect" href="{url}"><link rel="dns-prefetch" href="{url}">',
    "document.write": "<script>document.write('<a href=\"{url}\">w</a>')</script>",
    "menu": '<select onchange="location=this.value"><option value="{url}">m</option></select>',
    "SVG": '<svg><a xlink:href="{url}"><text>s</text></a><use href="{url}#x"/></svg>',
    "citation": '<blockquote cite="{url}">c</blockquote><q cite="{url}">q</q>',
    "ping": '<a href="/" ping="{url}">p</a>',
}
# One to a page: markup in the head, or the status and the headers of an answer.
HEADS = {
    "canonical": '<link rel="canonical" href="{url}">',
    "base": '<base href="{url}/"><link rel="next" href="relative">',
    "meta refresh": '<meta http-equiv="refresh" content="0; url={url}">',
    "script location": '<script>location.href = "{url}"</script>',
    "AMP": '<link rel="amphtml" href="{url}">',
    "JSON-LD": '<script type="application/ld+json">{{"@type": "Article", "url": "{url}", '
    '"mainEntityOfPage": "{url}", "image": "{url}"}}</script>',
    "Open Graph": '<meta property="og:url" content="{url}"><meta property="og:image" content="{url}">',
}
ANSWERS: dict[str, tuple[int, dict[str, str]]] = {
    **{f"{status}": (status, {"Location": "{url}"}) for status in (301, 302, 303, 307, 308)},
    "Refresh header": (200, {"Refresh": "0; url={url}"}),
    "Link header": (200, {"Link": '<{url}>; rel="canonical", <{url}>; rel="next"'}),
    "Content-Location": (200, {"Content-Location": "{url}", "Alt-Svc": 'h2="10.0.3.1:20000"'}),
}
# By a host of their own, whose robots.txt names them.
LISTINGS = {
    "robots.txt: Sitemap": ("", "Sitemap: {url}\n"),
    "sitemap": ("urlset", "<url><loc>{url}</loc></url>"),
    "sitemap: alternate, image": (
        "urlset",
        (
            "<url><loc>http://site.test/</loc><xhtml:link rel='alternate' href='{url}'/>"
            "<image:image><image:loc>{url}</image:loc></image:image></url>"
        ),
    ),
    "sitemap index": ("sitemapindex", "<sitemap><loc>{url}</loc></sitemap>"),
}
LISTING_HOSTS = {way: f"listing-{n}.{SITE}" for n, way in enumerate(LISTINGS)}
FEED = "<item><title>{n}</title><link>{url}</link><enclosure url='{url}'/></item>"
XML = (
    '<?xml version="1.0"?><!DOCTYPE {0} SYSTEM "http://10.0.3.2:20000/x.dtd" '
    '[<!ENTITY e SYSTEM "http://10.0.3.3:20000/e">]>'
    '<{0} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
    'xmlns:xhtml="http://www.w3.org/1999/xhtml" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">{1}</{0}>'
)
# Scripts, each run with every URL as ``url``; ``made`` appends an element.
SCRIPTS = {
    "fetch": "fetch(url, {mode: 'no-cors', keepalive: true})",
    "fetch of a redirect": "fetch(location.pathname + '/' + n, {mode: 'no-cors'})",
    "POST": "fetch(url, {method: 'POST', mode: 'no-cors', body: 'x'})",
    "XMLHttpRequest": "const x = new XMLHttpRequest(); x.open('GET', url); x.send()",
    "sendBeacon": "navigator.sendBeacon(url, 'x')",
    "WebSocket": "new WebSocket(url.replace(/^http/i, 'ws'))",
    "EventSource": "new EventSource(url)",
    "new Image": "new Image().src = url",
    "made script": "made('script', {src: url})",
    "import()": "import(url)",
    "made frame": "made('iframe', {src: url})",
    "made object": "made('object', {data: url}); made('embed', {src: url})",
    "made video": "made('video', {src: url, autoplay: true, preload: 'auto'})",
    "made style sheet": "made('link', {rel: 'stylesheet', href: url})",
    "CSS": "made('style', {textContent: `@import '${url}'; i { background: url('${url}') }`});"
    "made('i', {textContent: 'i'})",
    "FontFace": "new FontFace('x', `url('${url}')`).load()",
    "made preconnect": "made('link', {rel: 'preconnect', href: url})",
    "made dns-prefetch": "made('link', {rel: 'dns-prefetch', href: url})",
    "made prefetch": "made('link', {rel: 'prefetch', href: url});"
    "made('link', {rel: 'preload', as: 'fetch', href: url})",
    "speculation rules": "made('script', {type: 'speculationrules', textContent: "
    "JSON.stringify({prerender: [{urls: [url]}], prefetch: [{urls: [url]}]})})",
    "worker": "new Worker(URL.createObjectURL(new Blob([`fetch('${url}', {mode: 'no-cors'})`])))",
    "window.open": "window.open(url)",
    "made form": "const f = made('form', {action: url, method: 'POST', target: '_blank'}); f.submit()",
    "made ping": "made('a', {href: 'data:,x', ping: url}).click()",
    "navigation": "setTimeout(() => { location.href = url }, 50 * n)",
    "CSP report": "new Image().src = '/i.png?' + n",
    "STUN": "servers.push(`stun:${peer}`)",
    "TURN over UDP": "servers.push(`turn:${peer}?transport=udp`)",
    "TURN over TCP": "servers.push(`turn:${peer}?transport=tcp`)",
    "ICE candidate": "candidates.push(place)",
    "WebTransport": "new WebTransport('https://' + peer)",
    "service worker": "navigator.serviceWorker.register('/worker.js?' + encodeURIComponent(url))",
}
SECURE = {"WebTransport", "service worker"}
"""Ways that Chromium has on https pages only."""
WORKER = "fetch(decodeURIComponent(location.search.slice(1)), {mode: 'no-cors'})"
SCRIPT = """
const made = (tag, attributes) => {
    const element = Object.assign(document.createElement(tag), attributes);
    document.body.append(element);
    return element;
};
const candidates = [];
const offer = async (servers) => {
    const here = new RTCPeerConnection({iceServers: servers});
    const there = new RTCPeerConnection({iceServers: servers});
    here.createDataChannel('x');
    await here.setLocalDescription(await here.createOffer());
    await there.setRemoteDescription(here.localDescription);
    await there.setLocalDescription(await there.createAnswer());
    await here.setRemoteDescription(there.localDescription);
    for (const [address, port] of candidates) {
        const candidate = `candidate:1 1 UDP 2122252543 ${address} ${port} typ host`;
        await here.addIceCandidate({candidate, sdpMid: '0'});
    }
};
const servers = [];
"""
RUN = """
urls.forEach(([url, peer, place], n) => {
    try { const done = (() => { WAY })(); if (done && done.catch) done.catch(() => 0); }
    catch (error) { }
});
if (candidates.length) offer([]).catch(() => 0);
while (servers.length) {
    const some = {urls: servers.splice(0, 20), username: 'a', credential: 'b'};
    offer([some]).catch(() => 0);
}
"""
STATIC = (*LISTED, *HEADS, *ANSWERS, *LISTINGS, "robots.txt: redirect", "sitemap: redirect", "feed")
WAYS = (*STATIC, *SCRIPTS)


def port_of(way: str) -> int:
    """Return the port that shows the way."""
    return FIRST_PORT + WAYS.index(way)


def urls_of(way: str, targets: Sequence[Target]) -> list[str]:
    """Return the URLs of all targets by one way."""
    return [f"{each.prefix.format(port=port_of(way))}/{n}" for n, each in enumerate(targets)]


def path_of(way: str) -> str:
    """Return the path of a way's page."""
    return "/" + "".join(each if each.isalnum() else "-" for each in way)


def site(targets: Sequence[Target]) -> dict[str, Page]:
    """Return the site; its start leads to all pages but those that need scripts."""
    found: dict[str, Page] = {"/worker.js": WORKER, **_scripted_pages(targets)}
    links: list[str] = []
    for way, markup in LISTED.items():
        body = f"{_each(markup, urls_of(way, targets))}<script>1</script>"  # a browser renders it
        found[path_of(way)] = page(title=way, body=body)
        links.append(path_of(way))
    for way, markup in HEADS.items():
        for n, url in enumerate(urls_of(way, targets)):
            place = f"{path_of(way)}/{n}"
            found[place] = page(title=f"{way} {n}", head=markup.format(url=escape(url)))
            links.append(place)
    for way in ANSWERS:
        for n, url in enumerate(urls_of(way, targets)):
            found[f"{path_of(way)}/{n}"] = _answer(way, url)
            links.append(f"{path_of(way)}/{n}")
    listed, hosts = _listings(targets)
    found |= listed
    found["/"] = page(
        *links,
        *hosts,
        title="All",
        head='<link rel=alternate href=/feed.xml type="application/rss+xml">',
    )
    return found


def _answer(way: str, url: str) -> Answer:
    status, headers = ANSWERS[way]
    sent = {
        name: value.replace("{url}", url).encode().decode("latin-1")
        for name, value in headers.items()
    }
    return Answer(page(title=url, text=f"A text for {way} {url}"), status, sent)


def _each(markup: str, urls: Sequence[str]) -> str:
    return "".join(markup.format(url=escape(url), n=n) for n, url in enumerate(urls))


def _listings(targets: Sequence[Target]) -> tuple[dict[str, Page], list[str]]:
    """Return the answers of further hosts, which name the targets in robots.txt and sitemaps."""
    found: dict[str, Page] = {}
    hosts = []
    for way, (root, line) in LISTINGS.items():
        host = LISTING_HOSTS[way]
        body = _each(line, urls_of(way, targets))
        robots = f"Sitemap: http://{host}/sitemap.xml\n" if root else body
        found[f"//{host}/robots.txt"] = f"User-agent: *\nDisallow:\n{robots}"
        found[f"//{host}/"] = page(title=host)
        xml = {"Content-Type": "application/xml"}
        found[f"//{host}/sitemap.xml"] = Answer(XML.format(root, body), headers=xml)
        hosts.append(f"http://{host}/")
    for n, url in enumerate(urls_of("robots.txt: redirect", targets)):
        found[f"//robots-{n}.{SITE}/robots.txt"] = _redirect(url)
        hosts.append(f"http://robots-{n}.{SITE}/")
    host = f"redirected.{SITE}"
    names = [f"http://{host}/sitemaps/{n}.xml" for n, _ in enumerate(targets)]
    found[f"//{host}/robots.txt"] = "".join(f"Sitemap: {name}\n" for name in names)
    for name, url in zip(names, urls_of("sitemap: redirect", targets), strict=True):
        found[name.removeprefix("http:")] = _redirect(url)
    hosts.append(f"http://{host}/")
    feed = f"<rss version='2.0'><channel>{_each(FEED, urls_of('feed', targets))}</channel></rss>"
    found["/feed.xml"] = Answer(feed, headers={"Content-Type": "application/rss+xml"})
    return found, hosts


def _redirect(url: str) -> Answer:
    return Answer(status=302, headers={"Location": url.encode().decode("latin-1")})


def _scripted_pages(targets: Sequence[Target]) -> dict[str, Page]:
    """Return a page for each way, and what it asks for."""
    found: dict[str, Page] = {}
    for way, code in SCRIPTS.items():
        found[path_of(way)] = _scripted(way, code, targets)
    way = "fetch of a redirect"
    for n, url in enumerate(urls_of(way, targets)):
        found[f"{path_of(way)}/{n}"] = _redirect(url)
    way = "CSP report"
    places = " ".join(url for url in urls_of(way, targets) if url.isascii() and url.isprintable())
    policy = {"Content-Security-Policy": f"img-src 'none'; report-uri {places}"}
    found[path_of(way)] = Answer(str(found[path_of(way)]), headers=policy)
    return found


def pages_in_browser() -> dict[str, str]:
    """Return the ways that a browser may go, each with its page, on a host of its own."""
    return {
        way: f"http{'s' if way in SECURE else ''}://page-{n}.{SITE}{path_of(way)}"
        for n, way in enumerate((*SCRIPTS, *LISTED))
    }


def _scripted(way: str, code: str, targets: Sequence[Target]) -> str:
    port = port_of(way)
    rows = [
        [url, f"{_literal(each)}:{port}", [each.addresses[0], port]]
        for url, each in zip(urls_of(way, targets), targets, strict=True)
    ]
    script = f"{SCRIPT}const urls = {json.dumps(rows)};{RUN.replace('WAY', code)}"
    return page(title=way, body=f"<p>Made by scripts: {way}</p><script>{script}</script>")


def _literal(target: Target) -> str:
    address = target.addresses[0]
    return f"[{address}]" if ":" in address else address
