"""Makes the sessions in docs/terminal.md: python -m scripts.terminal_session

A tour of Django's manual is recorded in docs/images/terminal.svg, its lines appearing at the times at
which they were printed. Then a crawl of five starts on loopback addresses is printed: one works, one
refuses connections, robots.txt forbids one, one is built by scripts, one is behind a login. Commands have
a terminal as standard error; of consecutive states of a progress line the first and the last are shown.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import time
from bisect import bisect
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from fixtures.real_sites import SITES as MANUALS
from fixtures.real_sites import served
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
BOLD = '<tspan font-weight="bold">'
LONGEST_PAUSE = 1.5
"""Seconds; longer ones of the tour are cut."""


TOUR = """
crawl http://127.0.0.11:8000/intro/ --scope directory --contact me@example.org -O documents.jsonl
search getting started --limit 1
crawl http://127.0.0.11:8000/intro/ --scope directory --contact me@example.org --force -O new.jsonl
explain http://127.0.0.11:8000/topics/
report -O report.html
"""
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "terminal.svg"
STYLE = """text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#ddd;white-space:pre}.c{fill:#8fd694}
@media(prefers-reduced-motion:no-preference){text{animation:a 0s both}@keyframes a{from{opacity:0}}}"""


def session(
    words: Sequence[str], folder: str, program: str = "scrapy", columns: int = 110
) -> Iterator[tuple[float, str]]:
    """Yield the lines that a terminal shows of one command, with the seconds since its beginning, and
    its exit status.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": str(PICTURE.parents[2]),
        "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings",
        "COLUMNS": str(columns),
    }
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", program, *words]
    yield 0, f"{PROMPT}{shlex.join([program, *words])}"
    began, written = time.monotonic(), ""
    ends, times = [], []
    with subprocess.Popen(
        command, cwd=folder, env=environment, stderr=theirs, stdout=theirs
    ) as process:
        os.close(theirs)
        for piece in read(ours):
            written += piece.decode().replace("\r\n", "\n")
            ends.append(len(written))
            times.append(time.monotonic() - began)
        os.close(ours)
    place = 0
    for line in shown(written):
        place = written.index(line, place)
        yield times[bisect(ends, place)], re.sub(r"^\d{4}-\d\d-\d\d ", "", line)
        place += len(line)
    yield times[-1], f"{PROMPT}echo $?"
    yield times[-1], str(process.returncode)


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


def record(folder: str, columns: int = 104) -> str:
    """Return a picture of the tour, whose lines appear as they were printed."""
    texts: list[str] = []
    now = before = 0.0
    for words in TOUR.strip().splitlines():
        for seconds, line in list(session(words.split(), folder, "sitecrawl", columns))[:-2]:
            now += min(max(seconds - before, 0), LONGEST_PAUSE)
            before = seconds
            command = ' class="c"' if line.startswith(PROMPT) else ""
            for row in textwrap.wrap(line, columns, subsequent_indent="  "):
                marked = escape(row).replace("\x1b[1m", BOLD).replace("\x1b[0m", "</tspan>")
                y = 19 * len(texts) + 27
                texts.append(
                    f'<text x="14" y="{y}" style="animation-delay:{now:.1f}s"{command}>{marked}</text>'
                )
        now += 1
    rows = "\n".join(texts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 904 {len(texts) * 19 + 24}">'
        f'<style>{STYLE}</style><rect width="100%" height="100%" rx="8" fill="#1c1f24"/>\n{rows}\n</svg>\n'
    )


def main() -> None:
    """Record the tour, and print the other session."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), MANUALS[:1], 8000):
        PICTURE.write_text(record(folder), encoding="utf-8")
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        for origin, site in SITES.items():
            _, _, place = origin.partition("//")
            address, _, port = place.partition(":")
            server.serve(site, address, int(port))
        starts = " ".join(f"{origin}/" for origin in sorted([*SITES, DEAD]))
        for _, line in session(["crawl", "site", "-a", f"start={starts}", "-O", "o.jsonl"], folder):
            print(line)


if __name__ == "__main__":
    main()
