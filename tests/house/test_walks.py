"""A crawl, and ``explain``, run through every file that the architecture's walks name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.server import Server, page

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "sitecrawl"
WALK = re.compile(r"^## ([^\n]+): \d+ files\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
# Files that declare: their statements run when they are imported.
DECLARE = {"config/options/rules.py", "policy/documents/fields.py", "policy/decision.py"}
TRACER = """
import json, sys, threading
from scrapy.cmdline import execute
called = set()
def record(frame, event, _):
    if event == "call" and frame.f_code.co_name != "<module>":
        called.add(frame.f_code.co_filename)
sys.setprofile(record)
threading.setprofile(record)
try:
    execute(["scrapy", *sys.argv[2:]])
finally:
    sys.setprofile(None)
    with open(sys.argv[1], "w") as file:
        json.dump(sorted(called), file)
"""


def called_files(folder: Path, *words: str) -> set[str]:
    """Run a command of Scrapy; return the files of ``sitecrawl/`` of which a function was called."""
    record = folder / "called.json"
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    ended = subprocess.run(
        [sys.executable, "-c", TRACER, str(record), *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    paths = map(Path, json.loads(record.read_text()))
    return {str(path.relative_to(SOURCE)) for path in paths if path.is_relative_to(SOURCE)}


@pytest.mark.slow
def test_each_file_of_a_walk_is_passed(server: Server, tmp_path: Path) -> None:
    origin = server.serve({"/": page("/a"), "/a": page(title="A")})
    crawl = called_files(
        tmp_path, "crawl", "site", "-a", f"start={origin}/", "-a", "delay=0", "-O", "out.jsonl"
    )
    explain = called_files(tmp_path, "explain", f"{origin}/a")
    architecture = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    walks = {
        title: re.findall(r"^\d+\. `([^`]+)`", walk, re.MULTILINE)
        for title, walk in WALK.findall(architecture)
    }
    assert len(walks) == 3
    for title, files in walks.items():
        passed = explain if "explain" in title else crawl
        assert [name for name in files if name not in passed | DECLARE] == [], title
