"""Rules that a crawl learns from pages found under several URLs, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Server, page

PAGES = 60
Site = dict[str, Page]


def text(number: object) -> str:
    """A text of its own for each number, long enough to be evidence."""
    return " ".join(f"sentence {number} says word{number}x{each}." for each in range(20))


def leaf(number: object, *links: str, head: str = "") -> str:
    """A page with a text of its own, whatever it links to."""
    anchors = "".join(f'<a href="{link}"></a>' for link in links)
    return page(title=f"Page {number}", text=text(number), head=head, body=anchors)


def copy(number: int) -> Page:
    """The same page as ``leaf`` makes, by its text."""
    return leaf(number, f"/en/p{number}.html")


def folders(other: Callable[[int], Page]) -> Site:
    """Pages below ``/``, each of which links to the next one, and to one below ``/en/``."""
    site: Site = {"/": page("/p0.html", title="Home")}
    for n in range(PAGES):
        after = [f"/p{n + 1}.html"] if n + 1 < PAGES else []
        site[f"/p{n}.html"] = leaf(n, f"/en/p{n}.html", *after)
        site[f"/en/p{n}.html"] = other(n)
    return site


def requests(server: Server) -> int:
    """Number of pages that were asked for, and begin anew."""
    asked = [target for target in server.log.targets() if target != "/robots.txt"]
    server.log.clear()
    return len(asked)


def texts(run: Crawl) -> set[str]:
    """The different texts that a run wrote."""
    return {line["title"] for line in run.documents.values()}


@pytest.mark.behaviour("DU-20")
def test_urls_of_known_pages_are_left_out_once_a_rule_was_tested(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(folders(copy))
    first = crawl(f"{origin}/")
    assert first.status == 0, first.log[-3000:]
    assert len(texts(first)) == PAGES + 1
    assert requests(server) < PAGES + 1 + PAGES / 2
    [(folded,)] = crawl.rows("SELECT count(*) FROM url WHERE reason = 'learned_duplicate'")
    assert folded > PAGES / 2
    [(url,)] = crawl.rows("SELECT url FROM url WHERE reason = 'learned_duplicate' LIMIT 1")
    status, said = crawl.command("explain", url)
    assert "by the learned rule /en/*.html => /*.html, seen" in said
    assert f"same as {url.replace('/en/', '/')}" in said
    status, said = crawl.command("frontier", "rules")
    assert (status, "active" in said, "0 against" in said) == (0, True, True)
    status, said = crawl.command("frontier", "rule-options")
    assert "url_rewrite = [" in said
    second = crawl(f"{origin}/", recrawl=0)
    assert {line.get("change") for line in second.lines} <= {"metadata"}  # samples that were read
    assert requests(server) < PAGES + 1 + PAGES / 2


@pytest.mark.slow
@pytest.mark.behaviour("DU-21")
def test_the_exported_options_say_what_was_learned(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(folders(copy))
    crawl(f"{origin}/")
    requests(server)
    _, said = crawl.command("frontier", "rule-options", "--json")
    [entry] = [each for each in json.loads(said.splitlines()[0])["url_rewrite"] if "en/" in each]
    run = crawl(
        f"{origin}/", any_database="yes", realm="other", url_rewrite=entry, max_barren_pages=0
    )
    assert len(texts(run)) == PAGES + 1
    assert requests(server) == PAGES + 1


@pytest.mark.behaviour("DU-22")
def test_a_contradicted_rule_is_withdrawn_and_all_it_kept_out_is_read(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(folders(lambda n: leaf(n if n < 30 else f"other {n}", f"/p{n}.html")))
    run = crawl(f"{origin}/")
    assert run.status == 0, run.log[-3000:]
    assert len(texts(run)) == PAGES + 1 + 30
    assert crawl.rows("SELECT 1 FROM url WHERE reason = 'learned_duplicate'") == []
    _, said = crawl.command("frontier", "rules")
    assert "withdrawn" in said


@pytest.mark.behaviour("DU-23")
def test_urls_get_their_chance_when_the_page_that_stood_for_them_is_gone(
    server: Server, crawl: CrawlCommand
) -> None:
    site = folders(copy)
    site["/p40.html"] = Answer("", 404)
    site["/en/"] = page(*(f"/en/p{n}.html" for n in range(PAGES)), title="English")
    site["/"] = page(*(f"/p{n}.html" for n in range(PAGES)), "/en/", title="Home")
    origin = server.serve(site)
    first = crawl(f"{origin}/")
    assert f"{origin}/en/p40.html" in first.documents
    assert len(texts(first)) == PAGES + 2
    site["/p50.html"] = Answer("", 410)
    second = crawl(f"{origin}/", recrawl=0)
    assert f"{origin}/en/p50.html" in second.documents or first.documents.get(
        f"{origin}/en/p50.html"
    )


@pytest.mark.behaviour("DU-24")
def test_an_error_page_under_every_url_teaches_nothing(server: Server, crawl: CrawlCommand) -> None:
    names = [one + other for one in "abcdefg" for other in "klmnop"]
    site: Site = {"/": page(*(f"/{name}" for name in names), "/english/", title="Home")}
    site["/english/"] = page(*(f"/english/{name}" for name in names), title="English")
    site |= {f"/{name}": leaf("not found") for name in names[:20]}
    site |= {f"/{name}": leaf(name) for name in names[20:]}
    site |= {f"/english/{name}": leaf("not found") for name in names}
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert len(texts(run)) == len(names) - 20 + 3
    assert set(server.log.targets()) >= set(site)


@pytest.mark.behaviour("DU-25")
@pytest.mark.parametrize("options", [{"learn_duplicates": "no"}, {"forbidden_rules": "*"}])
def test_learning_can_be_forbidden(
    server: Server, crawl: CrawlCommand, options: dict[str, str]
) -> None:
    origin = server.serve(folders(copy))
    crawl(f"{origin}/")
    assert requests(server) < 2 * PAGES
    run = crawl(f"{origin}/", **options)
    assert run.lines == [] or set(run.documents) <= {f"{origin}/p{n}.html" for n in range(PAGES)}
    assert crawl.rows("SELECT 1 FROM url WHERE reason = 'learned_duplicate'") == []
    assert requests(server) > PAGES / 4


@pytest.mark.behaviour("DU-26")
def test_what_a_page_calls_another_version_of_itself_is_read(
    server: Server, crawl: CrawlCommand
) -> None:
    site = folders(lambda n: leaf(n if n % 5 else f"anglais {n}", f"/p{n}.html"))
    for n in range(0, PAGES, 5):
        link = f'<a rel="alternate" hreflang="en" href="/en/p{n}.html"></a>'
        after = f'<a href="/p{n + 1}.html"></a>'
        site[f"/p{n}.html"] = page(title=f"Page {n}", text=text(n), body=link + after)
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert len(texts(run)) == PAGES + 1 + PAGES // 5
    assert requests(server) < PAGES * 1.7 + 1


def parametrised() -> Site:
    """Pages with a parameter that says nothing, one that only orders, and one that is content."""
    site: Site = {"/": page(*(f"/i{n}" for n in range(PAGES)), title="Home")}
    for n in range(PAGES):
        words = text(n).split(". ")
        turned = " ".join(f"{each}." for each in reversed([each.rstrip(".") for each in words]))
        links = (f"/i{n}?mark=a", f"/i{n}?sort=up", f"/i{n}?lang=de")
        site[f"/i{n}"] = leaf(n, *links)
        site[f"/i{n}?mark=a"] = leaf(n, *links)
        anchors = "".join(f'<a href="{link}"></a>' for link in links)
        site[f"/i{n}?sort=up"] = page(title=f"Page {n}", text=turned, body=anchors)
        site[f"/i{n}?lang=de"] = leaf(f"deutsch {n}", *links)
    return site


@pytest.mark.behaviour("K-37", "Q-23")
def test_parameters_that_change_nothing_are_folded_and_no_page_is_lost(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(parametrised())
    options = {"max_barren_pages": 0, "max_variants": 0}
    learned = crawl(f"{origin}/", **options)
    assert learned.status == 0, learned.log[-3000:]
    learning = requests(server)
    kept = crawl(f"{origin}/", query="keep", learn_duplicates="no", realm="all", **options)
    assert texts(learned) == texts(kept)
    assert learning < requests(server) - PAGES
    _, said = crawl.command("frontier", "rules", "--realm", "default")
    assert "mark says nothing" in said
    assert "lang changes the content" in said
