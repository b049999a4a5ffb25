"""Code browsers as Debian packages them, and a forum: their pages are all found, and no views."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = {"cgit": 1.3, "hgweb": 1.65, "forum": 1.2}
"""Requests for each true page that a crawl of a site may take."""


@pytest.mark.slow
@pytest.mark.behaviour("Q-38", "Q-50")
def test_all_true_pages_are_found_in_few_requests() -> None:
    command = [sys.executable, "-m", "benchmarks.real_sites", "--now", *MOST]
    said = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert said.returncode == 0, said.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in said.stdout.splitlines()]
    names, found = next(row for row in rows if row[:1] == ["site"]), {}
    for row in rows:
        if row[:1] and row[0] in MOST:
            found[row[0]] = dict(zip(names, row, strict=True))
    assert found.keys() == MOST.keys()
    for site, marks in found.items():
        assert float(marks["recall"]) == 1, marks
        assert float(marks["F1"]) >= 0.98, marks
        assert float(marks["requests/page"]) <= MOST[site], marks
        assert marks["ended by itself"] == "yes"
