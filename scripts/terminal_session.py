"""Makes the session in docs/terminal.md: python -m scripts.terminal_session

Five starts on loopback addresses: one works, one refuses connections, robots.txt forbids one, one is
built by scripts, one is behind a login. The crawl has a terminal as standard error; of consecutive
states of its progress line the first and the last are printed.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence

from fixtures.server import Server, Site, page

PATHS = [f"/page-{number}" for number in range(1, 9)]
GOOD: Site = {
    "/robots.txt": "User-agent: *\nCrawl-delay: 2\n",
    "/": page(*PATHS, "/gone", title="Orchard", text="Welcome to the orchard."),
    **{path: page(title=f"Tree {path}", text=f"Of the tree {path}.") for path in PATHS},
}
FORBIDDEN: Site = {"/robots.txt": "User-agent: *\nDisallow: /\n", "/": page(text="No robots.")}
SCRIPTED: Site = {
    "/": '<!doctype html><title>App</title><div id="root"></div>'
    "<noscript>You need to enable JavaScript to run this app.</noscript><script src=/a.js></script>"
}
WALLED: Site = {
    "/": page(
        title="Log in - Example",
        text="Please log in to see this page.",
        body='<form><input name="user"><input type="password" name="word">'
        "<button>Log in</button></form>",
    )
}
SITES = {
    "http://127.8.0.1:8101": GOOD,
    "http://127.8.0.3:8103": FORBIDDEN,
    "http://127.8.0.4:8104": SCRIPTED,
    "http://127.8.0.5:8105": WALLED,
}
DEAD = "http://127.8.0.2:8102"
ERASE = "\r\x1b[K"
PROMPT = "$ "


def session(words: Sequence[str], folder: str, columns: int = 110) -> Iterator[str]:
    """Yield the lines that a terminal shows of one command, and its exit status."""
    environment = {
        **os.environ,
        "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings",
        "COLUMNS": str(columns),
    }
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "scrapy", *words]
    yield f"{PROMPT}{shlex.join(['scrapy', *words])}"
    with subprocess.Popen(
        command, cwd=folder, env=environment, stderr=theirs, stdout=theirs
    ) as process:
        os.close(theirs)
        written = b"".join(read(ours))
        os.close(ours)
    yield from shown(written.decode().replace("\r\n", "\n"))
    yield f"{PROMPT}echo $?"
    yield str(process.returncode)


def read(terminal: int) -> Iterator[bytes]:
    """Yield what is written to a terminal, until the other side closes it."""
    try:
        while piece := os.read(terminal, 4096):
            yield piece
    except OSError:  # as Linux says that the other side has closed
        return


def shown(written: str) -> Iterator[str]:
    """Yield the lines of the log, with the first and last states of the progress line between."""
    states: list[str] = []
    for piece in written.split(ERASE):
        state, line_end, lines = piece.partition("\n")
        if not line_end:
            states += [state] if state else []
            continue
        yield from dict.fromkeys([*states[:1], *states[-1:]])
        states = []
        yield from f"{state}{line_end}{lines}".rstrip("\n").split("\n")


def main() -> None:
    """Serve the sites and print the session."""
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        for origin, site in SITES.items():
            _, _, place = origin.partition("//")
            address, _, port = place.partition(":")
            server.serve(site, address, int(port))
        starts = " ".join(f"{origin}/" for origin in sorted([*SITES, DEAD]))
        for line in session(["crawl", "site", "-a", f"start={starts}", "-O", "o.jsonl"], folder):
            print(re.sub(r"^\d{4}-\d\d-\d\d ", "", line))


if __name__ == "__main__":
    main()
