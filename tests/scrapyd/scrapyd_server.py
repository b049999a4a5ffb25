"""A real Scrapyd on a loopback port, in a folder of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

PROGRAMS = Path(sys.executable).parent
PROJECTS = "[settings]\nsitecrawl = sitecrawl.settings\n"
CONFIGURATION = """\
[scrapyd]
http_port = {port}
bind_address = {address}
poll_interval = 0.2
jobstorage = scrapyd.jobstorage.SqliteJobStorage
"""


class Scrapyd:
    """The running server; ``folder`` is its working directory."""

    def __init__(self, folder: Path, address: str = "127.0.0.1") -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind((address, 0))
            self.url = f"http://{address}:{probe.getsockname()[1]}/"
        (folder / "scrapy.cfg").write_text(PROJECTS)
        port = self.url.strip("/").rpartition(":")[2]
        (folder / "scrapyd.conf").write_text(CONFIGURATION.format(port=port, address=address))
        with (folder / "server.log").open("wb") as log:
            self._process = subprocess.Popen(
                [str(PROGRAMS / "scrapyd")], cwd=folder, stdout=log, stderr=log
            )
        self._wait()

    def ask(self, command: str, **fields: Any) -> dict[str, Any]:
        """The answer of the JSON API; with fields the request is a POST."""
        body = urlencode(fields, doseq=True).encode() if fields else None
        with urlopen(self.url + command, body, 30) as answer:
            found: dict[str, Any] = json.load(answer)
        assert found["status"] == "ok", found
        return found

    def schedule(self, project: str, output: Path, **arguments: Any) -> str:
        """Start a job that writes to ``output``, its database beside it; returns its id."""
        feeds = json.dumps({str(output): {"format": "jsonlines"}})
        database = f"sqlite:///{output.with_suffix('.db')}"
        settings = [f"FEEDS={feeds}", f"SITECRAWL_DATABASE={database}"]
        job: str = self.ask(
            "schedule.json", project=project, spider="site", setting=settings, **arguments
        )["jobid"]
        return job

    def log(self, project: str, job: str) -> str:
        """A job's log, as the web interface shows it."""
        with urlopen(f"{self.url}logs/{project}/site/{job}.log", None, 30) as answer:
            text: str = answer.read().decode()
            return text

    def finished(self, project: str, job: str) -> str:
        """Wait for a job's end; returns its log."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            jobs = self.ask(f"listjobs.json?project={project}")["finished"]
            if job in {each["id"] for each in jobs}:
                return self.log(project, job)
            time.sleep(0.1)
        raise TimeoutError(f"{job} of {project} does not end")

    @property
    def processes(self) -> list[int]:
        """The server's process, and those of the jobs that it runs."""
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *map(int, children)]

    def kill(self) -> None:
        """Kill the server and its jobs, as when the machine is lost."""
        for pid in self.processes:
            os.kill(pid, signal.SIGKILL)
        self._process.wait(60)

    def close(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait(60)

    def _wait(self) -> None:
        deadline = time.monotonic() + 30
        while True:
            try:
                self.ask("daemonstatus.json")
                return
            except URLError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise
                time.sleep(0.1)
