"""Results of a crawl of the test site: its output, and the servers' log by origin."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Server
from fixtures.server.log import Exchange
from fixtures.site import Origins, serve

MARK = re.compile(r"zq(good|bad)(\d*)")


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl of the site: what it left, and what the servers were asked."""

    crawl: Crawl
    exchanges: list[Exchange]
    origins: Origins

    def origin(self, name: str) -> str:
        """The address of one origin of the site."""
        return str(getattr(self.origins, name))

    def of(self, name: str) -> list[Exchange]:
        """The requests to one origin, in order."""
        host = self.origin(name).removeprefix("http://")
        return [each for each in self.exchanges if each.headers["host"] == host]

    def asked(self, name: str = "main") -> Counter[str]:
        """The number of requests for each target of an origin."""
        return Counter(each.target for each in self.of(name))

    def statuses(self, name: str = "main") -> dict[str, int]:
        """The last status of each target of an origin."""
        return {each.target: each.status for each in self.of(name)}

    def documents(self, name: str = "main") -> dict[str, dict[str, Any]]:
        """The documents written of an origin, by path and query."""
        origin = f"{self.origin(name)}/"
        found = self.crawl.documents.items()
        return {url[len(origin) - 1 :]: each for url, each in found if url.startswith(origin)}

    def document(self, path: str, name: str = "main") -> dict[str, Any]:
        """One document of an origin."""
        return self.documents(name)[path]

    def deleted(self, name: str = "main") -> dict[str, str]:
        """The reasons of the deletions written of an origin, by path."""
        origin = self.origin(name)
        found = self.crawl.deletions.items()
        return {url.removeprefix(origin): why for url, why in found if url.startswith(origin)}


def marks(document: dict[str, Any], kind: str = "good") -> list[int]:
    """The numbers of a document's marks of one kind, wherever in it they stand."""
    found = {int(number or 0) for word, number in MARK.findall(str(document)) if word == kind}
    return sorted(found)


class Visited:
    """The site and its crawls, each made when it is first asked about.

    To the second crawl everything is due; the others come within two days after it.
    """

    def __init__(self, server: Server, directory: Path) -> None:
        self.command = CrawlCommand(directory)
        self._server = server
        self._origins = serve(server)
        self._runs: list[Run] = []

    def run(self, number: int) -> Run:
        """The first crawl, the second, and so on."""
        while len(self._runs) < number:
            age = "0" if len(self._runs) == 1 else "48h"
            crawl = self.command(*self._origins.starts, recrawl=age, domino="yes")
            self._runs.append(Run(crawl, list(self._server.log.exchanges), self._origins))
            self._server.log.clear()
        return self._runs[number - 1]
