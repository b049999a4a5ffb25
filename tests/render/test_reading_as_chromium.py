"""Chromium's reading of a page's markup against ours."""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from sitecrawl.config.installed_browser import find_chromium
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

URL = "http://reading.test/folder/page.html"
SEEN = """() => ({
    base: document.baseURI.split('#')[0],
    links: [...document.querySelectorAll('a[href], area[href], frame[src], iframe[src]')]
        .filter(e => e.namespaceURI.endsWith('xhtml'))
        .map(e => (e.href || e.src).split('#')[0])
})"""
PARTS = (
    *("<base href=/one/>", "<base href=two/>", "<base target=_top>", "<base href=''>"),
    *("<base href='http://other.test/x/y'>", "<BASE HREF=//third.test>", "<base href='data:,x'>"),
    *(
        "<a href=a.html>a</a>",
        "<area nohref href=b.html>",
        "<a href=c.html>c",
        "<a href='?q'>q</a>",
    ),
    *("<table>", "<tr><td>", "</table>", "<svg>", "</svg>", "<select>", "</select>", "<p>", "</p>"),
    *("<template>", "</template>", "<noscript>", "</noscript>", "<textarea>", "</textarea>"),
    *(
        "<head>",
        "</head>",
        "<body>",
        "</body>",
        "</html>",
        "<title>",
        "</title>",
        "text",
        "<!--",
        "-->",
    ),
    *("<frameset>", "</frameset>", "<frame src=f.html>", "<noframes>", "</noframes>", "<math>"),
)


def shown(markups: list[str]) -> list[dict[str, Any]]:
    """Base and links of the documents that Chromium makes; its loop needs a thread of its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_shown, markups).result()


def _shown(markups: list[str]) -> list[dict[str, Any]]:
    with sync_playwright() as playwright:
        program = find_chromium(os.environ)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()

        def answer(route: Any) -> None:
            body = waiting[-1] if route.request.url == URL else ""
            route.fulfill(body=body, content_type="text/html; charset=utf-8")

        page.route("**/*", answer)
        found, waiting = [], markups[::-1]
        while waiting:
            page.goto(URL, wait_until="domcontentloaded")
            found.append(page.evaluate(SEEN))
            waiting.pop()
        browser.close()
    return found


def read(markup: str, *, frames_anywhere: bool = False) -> Page:
    patterns = ("a@href", "area@href", "frame@src", "iframe@src")
    return read_page(
        markup.encode(),
        url=URL,
        content_type="text/html; charset=utf-8",
        headers={},
        options=ReadOptions(
            link_patterns=patterns, repair_links=("frames",) if frames_anywhere else ()
        ),
    )


def made(seed: int, number: int) -> list[str]:
    choose = random.Random(seed)
    parts = (choose.choices(PARTS, k=choose.randint(2, 12)) for _ in range(number))
    return ["<!DOCTYPE html>" + "".join(each) for each in parts]


@pytest.mark.behaviour("L-10", "K-29", "L-01", "L-02", "L-05")
def test_base_and_links_are_the_browsers() -> None:
    markups = made(29, 40)
    differing = []
    for markup, seen in zip(markups, shown(markups), strict=True):
        page = read(markup)
        links = {link.url for link in page.links}
        anywhere = {link.url for link in read(markup, frames_anywhere=True).links}
        missed = set(seen["links"]) - {URL} - links
        if page.base != seen["base"] or missed or links - anywhere:
            differing.append((markup, seen, page.base, missed, links - anywhere))
    assert differing == []
