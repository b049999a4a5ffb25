"""Lines on their way to a file: whatever kills a crawl, none is lost to who reads its file."""

from __future__ import annotations

import csv
import gzip
import json
import signal
import time
from collections import Counter
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from fixtures.command import Command
from fixtures.faults import ADDON, FAULT, MARK_SECONDS
from fixtures.server import Page, Server, page
from sitecrawl.output.feeds import cut_partial_record

PATHS = [f"/p{n}" for n in range(60)]
SITE: dict[str, Page] = {
    "/": page(*PATHS, text="Home"),
    **{path: page(text=f"Page {path}\nsecond line") for path in PATHS},
}
LINES = {"format": "jsonlines"}
GZIP = "scrapy.extensions.postprocessing.GzipPlugin"
Site = dict[str, Page]


class Crawls:
    """Runs of one command in one folder."""

    def __init__(self, folder: Path, origin: str, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.origin = origin
        self.log = ""
        self._patch = patch

    def begin(self, *output: str, fault: str = "", **arguments: object) -> Command:
        """Start the command; a ``fault`` is POINT MOMENT PASSES."""
        self._patch.setenv(MARK_SECONDS, "0.05")
        self._patch.delenv(FAULT, raising=False)
        if fault:
            self._patch.setenv(FAULT, fault)
        given = {"start": f"{self.origin}/", "delay": 0, **arguments}
        options = [word for name, value in given.items() for word in ("-a", f"{name}={value}")]
        command = ["crawl", "site", *output, *options, "-s", f"ADDONS={ADDON}"]
        return Command(command, self.folder, errors=self.folder / "log")

    def finish(self, command: Command) -> int:
        """Wait for its end."""
        try:
            return command.wait(120)
        finally:
            command.kill()
            self.log = (self.folder / "log").read_text("utf-8")

    def run(self, *output: str, fault: str = "", **arguments: object) -> int:
        """Run the command to its end; its status."""
        return self.finish(self.begin(*output, fault=fault, **arguments))

    def urls(self, name: str = "out.jsonl") -> Counter[str]:
        """The paths in a file, each with how often it is there."""
        text = (self.folder / name).read_text("utf-8")
        return Counter(
            json.loads(line)["url"].removeprefix(self.origin) for line in text.split("\n")[:-1]
        )


@pytest.fixture
def site() -> Site:
    """A site of 61 pages."""
    return dict(SITE)


@pytest.fixture
def crawls(tmp_path: Path, server: Server, site: Site, monkeypatch: pytest.MonkeyPatch) -> Crawls:
    """The command, on the site."""
    return Crawls(tmp_path, server.serve(site), monkeypatch)


ALL = Counter(["/", *PATHS])


def feeds(name: str, **options: Any) -> tuple[str, str]:
    """A feed as a setting."""
    return "-s", f"FEEDS={json.dumps({name: {**LINES, **options}})}"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["-O", "-o"])
@pytest.mark.parametrize("fault", ["export before 30", "fsync after 3", "commit after 2"])
def test_a_killed_crawl_goes_on_with_its_file(fault: str, way: str, crawls: Crawls) -> None:
    assert crawls.run(way, "out.jsonl", fault=fault) == -signal.SIGKILL
    assert crawls.run(way, "out.jsonl") == 0
    assert crawls.urls().keys() == ALL.keys()
    if way == "-O":
        assert crawls.urls() == ALL  # what was not marked is cut before it comes again


def test_a_crawl_that_ended_well_has_its_file_written_anew(crawls: Crawls, site: Site) -> None:
    assert crawls.run("-O", "out.jsonl") == 0
    assert crawls.urls() == ALL
    assert crawls.run("-O", "out.jsonl", force=1) == 0
    assert "No line was written" in crawls.log
    assert crawls.urls() == ALL
    site["/p1"] = page(text="Another text")
    assert crawls.run("-O", "out.jsonl", force=1) == 0
    assert crawls.urls() == Counter(["/p1"])
    assert "was overwritten and holds only the lines of this run" in crawls.log


def test_an_interrupted_crawl_goes_on_with_its_file(crawls: Crawls, server: Server) -> None:
    command = crawls.begin("-O", "out.jsonl", delay=0.1)
    wait_for(lambda: len(server.log.targets()) > 10, command)
    command.send_signal(signal.SIGINT)
    assert crawls.finish(command) == 130
    assert 0 < len(crawls.urls()) < len(ALL)
    assert crawls.run("-O", "out.jsonl") == 0
    assert crawls.urls() == ALL
    assert "after those of an earlier run that did not end" in crawls.log


