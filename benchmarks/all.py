"""Every benchmark, one after the other; then the plots and README.md: python -m benchmarks.all

Takes about half an hour of a quiet machine. Words after the command choose the benchmarks whose
names contain one of them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from benchmarks import plots, readme
from benchmarks.corpus import ROOT
from benchmarks.results import recorded

KEEP_THEIR_FIGURES = (
    "against_others",
    "budget",
    "shares",
    "startup",
    "unchanged",
    "growth",
    "utilisation",
    "hostile_pages",
)
PRINT_THEM = ("reading", "decisions", "frontier_growth")


def run(name: str) -> None:
    """A benchmark that keeps its own figures."""
    print(f"\n{name}\n", flush=True)
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], cwd=ROOT, check=True)


def keep(name: str) -> None:
    """A benchmark whose lines are its figures."""
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    with recorded(name) as figures:
        ended = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        figures["output"] = ended.stdout
    print(f"\n{name}\n\n{ended.stdout}", flush=True)


def main(words: Sequence[str]) -> None:
    """Run those that are wanted, and write the page."""
    for names, action in ((KEEP_THEIR_FIGURES, run), (PRINT_THEM, keep)):
        for name in names:
            if any(word in name for word in words):
                action(name)
    plots.main()
    readme.main()


if __name__ == "__main__":
    main(sys.argv[1:] or [""])
