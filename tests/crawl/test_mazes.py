"""Endless parts of a site, and large real ones that look like them at first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.databases import KINDS, Databases
from fixtures.server import Page, Request, Server, Site, page
from fixtures.traps.tarpit import letter, opaque, tarpit_page

REAL = 60
LETTERS = 10_000


def real_site(door: str) -> Site:
    """A chain of real pages, each of which links to the next one and to the tarpit."""
    site: Site = {"/": page("/story/0", door, title="Home")}
    for n in range(REAL):
        onward = [f"/story/{n + 1}"] if n + 1 < REAL else []
        site[f"/story/{n}"] = page(*onward, door, title=f"Story {n}", text=letter(n))
    return site


def with_tarpit(*, nested: bool = False) -> Site:
    """The real pages beside a tarpit below ``/notes/``."""

    def answer(request: Request) -> Page:
        return tarpit_page("/notes", request.target, nested=nested)

    return {**real_site("/notes/"), "/robots.txt": "", "*": answer}


def asked(server: Server, prefix: str) -> list[str]:
    """Targets below a path that were asked for."""
    return [target for target in server.log.targets() if target.startswith(prefix)]


def stories(run: Crawl) -> int:
    """Number of real pages among the documents of a run."""
    return sum("/story/" in url for url in run.documents)


@pytest.mark.behaviour("Q-24")
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_tarpit_ends_after_the_real_pages(
    server: Server, crawl: CrawlCommand, databases: Databases, *, nested: bool, kind: str
) -> None:
    settings = {"SITECRAWL_DATABASE": databases.url(kind, crawl.directory)}
    origin = server.serve(with_tarpit(nested=nested))
    run = crawl(f"{origin}/", settings=settings)
    assert run.status == 0, run.log[-3000:]
    assert stories(run) == REAL
    first = asked(server, "/notes/")
    assert 20 < len(first) < 100
    last_story = server.log.targets().index(f"/story/{REAL - 1}")
    assert len([each for each in server.log.targets()[:last_story] if "/notes/" in each]) < 60
    assert "Endless parts of sites were left out" in run.log
    assert "/notes/ has no end" in run.log
    server.log.clear()
    again = crawl(f"{origin}/", settings=settings)
    assert again.status == 0, again.log[-3000:]
    assert len(set(asked(server, "/notes/")) - set(first)) <= 2


@pytest.mark.behaviour("Q-36")
def test_the_documents_of_a_maze_are_withdrawn_until_it_is_read(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(with_tarpit())
    run = crawl(f"{origin}/")
    assert sum("/notes/" in url for url in run.kept) <= 1  # the real pages link to the first one
    assert set(run.deletions.values()) == {"maze"}
    url = next(iter(run.deletions))
    _, said = crawl.command("explain", url)
    assert "random descents found no end" in said
    back = crawl(f"{origin}/", max_maze_share=0, max_pages=300)
    assert run.deletions.keys() <= back.kept


@pytest.mark.behaviour("Q-24")
def test_explain_gives_the_evidence(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(with_tarpit())
    crawl(f"{origin}/")
    [(url,)] = crawl.rows("SELECT url FROM url WHERE reason = 'maze' LIMIT 1")
    _, said = crawl.command("explain", url)
    assert "max_maze_share 5.0 (default)" in said
    assert "random descents found no end" in said


@pytest.mark.behaviour("Q-24")
def test_the_real_pages_come_first_where_requests_are_few(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(with_tarpit())
    run = crawl(f"{origin}/", max_pages=REAL + 70)
    assert stories(run) == REAL


@pytest.mark.behaviour("Q-24")
def test_a_share_of_zero_reads_on(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(with_tarpit())
    crawl(f"{origin}/", max_maze_share=0, max_pages=300)
    assert len(asked(server, "/notes/")) > 200
    assert crawl.rows("SELECT 1 FROM url WHERE reason = 'maze'") == []


@pytest.mark.behaviour("Q-25")
def test_a_maze_that_becomes_a_list_is_read(server: Server, crawl: CrawlCommand) -> None:
    site = with_tarpit()
    origin = server.serve(site)
    crawl(f"{origin}/")
    left = crawl.rows("SELECT count(*) FROM url WHERE reason = 'maze'")
    site["*"] = lambda request: page(title=request.target, text=letter(len(request.target)))
    server.log.clear()
    second = crawl(f"{origin}/")
    assert second.status == 0, second.log[-3000:]
    assert len(asked(server, "/notes/")) >= left[0][0]
    assert crawl.rows("SELECT 1 FROM url WHERE reason = 'maze'") == []


@pytest.mark.behaviour("Q-25")
def test_a_page_of_a_maze_that_a_real_page_names_is_read(
    server: Server, crawl: CrawlCommand
) -> None:
    site = with_tarpit()
    origin = server.serve(site)
    crawl(f"{origin}/")
    [(url,)] = crawl.rows("SELECT url FROM url WHERE reason = 'maze' ORDER BY id LIMIT 1")
    site["/"] = page("/story/0", "/notes/", url, title="Home")
    server.log.clear()
    crawl(f"{origin}/", recrawl=0)
    assert url.removeprefix(origin) in server.log.targets()


@pytest.mark.behaviour("Q-25")
@pytest.mark.parametrize(("branches", "levels"), [(12, 3), (2, 9)])
def test_a_real_tree_is_read_to_its_leaves(
    server: Server, crawl: CrawlCommand, branches: int, levels: int
) -> None:
    def answer(request: Request) -> Page:
        level = request.target.count("/") - 2
        names = [f"{level}-{n}" for n in range(branches)] if level < levels else []
        links = [f"{request.target}{name}/" for name in names]
        return page(*links, title=request.target, text=letter(hash(request.target)))

    origin = server.serve({"/": page("/tree/"), "/robots.txt": "", "*": answer})
    run = crawl(f"{origin}/")
    assert run.status == 0, run.log[-3000:]
    pages = sum(branches**level for level in range(levels + 1))
    assert len(asked(server, "/tree/")) == pages


SHAPES: dict[str, Callable[[int], str]] = {
    "query": lambda n: f"/list?page={n}",
    "path": lambda n: f"/list/page/{n}/",
    "id": lambda n: f"/letter/{opaque(n)}",
}


@pytest.mark.slow
@pytest.mark.behaviour("Q-26")
@pytest.mark.parametrize("shape", SHAPES)
def test_an_archive_of_ten_thousand_pages_is_read_over_its_next_links(
    server: Server, crawl: CrawlCommand, shape: str
) -> None:
    target = SHAPES[shape]
    numbers = {target(n): n for n in range(1, LETTERS + 1)}

    def answer(request: Request) -> Page:
        number = numbers[request.target]
        links = [target(n) for n in (number - 1, number + 1) if target(n) in numbers]
        return page(*links, title=f"Letter {number}", text=letter(number))

    origin = server.serve({"/": page(target(1), title="Letters"), "/robots.txt": "", "*": answer})
    run = crawl(f"{origin}/")
    assert run.status == 0, run.log[-3000:]
    assert set(numbers) <= set(server.log.targets())
