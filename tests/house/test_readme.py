"""The README's commands, typed in their order in a folder where the first command failed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.command import ROOT
from fixtures.server import Server, Site, page

pytestmark = pytest.mark.slow
COMMAND = re.compile(r"^    (?:\.venv/bin/)?((?:scrapy|sitecrawl) .*)$", re.MULTILINE)
LEFT_OUT = ("scrapy browse", "config=sites.toml")
"""Commands that serve until they are ended, or need a server of PostgreSQL."""
NOTHING = ("errors", "confirm", "reindex", "--since", "prune")
"""Commands that end with 1 where there is nothing to do, as in a new crawl."""
SITE: Site = {
    "/": page("/intro", text="All of the handbook"),
    "/intro": page(text="Getting started with the handbook"),
}


def typed() -> list[str]:
    """The commands that can be typed one after the other."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Scrapyd\n")[0]
    found = [command.partition("  #")[0].rstrip() for command in COMMAND.findall(text)]
    return [each for each in found if not any(words in each for words in LEFT_OUT)]


@pytest.mark.behaviour("A-20")
def test_the_commands_after_a_failed_one(server: Server, tmp_path: Path) -> None:
    origin = server.serve(SITE)
    shutil.copy(ROOT / "scrapy.cfg", tmp_path)
    for name, module in (("scrapy", "scrapy"), ("sitecrawl", "sitecrawl")):
        (tmp_path / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    given = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    given.pop("SCRAPY_SETTINGS_MODULE", None)
    failed = ["scrapy crawl http://127.0.0.9:9/ -a patience=1"]
    for command in (*failed, *typed()):
        done = subprocess.run(
            ["bash", "-c", command.replace("https://example.org", origin)],
            cwd=tmp_path,
            env=given,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        expected = {0, 1} if any(words in command for words in NOTHING) else {0}
        expected = {1} if command in failed else expected
        assert done.returncode in expected, f"{command}: {done.stderr}"
        assert "Traceback" not in done.stderr
