"""Names of session ids and tracking parameters are guesses, which three URLs refute."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest

from fixtures.crawls import CrawlCommand, standing
from fixtures.server import Answer, Page, Request, Server, page

NUMBER = 30


def digest(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def words(text: str) -> str:
    """A text of its own for each page."""
    letters = str.maketrans("0123456789", "ghijklmnop")
    return " ".join(digest(f"{text}{n}")[:6].translate(letters) for n in range(20))


def own(request: Request) -> str:
    return page("/", title=request.target, text=words(request.target))


def only_with_a_query(request: Request) -> str | Answer:
    return own(request) if request.query else Answer(status=404)


def other_without_a_query(request: Request) -> str:
    return own(request) if request.query else page("/", title="Choose", text="Choose a page.")


@pytest.mark.slow
@pytest.mark.behaviour("Q-59", "Q-53")
@pytest.mark.parametrize("shown", [only_with_a_query, other_without_a_query])
@pytest.mark.parametrize("name", ["sid", "PHPSESSID", "utm_source"])
def test_names_that_carry_a_meaning_are_taken_back(
    server: Server, crawl: CrawlCommand, name: str, shown: Page
) -> None:
    links = [f"/page?{name}={digest(str(n))}" for n in range(NUMBER)]
    site: dict[str, Page] = {"/": page(*links, title="Home"), "/page": shown}
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    pages = {f"{origin}{link}" for link in links}
    assert run.kept >= pages
    assert f"URLs keep {name}, as pages differ by it" in run.log
    assert len(set(server.log.targets(origin))) == NUMBER + 3, "robots.txt, / and /page"
    later = crawl(f"{origin}/", recrawl=0)
    assert standing(run, later) >= pages, later.log[-3000:]
    status, told = crawl.command("reindex", "-a", f"start={origin}/", "--dry-run")
    assert status == 1, told
    _, told = crawl.command("explain", f"{origin}{links[-1]}")
    assert "Verdict: crawled" in told


@pytest.mark.slow
@pytest.mark.behaviour("Q-59")
def test_a_single_link_to_a_page_that_is_none_without_its_parameter(
    server: Server, crawl: CrawlCommand
) -> None:
    chain = [f"/page?sid={digest(str(n))}" for n in range(NUMBER)]
    following = dict(pairwise(chain))

    def shown(request: Request) -> str | Answer:
        if not request.query:
            return Answer(status=404)
        target = following.get(request.target, "/")
        return page(target, title=request.target, text=words(request.target))

    origin = server.serve({"/": page(chain[0], title="Home"), "/page": shown})
    assert crawl(f"{origin}/").kept >= {f"{origin}{each}" for each in chain}


@pytest.mark.slow
@pytest.mark.behaviour("Q-59", "Q-10")
def test_sessions_cost_three_requests(server: Server, crawl: CrawlCommand) -> None:
    names = [f"/p{n}" for n in range(NUMBER)]

    def shown(request: Request) -> str:
        sid = digest(f"{request.target}{request.number}")
        links = "".join(f'<a href="{each}?PHPSESSID={sid}">{each}</a> ' for each in names)
        return page(title=request.path, text=words(request.path), body=links)

    origin = server.serve({"*": shown, "/robots.txt": ""})
    run = crawl(f"{origin}/")
    assert run.kept == {f"{origin}{each}" for each in ("/", *names)}
    assert len(server.log.targets(origin)) <= NUMBER + 2 + 3
