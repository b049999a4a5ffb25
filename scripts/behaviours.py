"""Ties docs/behaviours.toml to the tests: finds what is unproven, writes docs/behaviours.md.

python -m scripts.behaviours            write docs/behaviours.md
python -m scripts.behaviours --settle   first drop ``planned`` from rows that have a test
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs" / "behaviours.toml"
PAGE = ROOT / "docs" / "behaviours.md"

Proofs = Mapping[str, frozenset[str]]
"""The tests of each id, as ``path::function``."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One row: what it does, and where it stands while no test proves it."""

    id: str
    area: str
    does: str
    planned: str = ""
    optional: str = ""


def load(table: Path = TABLE) -> tuple[dict[str, str], list[Behaviour]]:
    """The areas' titles, and every row in order."""
    areas = tomllib.loads(table.read_text(encoding="utf-8"))
    titles = {area: rows.pop("title") for area, rows in areas.items()}
    rows = [
        Behaviour(id=key, area=area, **row) for area in areas for key, row in areas[area].items()
    ]
    return titles, rows


class _Marks:
    """A pytest plugin that writes every marked id beside its test."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            name = item.nodeid.partition("[")[0]
            for mark in item.iter_markers("behaviour"):
                for key in mark.args:
                    sys.stdout.write(f"behaviour\t{key}\t{name}\n")


def collect() -> Proofs:
    """The ids that tests carry, from a collection of the whole suite in its own process."""
    command = [sys.executable, "-m", "scripts.behaviours", "--collect"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"the tests could not be collected:\n{run.stdout}{run.stderr}")
    proofs: defaultdict[str, set[str]] = defaultdict(set)
    for line in run.stdout.splitlines():
        if line.startswith("behaviour\t"):
            _, key, name = line.split("\t")
            proofs[key].add(name)
    return {key: frozenset(names) for key, names in proofs.items()}


def problems(rows: list[Behaviour], proofs: Proofs) -> Iterator[str]:
    """What is wrong between the rows and the tests, one line each."""
    for row in rows:
        if row.id in proofs and (row.planned or row.optional):
            yield f"{row.id} has a test but is still marked {row.planned or row.optional!r}"
        if row.id not in proofs and not (row.planned or row.optional):
            yield f"{row.id} has no test and says neither planned nor optional"
    for key in sorted(proofs.keys() - {row.id for row in rows}):
        yield f"{key} is unknown; carried by {', '.join(sorted(proofs[key]))}"


def render(titles: Mapping[str, str], rows: list[Behaviour], proofs: Proofs) -> str:
    """The page: counts, then a table for each area."""
    proven = sum(row.id in proofs for row in rows)
    lines = [
        "# Behaviours",
        "",
        "Made by `python -m scripts.behaviours` from `behaviours.toml` and the tests' marks.",
        "",
        f"{proven} of {len(rows)} are proven by a test.",
    ]
    for area, title in titles.items():
        lines += ["", f"## {title} ({area})", "", "| id | what | proof |", "|---|---|---|"]
        lines += [
            f"| {row.id} | {row.does} | {_proof(row, proofs)} |" for row in rows if row.area == area
        ]
    return "\n".join(lines) + "\n"


def _proof(row: Behaviour, proofs: Proofs) -> str:
    if names := sorted(proofs.get(row.id, ())):
        return "<br>".join(f"`{name.removeprefix('tests/')}`" for name in names)
    return f"left out: {row.optional}" if row.optional else f"planned: {row.planned}"


def settle(text: str, proofs: Proofs) -> str:
    """The table's text without ``planned`` in the rows that have a test."""
    for key in proofs:
        text = re.sub(rf'(?m)^({re.escape(key)} = .*?), planned = "[^"]*"', r"\1", text)
    return text


def main(arguments: list[str]) -> int:
    """Write the page; returns the exit status."""
    if arguments == ["--collect"]:
        quiet = ["--collect-only", "-qq", "-p", "no:cacheprovider"]
        return pytest.main(quiet, plugins=[_Marks()])
    proofs = collect()
    if arguments == ["--settle"]:
        TABLE.write_text(settle(TABLE.read_text(encoding="utf-8"), proofs), encoding="utf-8")
    titles, rows = load()
    PAGE.write_text(render(titles, rows, proofs), encoding="utf-8")
    found = list(problems(rows, proofs))
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
