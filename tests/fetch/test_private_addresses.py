"""A short form of the benchmark that counts packets to private networks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.private_addresses.network import problem

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.behaviour("NE-04")
def test_no_packet_leaves_for_a_private_network() -> None:
    if reason := problem():
        pytest.skip(f"no network namespace: {reason}")
    words = ("private start", "links", "report", "fetch", "view", "--targets", "12")
    command = [sys.executable, "-m", "benchmarks.private_addresses", *words]
    ran = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "\n0 packets to private addresses." in ran.stdout
