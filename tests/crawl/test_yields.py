"""Pages left out because their kind brings nothing, and pages that never are."""

from __future__ import annotations

import re
import signal

import pytest

from fixtures.crawls import Crawl, CrawlCommand, Running
from fixtures.server import Answer, Page, Request, Server, Site, page
from fixtures.traps.tarpit import letter

TOPICS = 70


def asked(server: Server, part: str) -> set[str]:
    """The targets asked for that have a part, since the log was last cleared."""
    return {target for target in server.log.targets() if part in target}


def forum() -> Site:
    """Topics of two pages each, and print views that repeat them."""
    views = [f"/viewtopic?t={n}" for n in range(100, 100 + TOPICS)]
    site: Site = {"/": page(*views, title="Forum"), "/robots.txt": ""}
    for n, view in enumerate(views):
        printed, second = f"/print?t={n + 100}", f"{view}&start=20"
        links = f'<nav><a href="{printed}">.</a><a href="{second}">.</a></nav>'
        site[view] = page(title=f"Topic {n}", text=letter(n), body=links)
        site[second] = page(title=f"More of {n}", text=letter(1000 + n))
        site[printed] = page(title=f"Topic {n}", text=letter(n))
    return site


def crawled(crawl: CrawlCommand, start: str, **options: object) -> Crawl:
    run = crawl(start, **options)
    assert run.status == 0, run.log[-3000:]
    return run


@pytest.mark.behaviour("Q-27", "Q-38", "Q-43")
def test_a_forum_is_read_whole_and_its_print_views_by_their_option(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(forum())
    run = crawled(crawl, f"{origin}/")
    assert len(asked(server, "viewtopic")) == 2 * TOPICS
    printed = asked(server, "print")
    assert 3 <= len(printed) < TOPICS
    [line] = [each for each in run.log.splitlines() if "low_yield: " in each]
    said = re.search(r"low_yield: (\d+) URLs of (\S+).* -a always_fetch='(.*)' fetches", line)
    assert said is not None
    assert int(said[1]) == TOPICS - len(printed)
    assert run.stats["sitecrawl/rules/low_yield"] >= int(said[1])
    _, left = crawl.command("frontier", "left-out")
    assert "low_yield" in left
    assert "Kinds of pages left out: " in crawl.command("report")[1]
    status, listed = crawl.command("report", "--list", "left_out")
    assert status == 0
    assert f"low_yield,{said[1]}," in listed
    assert said[3] in listed
    [(url,)] = crawl.rows("SELECT url FROM url WHERE reason = 'low_yield' LIMIT 1")
    _, verdict = crawl.command("explain", url)
    assert re.search(r"low_yield.* effort 10.*: 0 of \d+ pages of \S*print", verdict, re.DOTALL)
    server.log.clear()
    crawled(crawl, f"{origin}/", always_fetch=said[3])
    fetched = asked(server, "?")
    assert fetched == {f"/print?t={n}" for n in range(100, 100 + TOPICS)} - printed


@pytest.mark.behaviour("Q-38")
def test_what_is_printed_comes_after_the_pages_that_it_repeats(
    server: Server, crawl: CrawlCommand
) -> None:
    site: Site = {"/robots.txt": ""}
    topics = [[f"/board?act=topic&t={n}&st={part}" for part in (0, 15, 30)] for n in range(20)]
    site["/"] = page(*(parts[0] for parts in topics), title="Board")
    for n, parts in enumerate(topics):
        posts = [(letter(n * 10 + each), letter(500 + n * 10 + each)) for each in range(3)]
        printed = f"/board?act=print&t={n}"
        site[printed] = page(title=f"Topic {n}", body="".join(f"<p>{a}<p>{b}" for a, b in posts))
        for part, (first, second) in zip(parts, posts, strict=True):
            body = f"<p>{first}<p>{second}"
            site[part] = page(printed, *parts, title=f"Topic {n}", text="", body=body)
    run = crawled(crawl, f"{server.serve(site)}/")
    assert {part for parts in topics for part in parts} <= {
        url.partition("/board")[1] + url.partition("/board")[2] for url in run.kept
    }


def shop(request: Request) -> Page:
    """Articles, and lists of them for each mix of three facets with four values."""
    path, _, query = request.target.partition("?")
    if path.startswith("/article/"):
        return page("/shop", title=path, text=letter(int(path.rpartition("/")[2])))
    if path != "/shop":
        return Answer(status=404)
    chosen = dict(each.split("=") for each in query.split("&")) if query else {}
    fitting = [
        n for n in range(100, 140) if all(f"{n * 7 + ord(f)}"[-1] >= v for f, v in chosen.items())
    ]
    mixes = ({**chosen, facet: value} for facet in "abc" for value in "1234")
    links = ["/shop?" + "&".join(f"{f}={mix[f]}" for f in sorted(mix)) for mix in mixes]
    names = "".join(f"<p>Article {letter(n)[:9]}</p>" for n in fitting)
    return page(*links, *(f"/article/{n}" for n in fitting), title="Shop", text="", body=names)


@pytest.mark.behaviour("Q-55")
def test_mixes_of_the_lines_of_others_are_no_documents_until_they_are_asked_for(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"*": shop, "/robots.txt": ""})
    run = crawled(crawl, f"{origin}/shop", delay=0)
    assert len(asked(server, "/article/")) == 40
    mixed = "SELECT url, detail FROM url WHERE reason = 'nothing_new'"
    found = dict(crawl.rows(mixed))
    assert len(found) == run.stats["sitecrawl/outcomes/nothing_new"] > 5
    assert not found.keys() & {line["url"] for line in run.lines}
    url, detail = next(iter(found.items()))
    said = re.search(r"always_fetch='(.*)' makes a document of it", detail)
    assert said is not None
    _, verdict = crawl.command("explain", url)
    assert "all of its text is on other pages" in verdict
    again = crawled(crawl, f"{origin}/shop", delay=0, always_fetch=said[1])
    assert url in {line["url"] for line in again.lines}


