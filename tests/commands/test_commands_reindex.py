"""`scrapy reindex`: changed options applied to what is stored, without a request."""

from __future__ import annotations

import pytest
from saying import Crawled, Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page, redirect

SITE: dict[str, Page] = {
    "/": page("/public", "/private/a", "/private/b", "/list?id=1&sort=up", "/note", title="Start"),
    "/public": page(title="Public"),
    "/private/a": page(title="A"),
    "/private/b": page(title="B"),
    "/list": page(title="List"),
    "/note": Answer("A note", headers={"Content-Type": "text/plain"}),
    "/shop/1": page(title="Twin", text="equal"),
    "/store/1": page(title="Twin", text="equal"),
}
OPTIONS = {"realm": "own"}


@pytest.mark.behaviour("DEL-05", "A-07", "LR-30")
def test_what_the_rules_refuse_is_deleted(known: Crawled, crawl: CrawlCommand, say: Say) -> None:
    origin, host = known.origin, known.origin.partition("://")[2]
    options = ("-a", f"do_not_crawl=http://{host}/private/b", "-a", "deny=/private/a")
    dry = say("reindex", *options, "--dry-run")
    assert dry.status == 0, dry.err
    assert dry.lines[1:] == [
        "Options that differ from the last run: deny, do_not_crawl",
        "1 document deleted (deny)",
        f"  {origin}/private/a: deny '/private/a' (-a deny)",
        "1 document deleted (do_not_crawl)",
        f"  {origin}/private/b: do_not_crawl 'http://{host}/private/b' (-a do_not_crawl)",
        "This was a dry run: nothing was changed.",
    ]
    assert len(say("export").records) == 6
    done = say("reindex", *options)
    assert done.lines[-1] == "The next crawl delivers this; scrapy export --since 6 prints it."
    gone = {f"{origin}/private/a": "excluded", f"{origin}/private/b": "excluded"}
    written = say("export", "--since", 6).records
    assert {line["url"]: line["reason"] for line in written} == gone
    assert known.server.log.targets() == []
    nothing = say("reindex", *options)
    assert (nothing.status, nothing.lines[-1]) == (1, "Every document stays as it is.")
    given = dict(word.split("=", 1) for word in options[1::2])
    run = crawl(f"{origin}/", **OPTIONS, **given)
    assert run.deletions == gone
    assert "The configuration has changed" not in run.log
    again = crawl(f"{origin}/", **OPTIONS)
    assert {*again.documents} == {*gone}, "what is admitted again comes back at once"


@pytest.mark.behaviour("DEL-05")
def test_content_types_and_texts_that_are_not_wanted_now(known: Crawled, say: Say) -> None:
    words = ("content_types=text/html", "binary_guard=yes")
    (record,) = say("reindex", "-a", words[0], "--dry-run", "--json").records
    assert record["deleted"] == {"content_type": {"count": 1, "examples": [f"{known.origin}/note"]}}
    assert (record["since"], record["options"], record["realm"]) == (None, ["content_types"], "own")
    (record,) = say("reindex", "-a", words[1], "--json").records
    assert record["deleted"]["too_little_text"]["count"] == 6
    assert {line["reason"] for line in say("export", "--since", 6).records} == {"unwanted_type"}


@pytest.mark.behaviour("Q-20", "DEL-05")
def test_an_address_that_is_written_otherwise_now_is_crawled_under_it(
    known: Crawled, crawl: CrawlCommand, say: Say
) -> None:
    origin = known.origin
    said = say("reindex", "-a", "query=filter", "-a", "query_keep=id")
    assert said.lines[2:4] == [
        "1 document deleted (rewritten)",
        f"  {origin}/list?id=1&sort=up: now {origin}/list?id=1",
    ]
    run = crawl(f"{origin}/", query="filter", query_keep="id", **OPTIONS)
    assert run.deletions == {f"{origin}/list?id=1&sort=up": "excluded"}
    assert list(run.documents) == [f"{origin}/list?id=1"]
    again = crawl(f"{origin}/", query="filter", query_keep="id", force=1, **OPTIONS)
    assert again.deletions == {}
    assert f"{origin}/list?id=1&sort=up" not in again.documents


@pytest.mark.behaviour("Q-20", "A-13")
def test_a_crawl_goes_on_under_the_new_addresses(known: Crawled, crawl: CrawlCommand) -> None:
    origin = known.origin
    run = crawl(f"{origin}/", query="filter", query_keep="id", recrawl=0, **OPTIONS)
    assert f"{origin}/list?id=1" in run.documents
    assert "/list?id=1&sort=up" not in known.server.log.targets()
    old = f"{origin}/list?id=1&sort=up"
    assert crawl.rows("SELECT reason FROM url WHERE url = ?", old) == [("rewritten",)]
    assert run.deletions == {old: "excluded"}


@pytest.mark.behaviour("A-07", "A-13")
def test_names_are_applied_without_fetching(known: Crawled, crawl: CrawlCommand, say: Say) -> None:
    options = ("-a", "preset=minimal", "-a", "field_map=body:content")
    said = say("reindex", *options)
    assert said.lines[2] == "6 documents rewritten in their new form"
    records = say("export", "--since", 6).records
    assert len(records) == 6
    assert all(set(line) >= {"id", "url", "content"} for line in records)
    assert known.server.log.targets() == []
    run = crawl(f"{known.origin}/", preset="minimal", field_map="body:content", **OPTIONS)
    assert sorted(line["seq"] for line in run.lines) == list(range(7, 13))
    assert set(known.server.log.targets()) <= {"/robots.txt"}


@pytest.mark.behaviour("A-07", "A-13")
def test_what_needs_the_page_is_due(known: Crawled, crawl: CrawlCommand, say: Say) -> None:
    said = say("reindex", "-a", "title_order=heading url")
    assert said.lines[2:] == [
        "6 documents due: their pages must be read again",
        "A crawl keeps this only if its own configuration says so: give it title_order too.",
        "The next crawl reads these pages.",
    ]
    assert crawl.rows("SELECT count(*) FROM url WHERE waiting = 1 AND reading IS NOT NULL") == [
        (6,)
    ]
    run = crawl(f"{known.origin}/", title_order="heading url", **OPTIONS)
    assert {document["change"] for document in run.documents.values()} == {"config"}
    assert run.documents[f"{known.origin}/public"]["title"] != "Public"


def test_an_equal_page_that_comes_into_its_own_is_judged_as_well(
    known: Crawled, crawl: CrawlCommand, say: Say
) -> None:
    known.site["/"] = page("/shop/1", "/store/1", title="Shops")
    crawl(f"{known.origin}/", force=1, **OPTIONS)
    before = {line["url"] for line in say("export").records}
    assert len({f"{known.origin}/shop/1", f"{known.origin}/store/1"} & before) == 1
    say("reindex", "-a", "deny=/shop/ /store/")
    after = {line["url"] for line in say("export").records}
    assert before - after <= {f"{known.origin}/shop/1", f"{known.origin}/store/1"}
    assert not {f"{known.origin}/shop/1", f"{known.origin}/store/1"} & after


def test_what_a_start_was_sent_to_stays(server: Server, crawl: CrawlCommand, say: Say) -> None:
    home = server.serve(SITE)
    crawl(f"{server.serve({'/': redirect(f'{home}/')})}/")
    said = say("reindex", "-a", "max_url_length=2000", "--dry-run")
    assert said.status == 1, said.out


def test_what_is_wrong_is_one_line(say: Say) -> None:
    assert say("reindex").status == 3
    assert "there is nothing to do with 'now'" in say("reindex", "now").err
