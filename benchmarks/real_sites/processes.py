"""Programs that serve a site, each ended by its own id."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

SEARCH_PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin"


def free_port(address: str = "127.0.0.1") -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind((address, 0))
        port: int = probe.getsockname()[1]
        return port


def program(name: str) -> str:
    """The path of an installed program."""
    found = shutil.which(name, path=SEARCH_PATH)
    if found is None:
        raise FileNotFoundError(f"{name} is not installed")
    return found


@contextmanager
def running(
    command: Sequence[str], folder: Path, port: int, variables: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Run a server that listens on ``port``; it and all it started end with the block."""
    with (folder / "servers.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait(process, port, command[0])
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int, name: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"{name} does not listen on port {port}")


def run(command: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None) -> str:
    """Run a program to its end; its output."""
    ended = subprocess.run(  # noqa: PLW1510 - read below, with what it printed
        command,
        cwd=folder,
        env={**os.environ, **(variables or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
    )
    if ended.returncode:
        raise RuntimeError(f"{command[0]}: {ended.stdout[-1000:]}{ended.stderr[-2000:]}")
    return ended.stdout
