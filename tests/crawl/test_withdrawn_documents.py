"""Documents that repeat others: withdrawn also of an origin that is down, for pages that are not."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from itertools import count

import pytest

from fixtures.crawls import CrawlCommand, standing
from fixtures.databases import KINDS, Databases
from fixtures.faults import ADDON, FAULT
from fixtures.server import Answer, Page, Request, Server, Site
from tests.crawl.test_template_worth import code_browser

BROKEN = Answer(status=502)
READ = 57
"""Answers of the code browser after which kinds of views are judged, and some pages are left."""


def down_after(site: Site, answers: int) -> Site:
    """The site, each page of which answers with an error once there were so many answers."""
    served = count()

    def failing(found: Page) -> Callable[[Request], Page]:
        return lambda _: found if next(served) < answers else BROKEN

    pages: Site = {path: failing(found) for path, found in site.items()}
    return {**pages, "/robots.txt": ""}


@pytest.mark.behaviour("Q-40")
@pytest.mark.parametrize("kind", KINDS)
def test_views_are_withdrawn_of_an_origin_that_is_given_up(
    server: Server, crawl: CrawlCommand, databases: Databases, kind: str
) -> None:
    settings = {"SITECRAWL_DATABASE": databases.url(kind, crawl.directory)}
    site = code_browser()
    origin = server.serve(down_after(site, READ))
    files = {f"{origin}{path}" for path in site if "/tree/" in path and "?" not in path}
    run = crawl(f"{origin}/", settings=settings)
    assert "is given up for this run" in run.log
    assert files <= run.kept
    assert len(run.kept - files) <= 4
    assert len(run.documents) > len(run.kept) + 20
    assert set(run.deletions.values()) == {"near_copy"}
    moved = {line["moved_to"] for line in run.lines if line["op"] == "delete"}
    assert moved <= run.kept
    assert not crawl(f"{origin}/", settings=settings, recrawl=0).lines


@pytest.mark.behaviour("Q-40")
def test_nothing_is_withdrawn_for_pages_that_an_origin_does_not_answer(
    server: Server, crawl: CrawlCommand
) -> None:
    site = code_browser()
    origin = server.serve(site)
    first = crawl(f"{origin}/", max_pages=READ)  # a limited run withdraws nothing
    fine = dict(site)
    site.update((path, BROKEN) for path in fine if "/tree/" in path)
    down = crawl(f"{origin}/", recrawl=0, retries=0, patience=30)
    assert "is given up for this run" in down.log
    assert not down.deletions
    site.update(fine)
    back = crawl(f"{origin}/", recrawl=0)
    views = {url for url in first.kept if "/tree/" not in url and url != f"{origin}/"}
    assert views <= back.deletions.keys()


@pytest.mark.behaviour("Q-34")
@pytest.mark.parametrize(
    ("moment", "workers"),
    [
        ("before", 1),
        ("after", 1),
        pytest.param("before", 2, marks=pytest.mark.slow),
        pytest.param("after", 2, marks=pytest.mark.slow),
    ],
)
def test_a_kill_at_the_withdrawal_loses_and_repeats_none(
    server: Server, crawl: CrawlCommand, monkeypatch: pytest.MonkeyPatch, moment: str, workers: int
) -> None:
    site = code_browser()
    origin = server.serve(site)
    monkeypatch.setenv(FAULT, f"withdraw {moment} 1")
    killed = crawl(f"{origin}/", settings={"ADDONS": ADDON}, workers=workers)
    assert killed.status == -signal.SIGKILL or "died (signal 9)" in killed.log
    monkeypatch.delenv(FAULT)
    server.log.clear()
    run = crawl(f"{origin}/")
    assert len(server.log.targets()) < 20, "the pages are not read again"
    files = {f"{origin}{path}" for path in site if "/tree/" in path and "?" not in path}
    assert files <= standing(killed, run)
    assert len(standing(killed, run) - files) <= 4
    deleted = [line["url"] for each in (killed, run) for line in each.lines
               if line["op"] == "delete"]  # fmt: skip
    assert len(deleted) > 20
    assert set(Counter(deleted).values()) == {1}
