"""The blocks of the README, and of pages on language models and workers, typed in their order.

The folder is that of a new user whose first command has failed. Only the site and ports are others.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from fixtures.command import FORKED, ROOT, run
from fixtures.server import Server, Site, page, refusing_origin

pytestmark = pytest.mark.slow
COMMAND = re.compile(r"^    (?:\.venv/bin/)?((?:scrapy|sitecrawl) .*)$", re.MULTILINE)
OPTION = re.compile(r"""^    (-a \w+=(?:'[^']*'|"[^"]*"|\S+))""", re.MULTILINE)
EXAMPLE = re.compile(r"https://(?:\w+\.)?example\.org")
SECTIONS = (
    ("README.md", ""),
    ("docs/browse.md", "## `scrapy mcp`\n"),
    ("docs/scaling.md", "## How workers share a crawl\n"),
    ("docs/scaling.md", "## On one machine\n"),
)
NOTHING = ("errors", "confirm", "reindex", "--since", "prune")
"""Commands that end with 1 where there is nothing to do, as in a new crawl."""
SERVING = {"scrapy browse": "/", "scrapy mcp --http 8643": "/mcp"}
"""Commands that serve until they are ended, each with a path that answers."""
SITE: Site = {
    "/": page("/intro", text="All of the handbook"),
    "/intro": page(text="Getting started with the handbook"),
}
ASKED = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def typed() -> Iterator[str]:
    """Yield the commands; the everyday options of the README are those of one crawl."""
    for name, head in SECTIONS:
        text = (ROOT / name).read_text(encoding="utf-8")
        part = text.partition(head)[2].partition("\n## ")[0] if head else text
        for command in COMMAND.findall(part):
            yield command.partition("  #")[0].rstrip()
    options = OPTION.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(options) > 10
    yield f"scrapy crawl site -a start=https://example.org {' '.join(options)}"


@pytest.fixture
def given(server: Server, tmp_path: Path) -> dict[str, Any]:
    """Folder and environment of the commands."""
    shutil.copy(ROOT / "scrapy.cfg", tmp_path)
    for name in ("scrapy", "sitecrawl"):
        (tmp_path / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {name} "$@"\n')
        (tmp_path / name).chmod(0o755)
    (tmp_path / "site.toml").write_text("max_depth = 9\n")
    (tmp_path / "sites.toml").write_text(f'start = ["{server.serve(SITE)}/"]\n')
    path = f"{tmp_path}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    environment.pop("SCRAPY_SETTINGS_MODULE", None)
    return {"cwd": tmp_path, "env": environment, "text": True}


@pytest.mark.behaviour("A-20")
def test_the_commands_after_a_failed_one(server: Server, given: dict[str, Any]) -> None:
    origin = server.serve(SITE)
    failed = "scrapy crawl http://127.0.0.9:9/"
    for written in (failed, *typed()):
        command = EXAMPLE.sub(origin, written)
        if written in SERVING:
            serve(written, given)
            continue
        asked = json.dumps(ASKED) + "\n" if written == "scrapy mcp" else ""
        if FORKED.fullmatch(command) and not asked:
            program, *words = shlex.split(command)
            done = run(words, given["cwd"], settings="", program=program)
        else:
            done = subprocess.run(
                ["bash", "-c", command],
                input=asked,
                capture_output=True,
                check=False,
                timeout=120,
                **given,
            )
        expected = {0, 1} if any(words in command for words in NOTHING) else {0}
        expected = {1} if written == failed else expected
        assert done.returncode in expected, f"{command}: {done.stderr}"
        assert "Traceback" not in done.stderr
        if asked:
            assert json.loads(done.stdout)["result"]["serverInfo"]["name"]


def serve(command: str, given: dict[str, Any]) -> None:
    """Start a command that serves, look at an answer, and end it with Ctrl-C."""
    port = refusing_origin().rpartition(":")[2]
    here = command.replace("8643", str(port))
    here = here if "--http" in here else f"{here} --port {port}"
    # In the background of a script, where tests may run, Ctrl-C is ignored.
    words = ["env", "--default-signal=INT", "bash", "-c", f"exec {here}"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, **given)
    try:
        deadline = time.monotonic() + 60
        while (status := answer(f"http://127.0.0.1:{port}{SERVING[command]}")) is None:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert status in {200, 406}  # MCP wants an Accept of its own
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, said
    assert "Traceback" not in said


def answer(url: str) -> int | None:
    """The status of an answer; None if nothing answers yet."""
    try:
        with urlopen(url, timeout=30) as response:
            return int(response.status)
    except URLError as error:
        return getattr(error, "code", None)
