"""The documentation site is built without a warning: links and anchors exist, each page has a place."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from fixtures.command import ROOT
from sitecrawl.config.installed_browser import find_chromium

for module in ("sphinx", "furo", "myst_parser"):
    pytest.importorskip(module)


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs/site"]
    done = subprocess.run(
        [*command, ".", tmp_path], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    start = (tmp_path / "docs" / "tutorials" / "site-search.html").read_text()
    assert 'pagefind="../../pagefind/"' in start


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of the site with its search, as ``scripts/docs serve`` serves it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with subprocess.Popen(
        [ROOT / "scripts" / "docs", "serve", str(port)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "VIRTUAL_ENV": sys.prefix},
    ) as served:
        assert served.stdout is not None
        try:
            yield next(line for line in served.stdout if "until" in line).partition(",")[0]
        finally:
            os.killpg(served.pid, signal.SIGTERM)


def find_page(address: str, width: int) -> list[str]:
    """Find a page by the site's search in Chromium; return what went wrong."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(os.environ), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": width, "height": 800})
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        page.wait_for_url("**/docs/index.html")
        if width < 1000:
            page.click(".mobile-header label[for=__navigation]")
        page.locator("site-search input").fill("import-config")
        with page.expect_navigation():
            page.locator("site-search a", has_text="import-config").first.click()
        page.locator("article", has_text="import-config").first.wait_for()
        if page.evaluate("document.documentElement.scrollWidth") > width:
            problems.append("wider than the window")
        browser.close()
    return problems


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_its_search_finds_a_page(address: str, width: int) -> None:
    with ThreadPoolExecutor(1) as thread:  # Playwright's own loop
        assert thread.submit(find_page, address, width).result() == []