@pytest.mark.behaviour("Q-44")
def test_pages_of_a_left_kind_that_became_no_document_are_asked_again_by_sample(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(forum())
    crawled(crawl, f"{origin}/")
    printed = asked(server, "print")
    server.log.clear()
    crawled(crawl, f"{origin}/", recrawl=0)
    assert len(asked(server, "viewtopic")) == 2 * TOPICS
    assert 2 <= len(asked(server, "print")) < len(printed)


@pytest.mark.behaviour("Q-56")
def test_a_site_that_moves_without_redirects_is_read_whole(
    server: Server, crawl: CrawlCommand
) -> None:
    letters = {f"/letter?id={n}": page(title=f"Letter {n}", text=letter(n)) for n in range(60)}
    site: Site = {"/": page(*letters, title="Letters"), "/robots.txt": "", **letters}
    origin = server.serve(site)
    crawled(crawl, f"{origin}/", delay=0)
    moved = {f"/post/{n}": site.pop(each) for n, each in enumerate(letters)}
    site |= {"/": page(*moved, title="Letters"), **moved}
    server.log.clear()
    crawled(crawl, f"{origin}/", delay=0, force=1)
    assert asked(server, "/post/") == moved.keys()


@pytest.mark.behaviour("Q-44")
def test_the_evidence_of_a_killed_run_is_that_of_the_next_one(
    server: Server, crawl: CrawlCommand
) -> None:
    site = forum()
    views = [each for each in site if "view" in each]
    last = site[views[-1]]
    running: list[Running] = []

    def killing(_: Request) -> Page:
        for each in running:
            each.process.kill()
        return last

    site[views[-1]] = killing
    origin = server.serve(site)
    running.append(crawl.begin(f"{origin}/", delay=0))
    assert running[0].finish().status == -signal.SIGKILL
    assert crawl.rows("SELECT 1 FROM evidence WHERE basis = 'kind'")
    running.clear()
    crawled(crawl, f"{origin}/")
    assert len(asked(server, "view")) == 2 * TOPICS
    assert 3 <= len(asked(server, "print")) < TOPICS / 2


@pytest.mark.behaviour("Q-43")
@pytest.mark.parametrize(
    "options",
    [
        {"effort": 0},
        {"query": "keep"},
        pytest.param({"query_keep": "t"}, marks=pytest.mark.slow),
        pytest.param({"query": "policy", "url_query_parameters": "?*"}, marks=pytest.mark.slow),
        pytest.param({"allow": "."}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_words_of_the_user_leave_nothing_out(
    server: Server, crawl: CrawlCommand, options: dict[str, object]
) -> None:
    origin = server.serve(forum())
    crawled(crawl, f"{origin}/", **options)
    assert len(asked(server, "/print")) == TOPICS


@pytest.mark.behaviour("Q-28")
def test_a_kind_that_begins_with_dead_items_is_read_whole(
    server: Server, crawl: CrawlCommand
) -> None:
    items: dict[str, Page] = {
        f"/item?id={n}": Answer("", 404) if n < 130 else page(text=letter(n))
        for n in range(100, 200)
    }
    origin = server.serve({"/": page(*items, title="Shop"), **items, "/robots.txt": ""})
    run = crawled(crawl, f"{origin}/")
    assert len(run.documents) == 71


@pytest.mark.behaviour("Q-25", "Q-44")
def test_pages_that_are_translated_later_are_read(server: Server, crawl: CrawlCommand) -> None:
    pages = {n: f"/read?page={n}" for n in range(100, 160)}
    same = {f"{path}&lang=fr": n for n, path in pages.items()}
    site: Site = {"/": page(*pages.values(), title="Manual"), "/robots.txt": ""}
    for n, path in pages.items():
        link = f'<a href="{path}&amp;lang=fr">.</a>'
        site[path] = page(title=f"Page {n}", text=letter(n), body=link)
        site[f"{path}&lang=fr"] = page(title=f"Page {n}", text=letter(n))
    origin = server.serve(site)
    crawled(crawl, f"{origin}/")
    assert len(asked(server, "lang=fr")) < len(same)
    site |= {path: page(title="Manuel", text=letter(1000 + n)) for path, n in same.items()}
    server.log.clear()
    run = crawled(crawl, f"{origin}/", recrawl=0)
    assert len(asked(server, "lang=fr")) == len(same), run.log[-3000:]


@pytest.mark.behaviour("Q-27")
def test_a_calendar_without_end_ends(server: Server, crawl: CrawlCommand) -> None:
    def month(request: object) -> Page:
        target = str(getattr(request, "target", ""))
        found = re.fullmatch(r"/calendar\?m=(\d+)", target)
        if found is None:
            return page("/calendar?m=100", title="Club") if target == "/" else Answer("", 404)
        number = int(found[1])
        return page(f"/calendar?m={number + 1}", title=f"Month {number}", text=f"{number} free")

    origin = server.serve({"*": month, "/robots.txt": ""})
    crawled(crawl, f"{origin}/")
    assert 10 < len(asked(server, "calendar")) < 60
