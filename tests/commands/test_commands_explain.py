"""`scrapy explain URL`: the verdict, what decided, and what is known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from saying import Crawled, Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect

SITE: dict[str, Page] = {
    "/robots.txt": "User-agent: *\nDisallow: /private/\nDisallow: https://test.example/*\n",
    "/": page("/a", "/private/x", "/no/b", "/gone", "/old"),
    "/a": page("/a/deeper"),
    "/a/deeper": page(title="Deeper"),
    "/no/b": page(title="Not this one"),
    "/old": redirect("/new"),
    "/new": page(title="New"),
}


OPTIONS = {"deny": "/no/"}


@pytest.fixture
def explain(known: Crawled, say: Say) -> Say:
    return lambda path, *words: say("explain", known.origin + path, *words)


@pytest.mark.parametrize(
    ("path", "status", "verdict"),
    [
        ("/a", 0, r"crawled \d+ s ago, due in 48 h"),
        ("/private/x", 1, r"refused: line 2 of robots\.txt: Disallow: /private/"),
        ("/no/b", 1, r"refused: deny '/no/' \(-a deny\)"),
        ("/no/never-seen", 1, r"refused: deny '/no/' \(-a deny\)"),
        ("/never-seen", 0, r"would be crawled once a page links to it"),
        ("/gone", 0, r"failed \d+ s ago \(file_not_found, status 404\), due in 48 h"),
        ("/old", 0, r"redirected \d+ s ago to http://127\.0\.0\.1:\d+/new, due in 30 d"),
    ],
)
def test_the_verdict_is_one_line(explain: Say, path: str, status: int, verdict: str) -> None:
    said = explain(path)
    assert said.status == status, said.err
    assert re.fullmatch(f"Verdict: {verdict}", said.lines[0])


def test_a_deleted_document_is_named_with_its_reason(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {"/": page("/a"), "/a": page(title="A")}
    origin = server.serve(site)
    crawl(f"{origin}/")
    site["/a"] = Answer(status=410)
    crawl(f"{origin}/", recrawl=0)
    status, printed = crawl.command("explain", f"{origin}/a")
    assert status == 0
    deleted = r"its document was deleted \d+ s ago \(gone\)"
    assert re.search(rf"^Verdict: failed .*, {deleted}, ", printed)
    assert re.search(rf"^  {deleted}$", printed, re.MULTILINE)


def test_the_page_that_replaces_a_deleted_document_is_named(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/": page("/a"), "/a": page(title="A")}
    origin = server.serve(site)
    crawl(f"{origin}/")
    site["/a"] = page(title="A", head=f'<link rel="canonical" href="{origin}/">')
    crawl(f"{origin}/", recrawl=0)
    _, printed = crawl.command("explain", f"{origin}/a")
    assert f"(non_canonical: {origin}/)" in printed
    assert "None" not in printed


def test_the_list_of_all_decisions_is_printed_on_request(explain: Say) -> None:
    printed = [explain("/no/b", *options).lines for options in ((), ("-v",))]
    short, long = ([re.sub(r"\d+ s ago", "N s ago", line) for line in each] for each in printed)
    assert short == long[: len(short)], "-v only adds"
    decision = short.index("Decision")
    assert re.fullmatch(r"  refused  deny +deny '/no/' \(-a deny\)", short[decision + 1])
    assert not any(line.startswith("  passed") for line in short)
    assert sum(line.startswith("  passed") for line in long) > 15
    allowed = explain("/a").lines
    assert any("rules and limits refuses it (-v lists them)" in line for line in allowed)
    assert any(line.startswith("  passed   robots_txt") for line in allowed)


def test_every_decision_is_there_in_order(explain: Say) -> None:
    record = explain("/a/deeper", "--json").record
    rules = [step["rule"] for step in record["rules"]]
    assert rules.index("scheme") < rules.index("scope") < rules.index("deny") < rules.index("depth")
    assert {step["verdict"] for step in record["rules"]} == {"passed"}
    assert record["robots"]["verdict"] == "passed"
    assert record["allowed"]


def test_stored_facts_are_shown(explain: Say, crawled: Crawled) -> None:
    record = explain("/a/deeper", "--json").record
    stored = record["stored"]
    document = crawled.run.documents[f"{crawled.origin}/a/deeper"]
    assert record["referrers"] == [f"{crawled.origin}/", f"{crawled.origin}/a"]
    assert (stored["outcome"], stored["status"], stored["depth"]) == ("file_ingested", 200, 2)
    assert stored["document"] == document["id"]
    assert stored["visited_at"] == document["last_crawled_at"]
    assert explain("/never-seen", "--json").record["stored"] is None


def test_another_option_shows_what_it_would_change(explain: Say) -> None:
    said = explain("/a", "-a", "deny=/a")
    assert said.status == 1
    assert said.lines[0].endswith("deny '/a' (-a deny); its document would be deleted")
    allowed = explain("/private/x", "-a", "obey_robots=no", "--json").record
    assert allowed["allowed"]
    assert allowed["robots"]["verdict"] == "exempt"


@pytest.mark.behaviour("K-33")
def test_an_escaped_letter_is_explained_as_the_rules_see_it(explain: Say, known: Crawled) -> None:
    said = explain("/%6Eo/b")
    assert said.status == 1
    assert said.lines[2] == f"  normalized as {known.origin}/no/b"
    assert said.lines[0] == "Verdict: refused: deny '/no/' (-a deny)"
    record = explain("/%61", "--json").record
    urls = (record["request_url"], record["normal_url"])
    assert urls == (f"{known.origin}/%61", f"{known.origin}/a")
    assert record["stored"]["outcome"] == "file_ingested"


def test_a_refused_link_keeps_its_referrer(explain: Say) -> None:
    assert "  nothing: a link that is refused is not stored" in explain("/no/b").lines
    named = "  nothing: no page, start or sitemap has named it yet"
    assert named in explain("/never-seen").lines
    assert named in explain("/private/never-seen").lines  # it would wait for its turn


@pytest.mark.usefixtures("explain")
def test_a_foreign_origin_is_explained_too(say: Say) -> None:
    said = say("explain", "http://elsewhere.test/")
    assert said.status == 1
    assert said.lines[0].startswith("Verdict: refused: scope 'origin' (default)")


@pytest.mark.parametrize(
    ("words", "status", "line"),
    [
        (["example.org/a"], 2, "'example.org/a' is not a URL; write https://example.org/a"),
        (["mailto:x@a.test"], 2, "'mailto:x@a.test' is not a URL; write one as https://"),
        (["http://a.test", "http://b.test"], 2, "give one URL"),
        (["http://a.test", "--jsn"], 2, "there is no option --jsn"),
        (["http://a.test", "-a", "realm=a", "-a", "realm=b"], 2, "-a realm: given 2 times"),
        (["http://a.test", "-a", "realm"], 2, "write -a NAME=VALUE"),
        (["http://a.test", "-a", "start=http://a.test", "-a", "moed=x"], 2, "Did you mean 'mode'?"),
        (["http://a.test", "-a", "start=http://a.test", "--spider", "x"], 2, "no spider 'x'"),
        (["http://a.test"], 3, "There is no crawl database at sqlite:///.sitecrawl/NAME.db"),
        (["http://a.test", "-s", "SITECRAWL_DATABASE=mysql://x"], 2, "is not a crawl database"),
    ],
)
def test_what_is_wrong_is_one_line(say: Say, words: list[str], status: int, line: str) -> None:
    said = say("explain", *words)
    assert (said.status, said.out) == (status, "")
    assert line in said.err
    assert "Traceback" not in said.err


def test_before_the_first_crawl_the_rules_answer(say: Say, tmp_path: Path) -> None:
    start = ["-a", "start=http://a.test/", "-a", "deny=x"]
    assert say("explain", "http://a.test/x", *start).status == 1
    said = say("explain", "http://a.test/y", *start)
    assert said.status == 0
    assert said.lines[0].endswith("once a page links to it, unless robots.txt forbids it")
    assert list(tmp_path.iterdir()) == []


def test_a_robots_txt_that_cannot_be_read_refuses(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/robots.txt": Answer("busy", status=503)})
    crawl(f"{origin}/", patience=1)
    said = say("explain", f"{origin}/a")
    assert said.status == 1
    assert said.lines[0] == f"Verdict: refused: {origin}/robots.txt could not be read: status 503"


def test_the_right_one_of_several_databases_answers(
    explain: Say, say: Say, server: Server, crawl: CrawlCommand
) -> None:
    other = server.serve(SITE, address="127.0.0.2")
    crawl(f"{other}/", max_pages=1, deny="/two")
    assert explain("/no/b").lines[0] == "Verdict: refused: deny '/no/' (-a deny)"
    assert say("explain", f"{other}/two").lines[0] == "Verdict: refused: deny '/two' (-a deny)"
    assert say("explain", f"{other}/a").lines[0] == "Verdict: waiting: would be crawled"
    said = say("explain", "http://elsewhere.test/")
    assert said.status == 3
    assert said.err.startswith("None of 2 crawls knows http://elsewhere.test:")


def test_an_origin_that_a_start_was_sent_to_is_in_scope(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    port = int(server.serve(SITE).rpartition(":")[2])
    other = server.serve({"/": redirect(f"http://127.0.0.1:{port}/")}, address="127.0.0.1")
    crawl(f"{other}/")
    assert say("explain", f"http://127.0.0.1:{port}/a").status == 0


def test_a_link_that_a_limit_left_out_says_so(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    site = {"/": page(*(f"/{word}" for word in "abcdefgh")), "/a": page("/a/b"), "/b": page()}
    origin = server.serve(site)
    crawl(f"{origin}/", max_links_per_page=2, max_depth=1)
    said = say("explain", f"{origin}/c")
    assert said.status == 1
    limit = "max_links_per_page 2 (-a max_links_per_page)"
    assert said.lines[0] == f"Verdict: refused: {limit} (in the last run, on {origin}/)"
    assert say("explain", f"{origin}/c", "-a", "max_links_per_page=0").status == 0
    deep = say("explain", f"{origin}/a/b")
    assert deep.lines[0].startswith("Verdict: refused: max_depth 1 (-a max_depth): depth 2 (in the")
    assert say("explain", f"{origin}/a/b", "-a", "max_depth=2").status == 0
    beyond = say("explain", f"{origin}/h")  # no example is kept of it
    assert beyond.status == 0
    assert beyond.lines[0].endswith(
        "; it may be among the links that the last run dropped (6 links_per_page, 1 depth)"
    )


def test_a_run_that_reads_nothing_anew_forgets_no_link_that_was_left_out(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve({"/": page("/a"), "/a": page(*(f"/a/{n}" for n in range(7)))})
    crawl(f"{origin}/", max_depth=1)
    assert crawl(f"{origin}/", max_depth=1).lines == []
    said = say("explain", f"{origin}/a/0")
    assert said.status == 1
    why = "max_depth 1 (-a max_depth): depth 2"
    assert said.lines[0] == f"Verdict: refused: {why} (in run 1, on {origin}/a)"
    beyond = say("explain", f"{origin}/a/6").lines[0]
    assert beyond.endswith("; it may be among the links that run 1 dropped (7 depth)")
    crawl(f"{origin}/", max_depth=3)
    assert "dropped" not in say("explain", f"{origin}/never-seen").out


def test_a_link_on_a_page_that_says_nofollow_says_so(
    say: Say, server: Server, crawl: CrawlCommand
) -> None:
    head = '<meta name="robots" content="nofollow">'
    origin = server.serve({"/": page("/a", "/picture.gif", head=head)})
    run = crawl(f"{origin}/")
    assert run.stats["sitecrawl/rules/rel"] == 1
    said = say("explain", f"{origin}/a")
    assert said.status == 1
    why = "rel=nofollow, nofollow 'obey' (default)"
    assert said.lines[0] == f"Verdict: refused: {why} (in the last run, on {origin}/)"
    assert say("explain", f"{origin}/a", "-a", "nofollow=ignore").status == 0


def test_the_other_spelling_of_a_page_names_the_one_that_was_asked_for(explain: Say) -> None:
    said = explain("/a/index.html")
    asked = said.lines[1].removesuffix("/index.html")
    assert said.status == 0
    assert (
        f"  the same page as {asked}, by the options that decide which URLs are equal" in said.lines
    )
    assert re.search(rf"crawled \d+ s ago \(asked for as {asked}\), due in", said.lines[0])


def test_it_ends_with_its_status_as_a_process(known: Crawled, fetching: Say) -> None:
    said = fetching("explain", f"{known.origin}/no/b")
    assert said.status == 1, said.err
    assert said.lines[0] == "Verdict: refused: deny '/no/' (-a deny)"
