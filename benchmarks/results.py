"""Results of a benchmark, kept as JSON with the machine, the date and the noise."""

from __future__ import annotations

import json
import os
import platform
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results"
QUIET_CORES = 0.15  # what others may use of a machine on which figures are final

Figures = dict[str, Any]


@contextmanager
def recorded(name: str, *, whole: bool = True) -> Iterator[Figures]:
    """Keeps what the block puts into the figures as ``results/NAME.json``, if it is ``whole``.

    ``others`` is how many cores programs other than the benchmark's used in the mean.
    """
    figures: Figures = {"date": f"{datetime.now(UTC):%d %B %Y}".lstrip("0"), "machine": machine()}
    began, busy, own = time.monotonic(), _busy(), _own()
    yield figures
    passed = time.monotonic() - began
    figures["others"] = round(max(0.0, (_busy() - busy) - (_own() - own)) / passed, 2)
    figures["took"] = round(passed)
    if not whole:
        return
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(figures, indent=1, ensure_ascii=False)
    (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def load(name: str) -> Figures:
    """The last figures of a benchmark; raises FileNotFoundError where there are none."""
    found: Figures = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def is_final(figures: Figures) -> bool:
    """Return True if the machine was quiet enough for the figures to be quoted."""
    return bool(figures["others"] <= QUIET_CORES)


def machine() -> dict[str, Any]:
    """Description of this machine for the reader."""
    return {
        "cores": os.cpu_count(),
        "processor": _processor(),
        "system": platform.freedesktop_os_release()["PRETTY_NAME"],
        "python": platform.python_version(),
        "scrapy": version("scrapy"),
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _busy() -> float:
    """CPU seconds that all programs of the machine have used (proc(5), /proc/stat)."""
    user, nice, system, _, _, irq, softirq = map(int, Path("/proc/stat").read_text().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    """CPU seconds of this process and of the children that have ended."""
    found = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        used = resource.getrusage(who)
        found += used.ru_utime + used.ru_stime
    return found
