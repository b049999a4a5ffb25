"""Counts the packets to private networks that hostile sites cause, by every command.

    .venv/bin/python -m benchmarks.private_addresses [COMMAND...] [--targets N] [--jobs 2]

A site at a public address names private ones in every spelling (``targets.py``) and by every way
(``ways.py``), and each command that opens connections is run on it, without a scope that would
protect it. It all runs in a network namespace, whose device has every address, and a raw socket
counts each packet to another address than the site's: there may be none. Controls show that the
same pages do cause packets where nothing refuses them: with ``allow_private=yes``, and in a
Chromium without the crawler. Needs unshare(1), ip(8) and root or user namespaces.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.private_addresses.network import (
    FIRST_EPHEMERAL,
    PUBLIC,
    RESOLVER,
    NameServer,
    Packet,
    Sniffer,
    on_the_wire,
    prepare,
    problem,
    rebinding,
    run_inside,
    send_to,
)
from benchmarks.private_addresses.targets import NAMES, REBOUND, SITE, TARGETS, Target
from benchmarks.private_addresses.ways import (
    FIRST_PORT,
    LISTING_HOSTS,
    WAYS,
    pages_in_browser,
    path_of,
    port_of,
    site,
    urls_of,
)
from fixtures.command import Command
from fixtures.server import Server
from tests.fetch.tls import Authority

MODULE = "benchmarks.private_addresses"
START = f"http://{SITE}/"
EAGER = {
    "scope": "any",
    "delay": 0,
    "retries": 0,
    "timeout": 2,
    "effort": 0,
    "link_patterns": "+object@data +embed@src",
    "image_maps": "mapfile",
    "unverified_origins": "*",
    "log_blocked": "yes",
}
"""Options with which the rule of addresses alone keeps a crawl out of private networks."""
RENDERED = {
    **EAGER,
    "mode": "list",
    "render": "playwright",
    "render_block": "[]",
    "render_time": 4,
    "render_wait": 1,
}
SINGLE = ("301", "302", "303", "307", "308", "Refresh header", "meta refresh", "canonical")
"""Ways by which a page leads a command on that reads one page."""
BROWSER_SECONDS = 3.0
COMMAND_SECONDS = 400.0


@dataclass(frozen=True)
class Bench:
    """The servers of the bench and its targets."""

    sniffer: Sniffer
    server: Server
    targets: Sequence[Target]
    folder: Path
    jobs: int
    unfinished: list[str] = field(default_factory=list)

    def run(self, *words: str, folder: str = "crawl") -> None:
        """Run ``scrapy`` in a folder of its own."""
        place = self.folder / folder
        place.mkdir(exist_ok=True)
        log = place / f"{words[0]}-{time.monotonic_ns()}.log"
        command = Command(words, place, errors=log, output=log.with_suffix(".out"))
        try:
            command.wait(COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            self.unfinished.append(" ".join(words[:2]))
        finally:
            command.kill()

    def crawl(self, start: str, folder: str, **given: object) -> None:
        """Run a crawl."""
        options = [word for name, value in given.items() for word in ("-a", f"{name}={value}")]
        words = ("crawl", "site", "-a", f"start={start}", *options, "-O", "documents.jsonl")
        self.run(*words, "-s", "LOG_LEVEL=INFO", folder=folder)

    def of_each(self, *words: str, after: Sequence[str] = (), step: int = 1) -> None:
        """Run a command on one page for each target, with one way after the other."""
        pages = (
            f"{START.rstrip('/')}{path_of(SINGLE[n % len(SINGLE)])}/{n}"
            for n in range(0, len(self.targets), step)
        )
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda url: self.run(*words, url, *after), pages))


def crawl(bench: Bench, allow: str = "no") -> None:
    """Crawl the site that needs no scripts."""
    for mode, start in {
        "crawl": START,
        "feed": f"{START}feed.xml",
        "sitemap": f"http://{LISTING_HOSTS['sitemap index']}/sitemap.xml",
    }.items():
        options = {**EAGER, "mode": mode, "allow_private": allow}
        bench.crawl(start, f"{mode}-{allow}", **options)


def render(bench: Bench) -> None:
    """Render the pages of the scripted site."""
    bench.crawl(" ".join(pages_in_browser().values()), "render", **RENDERED)


def chromium(_: Bench) -> None:
    """Open the same pages in a browser without the crawler."""
    asyncio.run(_open_all(pages_in_browser().values()))


async def _open_all(urls: Iterable[str]) -> None:
    from playwright.async_api import Error, async_playwright  # noqa: PLC0415 - an extra

    from sitecrawl.config.installed_browser import find_chromium  # noqa: PLC0415

    async with async_playwright() as playwright:
        program = find_chromium(os.environ)
        browser = await playwright.chromium.launch(
            executable_path=program,
            chromium_sandbox=False,
            args=["--ignore-certificate-errors"],
            ignore_default_args=["--disable-background-networking"],
        )
        free = asyncio.Semaphore(3)

        async def show(url: str) -> None:
            async with free:
                context = await browser.new_context(ignore_https_errors=True)
                tab = await context.new_page()
                try:
                    await tab.goto(url, wait_until="commit", timeout=10_000)
                    await asyncio.sleep(BROWSER_SECONDS)
                except Error:
                    pass  # the page has gone elsewhere
                await context.close()

        await asyncio.gather(*map(show, urls))
        await browser.close()


def doctor(bench: Bench, *words: str, step: int = 1) -> None:
    """Diagnose pages, and sites whose robots.txt and sitemaps name the targets."""
    bench.of_each("doctor", *words, step=step)
    for host in LISTING_HOSTS.values():
        bench.run("doctor", *words, f"http://{host}/")
    for n in range(0, len(bench.targets), 8 * step):
        bench.run("doctor", *words, f"http://robots-{n}.{SITE}/")


def report(bench: Bench, allow: str = "no") -> None:
    """Check what a crawl has stored as outside of it, links and assets."""
    folder = f"report-{allow}"
    options = {**EAGER, "scope": "origin", "store_links": "assets", "allow_private": allow}
    bench.crawl(START, folder, **options)
    bench.run("report", "--check-outside", folder=folder)


def curl(bench: Bench) -> None:
    """Fetch pages with another client."""
    for n in range(0, len(bench.targets), SOME):
        page = f"{START.rstrip('/')}{path_of('302')}/{n}"
        command = ["curl", "-s", "-k", "-L", "-m", "2", "-o", os.devnull, page]
        subprocess.run(command, check=False, timeout=COMMAND_SECONDS)


def typed(bench: Bench) -> None:
    """Type targets: what the user names is asked, as `scrapy links` follows nothing."""
    for url in urls_of("link", bench.targets)[::SOME]:
        bench.run("links", url)


def private_start(bench: Bench) -> None:
    """Crawl from a start that is private itself, at 127.0.0.1, which alone is opened by it."""
    origin = bench.server.serve(site(bench.targets), port=FIRST_PORT - 1)
    bench.crawl(f"{origin}/", "private", **EAGER)


def others(bench: Bench) -> None:
    """Run the commands that read what a crawl has stored, and open no connections."""
    for words in (
        ("explain", f"http://10.0.1.2:{port_of('link')}/1"),
        ("reindex",),
        ("export", "-O", "all.jsonl"),
        ("report", "-O", "report.html"),
        ("report", "--list", "redirects"),
        ("frontier",),
    ):
        bench.run(*words, folder="crawl-no")


HEAD = ("command", "requests to the site", "packets", "control: packets", "targets", "ways", "s")
Run = Callable[[Bench], None]
ANY = ("-a", "scope=any")
ALLOWED = (*ANY, "-a", "allow_private=yes")
SOME = 5  # every fifth target, where another run has had them all
RUNS: dict[str, Run] = {
    "crawl": crawl,
    "crawl, private start": private_start,
    "crawl, render": render,
    "links": lambda bench: bench.of_each("links", *ANY),
    "doctor": lambda bench: doctor(bench, *ANY),
    "report --check-outside": report,
    "fetch": lambda bench: bench.of_each("fetch"),
    "view": lambda bench: bench.of_each("view", step=SOME),
    "shell": lambda bench: bench.of_each("shell", after=("-c", "response"), step=SOME),
    "explain, reindex, export": others,
}
CONTROLS: dict[str, Run] = {
    "crawl": partial(crawl, allow="yes"),
    "crawl, render": chromium,
    "links": typed,
    "doctor": lambda bench: doctor(bench, *ALLOWED, step=SOME),
    "report --check-outside": partial(report, allow="yes"),
    "fetch": curl,
}
"""The same pages where nothing refuses an address."""


class Permitted:
    """The packets that are no leak: to public addresses, the resolver, and the crawler itself.

    The crawler listens for its browser on ephemeral ports of 127.0.0.1. ``start`` is a private
    address that the user chose.
    """

    start = ""

    def __call__(self, packet: Packet) -> bool:
        """Return True if a packet is permitted."""
        address, port = packet.address, packet.port
        own = address == "127.0.0.1" and port >= FIRST_EPHEMERAL
        return address in (PUBLIC, self.start) or (address, port) == (RESOLVER, 53) or own


def by_way(packets: Sequence[Packet]) -> Counter[str]:
    """Count packets by way; a target with a port of its own hides it."""
    ports = {port_of(way): way for way in WAYS}
    return Counter(ports.get(each.port, "a port of the target's own") for each in packets)


def by_target(packets: Sequence[Packet], targets: Sequence[Target]) -> set[str]:
    """Return the prefixes of the targets that packets reached."""
    reached = {each.address for each in packets}
    return {each.prefix for each in targets if reached & set(map(on_the_wire, each.addresses))}


def naive_client(bench: Bench) -> list[str]:
    """Return the targets whose packets the sniffer does not see although they are sent."""
    bench.sniffer.take()
    for target in bench.targets:
        for address in target.addresses:
            send_to(address, FIRST_PORT)
    seen = by_target(bench.sniffer.take(), bench.targets)
    return [each.prefix for each in bench.targets if each.prefix not in seen]


@dataclass
class Tally:
    """Packets of all commands; ``idle`` are the controls that caused none."""

    leaked: int = 0
    caused: Counter[str] = field(default_factory=Counter)
    idle: list[str] = field(default_factory=list)


def measure(bench: Bench, permitted: Permitted, name: str, tally: Tally) -> None:
    """Run a command with its control, and print their packets."""
    began, asked = time.monotonic(), len(bench.server.log.exchanges)
    permitted.start = "127.0.0.1" if name == "crawl, private start" else ""
    RUNS[name](bench)
    packets = bench.sniffer.take()
    permitted.start = ""
    requests = len(bench.server.log.exchanges) - asked
    tally.leaked += len(packets)
    row = [name, f"{requests:,}", str(len(packets)), "", "", ""]
    if name in CONTROLS:
        CONTROLS[name](bench)
        seen = bench.sniffer.take()
        tally.caused += by_way(seen)
        reached = by_target(seen, bench.targets)
        row[3:] = [f"{len(seen):,}", str(len(reached)), str(len(by_way(seen)))]
        tally.idle += [] if seen else [name]
    print(f"| {' | '.join(row)} | {time.monotonic() - began:.0f} |", flush=True)
    for packet, number in Counter(packets).most_common(20):
        print(f"    {number} {packet}: {next(iter(by_way([packet])))}")


def inside(asked: argparse.Namespace) -> int:
    """Run within the namespace."""
    targets = TARGETS[:: -(-len(TARGETS) // asked.targets)]
    names = [name for name in RUNS if not asked.commands or any(w in name for w in asked.commands)]
    with tempfile.TemporaryDirectory(prefix="private-") as folder, Server() as server:
        place = Path(folder)
        prepare(place)
        NameServer(rebinding(NAMES, REBOUND, PUBLIC, SITE)).start()
        permitted = Permitted()
        sniffer = Sniffer(permitted)
        sniffer.start()
        pages = site(targets)
        server.serve(pages, address=PUBLIC, port=80)
        server.serve(pages, address=PUBLIC, port=443, tls=Authority(place).context(SITE))
        bench = Bench(sniffer, server, targets, place, asked.jobs)
        unseen = naive_client(bench)
        seen = len(targets) - len(unseen)
        print(f"A client without rules: {seen} of {len(targets)} targets seen.")
        print(*unseen, "", f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}", sep="\n")
        tally = Tally()
        for name in names:
            measure(bench, permitted, name, tally)
    silent = [way for way in WAYS if way not in tally.caused]
    followed = len(WAYS) - len(silent)
    print(f"{len(targets)} targets, {len(WAYS)} ways; {followed} cause packets in a control.")
    print(f"Not followed by any: {', '.join(silent)}.")
    print(f"{tally.leaked} packets to private addresses. Idle controls: {tally.idle or 'none'}.")
    if bench.unfinished:
        print(f"Did not end within {COMMAND_SECONDS:.0f} s: {', '.join(bench.unfinished)}.")
    return 1 if tally.leaked or unseen or tally.idle or bench.unfinished else 0


def main(arguments: Sequence[str]) -> int:
    """Run in a namespace of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", metavar="COMMAND")
    parser.add_argument("--targets", type=int, default=len(TARGETS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.inside:
        return inside(asked)
    if why := problem():
        print(f"This machine gives no network namespace: {why}", file=sys.stderr)
        return 2
    return run_inside(MODULE, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
