"""The report's page in Chromium, opened from a file: 100,000 rows, and hostile texts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from fixtures.accessibility import violations
from fixtures.command import Command
from sitecrawl.config.installed_browser import find_chromium
from sitecrawl.frontier.base import Candidate, StateOptions
from sitecrawl.frontier.opening import backend
from sitecrawl.frontier.store import Store

ROWS = 100_000
HOSTILE = "<img src=x onerror=alert(1)>'\"</script><script>document.title='broken'</script>"
MAX_SECONDS = 60.0  # generous: the machine may be busy
SITE = "http://site.example"


def in_a_thread(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test in a thread: Playwright needs one without an event loop."""

    @wraps(test)
    def run(**fixtures: Any) -> None:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(test, **fixtures).result()

    return run


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a crawl with 100,000 broken links, some of them of hostile names."""
    folder = tmp_path_factory.mktemp("report")
    setting = f"sqlite:///{folder}/crawl.db"
    with closing(backend(setting).connect()) as database:
        store = Store(
            database, "crawl", {"params": {"start": [SITE]}, "sources": {}}, StateOptions()
        )
        store.add([Candidate(SITE, 0, f"{SITE}/", via="seed")])
        names = (
            f"{SITE}/{number}/{HOSTILE if number % 1000 == 0 else 'page'}"
            for number in range(1, ROWS + 1)
        )
        store.add(
            [
                Candidate(SITE, number, url, 1, "link", f"{SITE}/")
                for number, url in enumerate(names, 1)
            ]
        )
        with database.transaction():
            database.execute(
                "UPDATE url SET outcome = 44, status = 404, reason = ? WHERE fingerprint > 0",
                (HOSTILE,),
            )
        store.close("finished", {})
    page = folder / "report.html"
    command = Command(
        ["report", "-O", str(page), "-s", f"SITECRAWL_DATABASE={setting}"],
        folder,
        output=folder / "out",
        errors=folder / "out",
    )
    try:
        assert command.wait(300) == 0, (folder / "out").read_text()
    finally:
        command.kill()
    return page


@contextmanager
def opened(path: Path, **options: Any) -> Iterator[tuple[Page, list[str]]]:
    """The page in Chromium, with what its console says."""
    said: list[str] = []
    with sync_playwright() as playwright:
        program = find_chromium(os.environ)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            page = browser.new_page(**options)
            page.set_default_timeout(MAX_SECONDS * 1000)
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.on("dialog", lambda dialog: said.append(dialog.message))
            page.goto(path.as_uri())
            yield page, said
        finally:
            browser.close()


def status(page: Page, text: str) -> None:
    """Wait for the status line of the broken links."""
    line = page.locator("#dead_links [role=status]")
    expect(line).to_contain_text(text, timeout=MAX_SECONDS * 1000)


@pytest.mark.behaviour("REP-06")
@in_a_thread
def test_filter_sort_and_pages_at_100_000_rows(report: Path) -> None:
    with opened(report) as (page, said):
        rows = page.locator("#dead_links tbody tr")
        assert rows.count() == 10
        status(page, "1–10 of 100,000")
        page.click("#dead_links .pages button:text('Next')")
        status(page, "51–100 of 100,000")
        assert rows.count() == 50
        page.click("#dead_links th button:text('URL')")
        status(page, "1–50 of 100,000")
        assert page.get_attribute("#dead_links th >> nth=0", "aria-sort") == "ascending"
        first = rows.first.text_content() or ""
        page.click("#dead_links th button:text('URL')")
        page.wait_for_selector("#dead_links th[aria-sort=descending]")
        assert (rows.first.text_content() or "") > first
        page.fill("#dead_links input", "/77")
        status(page, "of 1,111 of 100,000 in all")
        page.fill("#dead_links input", "/no such page/")
        status(page, "Nothing matches.")
        assert said == []


@pytest.mark.behaviour("REP-06")
@in_a_thread
def test_hostile_texts_stay_texts(report: Path) -> None:
    with opened(report) as (page, said):
        page.fill("#dead_links input", "onerror")
        page.click("#dead_links th button:text('URL')")
        page.wait_for_selector("#dead_links th[aria-sort=ascending]")
        assert page.locator("#dead_links img, #dead_links script").count() == 0
        assert page.title() != "broken"
        assert HOSTILE in (page.locator("#dead_links tbody tr").first.text_content() or "")
        with page.expect_download() as saved:
            page.click("#dead_links button:text('JSON')")
        found = json.loads(saved.value.path().read_text())
        assert len(found) == ROWS  # the reason of every row
        assert found[0]["reason"] == HOSTILE
        assert said == []


@pytest.mark.behaviour("REP-06")
@in_a_thread
def test_without_scripts_the_summary_is_there(report: Path) -> None:
    with opened(report, java_script_enabled=False) as (page, _):
        assert "Broken links100,000" in page.inner_text(".figures").replace("\n", "")
        assert page.locator("#dead_links tbody tr").count() == 10
        assert page.is_visible("figure svg") or page.locator("figure").count() == 0


@pytest.mark.behaviour("REP-06")
@in_a_thread
def test_it_is_worked_by_keyboard_and_fits_a_phone(report: Path) -> None:
    with opened(report, viewport={"width": 360, "height": 740}) as (page, said):
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360
        page.focus("#dead_links th button:text('Status')")
        page.keyboard.press("Enter")
        page.wait_for_selector("#dead_links th[aria-sort=descending]")
        unnamed = page.evaluate(
            "[...document.querySelectorAll('input, button')]"
            ".filter(each => !(each.ariaLabel || each.textContent)).length"
        )
        assert unnamed == 0
        assert said == []


@pytest.mark.behaviour("REP-06")
@in_a_thread
def test_no_rule_of_accessibility_is_broken(report: Path) -> None:
    for scheme in ("light", "dark"):
        with opened(report, color_scheme=scheme) as (page, said):
            status(page, "1–10 of 100,000")
            assert violations(page) == []
            page.click("#dead_links .pages button:text('Next')")
            status(page, "51–100 of 100,000")
            page.click("#dead_links th button:text('URL')")
            page.wait_for_selector("#dead_links th[aria-sort=ascending]")
            page.fill("#dead_links input", "/77")
            status(page, "of 1,111 of 100,000 in all")
            assert violations(page) == []
            assert said == []
