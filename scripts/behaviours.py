"""Tie tests/behaviours.toml to the tests that prove its rows.

python -m scripts.behaviours            list every behaviour, by area, with the tests that prove it
python -m scripts.behaviours L-01 UR    only the rows of these ids or areas
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "tests" / "behaviours.toml"
ID = r"\b[A-Z]+-\d+\b"
MARK = re.compile(
    r"^pytestmark = .*behaviour\(([^)]*)\)|behaviour\(([^)]*)\)|^(?:async )?def (test_\w+)",
    re.MULTILINE,
)
"""The mark of a whole file, that of one test or case, and the test below it."""
CASE_KEYS = {"id", "ids", "proves"}

Proofs = Mapping[str, frozenset[str]]
"""The tests of each id, as ``path::function``, and its files of cases or tests."""


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


def read_proofs(tests: Path = TABLE.parent) -> Proofs:
    """Read the ids that tests carry, and those that their tables of cases do."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted(tests.rglob("test_*.py")):
        name, marked = str(path.relative_to(tests.parent)), list[str]()
        for whole, mark, test in MARK.findall(path.read_text(encoding="utf-8")):
            marked += re.findall(ID, mark)
            for each in re.findall(ID, whole):
                found[each].add(name)
            if test:
                for each in marked:
                    found[each].add(f"{name}::{test}")
                marked.clear()
    for path in sorted(tests.rglob("cases/*.toml")):
        for each in _ids(tomllib.loads(path.read_text(encoding="utf-8"))):
            found[each].add(str(path.relative_to(tests.parent)))
    return {key: frozenset(names) for key, names in found.items()}


def _ids(value: object, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _ids(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from _ids(each, key)
    elif key in CASE_KEYS and re.fullmatch(ID, str(value)):
        yield str(value)


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
    titles, rows = load()
    proofs = read_proofs()
    print(*listing(titles, rows, proofs, arguments), sep="\n")
    found = list(problems(rows, proofs))
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
