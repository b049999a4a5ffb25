"""Commands whose extra is not installed name it, and end as wrong usage."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page
from sitecrawl import install_command

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent.parent
HIDE = """
import os, sys
from importlib.machinery import PathFinder

class Installed(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        hidden = name.partition(".")[0] in os.environ["HIDDEN"].split()
        return None if hidden else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Installed
"""
"""A ``sitecustomize`` module that finds every package but the hidden ones."""
HIDDEN = "elasticsearch lancedb mcp opensearchpy pagefind pyarrow scrapy_playwright"


def scrapy(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``scrapy WORDS`` where no extra is installed."""
    (folder / "hide").mkdir(exist_ok=True)
    (folder / "hide" / "sitecustomize.py").write_text(HIDE)
    given = {"SCRAPY_SETTINGS_MODULE": "sitecrawl.settings", "PYTHONPATH": f"hide:{ROOT}"}
    given["HIDDEN"] = HIDDEN
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *words],
        cwd=folder,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a crawl, and the start of it."""
    folder = tmp_path_factory.mktemp("extras")
    with Server() as server:
        start = f"{server.serve({'/': page(title='Home', text='start')})}/"
        assert CrawlCommand(folder)(start).status == 0
    return folder, start


@pytest.mark.behaviour("SY-17")
@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("opensearch", ("sync", "opensearch://127.0.0.1:9/documents")),
        ("opensearch", ("sync", "elasticsearch+https://127.0.0.1:9/documents", "--dry-run")),
        ("lancedb", ("sync", "lancedb:///store", "-a", "embed=vectors:embed", "--rebuild")),
        ("pagefind", ("sync", "pagefind:///search")),
        ("mcp", ("mcp",)),
        ("mcp", ("mcp", "--http", "9")),
    ],
)
def test_the_extra_is_named(crawled: tuple[Path, str], extra: str, words: tuple[str, ...]) -> None:
    folder, _ = crawled
    done = scrapy(folder, *words)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.rstrip().endswith(f": {install_command(extra)}."), done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "store").exists()
    assert not (folder / "search").exists()


@pytest.mark.behaviour("SY-17")
@pytest.mark.parametrize(
    ("argument", "extra"),
    [
        ("render=auto", "playwright"),
        ("render=playwright", "playwright"),
    ],
)
def test_a_crawl_that_needs_it_requests_nothing(
    server: Server, tmp_path: Path, argument: str, extra: str
) -> None:
    site: dict[str, Page] = {"/": page(title="Home")}
    origin = server.serve(site)
    done = scrapy(tmp_path, "crawl", "site", "-a", f"start={origin}/", "-a", argument)
    assert done.returncode == 2, done.stderr
    assert install_command(extra) in done.stderr
    assert server.log.targets() == []
