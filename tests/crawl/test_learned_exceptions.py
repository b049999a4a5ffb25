"""Exceptions to learned rules that no test has met, several workers, and killed ones."""

from __future__ import annotations

import json
import re
import time

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.databases import KINDS, Databases
from fixtures.server import Page, Server, page

PAGES = 80


def leaf(number: object, *links: str) -> str:
    """A page with a text of its own, long enough to be evidence."""
    text = " ".join(f"sentence {number} says word{number}x{each}." for each in range(20))
    anchors = "".join(f'<a href="{link}"></a>' for link in links)
    return page(title=f"Page {number}", text=text, body=anchors)


def folders() -> dict[str, Page]:
    """Pages below ``/``, and the same ones below ``/en/`` on a list of their own."""
    names = [f"p{n}.html" for n in range(PAGES)]
    site: dict[str, Page] = {"/": page(*(f"/{name}" for name in names), "/en/", title="Home")}
    site["/en/"] = page(*(f"/en/{name}" for name in names), title="English")
    for n, name in enumerate(names):
        site[f"/{name}"] = site[f"/en/{name}"] = leaf(n)
    return site


def titles(run: Crawl) -> set[str]:
    """The different titles that a run wrote."""
    return {line["title"] for line in run.documents.values()}


def pages(server: Server) -> list[str]:
    """The pages that were asked for."""
    return [target for target in server.log.targets() if target != "/robots.txt"]


@pytest.mark.behaviour("DU-22", "DU-27")
def test_a_rare_exception_to_which_its_counterpart_links_is_found_in_the_same_run(
    server: Server, crawl: CrawlCommand
) -> None:
    site = folders()
    site["/p33.html"] = leaf(33, "/en/p33.html")
    site["/en/p33.html"] = leaf("other 33")
    run = crawl(f"{server.serve(site)}/")
    assert run.status == 0, run.log[-3000:]
    assert titles(run) == {f"Page {n}" for n in range(PAGES)} | {
        *("Page other 33", "Home", "English")
    }
    assert len(set(pages(server))) == len(site)  # all that the rule left out
    _, said = crawl.command("frontier", "rules")
    withdrawn = [line for line in said.splitlines() if "withdrawn" in line and "/en/*" in line]
    assert any(line.endswith("/en/p33.html") for line in withdrawn)


@pytest.mark.behaviour("DU-22", "DU-27")
def test_an_exception_that_no_sample_met_is_found_by_a_later_run(
    server: Server, crawl: CrawlCommand
) -> None:
    site = folders()
    origin = server.serve(site)
    crawl(f"{origin}/")
    left_out = "SELECT url FROM url WHERE reason = 'learned_duplicate' ORDER BY id"
    *_, before, (exception,) = crawl.rows(left_out)[:3]
    site[exception.removeprefix(origin)] = leaf("new")
    runs = []
    for _ in range(6):
        server.log.clear()
        runs.append(crawl(f"{origin}/", recrawl=0))
        if "Page new" in titles(runs[-1]):
            break
        assert len(pages(server)) < len(site)
    assert "Page new" in titles(runs[-1])
    assert 1 < len(runs) < 6 or before
    assert crawl.rows(left_out) == []


