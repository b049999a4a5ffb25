"""File reader process: reads files one after the other, each in a fork with resource limits.

It is started once and imports the readers; a fork takes a few milliseconds, a new process with its
imports a tenth of a second and more. Any damage that a file does ends with its fork.

A request on standard input is a line of JSON (``kind``, ``size``, ``seconds``, ``memory``) and
``size`` bytes; the response is a line of JSON (``fault``, ``detail``, ``cuts``, ``size``, ``cpu``)
and ``size`` bytes of HTML.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import select
import signal
import sys
from collections.abc import Sequence
from time import monotonic
from typing import Any

from sitecrawl.web.files.file_reader import load_readers, read_file
from sitecrawl.web.files.markup import UnreadableFileError

MAX_OPEN_FILES = 32
WALL_CLOCK_FACTOR = 5  # limit of wall-clock time, as a multiple of that of processor time
MAX_ANSWER = 64_000_000
_PR_SET_PDEATHSIG = 1
_OUT_OF_MEMORY = 71
_CHUNK = 1 << 20
_CRASH = "as it does for lack of memory too"


def main(names: Sequence[str]) -> None:
    """Answer requests until the standard input ends."""
    _die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    load_readers(names)
    gc.collect()
    gc.freeze()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while line := source.readline():
        request = json.loads(line)
        body = source.read(request["size"])
        if len(body) < request["size"]:
            return
        target.write(_answer(body, request))
        target.flush()


def _answer(body: bytes, request: dict[str, Any]) -> bytes:
    """Return a fork's response to one request, or the failure of the fork."""
    outlet, inlet = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(outlet)
        _read_and_exit(body, request, inlet)
    os.close(inlet)
    answer = _collect(outlet, child, request["seconds"] * WALL_CLOCK_FACTOR + 1)
    os.close(outlet)
    _, status, usage = os.wait4(child, 0)
    cpu = usage.ru_utime + usage.ru_stime
    head, _, html = answer.partition(b"\n")
    if status or not head:
        found, html = _end_of_fork(status, request, cpu), b""
    else:
        found = json.loads(head)
    found |= {"size": len(html), "cpu": round(cpu, 3)}
    return json.dumps(found).encode() + b"\n" + html


def _collect(outlet: int, child: int, seconds: float) -> bytes:
    """Return the output of a fork; kill one that takes too long or writes too much."""
    chunks: list[bytes] = []
    room, deadline = MAX_ANSWER, monotonic() + seconds
    while select.select([outlet], [], [], max(0.0, deadline - monotonic()))[0]:
        chunk = os.read(outlet, _CHUNK)
        room -= len(chunk)
        if not chunk:
            return b"".join(chunks)
        if room < 0:
            break
        chunks.append(chunk)
    os.kill(child, signal.SIGKILL)
    return b""


def _end_of_fork(status: int, request: dict[str, Any], cpu: float) -> dict[str, Any]:
    """Return the fault of a file whose fork has not answered."""
    code = os.waitstatus_to_exitcode(status)
    if code in {-signal.SIGXCPU, -signal.SIGKILL}:
        limit = f"more than {request['seconds']:g} s of processor time"
        words = limit if cpu >= request["seconds"] * 0.9 else "no end in sight"
        return {"fault": "file_too_slow", "detail": words}
    if code == _OUT_OF_MEMORY:
        words = f"more than {request['memory'] // 1_000_000} MB of memory"
        return {"fault": "file_too_large", "detail": words}
    name = signal.Signals(-code).name if code < 0 else f"status {code}"
    return {"fault": "file_broken", "detail": f"its reader ended with {name}, {_CRASH}"}


def _read_and_exit(body: bytes, request: dict[str, Any], inlet: int) -> None:
    """Read the file under the limits, write the answer, and end the process."""
    code = 1
    try:
        _die_with_parent()
        _limit(request)
        html = b""
        try:
            found = read_file(body, request["kind"])
            html = found.html.encode("utf-8", "replace")
            answer: dict[str, Any] = {"fault": "", "detail": "", "cuts": found.cuts}
        except UnreadableFileError as error:
            answer = {"fault": error.fault, "detail": error.detail[:300]}
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - any failure of a reader is a fault of the file
            answer = {"fault": "file_broken", "detail": f"{type(error).__name__}: {error}"[:300]}
        view = memoryview(json.dumps(answer).encode() + b"\n" + html)
        while view:
            view = view[os.write(inlet, view) :]
        code = 0
    except MemoryError:
        code = _OUT_OF_MEMORY
    finally:
        os._exit(code)


def _limit(request: dict[str, Any]) -> None:
    """Limit memory, processor time and open files; forbid writing files and starting processes."""
    seconds = max(1, round(request["seconds"]))
    for limit, soft, hard in (
        (resource.RLIMIT_AS, request["memory"], request["memory"]),
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_NOFILE, MAX_OPEN_FILES, MAX_OPEN_FILES),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NPROC, 0, 0),
    ):
        resource.setrlimit(limit, (soft, hard))


def _die_with_parent() -> None:
    """Have the kernel kill this process with its parent (Linux; elsewhere its input ends)."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return


if __name__ == "__main__":
    main(sys.argv[1:])
