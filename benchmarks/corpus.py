"""The corpus: real documentation from Debian packages, served by nginx on loopback."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fixtures.nginx import Nginx
from fixtures.real_sites import SITES, Documentation
from fixtures.real_sites import served as sites_served

ROOT = Path(__file__).parent.parent
CORPORA = {
    "manuals": (
        Documentation("postgresql-doc-15", Path("/usr/share/doc/postgresql-doc-15/html")),
        Documentation("python3.11-doc", Path("/usr/share/doc/python3.11/html")),
    ),
    "three": SITES,
}
MAIN = "manuals"
ONE_PAGE = {"index.html": "<!doctype html><title>One page</title><p>And nothing else.</p>"}


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sites being served: the server, where to start, and a folder for what crawls write."""

    nginx: Nginx
    starts: tuple[str, ...]
    folder: Path

    def room(self, name: str) -> Path:
        """A new folder for one crawl."""
        folder = self.folder / name
        folder.mkdir()
        return folder


def install(*packages: str) -> None:
    """Install those of the Debian packages that are missing."""
    subprocess.run([ROOT / "scripts" / "debian", *packages], check=True)


def end_in_order() -> None:
    """On SIGTERM, too, end what was started and remove what was written."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


@contextmanager
def served(name: str = MAIN, port: int = 0) -> Iterator[Corpus]:
    """One of the corpora while it is served, each site on its own address."""
    end_in_order()
    sites = CORPORA[name]
    install("nginx-light", *(site.package for site in sites))
    with tempfile.TemporaryDirectory(prefix="sitecrawl-benchmark-") as temporary:
        folder = Path(temporary)
        with sites_served(folder, sites, port) as (nginx, starts):
            yield Corpus(nginx, tuple(starts), folder)


@contextmanager
def generated(pages: Mapping[str, str]) -> Iterator[Corpus]:
    """A site of the given files, by their names, while it is served."""
    end_in_order()
    install("nginx-light")
    with tempfile.TemporaryDirectory(prefix="sitecrawl-benchmark-") as temporary:
        folder = Path(temporary)
        folder.chmod(0o755)  # nginx reads as another user
        root = folder / "site"
        root.mkdir()
        for name, page in pages.items():
            (root / name).write_text(page, encoding="utf-8")
        with Nginx(folder, {"127.0.0.10": root}) as nginx:
            yield Corpus(nginx, tuple(f"{origin}/" for origin in nginx.origins.values()), folder)
