"""Rules that tables prove one by one, each seen once at work in a crawl by the server's log."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, pauses, redirect

FILES = ("/a.foo", "/b.bar", "/c.pdf", "/d.html")


def leaf(path: str) -> str:
    return page(title=f"Page {path}", text=f"This is {path}.")


def asked_for(server: Server, origin: str) -> set[str]:
    return set(server.log.targets(origin)) - {"/robots.txt", "/"}


@pytest.mark.behaviour("LR-25")
@pytest.mark.parametrize(("depth", "last"), [(1, 1), (2, 2), (None, 4)])
def test_the_depth_of_links_can_be_limited_and_a_redirect_adds_none(
    depth: int | None, last: int, server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {f"/{n}": page(f"/{n + 1}", title=f"Page {n}") for n in range(1, 5)}
    origin = server.serve({"/": page("/moved"), "/moved": redirect("/1"), **site})
    run = crawl(f"{origin}/", max_depth="none" if depth is None else depth)
    expected = {"/moved", *(f"/{n}" for n in range(1, last + 1))}
    assert asked_for(server, origin) - {"/5"} == expected
    assert run.documents[f"{origin}/1"]["depth"] == 1


@pytest.mark.behaviour("LR-07", "LR-08", "LR-09")
@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({}, "/a.foo /b.bar /d.html"),
        ({"default_ignored_extensions": "+foo"}, "/b.bar /d.html"),
        ({"ignore_extensions": "bar", "always_ignored_extensions": "foo"}, "/c.pdf /d.html"),
    ],
)
def test_the_lists_of_extensions(
    options: dict[str, Any], asked: str, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": page(*FILES), **{path: leaf(path) for path in FILES}})
    crawl(f"{origin}/", **options)
    assert asked_for(server, origin) == set(asked.split())


@pytest.mark.behaviour("F-14")
def test_the_table_of_types_can_be_maintained(server: Server, crawl: CrawlCommand) -> None:
    notes = Answer("Notes of a meeting.", headers={"Content-Type": "text/plain"})
    origin = server.serve({"/": page("/notes"), "/notes": notes})
    options = {"crawl_name": "one", "force": 1}
    assert f"{origin}/notes" in crawl(f"{origin}/", **options).documents
    skipped = crawl(f"{origin}/", mime_extensions="text/plain:zip", **options)
    assert skipped.deletions == {f"{origin}/notes": "unwanted_type"}
    assert crawl.rows("SELECT reason FROM url WHERE url LIKE '%/notes'") == [("mime_ignored",)]
    again = crawl(f"{origin}/", mime_extensions="text/plain:txt", **options)
    assert f"{origin}/notes" in again.documents


@pytest.mark.behaviour("F-12", "C-17")
def test_a_file_that_the_server_only_guesses_to_be_text_is_read_if_it_is(
    server: Server, crawl: CrawlCommand
) -> None:
    guess = {"Content-Type": "text/plain"}
    sure = {"Content-Type": "text/plain; charset=utf-8"}
    nosniff = {**guess, "X-Content-Type-Options": "NoSniff"}
    origin = server.serve(
        {
            "/": page("/disk", "/notes", "/sure", "/nosniff"),
            "/disk": Answer(b"!<arch>\0\1\2 data", headers=guess),
            "/notes": Answer("Notes.\x0c\tMore.", headers=guess),
            "/sure": Answer(b"One\0two.", headers=sure),
            "/nosniff": Answer(b"Three\0four.", headers=nosniff),
        }
    )
    run = crawl(f"{origin}/")
    assert set(run.documents) == {
        f"{origin}{each}" for each in ("/", "/notes", "/sure", "/nosniff")
    }
    assert crawl.rows("SELECT reason FROM url WHERE url LIKE '%/disk'") == [("mime_ignored",)]


@pytest.mark.behaviour("U-21", "LR-30", "Q-08", "LR-21", "LR-22")
@pytest.mark.parametrize(
    ("options", "linked", "asked"),
    [
        ({"url_rewrite": "/old/=>/new/", "deny": "/old/"}, "/old/x /y", "/new/x /y"),
        (
            {"query": "policy", "url_query_parameters": "/w/?id /v/?x&y"},
            "/w/?id=1 /w/?x=1 /v/?id=1 /v/?x=2&y=1 /u/?id=3 /plain",
            "/w/?id=1 /v/?x=2&y=1 /plain",
        ),
        ({"contains": "keep"}, "/a#keep /keep/b /c?keep", "/keep/b /c?keep"),
        ({"not_contains": "skip /x"}, "/a#skip /skip/b /c?skip /x/d", "/a"),
        ({"do_not_crawl": "{origin}/shut/"}, "/shut/a /shut /open", "/shut /open"),
    ],
)
def test_patterns_and_lists(
    options: dict[str, str], linked: str, asked: str, server: Server, crawl: CrawlCommand
) -> None:
    links = linked.split()
    origin = server.serve({"/": page(*links), "*": lambda request: leaf(request.target)})
    crawl(f"{origin}/", **{name: each.format(origin=origin) for name, each in options.items()})
    assert asked_for(server, origin) == set(asked.split())


@pytest.mark.behaviour("C-07", "LR-31", "U-12")
def test_truncations_are_reported(server: Server, crawl: CrawlCommand) -> None:
    open_ended = "<p>Kept.</p><!-- noindex --><p>Lost.</p>"
    whole = "<p>Kept.</p><!-- noindex --><p>Out.</p><!-- /noindex --><p>Kept too.</p>"
    site: dict[str, Page] = {
        "/": page("/one", "/two", "/whole", "folder/http://mydomain", "text/http://other"),
        "/one": page(title="One", body=open_ended),
        "/two": page(title="Two", body=open_ended),
        "/whole": page(title="Whole", body=whole),
    }
    origin = server.serve(site)
    run = crawl(f"{origin}/")
    assert run.documents[f"{origin}/one"]["body"].endswith("Kept.")
    assert run.documents[f"{origin}/whole"]["body"].endswith("Kept too.")
    told = [line for line in run.log.splitlines() if "a noindex section has no end" in line]
    assert len(told) == 1, "the first page of each kind is named"
    assert f"WARNING: {origin}/one: " in told[0]
    assert run.stats["sitecrawl/cuts/unclosed_section"] == 2
    assert run.stats["sitecrawl/cuts/embedded_url"] == 1
    assert run.stats["sitecrawl/rules/malformed"] == 2


@pytest.mark.behaviour("LR-01", "LR-31", "LR-32", "L-20")
def test_links_that_lead_to_no_page_are_counted_with_their_reason(
    server: Server, crawl: CrawlCommand
) -> None:
    no_urls = ["http://", "//", "http://h:99999/", "http://h:x/", "http://[::1", "a/http://b"]
    inert = ["javascript:go('x.html')", "data:text/html,x", "about:blank", "JavaScript:void(0)"]
    origin = server.serve({"/": page(*no_urls, *inert, "mailto:a@b.example", "/leaf", "#top")})
    run = crawl(f"{origin}/", script_output=0)
    assert asked_for(server, origin) == {"/leaf"}
    reasons = {
        name.removeprefix("sitecrawl/rules/"): count
        for name, count in run.stats.items()
        if name.startswith("sitecrawl/rules/")
    }
    assert reasons == {"malformed": 6, "scheme": 5}
    [(counters,)] = crawl.rows("SELECT counters FROM run")
    kept = json.loads(counters)["refusals"]["malformed"]
    assert [each["url"] for each in kept] == no_urls[:5]
    assert {each["referrer"] for each in kept} == {f"{origin}/"}


@pytest.mark.behaviour("P-04")
def test_the_pause_follows_the_time_that_the_server_takes(
    server: Server, crawl: CrawlCommand
) -> None:
    site = {path: Answer(leaf(path), delay=0.1) for path in ("/a", "/b", "/c")}
    origin = server.serve({"/robots.txt": "", "/": Answer(page(*site), delay=0.1), **site})
    crawl(f"{origin}/")
    first, second, *later = server.log.of(origin)
    assert first.target == "/robots.txt"
    waited = pauses([second, *later])
    assert len(waited) == 3
    assert min(waited) >= 0.39, "four times as long, politeness 2"
    server.log.clear()
    crawl(f"{origin}/", politeness=0, crawl_name="hasty")
    assert min(pauses(server.log.of(origin)[1:])) >= 0.09, "as long as the answer took"


@pytest.mark.behaviour("DU-11", "DU-12")
def test_of_copies_and_of_a_loop_of_canonicals_one_page_is_kept(
    server: Server, crawl: CrawlCommand
) -> None:
    loop = {
        f"/{one}": page(
            title=one, text=f"{one} of the loop", head=f"<link rel=canonical href={to}>"
        )
        for one, to in (("x", "y"), ("y", "z"), ("z", "x"))
    }
    copy = page(title="Copy", text="This text stands at two addresses.")
    site: dict[str, Page] = {"/copy": copy, "/copied": copy, **loop}
    site["/"] = page(*site)
    origin = server.serve(site)
    first = crawl(f"{origin}/")
    written = {url.removeprefix(origin) for url in first.documents}
    (kept,) = written & loop.keys()
    assert written == {"/", "/copy", kept}
    assert first.documents[f"{origin}/copy"]["additional_urls"] == [f"{origin}/copied"]
    assert {server.log.count(path, origin) for path in loop} == {1}
    site["/copy"] = Answer(status=410)
    second = crawl(f"{origin}/", recrawl=0)
    assert second.deletions == {f"{origin}/copy": "gone"}
    assert second.documents.keys() == {f"{origin}/copied"}


@pytest.mark.behaviour("Q-10")
def test_a_site_that_has_no_page_without_a_session_is_crawled_with_the_ids(
    server: Server, crawl: CrawlCommand
) -> None:
    session = "/(S(lit3py55t21z5v55vlm25s55))"
    site: dict[str, Page] = {
        "/": redirect(f"{session}/", 302),
        f"{session}/": page("leaf", title="Home"),
        f"{session}/leaf": leaf("leaf"),
    }
    origin = server.serve(site)
    without = crawl(f"{origin}/")
    assert without.status == 1
    assert "to the same page by session_parameters" in without.log
    run = crawl(f"{origin}/", session_parameters="")
    assert set(run.documents) == {f"{origin}{session}/", f"{origin}{session}/leaf"}


@pytest.mark.behaviour("K-33")
def test_an_escaped_letter_opens_no_door_and_is_requested_as_found(
    server: Server, crawl: CrawlCommand
) -> None:
    shut = ("/%73ecret/a", "/clos%65d/a", "/.//closed/b", "/hi%64den", "/forbi%64den/a", "/v.%6dp4")
    opened = ("/%6Fpen/a", "/f?k%5B0%5D=%7C", "/f?k[0]=|")
    site = {path.partition("?")[0]: leaf(path) for path in (*shut, *opened)}
    origin = server.serve({"/": page(*shut, *opened), **site})
    options = {
        "deny": "/secret/",
        "do_not_crawl": f"/closed/ {origin}/forbidden/",
        "not_contains": "hidden",
    }
    run = crawl(f"{origin}/", **options)
    assert asked_for(server, origin) == set(opened[:2])
    assert set(run.documents) == {f"{origin}{path}" for path in ("/", *opened[:2])}


DIGEST = "0123456789abcdef" * 2


@pytest.mark.behaviour("Q-53")
@pytest.mark.parametrize("link", ["/property?ref=AB{}", "/article?sid={}", "/show?src=clip-{}"])
def test_pages_told_apart_by_the_name_of_a_session_or_a_source_are_documents(
    server: Server, crawl: CrawlCommand, link: str
) -> None:
    links = [link.format(number) for number in range(100)]
    path = link.partition("?")[0]
    answer: Page = lambda request: leaf(request.target) if request.query else Answer(status=404)
    origin = server.serve({"/": page(*links, title="Home"), path: answer})
    assert set(crawl(f"{origin}/").documents) == {f"{origin}{each}" for each in ("/", *links)}


@pytest.mark.behaviour("Q-10", "DU-10")
def test_session_ids_of_any_make_are_not_requested(server: Server, crawl: CrawlCommand) -> None:
    links = (
        "/a?BV_SessionID=@@1@@&BV_EngineID=x&n=1",
        f"/a?n=1;forum_sid={DIGEST}",
        "/b.jsp;$sessionid$X1",
        f"/b.jsp;Web_SID={DIGEST}",
    )
    site = {path: leaf(path) for path in ("/a", "/b.jsp")}
    origin = server.serve({"/": page(*links), **site})
    crawl(f"{origin}/")
    assert asked_for(server, origin) == {"/a?n=1", "/b.jsp"}
    assert len(server.log.targets(origin)) == 4


@pytest.mark.behaviour("K-38")
@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({"query": "filter", "query_keep": "id"}, {"/a?id=1", "/a"}),
        ({"query": "policy", "url_query_parameters": "?id"}, {"/a?id=1"}),
    ],
)
def test_names_of_parameters_are_compared_with_case(
    options: dict[str, Any], asked: set[str], server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": page("/a?id=1", "/a?ID=2"), "/a": leaf("/a")})
    crawl(f"{origin}/", **options)
    assert asked_for(server, origin) == asked
