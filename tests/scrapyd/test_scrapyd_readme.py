"""The commands of docs/scaling.md, in a fresh virtual environment, against the Scrapyd they start.

Only addresses, folders and the port are others: those of the test.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
import venv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from fixtures.server import Server, page

ROOT = Path(__file__).parent.parent.parent
CLONED = ("sitecrawl", "pyproject.toml", "README.md", "LICENSE", "scrapy.cfg")


def commands() -> list[str]:
    """The commands of the page's section, each as typed."""
    text = (ROOT / "docs" / "scaling.md").read_text("utf-8")
    section = text.partition("## Scrapyd\n")[2].partition("\n## ")[0]
    typed = "\n".join(line[4:] for line in section.splitlines() if line.startswith("    "))
    return re.sub(r"\\\n\s*", "", typed).splitlines()


@dataclass
class Shell:
    """A clone and a fresh virtual environment, in which commands are typed."""

    folder: Path
    port: int
    origin: str
    servers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def type(self, command: str, *, run: str = "") -> None:
        """Run a command to its end; one that serves until it answers."""
        for written, here in {
            "https://example.org": self.origin,
            "/var/lib/crawls/example": str(self.folder / (run or "example")),
            ":6800": f":{self.port}",
        }.items():
            command = command.replace(written, here)
        path = f"{self.folder / 'venv' / 'bin'}:{os.environ['PATH']}"
        given: Any = {"cwd": self.folder / "clone", "env": {**_environment(), "PATH": path}}
        if "&& scrapyd" not in command:
            done = subprocess.run(
                ["bash", "-ec", command], capture_output=True, text=True, check=False, **given
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
            assert '"status": "error"' not in done.stdout, f"{command}\n{done.stdout}"
            return
        with (self.folder / "server.log").open("wb") as log:
            served = command.replace("scrapyd ", "exec scrapyd ", 1)
            self.servers.append(
                subprocess.Popen(["bash", "-ec", served], stdout=log, stderr=log, **given)
            )
        while True:
            try:
                self.ask("daemonstatus.json")
                return
            except URLError:
                assert self.servers[0].poll() is None, (self.folder / "server.log").read_text()
                time.sleep(0.2)

    def ask(self, resource: str) -> dict[str, Any]:
        """An answer of the server."""
        with urlopen(f"http://127.0.0.1:{self.port}/{resource}", None, 30) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def documents(self, run: str, jobs: int) -> set[str]:
        """The URLs of a job's documents, when so many jobs have ended."""
        deadline = time.monotonic() + 120
        while len(self.ask("listjobs.json?project=sitecrawl")["finished"]) < jobs:
            assert time.monotonic() < deadline, (self.folder / "server.log").read_text()
            time.sleep(0.2)
        lines = (self.folder / f"{run}.jsonl").read_text("utf-8").splitlines()
        return {json.loads(line)["url"] for line in lines}


def _environment() -> dict[str, str]:
    ours = ("VIRTUAL_ENV", "PYTHONPATH", "SCRAPY_SETTINGS_MODULE")
    return {name: value for name, value in os.environ.items() if name not in ours}


@pytest.fixture
def shell(tmp_path: Path, server: Server) -> Iterator[Shell]:
    """A clone, and an environment with pip alone; the server is ended afterwards."""
    clone = tmp_path / "clone"
    clone.mkdir()
    for name in CLONED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, clone / name)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    configuration = clone / "scrapy.cfg"
    text = configuration.read_text("utf-8").replace(":6800", f":{port}")
    configuration.write_text(f"{text}\n[scrapyd]\nhttp_port = {port}\npoll_interval = 0.5\n")
    venv.create(tmp_path / "venv", with_pip=True)
    origin = server.serve({"/": page("/a", text="Home"), "/a": page(text="A")})
    typing = Shell(tmp_path, port, origin)
    yield typing
    for each in typing.servers:
        each.terminate()
        each.wait(60)


@pytest.mark.behaviour("A-11")
def test_what_the_page_says_works_as_typed(shell: Shell) -> None:
    install, serve, schedule, tools, deploy = commands()
    for command in (install, serve, schedule):
        shell.type(command)
    expected = {f"{shell.origin}/", f"{shell.origin}/a"}
    assert shell.documents("example", 1) == expected
    shell.type(tools)
    shell.type(deploy)
    assert shell.ask("listversions.json?project=sitecrawl")["versions"]
    shell.type(schedule, run="egg")
    assert shell.documents("egg", 2) == expected
