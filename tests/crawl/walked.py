"""Short forms of the output and the requests of a run."""

from __future__ import annotations

import time

from fixtures.crawls import Crawl
from fixtures.server import Server


def paths(run: Crawl, origin: str) -> set[str]:
    """The paths of the documents written."""
    assert run.status == 0, run.log[-3000:]
    assert "Traceback" not in run.log
    return {url.removeprefix(origin) for url in run.documents}


def visited(server: Server, origin: str) -> list[str]:
    """The targets asked for since the log was last cleared, robots.txt left out."""
    found = [target for target in server.log.targets(origin) if target != "/robots.txt"]
    server.log.clear()
    return found


def wait_for(condition: object, seconds: float = 120.0) -> None:
    """Return when the condition holds; fail if it does not in time."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
