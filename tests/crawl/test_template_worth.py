"""Kinds of pages that bring nothing: read last, sampled, left out, and read again once they do."""

from __future__ import annotations

import pytest

from fixtures.crawls import Crawl, CrawlCommand, standing
from fixtures.databases import KINDS, Databases
from fixtures.server import Answer, Page, Server, Site, page
from fixtures.traps.tarpit import letter, opaque

ARTICLES = 60
NOINDEX = '<meta name="robots" content="noindex">'
VIEWS = ("edit", "history", "info")


def view(name: str, number: int) -> Page:
    """A page about an article that its site does not want indexed."""
    return page(f"/wiki/a{number}", title=name, text=f"{name} {letter(number)}", head=NOINDEX)


def wiki() -> Site:
    """A chain of articles with views of each, of which the site lets none be indexed."""
    site: Site = {"/": page("/wiki/a0", title="Home"), "/robots.txt": ""}
    for n in range(ARTICLES):
        onward = [f"/wiki/a{n + 1}"] if n + 1 < ARTICLES else []
        views = [f"/w/index.php?title=a{n}&action={name}" for name in VIEWS]
        site[f"/wiki/a{n}"] = page(*views, *onward, title=f"Article {n}", text=letter(n))
        for name, target in zip(VIEWS, views, strict=True):
            site[target] = view(name, n)
    return site


def asked(server: Server, part: str) -> list[str]:
    """Targets with a part that were asked for."""
    return [target for target in server.log.targets() if part in target]


def articles(run: Crawl) -> int:
    """Number of articles among the documents of a run."""
    return sum("/wiki/" in url for url in run.documents)


@pytest.mark.behaviour("Q-27")
@pytest.mark.parametrize("kind", KINDS)
def test_views_that_are_never_indexed_are_sampled_after_the_articles(
    server: Server, crawl: CrawlCommand, databases: Databases, kind: str
) -> None:
    settings = {"SITECRAWL_DATABASE": databases.url(kind, crawl.directory)}
    origin = server.serve(wiki())
    run = crawl(f"{origin}/", settings=settings)
    assert run.status == 0, run.log[-3000:]
    assert articles(run) == ARTICLES
    assert len(asked(server, "action=")) < len(VIEWS) * 16
    assert "kinds of pages that bring nothing were left out" in run.log
    server.log.clear()
    crawl(f"{origin}/", settings=settings)
    assert len(asked(server, "action=")) <= 3 * len(VIEWS)


