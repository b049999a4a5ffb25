"""Writes the last results into README.md, between its markers: python -m benchmarks.readme"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.results import load
from benchmarks.tables import TABLES

PAGE = Path(__file__).parent / "README.md"
PART = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def part(match: re.Match[str]) -> str:
    """One marked part with the figures of its benchmark; untouched where there are none."""
    begin, name, end = match.groups()
    try:
        figures = load(name)
    except FileNotFoundError:
        return match[0]
    return f"{begin}\n{TABLES[name](figures)}\n\n{end}"


def main() -> None:
    """Write the page anew."""
    PAGE.write_text(PART.sub(part, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