@pytest.mark.parametrize("way", ["-O", "-o"])
def test_the_file_of_a_killed_crawl_that_is_gone_is_written_again(way: str, crawls: Crawls) -> None:
    assert crawls.run(way, "out.jsonl", fault="commit after 2") == -signal.SIGKILL
    (crawls.folder / "out.jsonl").write_text('{"url": "/other"}\n')
    assert crawls.run(way, "out.jsonl") == 0
    assert "are no longer in" in crawls.log
    assert "they are written again" in crawls.log
    assert crawls.urls() == ALL + Counter({"/other": 1} if way == "-o" else {})


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["deleted", "replaced", "truncated", "moved"])
def test_a_file_that_goes_while_it_is_written_ends_the_crawl(harm: str, crawls: Crawls) -> None:
    output = crawls.folder / "out.jsonl"
    command = crawls.begin("-O", "out.jsonl", delay=0.05)
    wait_for(lambda: output.exists() and len(crawls.urls()) > 10, command)
    match harm:
        case "deleted":
            output.unlink()
        case "replaced":
            (crawls.folder / "other").write_text("")
            (crawls.folder / "other").replace(output)
        case "truncated":
            output.write_text("")
        case "moved":
            output.rename(crawls.folder / "moved")
    assert crawls.finish(command) == 1
    assert "it was deleted, replaced or truncated while it was written" in crawls.log
    assert crawls.run("-O", "out.jsonl") == 0
    assert crawls.urls().keys() == ALL.keys()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["-O", "-o"])
def test_a_compressed_file_is_whole_after_a_kill(way: str, crawls: Crawls, site: Site) -> None:
    output = crawls.folder / "out.jsonl.gz"
    feed = feeds("out.jsonl.gz", overwrite=way == "-O", postprocessing=[GZIP])
    assert crawls.run(*feed) == 0
    first = output.read_bytes()
    site.update({path: page(text=f"Page {path}\nsecond line edited") for path in PATHS})
    for fault in ("export before 30", "store before 1"):
        assert crawls.run(*feed, fault=fault, force=1) == -signal.SIGKILL
        assert output.read_bytes() == first
    assert crawls.run(*feed) == 0
    lines = [json.loads(line) for line in gzip.decompress(output.read_bytes()).splitlines()]
    assert len(lines) == len(PATHS) + (len(ALL) if way == "-o" else 0)
    assert [path.name for path in crawls.folder.glob("out*")] == ["out.jsonl.gz"]


def test_a_compressed_file_of_an_interrupted_crawl_is_completed(
    crawls: Crawls, server: Server
) -> None:
    feed = feeds("out.jsonl.gz", overwrite=True, postprocessing=[GZIP])
    command = crawls.begin(*feed, delay=0.1)
    wait_for(lambda: len(server.log.targets()) > 10, command)
    command.send_signal(signal.SIGINT)
    assert crawls.finish(command) == 130
    assert crawls.run(*feed) == 0
    lines = gzip.decompress((crawls.folder / "out.jsonl.gz").read_bytes()).splitlines()
    assert len(lines) == len(ALL)


@pytest.mark.parametrize("way", ["-O", "-o"])
def test_csv_is_whole_after_a_kill(way: str, crawls: Crawls) -> None:
    output = crawls.folder / "out.csv"
    assert crawls.run(way, "out.csv", fault="commit after 2") == -signal.SIGKILL
    assert crawls.run(way, "out.csv") == 0
    rows = list(csv.DictReader(StringIO(output.read_text("utf-8"))))
    assert {row["url"].removeprefix(crawls.origin) for row in rows} == ALL.keys()
    assert not any(row["op"] == "op" for row in rows)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ""),
        ("a,b", ""),
        ("a,b\r\n1,2", "a,b\r\n"),
        ('a,b\n1,"half\nof', "a,b\n"),
        ('a,b\n1,"two\nlines"\n', 'a,b\n1,"two\nlines"\n'),
        ('a,b\n1,"a ""quoted""\nword"\n2,"an ""', 'a,b\n1,"a ""quoted""\nword"\n'),
        (f'a,b\n1,"{70000 * "x"}\n"\n2,"{70000 * "y"}\n', f'a,b\n1,"{70000 * "x"}\n"\n'),
    ],
)
def test_csv_is_cut_to_whole_records(text: str, left: str, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    file.write_text(text, "utf-8", newline="")
    assert cut_partial_record(str(file)) == len(text) - len(left)
    assert file.read_bytes().decode() == left


@pytest.mark.parametrize("plugins", [[], [GZIP]])
def test_batches_of_a_killed_crawl_are_not_overwritten(plugins: list[str], crawls: Crawls) -> None:
    options = {"postprocessing": plugins} if plugins else {}
    feed = feeds("part-%(batch_id)d", overwrite=True, batch_item_count=7, **options)
    assert crawls.run(*feed, fault="commit after 3") == -signal.SIGKILL
    assert crawls.run(*feed) == 0
    found: Counter[str] = Counter()
    for path in crawls.folder.glob("part-*[0-9]"):
        text = path.read_bytes()
        lines = (gzip.decompress(text) if plugins else text).splitlines()
        assert 0 < len(lines) <= 7
        found += Counter(json.loads(line)["url"].removeprefix(crawls.origin) for line in lines)
    assert found.keys() == ALL.keys()


def wait_for(condition: Callable[[], bool], command: Command) -> None:
    """Return when the condition holds, while the command runs."""
    while not condition():
        assert command.poll() is None, "the crawl ended by itself"
        time.sleep(0.02)
