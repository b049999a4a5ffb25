"""A site of any number of pages on 20 origins, made up as it is asked for.

    python -m benchmarks.growing_site PORT

Each page has 50 links, 45 to pages known by then and 5 to new ones. ``/-/SIZE/LINKS`` says
how many are known and where the known links lead, and answers with the pages served since
the last time. Paths are words, so that no rule takes them for a numbered series.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Sequence

ORIGINS = 20
ADDRESSES = tuple(f"127.9.0.{number}" for number in range(1, ORIGINS + 1))
LINKS = ("same", "anywhere")
KNOWN_LINKS = 45
NEW_LINKS = 5
SYLLABLES = [c + v + e for c in "bdfgklmnpr" for v in "aeiou" for e in ("", "n", "s", "t")]
WORDS = 400


def path(number: int) -> str:
    """The path of a page: its number written in syllables; the first of an origin is its start."""
    if number < ORIGINS:
        return "/"
    digits = []
    rest = number
    for _ in range(5):
        rest, digit = divmod(rest, len(SYLLABLES))
        digits.append(SYLLABLES[digit])
    return f"/{digits[0]}-{digits[1]}/{'-'.join(digits[2:])}.html"


def number_of(target: str, address: str) -> int:
    """The number of a path on an address; raises ValueError where it is none."""
    if target == "/":
        return ADDRESSES.index(address)
    digits = target.removeprefix("/").removesuffix(".html").replace("/", "-").split("-")
    return sum(SYLLABLES.index(digit) * len(SYLLABLES) ** n for n, digit in enumerate(digits))


def linked(number: int, size: int, links: str) -> list[int]:
    """The pages that a page links to, all on its own origin.

    ``links`` says which known ones: the ``same`` on every page of the origin, as menus
    are, or ``anywhere``, each page others.
    """
    origin, each = number % ORIGINS, size // ORIGINS
    chosen: Sequence[int] = range(KNOWN_LINKS)
    if links == "anywhere":
        chosen = random.Random(number).sample(range(each), KNOWN_LINKS)
    known = [origin + ORIGINS * n for n in chosen]
    new = [size + origin + ORIGINS * (NEW_LINKS * number + n) for n in range(NEW_LINKS)]
    return known + new


def page(number: int, size: int, links: str) -> bytes:
    """A page of some 4 KB with a text of its own."""
    dice = random.Random(number)
    text = " ".join("".join(dice.choices(SYLLABLES, k=2)) for _ in range(WORDS))
    anchors = "".join(f'<li><a href="{path(n)}">{n}</a>' for n in linked(number, size, links))
    title = text[:30]
    markup = f"<!doctype html><title>{title}</title><ul>{anchors}</ul><p>{text}</p>"
    return markup.encode()


class Site:
    """The site served: its number of known pages, its links, and the pages requested."""

    def __init__(self) -> None:
        self.size = 10_000
        self.links = LINKS[0]
        self.served: list[int] = []

    def answer(self, target: str, address: str) -> tuple[int, bytes]:
        """Status and body."""
        if target.startswith("/-/"):
            served, self.served = self.served, []
            _, _, size, self.links = target.split("/")
            self.size = int(size)
            return 200, json.dumps(served).encode()
        try:
            number = number_of(target, address)
        except ValueError:
            return 404, b""
        self.served.append(number)
        return 200, page(number, self.size, self.links)


class Connection(asyncio.Protocol):
    """Answers one request after the other."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._address = transport.get_extra_info("sockname")[0]

    def data_received(self, chunk: bytes) -> None:
        """A request without body arrives as a whole on loopback."""
        status, body = self._site.answer(chunk.split(b" ", 2)[1].decode(), self._address)
        head = f"HTTP/1.1 {status} -\r\nContent-Type: text/html\r\nContent-Length: {len(body)}"
        self._transport.write(head.encode() + b"\r\n\r\n" + body)


async def serve(port: int) -> None:
    """Serve until the process ends."""
    site = Site()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(site), ADDRESSES, port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
