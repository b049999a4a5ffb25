"""docs/operations.md: its commands run in their order, its files are written, its units are read."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from fixtures.command import FORKED, ROOT, run
from fixtures.postgres import PostgresServer
from fixtures.server import Server, Site, page

pytestmark = pytest.mark.slow
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
FILE = re.compile(r"^`(\S+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CRON = re.compile(r"^\d+ \d+ \* \* \*  ")
SITE: Site = {
    "/": page("/people/jane", "/a", text="Start of the site"),
    "/people/jane": page(text="Jane's page"),
    "/a": page("/missing", text="Another page"),
    "/hook": "",
}


def commands() -> list[str]:
    """The commands of the page as typed, those of cron without their times."""
    lines = [line[4:] for line in PAGE.splitlines() if line.startswith("    ")]
    return [CRON.sub("", line) for line in lines]


def write_files(folder: Path, origin: str) -> None:
    """Write the files of the page, with the test's folder and site."""
    (folder / "bin").mkdir()
    program = folder / "bin" / "sitecrawl"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sitecrawl "$@"\n')
    program.chmod(0o755)
    for name, text in FILE.findall(PAGE):
        (folder / name).write_text(here(text, folder, origin))


def here(text: str, folder: Path, origin: str) -> str:
    """Replace the folders and the site of the page by those of the test."""
    replaced = text.replace("https://example.org", origin).replace("/opt/sitecrawl", str(folder))
    return replaced.replace("/srv/crawls", str(folder))


@pytest.mark.behaviour("OP-01")
def test_the_commands_of_the_page(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = server.serve(SITE)
    write_files(tmp_path, origin)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("SITECRAWL_DATABASE", "")
    said = ""
    for command in commands():
        if command.startswith("pg_dump"):
            continue
        typed = here(command, tmp_path, origin)
        if FORKED.fullmatch(typed):
            program, *words = shlex.split(typed)
            done = run(words, tmp_path, settings="", program=program)
        else:
            shell = ["bash", "-ec", typed]
            done = subprocess.run(
                shell, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
            )
        said += done.stdout + done.stderr
        is_empty = "prune" in command and done.returncode == 1  # nothing is that old
        assert done.returncode == 0 or is_empty, f"{command}: {said}"
    assert f"{origin} was deleted; 2 deletions written" in said  # Jane's page was by then
    with closing(sqlite3.connect(tmp_path / ".sitecrawl" / "docs.db")) as database:
        assert database.execute("SELECT url FROM url").fetchall() == []
        assert database.execute("SELECT body FROM document").fetchall() == []
    assert "Traceback" not in said
    assert "POST" not in {each.method for each in server.log.of(origin)}  # no notice


@pytest.mark.behaviour("OP-01")
def test_the_backup_of_postgresql(tmp_path: Path) -> None:
    (command,) = (each for each in commands() if each.startswith("pg_dump"))
    with PostgresServer() as postgres:
        given = {**os.environ, "SITECRAWL_DATABASE": postgres.url("dumped")}
        subprocess.run(["bash", "-ec", command], cwd=tmp_path, env=given, check=True)
    assert (tmp_path / "docs.dump").stat().st_size


@pytest.mark.behaviour("OP-01")
def test_the_notice_reaches_the_web_hook(server: Server, tmp_path: Path) -> None:
    origin = server.serve({"/hook": ""})
    write_files(tmp_path, origin)
    (tmp_path / "tell").chmod(0o755)
    done = subprocess.run(
        ["./tell"], cwd=tmp_path, input='{"status": 1}', capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [each.method for each in server.log.of(origin)] == ["POST"]


@pytest.mark.behaviour("OP-01")
def test_the_units_of_the_page_are_valid(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed")
    write_files(tmp_path, "https://example.org")
    units = [tmp_path / "crawls.service", tmp_path / "crawls.timer"]
    done = subprocess.run([program, "verify", *units], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
