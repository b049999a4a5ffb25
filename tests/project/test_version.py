"""The version is that of the last tag, and a copy without tags or history has one too."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.command import ROOT

pytest.importorskip("setuptools_scm")
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b.test", "-c", "commit.gpgsign=false")


def version_in(folder: Path) -> str:
    """The version that a wheel of a folder would have."""
    command = [sys.executable, "-m", "setuptools_scm"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_the_version_of_a_folder(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert version_in(tmp_path) == "1.0.0rc1"
    subprocess.run([*GIT, "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run([*GIT, "add", "."], cwd=tmp_path, check=True)
    subprocess.run([*GIT, "commit", "-qm", "begin"], cwd=tmp_path, check=True)
    assert version_in(tmp_path).startswith("1.0.0rc2.dev1+g")
    subprocess.run([*GIT, "tag", "v1.2.3"], cwd=tmp_path, check=True)
    assert version_in(tmp_path) == "1.2.3"
