"""Commands that only read need no right to write: to the file, its folder or its disk."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page
from sitecrawl.frontier.database import FIRST_VERSION

pytestmark = pytest.mark.slow

WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Root obeys the modes of files only without these capabilities."""


@pytest.fixture
def stored(server: Server, crawl: CrawlCommand) -> Iterator[Path]:
    """A crawl database of two documents, that can be written again at the end."""
    origin = server.serve({"/": page("/a", text="Home"), "/a": page(text="A")})
    assert crawl(f"{origin}/", crawl_name="kept").status == 0
    folder = crawl.directory / ".sitecrawl"
    yield folder / "kept.db"
    folder.chmod(0o755)


def scrapy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command on the crawl database as somebody without special rights."""
    command = [*(WITHOUT_RIGHTS if os.geteuid() == 0 else []), sys.executable, "-m", "scrapy"]
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("modes", [(0o444, 0o755), (0o644, 0o555), (0o444, 0o555)])
def test_a_database_that_cannot_be_written_is_read(stored: Path, modes: tuple[int, int]) -> None:
    stored.chmod(modes[0])
    stored.parent.chmod(modes[1])
    exported = scrapy(stored.parent.parent, "export")
    assert (exported.returncode, exported.stderr) == (0, "")
    assert len(exported.stdout.splitlines()) == 2
    counted = scrapy(stored.parent.parent, "frontier")
    assert (counted.returncode, counted.stderr) == (0, "")
    assert sorted(path.name for path in stored.parent.iterdir()) == ["kept.db"]


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (FIRST_VERSION - 1, "give a new database, or install that one"),
        (FIRST_VERSION, "run the command once on a copy that can be written"),
    ],
)
def test_one_of_an_older_version_says_so(stored: Path, version: int, words: str) -> None:
    with closing(sqlite3.connect(stored)) as database, database:
        database.execute("UPDATE crawl SET version = ?", (version,))
    stored.chmod(0o444)
    shown = scrapy(stored.parent.parent, "export")
    assert (shown.returncode, shown.stdout) == (3, "")
    assert words in shown.stderr


def test_what_would_change_it_says_that_it_cannot(stored: Path) -> None:
    stored.chmod(0o444)
    stored.parent.chmod(0o555)
    changed = scrapy(stored.parent.parent, "frontier", "clear-errors")
    assert changed.returncode == 3
    assert "cannot be written; check the permissions of the file" in changed.stderr
    assert len(changed.stderr.splitlines()) == 1


def test_a_log_beside_it_counts(stored: Path, tmp_path: Path) -> None:
    """Changes that a killed worker left in its write-ahead log are read."""
    killed = tmp_path / "killed" / ".sitecrawl"
    killed.mkdir(parents=True)
    script = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
        "c.execute('DELETE FROM document'); c.commit(); os._exit(0)"
    )
    shutil.copy(stored, killed)
    subprocess.run([sys.executable, "-c", script, str(killed / "kept.db")], check=True)
    (killed / "kept.db-shm").unlink()
    assert (killed / "kept.db-wal").stat().st_size
    for path in (*killed.iterdir(), killed):
        path.chmod(0o555 if path.is_dir() else 0o444)
    exported = scrapy(killed.parent, "export")
    killed.chmod(0o755)
    assert exported.returncode == 3
    assert exported.stdout == ""
    assert "copy both files" in exported.stderr
