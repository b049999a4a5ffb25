"""``python -m fixtures`` serves the test site and says how to crawl it."""

from __future__ import annotations

import http.client
import shlex
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_site_is_served_until_interrupted() -> None:
    command = [sys.executable, "-m", "fixtures"]
    serving = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert serving.stdout is not None
    with serving, serving.stdout as lines:
        try:
            words = shlex.split(lines.readline())
            assert words[:3] == ["scrapy", "crawl", "site"]
            (starts,) = [word.removeprefix("start=") for word in words if word.startswith("start=")]
            for start in starts.split():
                connection = http.client.HTTPConnection(start.split("/")[2], timeout=60)
                connection.request("GET", "/")
                assert b"zqgood" in connection.getresponse().read()
                connection.close()
            serving.send_signal(signal.SIGINT)
            assert serving.wait(60) == 0
        finally:
            serving.kill()
