"""The documentation site is built without a warning: links and anchors exist, each page has a place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.command import ROOT

for module in ("sphinx", "furo", "myst_parser"):
    pytest.importorskip(module)


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs/site"]
    done = subprocess.run(
        [*command, ".", tmp_path], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    start = (tmp_path / "docs" / "tutorials" / "site-search.html").read_text()
    assert 'pagefind="../../pagefind/"' in start
