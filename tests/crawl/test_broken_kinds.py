"""Kinds of pages that answer with an error one and all, on a site that is well otherwise."""

from __future__ import annotations

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Server, Site, page
from fixtures.traps.tarpit import letter

LOW_YIELD = "SELECT url FROM url WHERE reason = 'low_yield' LIMIT 1"
BROKEN = Answer(status=500)
FILES = 40


def asked(server: Server, part: str) -> list[str]:
    """The targets asked for that have a part."""
    return [target for target in server.log.targets() if part in target]


def browser() -> Site:
    """Files, each with two lists of its changes that fail, and the file that it leads to."""
    site: Site = {"/": page("/file/a0", title="Files"), "/robots.txt": ""}
    for n in range(FILES):
        lists = [f"/log/a{n}?revcount=20", f"/graph/a{n}?revcount=20"]
        onward = [f"/file/a{n + 1}"] if n + 1 < FILES else []
        site[f"/file/a{n}"] = page(*lists, *onward, title=f"File {n}", text=letter(n))
        site |= dict.fromkeys(lists, BROKEN)
    return site


@pytest.mark.slow
@pytest.mark.behaviour("Q-41")
def test_a_kind_of_page_that_always_fails_ends_no_crawl(
    server: Server, crawl: CrawlCommand
) -> None:
    site = browser()
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert len(run.documents) == 1 + FILES, run.log[-3000:]
    assert "is given up" not in run.log
    assert 5 <= len(set(asked(server, "revcount"))) <= 60
    [(url,)] = crawl.rows(LOW_YIELD)
    _, said = crawl.command("explain", url)
    assert "brought anything new" in said
    server.log.clear()
    site["/file/a7"] = Answer(status=410)
    again = crawl(f"{origin}/", recrawl=0)
    assert again.deletions == {f"{origin}/file/a7": "gone"}
    assert len(set(asked(server, "revcount"))) <= 12


@pytest.mark.slow
@pytest.mark.behaviour("Q-41")
def test_what_always_failed_is_read_once_it_is_mended(server: Server, crawl: CrawlCommand) -> None:
    site = browser()
    origin = server.serve(site)
    crawl(f"{origin}/")
    broken = [path for path in site if "revcount" in path]
    site.update((path, page(title=path, text=f"{path} {letter(n)}"))
                for n, path in enumerate(broken, start=500))  # fmt: skip
    run = crawl(f"{origin}/")
    assert len(run.documents) >= len(broken) - 6, run.log[-3000:]


@pytest.mark.behaviour("Q-41", "S-10")
def test_an_origin_whose_pages_begin_to_fail_is_given_up(
    server: Server, crawl: CrawlCommand
) -> None:
    site = browser()
    for n in range(20, FILES):
        site[f"/file/a{n}"] = BROKEN
        site["/file/a19"] = page(*(f"/file/a{n}" for n in range(20, FILES)), title="Last")
    run = crawl(f"{server.serve(site)}/")
    assert "is given up for this run" in run.log
    assert len([path for path in set(asked(server, "/file/")) if int(path[7:]) >= 20]) <= 5