@pytest.mark.slow
@pytest.mark.behaviour("DU-28")
@pytest.mark.parametrize("kind", KINDS)
def test_rules_survive_a_killed_worker_and_are_shared_by_two(
    server: Server, crawl: CrawlCommand, databases: Databases, kind: str
) -> None:
    settings = {"SITECRAWL_DATABASE": databases.url(kind, crawl.directory)}
    origins = [server.serve(folders(), address=f"127.0.1.{n + 1}") for n in range(2)]
    starts = [f"{origin}/" for origin in origins]
    given = {"delay": 0.02, "politeness": 0, "crawl_name": "shared"}
    first = crawl.begin(*starts, settings=settings, **given)
    deadline = time.monotonic() + 60
    while len(pages(server)) < 2 * PAGES + 30 and time.monotonic() < deadline:
        time.sleep(0.02)
    first.process.kill()
    first.process.wait()
    workers = [crawl.begin(*starts, settings=settings, **given) for _ in range(2)]
    runs = [worker.finish() for worker in workers]
    assert [run.status for run in runs] == [0, 0], [run.log[-2000:] for run in runs]
    # How many depends on how soon batches are committed: nothing is known before.
    assert len(pages(server)) < 2 * len(folders())
    place = ("-s", f"SITECRAWL_DATABASE={settings['SITECRAWL_DATABASE']}")
    status, said = crawl.command("export", *place)
    texts = [json.loads(line)["title"] for line in said.splitlines() if line.startswith("{")]
    assert (status, sorted(set(texts)), len(texts)) == (
        *(0, sorted({f"Page {n}" for n in range(PAGES)} | {"Home", "English"})),
        2 * (PAGES + 2),
    )
    _, said = crawl.command("frontier", "stats", *place)
    left_out = int(re.findall(r"(\d+) blocked_url_by_local_policy", said)[0])
    server.log.clear()
    crawl(*starts, settings=settings, **given, recrawl=0)
    tested_again = len(origins)
    assert len(pages(server)) == 2 * len(folders()) - left_out + tested_again
    _, said = crawl.command("frontier", "rules", *place)
    assert said.count("/en/*.html => /*.html") == len(origins)


@pytest.mark.behaviour("DU-25")
def test_a_single_rule_can_be_forbidden(server: Server, crawl: CrawlCommand) -> None:
    site = folders()
    origin = server.serve(site)
    crawl(f"{origin}/")
    assert len(set(pages(server))) < len(site)
    _, said = crawl.command("frontier", "rules")
    name = next(line.split()[0] for line in said.splitlines() if "/en/*" in line)
    crawl(f"{origin}/", forbidden_rules=name)
    assert len(set(pages(server))) == len(site)
    _, said = crawl.command("frontier", "rules")
    assert f"{name} forbidden" in said


NAMES = [f"p{letter}{other}.html" for letter in "abcde" for other in "fghijk"]
MISSING = [f"/de/q{letter}.html" for letter in "abcdefgh"]


def in_german(site: dict[str, Page], *further: str) -> dict[str, Page]:
    """Add lists of the folder ``/de/`` to pages: some of these, broken links, and the rest of these."""
    pages = [path for path in site if not path.startswith("/de/")]
    site["/"] = page(*pages, *(f"/de/{name}" for name in NAMES[:15]), "/more/", title="Home")
    site["/more/"] = page(*MISSING, "/last/", title="More")
    site["/last/"] = page(*(f"/de/{name}" for name in NAMES[15:]), *further, title="Last")
    return site


@pytest.mark.behaviour("Q-51")
def test_broken_links_do_not_leave_out_the_translations_beside_them(
    server: Server, crawl: CrawlCommand
) -> None:
    languages = ("en", "fr", "de")
    texts = {f"/{each}/{name}": f"{name} {each}" for each in languages for name in NAMES}
    site: dict[str, Page] = {path: leaf(text) for path, text in texts.items()}
    run = crawl(f"{server.serve(in_german(site))}/")
    assert titles(run) == {f"Page {each}" for each in texts.values()} | {"Home", "More", "Last"}


@pytest.mark.behaviour("Q-51")
def test_urls_that_a_rule_leaves_out_are_no_samples_of_their_kind(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {
        f"{folder}/{name}": leaf(name) for folder in ("", "/de") for name in NAMES
    }
    alone = {f"/de/r{letter}.html": f"only {letter}" for letter in "abcdefghij"}
    site |= {path: leaf(text) for path, text in alone.items()}
    run = crawl(f"{server.serve(in_german(site, *alone))}/")
    assert {f"Page {each}" for each in alone.values()} <= titles(run)
