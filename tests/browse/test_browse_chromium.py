"""`scrapy browse` in a real Chromium: without scripts, by keyboard, light, dark and narrow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from browsing import Shown
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

from fixtures.accessibility import violations
from sitecrawl.config.installed_browser import find_chromium

pytestmark = pytest.mark.slow
PATHS = {
    "home": "/",
    "search": "/search?q=folder+archive",
    "nothing found": "/search?q=nonexistent",
    "text": "/document?url={origin}/docs/guide",
    "hostile": "/document?url={origin}/docs/hostile",
    "markdown": "/document?url={origin}/docs/guide&view=markdown",
    "fields": "/document?url={origin}/docs/guide&view=fields",
    "history": "/document?url={origin}/docs/guide&view=history",
    "why": "/document?url={origin}/private/x&view=why",
    "folder": "/site",
    "crawl": "/crawl",
    "problem": "/nothing",
}
CHECKS = """() => {
  const problems = [];
  for (const one of ['h1', 'main', 'header', 'nav', 'footer'])
    if (!document.querySelector(one)) problems.push('no ' + one);
  if (document.querySelectorAll('h1').length !== 1) problems.push('not one h1');
  if (document.querySelectorAll('main').length !== 1) problems.push('not one main');
  let level = 0;
  for (const e of document.querySelectorAll('h1, h2, h3, h4, [role=heading]')) {
    const now = Number(e.getAttribute('aria-level') || e.tagName.slice(1));
    if (now > level + 1 && !e.closest('article')) problems.push('heading skips to ' + now);
    level = now;
  }
  for (const e of document.querySelectorAll('th')) if (!e.scope) problems.push('th without scope');
  for (const e of document.querySelectorAll('table'))
    if (!e.querySelector('thead')) problems.push('table without head');

  const parse = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const found = parse(getComputedStyle(e).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  for (const e of document.querySelectorAll('input, select')) {
    const ratio = contrast(parse(getComputedStyle(e).borderTopColor), ground(e.parentElement));
    if (ratio < 3) problems.push(ratio.toFixed(2) + ' contrast of a border: ' + e.outerHTML);
  }
  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) problems.push('page is ' + width + ' wide');
  return problems;
}"""
"""Rules besides those of axe-core: landmarks, headings, heads of tables, borders, reflow."""


LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1100, "height": 800}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1100, "height": 800}},
    "narrow": {"color_scheme": "light", "viewport": {"width": 320, "height": 800}},
}
Visit = Callable[[Page], Any]
Visiting = Callable[..., Any]


@pytest.fixture(scope="module")
def visiting() -> Iterator[Visiting]:
    """``visiting(visit, **options)`` calls ``visit`` with a page of Chromium.

    Playwright's loop needs a thread of its own beside that of the tests.
    """
    with ThreadPoolExecutor(1) as thread:
        playwright = thread.submit(sync_playwright().start).result()
        program = find_chromium(os.environ)
        launch = partial(playwright.chromium.launch, executable_path=program, args=["--no-sandbox"])
        browser: Browser = thread.submit(launch).result()

        def visit_page(visit: Visit, options: dict[str, Any]) -> Any:
            context = browser.new_context(**options)
            try:
                return visit(context.new_page())
            finally:
                context.close()

        yield lambda visit, **options: thread.submit(visit_page, visit, options).result()
        thread.submit(browser.close).result()
        thread.submit(playwright.stop).result()


@pytest.mark.behaviour("BR-06")
@pytest.mark.parametrize("look", LOOKS)
def test_people_with_every_device_can_use_it(shown: Shown, visiting: Visiting, look: str) -> None:
    asked: list[str] = []
    said: list[str] = []

    def visit(page: Page) -> dict[str, list[str]]:
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        found = {}
        for name, path in PATHS.items():
            page.goto(shown.app.address + path.format(origin=shown.origin))
            found[name] = page.evaluate(CHECKS) + violations(page)
        return found

    assert visiting(visit, **LOOKS[look]) == {name: [] for name in PATHS}
    assert [url for url in asked if not url.startswith(f"{shown.app.address}/")] == []
    assert [text for text in said if "404" not in text] == []


def test_the_checks_find_what_is_wrong(visiting: Visiting) -> None:
    bad = """<main><h1>x</h1><h3>skips</h3><p style="color: #999">pale</p><a href=/></a>
        <input style="border: 1px solid #ddd"><table><tr><th>x</table>
        <div style="width: 2000px">wide</div></main>"""

    def visit(page: Page) -> str:
        page.set_content(bad)
        return " ".join(page.evaluate(CHECKS) + violations(page))

    found = visiting(visit)
    for problem in ("skips to 3", "no nav", "th without", "table without", "of a border", "wide"):
        assert problem in found
    for rule in ("html-has-lang", "color-contrast", "label", "link-name"):
        assert f"{rule} [" in found


@pytest.mark.behaviour("BR-06")
def test_the_keyboard_alone_finds_and_reads_a_page(shown: Shown, visiting: Visiting) -> None:
    def visit(page: Page) -> None:
        page.goto(shown.app.address)
        page.locator("input:focus").wait_for()  # the box gets the focus when it is drawn
        page.keyboard.type("folder archive")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?q=folder+archive*")
        page.keyboard.press("Tab")
        skip = page.locator(":focus")
        assert skip.inner_text() == "Skip to content"
        box = skip.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        page.keyboard.press("Enter")
        for _ in range(12):
            page.keyboard.press("Tab")
            focused = page.locator(":focus")
            assert "none" not in focused.evaluate("e => getComputedStyle(e).outlineStyle")
            if "/document" in (focused.get_attribute("href") or ""):
                break
        page.keyboard.press("Enter")
        page.wait_for_url("**/document?url=*")
        assert page.locator("h1").inner_text() == "Guide to <em> & co"
        views = page.locator("nav[aria-label='Views of the document']")
        assert views.locator("[aria-current]").inner_text() == "Text"

    visiting(visit, java_script_enabled=False)


@pytest.mark.behaviour("BR-03")
def test_a_hostile_page_runs_nothing_and_loads_nothing(shown: Shown, visiting: Visiting) -> None:
    asked: list[str] = []
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    def visit(page: Page) -> None:
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", dismiss)
        for look in ("text", "markdown", "fields", "history", "why"):
            page.goto(f"{shown.app.address}/document?url={shown.origin}/docs/hostile&view={look}")
            page.mouse.move(400, 300)
            assert page.title().startswith("<script>alert(1)</script>")
        page.goto(f"{shown.app.address}/search?q=hostile")
        assert page.locator("h3", has_text="<script>alert(1)</script>").count() == 1

    visiting(visit)
    assert dialogs == []
    assert all(url.startswith(shown.app.address) for url in asked), asked


@pytest.mark.behaviour("BR-06")
def test_a_section_of_a_result_is_shown_where_it_is(shown: Shown, visiting: Visiting) -> None:
    def visit(page: Page) -> str:
        page.goto(f"{shown.app.address}/search?q=archive+folder")
        page.get_by_role("link", name="As crawled").click()
        page.wait_for_url("**#at-install")
        return page.locator(":target").inner_text()

    assert visiting(visit) == "Installation"


@pytest.mark.behaviour("BR-11")
@pytest.mark.parametrize("look", LOOKS)
def test_the_search_box_of_another_site_is_used_by_keyboard(
    shown: Shown, visiting: Visiting, look: str
) -> None:
    said: list[str] = []

    def visit(page: Page) -> list[str]:
        page.on("console", lambda message: said.append(message.text))
        page.goto(shown.embedding)
        page.keyboard.press("/")
        page.keyboard.type("folder archive")
        page.locator("site-search mark", has_text="archive").first.wait_for()  # all is typed
        assert page.get_by_role("status").inner_text() == "Results: 1"
        page.keyboard.press("ArrowDown")
        chosen = page.locator("[aria-selected=true]")
        assert chosen.get_attribute("href") == f"{shown.origin}/docs/guide#install"
        problems = violations(page)
        page.keyboard.press("Escape")
        assert page.get_by_role("combobox").get_attribute("aria-expanded") == "false"
        page.keyboard.press("Enter")
        page.wait_for_url(f"{shown.origin}/docs/guide#install")
        return problems

    assert visiting(visit, **LOOKS[look]) == []
    assert [text for text in said if "404" not in text] == []


@pytest.mark.behaviour("BR-11")
def test_the_search_box_suggests_words_where_there_is_no_result(
    shown: Shown, visiting: Visiting
) -> None:
    def visit(page: Page) -> tuple[str, list[str], str]:
        page.goto(shown.embedding)
        box = page.get_by_role("combobox")
        box.fill("folder archive")
        page.get_by_role("option").first.wait_for()
        page.keyboard.press("ArrowDown")
        assert box.get_attribute("aria-activedescendant") == "option-0"
        box.fill("installasshun")
        button = page.get_by_role("button", name="installation")
        button.wait_for()
        none, problems = page.get_by_role("status").inner_text(), violations(page)
        assert box.get_attribute("aria-activedescendant") is None
        button.click()
        page.get_by_role("option").first.wait_for()
        return none, problems, box.input_value()

    none, problems, searched = visiting(visit)
    assert none.startswith("No page has these words.")
    assert (problems, searched) == ([], "installation")
