"""Commands whose standard output is closed, full or read by nobody, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from saying import Crawled

from fixtures.command import Command
from fixtures.server import Page, page

pytestmark = pytest.mark.slow

SITE: dict[str, Page] = {"/": page("/a"), "/a": page()}
OPTIONS: dict[str, object] = {}
SCRAPY = [sys.executable, "-m", "scrapy"]


WORDS = ["frontier", "frontier --json", "explain", "explain --json", "reindex"]
FEW = pytest.mark.parametrize("words", ["frontier", "explain --json", "reindex"], indirect=True)
"""Those of each kind: their processes are not forked, and take a second each."""


@pytest.fixture(params=WORDS)
def words(request: pytest.FixtureRequest, known: Crawled) -> list[str]:
    """A command that prints something."""
    name, *options = str(request.param).split()
    return [name, f"{known.origin}/a", *options] if name == "explain" else [name, *options]


@pytest.mark.usefixtures("say")
def test_a_full_disk_behind_standard_output(words: list[str], tmp_path: Path) -> None:
    full, errors = Path("/dev/full"), tmp_path / "errors"
    assert Command(words, tmp_path, output=full, errors=errors).wait(300) == 2
    said = errors.read_text("utf-8")
    assert said == "standard output cannot be written: No space left on device.\n"


@FEW
@pytest.mark.usefixtures("say")
def test_standard_output_that_nobody_reads(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(
        [*SCRAPY, *words], stdout=writer, stderr=subprocess.PIPE, check=False, timeout=300
    )
    os.close(writer)
    assert (run.stderr, run.returncode) == (b"", int(words[0] == "reindex"))


@FEW
@pytest.mark.usefixtures("say")
def test_standard_output_that_is_closed(words: list[str]) -> None:
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *SCRAPY, *words]
    run = subprocess.run(closed, capture_output=True, check=False, timeout=300)
    assert (run.stderr, run.returncode) == (b"", int(words[0] == "reindex"))


@pytest.mark.usefixtures("say", "known")
def test_what_is_wrong_is_not_written_to_the_output_where_standard_error_is_closed() -> None:
    closed = ["sh", "-c", 'exec "$@" 2>&-', "sh", *SCRAPY, "export", "-o", "no/such/folder"]
    run = subprocess.run(closed, capture_output=True, check=False, timeout=300)
    assert (run.stdout, run.returncode) == (b"", 2)


@pytest.mark.usefixtures("say", "known")
def test_ctrl_c_amid_a_command_is_one_line(tmp_path: Path) -> None:
    lines, errors = tmp_path / "lines", tmp_path / "errors"
    os.mkfifo(lines)
    command = Command(["frontier", "import", str(lines)], tmp_path, errors=errors)
    with lines.open("w"):  # which waits until the command has opened it as well
        command.send_signal(signal.SIGINT)
    # A signal right before a read that blocks is heeded behind that: the file had to end.
    assert command.wait(300) == 130
    assert errors.read_text("utf-8") == "Interrupted.\n"
