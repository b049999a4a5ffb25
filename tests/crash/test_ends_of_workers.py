"""The end of a run says the same, whether one worker fetched everything or several."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect

ADDRESSES = [f"127.0.5.{n + 1}" for n in range(8)]
LOGIN = page(
    title="Log in - Example",
    text="Please log in to see this page.",
    body='<form><input name="user"><input type="password" name="word"><button>Log in</button></form>',
)
SHELL = (
    '<!doctype html><title>App</title><div id="root"></div>'
    "<noscript>You need to enable JavaScript to run this app.</noscript><script src=/a.js></script>"
)
PAGES = ["/apples", "/pears", "/plums"]
REPORTS = re.compile(r"progress_log\]|run_summary\]|worth\]")


def text(seed: int) -> str:
    """Text of a page, like no other."""
    return " ".join(f"word{(seed * 977 + n * n * 7) % 9000}" for n in range(60))


def site(number: int, **pages: Page) -> dict[str, Page]:
    """A home page, three others, and those given."""
    more = {f"/{name}": each for name, each in pages.items()}
    own = {path: page(text=text(10 * number + n)) for n, path in enumerate(PAGES)}
    return {"/": page(*own, *more, "/missing", text=text(10 * number + 9)), **own, **more}


def serve(server: Server) -> list[str]:
    """Serve sites of which each has something to report; the starts."""
    urls = [f"http://{address}:8091" for address in ADDRESSES]
    sites: list[dict[str, Page]] = [
        site(0, broken=Answer(status=500), wall=LOGIN),
        site(1, app=SHELL),
        {"/robots.txt": "User-agent: *\nDisallow: /\n"},
        {"/": LOGIN},
        {"/": SHELL},
        {"/": redirect(f"{urls[0]}/apples"), "/robots.txt": ""},
        {"/": redirect(f"{urls[1]}/nowhere"), "/robots.txt": ""},
        {"/robots.txt": Answer(status=503), "/": page(text="Unknown")},
    ]
    for address, each in zip(ADDRESSES, sites, strict=True):
        server.serve(each, address=address, port=8091)
    return [*(f"{url}/" for url in urls), "http://127.0.5.9:1/", f"{urls[1]}/away"]


def last_words(run: Crawl) -> list[str]:
    """Return the report at the end of a run, without times and paths."""
    lines = [line for line in run.log.splitlines() if REPORTS.search(line)]
    lines = [
        re.sub(r"^[-\d]+ [:\d]+ |Ended after \d+ s|\(.*?/s\)|after [\d:]+", "", line)
        for line in lines
    ]
    return [re.sub(r"/\S+\.jsonl", "FILE", line) for line in lines]


def numbers(run: Crawl) -> dict[str, float]:
    """The stats that do not depend on time."""
    return {name: value for name, value in run.stats.items() if name.startswith("sitecrawl/")}


@pytest.mark.slow
@pytest.mark.behaviour("W-06")
@pytest.mark.parametrize("mode", ["crawl", "check"])
def test_one_and_several_workers_end_alike(server: Server, tmp_path: Path, mode: str) -> None:
    starts = serve(server)
    runs, requests = [], []
    for workers in (1, 4):
        server.log.clear()
        folder = tmp_path / str(workers)
        folder.mkdir()
        options = {"retries": 0, "patience": 2, "politeness": 0, "workers": workers, "mode": mode}
        runs.append(CrawlCommand(folder)(*starts, **options))
        requests.append(sorted(f"{each.origin}{each.target}" for each in server.log.of()))
        origins = {each.origin for each in server.log.of()}
        assert all(server.log.most_in_flight(origin) == 1 for origin in origins)
    assert requests[0] == requests[1]
    one, several = runs
    assert "produced nothing" in one.log
    assert last_words(several) == last_words(one)
    assert several.status == one.status == 4
    assert numbers(several) == numbers(one)
