"""Tie tests/behaviours.toml to the tests that prove its rows.

python -m scripts.behaviours            list every behaviour, by area, with the tests that prove it
python -m scripts.behaviours L-01 UR    only the rows of these ids or areas
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "tests" / "behaviours.toml"

Proofs = Mapping[str, frozenset[str]]
"""The tests of each id, as ``path::function``."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One row: what the product does, and why no test proves it where none does."""

    id: str
    area: str
    does: str
    optional: str = ""


def load(table: Path = TABLE) -> tuple[dict[str, str], list[Behaviour]]:
    """Read the areas' titles, and every row in order."""
    areas = tomllib.loads(table.read_text(encoding="utf-8"))
    titles = {area: rows.pop("title") for area, rows in areas.items()}
    rows = [
        Behaviour(id=key, area=area, **row) for area in areas for key, row in areas[area].items()
    ]
    return titles, rows


PROOFS = pytest.StashKey[Proofs]()
"""Key of the proofs that tests/conftest.py stores when a run has collected the whole suite."""


class _Marks:
    """A pytest plugin that writes every marked id beside its test."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for key, names in read_proofs(session.items).items():
            for name in names:
                sys.stdout.write(f"behaviour\t{key}\t{name}\n")


def read_proofs(items: Iterable[pytest.Item]) -> Proofs:
    """Read the ids that collected tests carry."""
    return _grouped(
        (key, item.nodeid.partition("[")[0])
        for item in items
        for mark in item.iter_markers("behaviour")
        for key in mark.args
    )


def collect() -> Proofs:
    """Collect the whole suite in a process of its own, and read the ids that its tests carry."""
    command = [sys.executable, "-m", "scripts.behaviours", "--collect"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"the tests could not be collected:\n{run.stdout}{run.stderr}")
    lines = [line.split("\t") for line in run.stdout.splitlines()]
    return _grouped((line[1], line[2]) for line in lines if line[0] == "behaviour")


def _grouped(pairs: Iterable[tuple[str, str]]) -> Proofs:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for key, name in pairs:
        found[key].add(name)
    return {key: frozenset(names) for key, names in found.items()}


def problems(rows: Sequence[Behaviour], proofs: Proofs) -> Iterator[str]:
    """Name each disagreement between the rows and the tests, one line each."""
    for row in rows:
        if row.id in proofs and row.optional:
            yield f"{row.id} has a test but is still marked {row.optional!r}"
        if row.id not in proofs and not row.optional:
            yield f"{row.id} has no test: mark one with @pytest.mark.behaviour({row.id!r})"
    for key in sorted(proofs.keys() - {row.id for row in rows}):
        yield f"{key} is no row of tests/behaviours.toml; {', '.join(sorted(proofs[key]))} has it"


def listing(
    titles: Mapping[str, str], rows: Sequence[Behaviour], proofs: Proofs, wanted: Sequence[str]
) -> Iterator[str]:
    """List the wanted rows (all of them if none is named), each with its proofs."""
    for area, title in titles.items():
        shown = [
            row
            for row in rows
            if row.area == area and (not wanted or row.id in wanted or area in wanted)
        ]
        if shown:
            yield from ("", f"{title} ({area})")
        for row in shown:
            yield f"  {row.id}  {row.does}"
            yield from (f"        {name}" for name in sorted(proofs.get(row.id, ())))
            if row.optional:
                yield f"        left out: {row.optional}"


def main(arguments: Sequence[str]) -> int:
    """Print the listing, then what disagrees; returns the exit status."""
    if list(arguments) == ["--collect"]:
        quiet = ["--collect-only", "-qq", "-p", "no:cacheprovider"]
        return pytest.main(quiet, plugins=[_Marks()])
    titles, rows = load()
    proofs = collect()
    print(*listing(titles, rows, proofs, arguments), sep="\n")
    found = list(problems(rows, proofs))
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
