"""Pagefind's program: many pages in flight, answers in any order, and one line when it fails."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fixtures.command import run
from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page
from sitecrawl.sync.pagefind_target import IN_FLIGHT, PagefindService
from sitecrawl.sync.target import SyncError

PAGES = 3 * IN_FLIGHT
# The program, but pages are answered in reverse once as many are sent as may be in flight.
REVERSED = """
import base64, json, sys
held = []
def say(message):
    sys.stdout.write(base64.b64encode(json.dumps(message).encode()).decode() + ",")
    sys.stdout.flush()
sent = b""
while byte := sys.stdin.buffer.read1(65536):
    *whole, sent = (sent + byte).split(b",")
    for each in whole:
        request = json.loads(base64.b64decode(each))
        number, kind = request["message_id"], request["payload"]["type"]
        if kind == "AddFile":
            held.append({"message_id": number, "payload": {"type": "IndexedFile"}})
            if len(held) == MANY:
                for answer in reversed(held):
                    say(answer)
                held.clear()
        else:
            say({"message_id": number, "payload": {"type": kind, "index_id": 1}})
""".replace("MANY", str(IN_FLIGHT))
REFUSES = """
import base64, json
message = {"message_id": 1, "payload": {"type": "Error", "message": "No such thing"}}
print(base64.b64encode(json.dumps(message).encode()).decode(), end=",", flush=True)
input()
"""
BABBLES = "print('panicked at somewhere', flush=True)"
WRONG = "print('%%%,', flush=True); input()"


def program(folder: Path, text: str) -> str:
    """The path of a program that is Python."""
    file = folder / "pagefind"
    file.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def add_pages(folder: Path | None = None) -> None:
    """Add pages, and write the bundle, in a loop of its own."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, _add_pages(folder)).result()


async def _add_pages(folder: Path | None) -> None:
    async with PagefindService() as service:
        index = await service.create_index()
        pages = (
            (f"https://example.org/{n}", f"<html lang=en><body><p>Page {n} of many")
            for n in range(PAGES)
        )
        await service.add_pages(index, pages)
        if folder is not None:
            await service.write_files(index, folder)


@pytest.mark.behaviour("SY-22")
def test_every_page_is_in_the_bundle(tmp_path: Path) -> None:
    add_pages(tmp_path)
    assert len([*tmp_path.rglob("*.pf_fragment")]) == PAGES


@pytest.mark.behaviour("SY-22")
def test_answers_come_in_any_order_and_many_pages_are_in_flight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGEFIND_BINARY_PATH", program(tmp_path, REVERSED))
    add_pages()


@pytest.mark.behaviour("SY-22")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has ended"),
        (REFUSES, "Pagefind: No such thing"),
        (BABBLES, "panicked at somewhere"),
        (WRONG, "cannot be read"),
    ],
)
def test_a_program_that_fails_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setenv("PAGEFIND_BINARY_PATH", program(tmp_path, text))
    with pytest.raises(SyncError, match=said):
        add_pages()


@pytest.mark.behaviour("SY-22")
def test_a_sync_ends_with_one_line_when_the_program_fails(
    server: Server, crawl: CrawlCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl(f"{server.serve({'/': page(title='Home', text='Some text')})}/")
    monkeypatch.setenv("PAGEFIND_BINARY_PATH", program(tmp_path, REFUSES))
    done = run(["sync", f"pagefind:///{tmp_path}/search"], tmp_path, settings="sitecrawl.settings")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "Pagefind: No such thing" in done.stderr
    assert not (tmp_path / "search" / "pagefind").exists()