@pytest.mark.behaviour("Q-27")
def test_explain_counts_what_the_kind_of_page_brought(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(wiki())
    crawl(f"{origin}/")
    [(url,)] = crawl.rows("SELECT url FROM url WHERE reason = 'barren_template' LIMIT 1")
    _, said = crawl.command("explain", url)
    assert "learn_worth True (default): of " in said
    assert "noindex; 0 became documents, none led to one" in said


@pytest.mark.behaviour("Q-27")
def test_the_articles_come_first_where_requests_are_few(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(wiki())
    assert articles(crawl(f"{origin}/", max_pages=ARTICLES + 40)) == ARTICLES


@pytest.mark.behaviour("Q-27")
def test_the_worth_of_templates_can_be_ignored(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(wiki())
    crawl(f"{origin}/", learn_worth="no", max_barren_pages=0)
    assert len(asked(server, "action=")) == len(VIEWS) * ARTICLES


@pytest.mark.behaviour("Q-28")
def test_a_kind_of_page_that_begins_to_bring_something_is_read(
    server: Server, crawl: CrawlCommand
) -> None:
    site = wiki()
    origin = server.serve(site)
    crawl(f"{origin}/")
    for n in range(ARTICLES):
        site[f"/w/index.php?title=a{n}&action=info"] = page(
            title=f"Facts {n}", text=letter(1000 + n)
        )
    done: set[str] = set()
    for _ in range(3):
        done |= set(crawl(f"{origin}/", recrawl=0).documents)
    assert sum("action=info" in url for url in done) == ARTICLES


@pytest.mark.behaviour("Q-28")
def test_no_kind_is_judged_before_its_documents_are_written(
    server: Server, crawl: CrawlCommand
) -> None:
    names = [f"{first}{second}" for first in ("red", "blue", "green") for second in "abcdefghij"]
    site: Site = {"/": page(*(f"/p/{name}" for name in names), title="Home"), "/robots.txt": ""}
    for n, name in enumerate(names):
        is_hidden = 0 < n < 12  # one document, eleven pages that are none, and documents again
        site[f"/p/{name}"] = page(
            text=f"Page {name}", title=name, head=NOINDEX if is_hidden else ""
        )
    run = crawl(f"{server.serve(site)}/")
    assert len(run.documents) == 1 + len(names) - 11
    assert "sitecrawl/rules/barren_template" not in run.stats


@pytest.mark.behaviour("Q-28")
def test_lists_without_documents_are_read_for_what_they_lead_to(
    server: Server, crawl: CrawlCommand
) -> None:
    site: Site = {"/": page("/list?page=1", title="Home"), "/robots.txt": ""}
    for n in range(1, ARTICLES + 1):
        onward = [f"/list?page={n + 1}"] if n < ARTICLES else []
        links = [f"/wiki/a{n}", *onward]
        site[f"/list?page={n}"] = page(*links, title=f"List {n}", text=letter(n), head=NOINDEX)
        site[f"/wiki/a{n}"] = page(title=f"Article {n}", text=letter(500 + n))
    origin = server.serve(site)
    assert articles(crawl(f"{origin}/")) == ARTICLES


ACTIONS = tuple(f"act{letter}" for letter in "abcdefghijkl")


@pytest.mark.behaviour("Q-30")
def test_views_of_one_program_are_judged_together(server: Server, crawl: CrawlCommand) -> None:
    site: Site = {"/": page("/wiki/a0", title="Home"), "/robots.txt": ""}
    for n in range(ARTICLES):
        views = [f"/w/index.php?title=a{n}&action={name}" for name in ACTIONS]
        site[f"/wiki/a{n}"] = page(*views, f"/wiki/a{n + 1}", title=f"Article {n}", text=letter(n))
        site |= {target: view(target[-4:], n) for target in views}
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert articles(run) == ARTICLES
    views = asked(server, "action=")
    assert {target[-4:] for target in views} == set(ACTIONS)
    assert len(views) <= 30  # one of each, and samples of 720
    [(url,)] = crawl.rows("SELECT url FROM url WHERE reason = 'barren_template' LIMIT 1")
    _, said = crawl.command("explain", url)
    assert "/w/index.php?**" in said or "/w/**?" in said


FILES, VERSIONS = 24, 10
BROWSER_VIEWS = ("plain", "blame", "print")


def file(number: int, *, lines: int = 40) -> str:
    """The text of a file, as long as it was at a version."""
    return " ".join(letter(1000 * number + line) for line in range(lines // 4))


def code_browser() -> Site:
    """Files, each with views and old versions that have its text, and a list of them all."""
    trees = [f"/tree/part{n % 3}/file{n}.html" for n in range(FILES)]
    site: Site = {"/": page(*trees, title="Home", text=letter(0)), "/robots.txt": ""}
    for n, tree in enumerate(trees):
        views = [tree.replace("tree", each, 1) for each in BROWSER_VIEWS]
        old = [f"{tree}?id={opaque(100 * n + version)}" for version in range(VERSIONS)]
        site[tree] = page(*views, *old, title=f"File {n}", text=file(n))
        for view in views:
            site[view] = page(tree, title=f"File {n}, {view[:6]}", text=f"Ada {file(n)}")
        for version, target in enumerate(old):
            text = file(n, lines=12 + 2 * version)
            site[target] = page(tree, title=f"File {n} at {version}", text=text)
    return site


@pytest.mark.behaviour("Q-29")
def test_views_that_repeat_a_page_of_the_same_name_are_sampled(
    server: Server, crawl: CrawlCommand
) -> None:
    site = code_browser()
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert run.status == 0, run.log[-3000:]
    files = [target for target in asked(server, "/tree/") if "?" not in target]
    assert len(set(files)) == FILES
    assert len(server.log.targets()) < len(site) / 2
    assert "kinds of pages that bring nothing were left out" in run.log
    [(url,)] = crawl.rows("SELECT url FROM url WHERE reason = 'barren_template' LIMIT 1")
    _, said = crawl.command("explain", url)
    assert "near_copy" in said
    assert f" repeats {origin}/tree/part" in said
    server.log.clear()
    crawl(f"{origin}/", recrawl=0, learn_worth="no", max_barren_pages=0)
    assert len(set(server.log.targets()) & set(site)) == len(site)


@pytest.mark.behaviour("Q-34")
@pytest.mark.parametrize("kind", KINDS)
def test_documents_of_views_are_withdrawn_for_the_pages_that_they_repeat(
    server: Server, crawl: CrawlCommand, databases: Databases, kind: str
) -> None:
    settings = {"SITECRAWL_DATABASE": databases.url(kind, crawl.directory)}
    site = code_browser()
    origin = server.serve(site)
    run = crawl(f"{origin}/", settings=settings)
    assert run.status == 0, run.log[-3000:]
    files = {f"{origin}{target}" for target in site if "/tree/" in target and "?" not in target}
    assert files <= run.kept
    assert len(run.kept - files) <= 4, "the list, and versions whose originals came too late"
    assert set(run.deletions.values()) == {"near_copy"}
    assert "documents were withdrawn, as other pages have their texts" in run.log
    moved = {line["url"]: line["moved_to"] for line in run.lines if line["op"] == "delete"}
    assert all(to.rpartition("/")[2] == url.rpartition("/")[2].partition("?")[0]
               for url, to in moved.items())  # fmt: skip
    server.log.clear()
    again = crawl(f"{origin}/", settings=settings)
    assert files <= standing(run, again)
    assert len(standing(run, again) - files) <= 4
    assert len(asked(server, "/")) < 40
    back = crawl(f"{origin}/", settings=settings, learn_worth="no", max_barren_pages=0)
    assert moved.keys() <= standing(run, again, back)


@pytest.mark.behaviour("Q-34")
def test_explain_names_the_page_that_has_the_text(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(code_browser())
    crawl(f"{origin}/")
    [(url,)] = crawl.rows("SELECT url FROM url WHERE reason = 'near_copy' LIMIT 1")
    _, said = crawl.command("explain", url)
    assert f"learn_worth True (default): repeats {origin}/tree/part" in said
    assert "pages of /" in said


@pytest.mark.behaviour("Q-35")
def test_a_view_comes_back_when_the_page_that_has_its_text_is_gone(
    server: Server, crawl: CrawlCommand
) -> None:
    site = code_browser()
    origin = server.serve(site)
    first = crawl(f"{origin}/")
    view = next(url for url in first.deletions if "/blame/" in url or "/plain/" in url)
    [(kept,)] = crawl.rows(
        "SELECT t.url FROM url AS u JOIN url AS t ON t.id = u.target WHERE u.url = ?", view
    )
    site[kept.removeprefix(origin)] = Answer(status=410)
    second = crawl(f"{origin}/", recrawl=0)
    assert second.deletions[kept] == "gone"
    assert view in standing(first, second)


@pytest.mark.behaviour("Q-34")
def test_variants_and_versions_are_not_withdrawn(server: Server, crawl: CrawlCommand) -> None:
    colours = ("red", "blue", "green", "yellow")
    names = [f"shirt{n}" for n in range(FILES)]
    site = code_browser()
    products = [f"/{colour}/shop/{name}.html" for colour in colours for name in names]
    pages = [f"/{each}/docs/chapter{n}.html" for each in ("latest", "stable") for n in range(FILES)]
    for target in products:
        colour, name = target.split("/")[1], target.rpartition("/")[2]
        text = f"This {colour} shirt is for people who like {colour}. {file(900 + names.index(name[:-5]), lines=60)} {colour}"
        site[target] = page(title=f"Shirt, {colour}", text=text)
    for target in pages:
        version, name = target.split("/")[1], target.rpartition("/")[2]
        same = [each for each in pages if version in each]
        text = f"Version {version}. {file(800 + sum(name.encode()))}"
        site[target] = page(*same, title=name, text=text)
    site["/start"] = page("/", *products, *pages, title="Start", text=letter(7))
    origin = server.serve(site)
    run = crawl(f"{origin}/start")
    expected = {f"{origin}{each}" for each in (*products, *pages)}
    assert set(run.deletions.values()) == {"near_copy"}, "the views are withdrawn"
    assert expected - run.kept == set()


@pytest.mark.behaviour("Q-29")
def test_a_few_versions_of_a_manual_are_read_as_a_whole(
    server: Server, crawl: CrawlCommand
) -> None:
    versions = ("latest", "stable", "old")
    site: Site = {"/": page(*(f"/{each}/" for each in versions)), "/robots.txt": ""}
    for version in versions:
        pages = [f"/{version}/chapter{n}.html" for n in range(FILES)]
        site[f"/{version}/"] = page(*pages, title=version, text=letter(len(version)))
        for n, target in enumerate(pages):
            others = [target.replace(version, each) for each in versions]
            text = f"{version} {file(n)}"
            site[target] = page(*pages, *others, title=f"Chapter {n}", text=text)
    origin = server.serve(site)
    crawl(f"{origin}/")
    assert set(site) <= set(server.log.targets())


def facets(server: Server) -> str:
    """A shop of 24 products, listed by color, by size and by both; return its origin."""
    site: Site = {"/robots.txt": ""}
    colors, sizes = ("red", "blue", "green"), ("small", "large")
    products = {n: (colors[n % 3], sizes[n % 2]) for n in range(24)}
    for n in products:
        site[f"/product/{n}"] = page("/list", title=f"Product {n}", text=letter(n))

    def by(*chosen: str) -> str:
        """A list of the products that have these words."""
        names = [("color" if each in colors else "size", each) for each in chosen]
        links = [f"/list?{'&'.join('='.join(each) for each in names)}"] if names else []
        shown = [n for n, words in products.items() if set(chosen) <= set(words)]
        lines = "".join(
            f'<p><a href="/product/{n}">Product {n}</a></p><p>{letter(n)[:90]}</p>' for n in shown
        )
        more = "".join(f'<a href="/list?color={each}">{each}</a> ' for each in colors)
        more += "".join(f'<a href="/list?size={each}">{each}</a> ' for each in sizes)
        if len(chosen) == 1:
            pairs = [(c, s) for c in colors for s in sizes if chosen[0] in (c, s)]
            more += "".join(f'<a href="/list?color={c}&size={s}">{c} {s}</a> ' for c, s in pairs)
        title = " ".join(["List", *(" ".join(each) for each in names)])
        site[links[0] if links else "/list"] = page(title=title, body=f"{lines}<nav>{more}</nav>")
        return title

    by()
    for each in (*colors, *sizes):
        by(each)
    for color in colors:
        for size in sizes:
            by(color, size)
    return server.serve(site)


@pytest.mark.behaviour("Q-39")
def test_lists_by_several_facets_are_withdrawn_for_those_by_one(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = facets(server)
    run = crawl(f"{origin}/list")
    assert run.status == 0, run.log[-3000:]
    mixes = {url for url in run.deletions if "&" in url}
    assert len(mixes) == 6
    assert run.deletions.keys() == mixes
    assert len(standing(run)) == 24 + 1 + 5
    _, said = crawl.command("explain", min(mixes))
    assert "6 of 6 mixes of facets of" in said
    again = crawl(f"{origin}/list", recrawl=0)
    assert not again.lines
