"""`scrapy frontier`: numbers, lists, and changes by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from saying import SITE, Crawled, Say, states

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

OPTIONS: dict[str, object] = {}


@pytest.mark.behaviour("A-05")
def test_errors_are_cleared(known: Crawled, crawl: CrawlCommand, say: Say) -> None:
    origin = known.origin
    said = say("frontier", "clear-errors", "--realm", "default")
    assert said.status == 0
    assert said.out.startswith("3 URLs of realm 'default'")
    waiting = {
        path
        for path, state in states(say("frontier", "pending").lines, origin).items()
        if not state
    }
    assert waiting >= {"/dead", "/gone", "/private/x"}
    counted = "SELECT sum(failures), sum(missing) FROM url WHERE waiting = 1"
    assert crawl.rows(counted) == [(0, 0)]
    known.server.log.clear()
    crawl(f"{origin}/")
    assert {"/dead", "/gone"} <= set(known.server.log.targets())
    assert "/private/x" not in known.server.log.targets()


@pytest.mark.behaviour("A-16")
def test_one_failed_url_is_retried_before_its_time(
    known: Crawled, crawl: CrawlCommand, say: Say
) -> None:
    origin = known.origin
    known.site["/dead"] = page(title="Back")
    assert say("frontier", "retry", f"{origin}/dead").status == 0
    run = crawl(f"{origin}/")
    assert "/dead" in known.server.log.targets()
    assert "/gone" not in known.server.log.targets()
    assert list(run.documents) == [f"{origin}/dead"]
    unknown = say("frontier", "retry", f"{origin}/never-seen")
    assert (unknown.status, unknown.out) == (
        1,
        f"{origin}/never-seen is not known in realm 'default'.\n",
    )
    refused = say("frontier", "retry", f"{origin}/private/x")
    line = "line 2 of robots.txt: Disallow: /private/"
    holds = f"the next crawl leaves it out as long as this holds: {line}"
    assert (refused.status, refused.out) == (0, f"{origin}/private/x waits, but {holds}\n")


@pytest.mark.behaviour("S-18")
def test_dead_links_name_the_page_that_holds_them(known: Crawled, say: Say) -> None:
    origin = known.origin
    assert say("frontier", "errors").lines == [
        f"404 file_not_found {origin}/dead on {origin}/",
        f"410 file_gone {origin}/gone on {origin}/",
    ]
    assert [record["referrer"] for record in say("frontier", "errors", "--json").records] == [
        f"{origin}/",
        f"{origin}/",
    ]


@pytest.mark.behaviour("O-06")
def test_redirects_are_listed(known: Crawled, say: Say) -> None:
    origin = known.origin
    assert say("frontier", "redirects").lines == [f"302 {origin}/old {origin}/new"]
    (record,) = say("frontier", "redirects", "--json").records
    assert record == {
        "url": f"{origin}/old",
        "redirect_to": f"{origin}/new",
        "status": 302,
        "outcome": "redirect",
    }


@pytest.mark.behaviour("F-04", "DU-07", "DU-08")
def test_hosts_that_serve_the_same_pages_are_listed(
    server: Server, crawl: CrawlCommand, say: Say
) -> None:
    paths = ("/", "/1", "/2", "/3")
    site: dict[str, Page] = {path: page("/1", "/2", "/3", title=path) for path in paths}
    first, mirror = server.serve(site), server.serve(site, address="127.0.0.2")
    neighbour = server.serve({**site, "/2": page(title="own"), "/3": page(title="too")})
    run = crawl(*(f"{origin}/" for origin in (first, mirror, neighbour)), allow_private=1)
    assert len(run.documents) == 12, "what a host serves is its own, also on a shared address"
    pairs = {tuple(sorted(pair)) for pair in ((first, neighbour), (mirror, neighbour))}
    (whole, *half) = [line.split() for line in say("frontier", "mirrors").lines]
    assert whole == ["4", "100%", *sorted((first, mirror))]
    assert {(count, share, *origins) for count, share, *origins in half} == {
        ("2", "50%", *pair) for pair in pairs
    }
    record = say("frontier", "mirrors", "--json").records[0]
    assert record == {"origins": sorted((first, mirror)), "documents": 4, "share": 1.0}


@pytest.mark.behaviour("LR-31")
@pytest.mark.usefixtures("known")
def test_refused_links_are_counted_by_reason(say: Say) -> None:
    assert say("frontier", "stats", "--json").record["refused"] == {
        "extension": 2,
        "robots_txt": 1,
    }
    told = say("frontier", "stats").out
    assert "Links that the last run refused, by reason\n          2 extension\n" in told


@pytest.mark.behaviour("A-14", "DB-15", "S-20")
def test_statistics_say_how_each_origin_ended(
    server: Server, crawl: CrawlCommand, say: Say
) -> None:
    whole = server.serve(SITE)
    failing = server.serve(
        {"/": page(*(f"/{n}" for n in range(9))), "*": Answer("broken", status=500)},
        address="127.0.0.2",
    )
    crawl(f"{whole}/", f"{failing}/", patience=3, crawl_name="both")
    record = say("frontier", "stats", "--json").record
    ended = {origin["key"]: origin["ended"] for origin in record["origins"]}
    assert ended == {whole: "finished", failing: "patience"}
    assert record["outcomes"]["file_not_found"] == 1
    assert record["run"]["finish_reason"] == "finished"
    told = say("frontier").out
    assert f"  {whole} (default): finished\n    8 URLs, 0 waiting, 4 documents\n" in told
    why = f"{failing}/robots.txt cannot be read (answered 500)"
    assert f"  {failing} (default): given up after too many failures: {why}\n" in told


@pytest.mark.behaviour("A-14")
def test_statistics_tell_a_limit_from_an_end(server: Server, crawl: CrawlCommand, say: Say) -> None:
    origin = server.serve(SITE)
    crawl(f"{origin}/", max_pages=2)
    assert f"  {origin} (default): stopped at its limit\n" in say("frontier", "stats").out
    crawl(f"{origin}/")
    assert f"  {origin} (default): finished\n" in say("frontier", "stats").out


def test_deletions_that_were_held_back_are_confirmed(
    server: Server, crawl: CrawlCommand, say: Say
) -> None:
    paths = [f"/{number}" for number in range(12)]
    site: dict[str, Page] = {"/": page(*paths), **{path: page(title=path) for path in paths}}
    origin = server.serve(site)
    assert len(crawl(f"{origin}/").documents) == 13
    site.update(dict.fromkeys(paths, Answer("gone", status=410)))
    held = crawl(f"{origin}/", force=1)
    assert "scrapy frontier confirm" in held.log
    assert held.deletions == {}
    assert "12 changes held back" in say("frontier", "stats").out
    said = say("frontier", "confirm", "http://elsewhere.test")
    assert (said.status, said.out) == (1, "No change is held back.\n")
    said = say("frontier", "confirm", origin)
    assert (said.status, said.out) == (0, "12 changes written; the next crawl delivers them.\n")
    assert crawl(f"{origin}/").deletions == {f"{origin}{path}": "gone" for path in paths}


@pytest.mark.behaviour("DB-09")
def test_only_the_requested_realm_is_reported(
    server: Server, crawl: CrawlCommand, say: Say
) -> None:
    origin = server.serve(SITE)
    crawl(f"{origin}/", realm="one")
    crawl(f"{origin}/", realm="two", max_pages=1)
    for realm, words in (("one", ["--realm", "one"]), ("two", []), ("two", ["--realm", "two"])):
        record = say("frontier", "stats", *words, "--json").record
        (told,) = record["origins"]
        assert (told["realm"], told["urls"]) == (realm, sum(record["outcomes"].values()))
    for action in ("errors", "redirects"):
        everywhere = say("frontier", action).lines
        assert everywhere
        assert say("frontier", action, "--realm", "one").lines == everywhere
        assert say("frontier", action, "--realm", "two").status == 1
    assert say("frontier", "mirrors", "--realm", "two").status == 1


@pytest.mark.behaviour("DB-09", "DEL-08")
def test_a_realm_is_forgotten(server: Server, crawl: CrawlCommand, say: Say) -> None:
    origin = server.serve(SITE)
    crawl(f"{origin}/", realm="one")
    crawl(f"{origin}/", realm="two")
    assert say("frontier", "delete-realm", "three").status == 1
    assert say("frontier", "delete-realm", "one").out == (
        "Realm 'one' was deleted; 4 deletions written. scrapy export -a realm=one --since 8 prints "
        "them; the next crawl of that realm delivers them.\n"
    )
    exported = [json.loads(line) for line in say("export", "-a", "realm=one", "--since", "8").lines]
    assert {(line["op"], line["realm"]) for line in exported} == {("delete", "one")}
    assert crawl(f"{origin}/", realm="two").lines == []
    assert {line.split()[1] for line in say("frontier", "pending").lines} == {"two"}
    assert say("frontier", "pending", "--realm", "one").status == 1


@pytest.mark.behaviour("DEL-08")
def test_an_origin_is_forgotten(server: Server, crawl: CrawlCommand, say: Say) -> None:
    text = "A text that two sites have in common, long enough to be compared."
    pages: dict[str, Page] = {
        "/": page("/a", text=text),
        "/a": page(text="Only here, and nowhere else."),
    }
    one, two = server.serve(pages), server.serve(pages, address="127.0.0.2")
    done = crawl(f"{one}/", f"{two}/", crawl_name="both")
    kept = next(origin for origin in (one, two) if f"{origin}/" in done.documents)
    other = two if kept == one else one
    assert say("frontier", "delete-origin", "http://a.test").status == 1
    said = say("frontier", "delete-origin", kept)
    assert said.out.startswith(f"{kept} was deleted; ")
    assert "-a do_not_crawl=127.0.0." in said.out
    assert kept not in say("frontier", "pending").out
    again = crawl(f"{other}/", crawl_name="both")
    assert set(again.deletions) == {url for url in done.documents if url.startswith(kept)}
    exported = say("export").lines
    assert {json.loads(line)["url"] for line in exported} == {f"{other}/", f"{other}/a"}


@pytest.mark.parametrize(
    ("words", "status", "line"),
    [
        (["stat"], 2, "there is no action 'stat'; known: stats, pending"),
        (["retry"], 2, "write scrapy frontier retry URL"),
        (["stats", "more"], 2, "write scrapy frontier stats"),
        (["pending", "--jsn"], 2, "there is no option --jsn"),
        (["pending"], 3, "There is no crawl database at sqlite:///.sitecrawl/NAME.db"),
        (["-a", "start=http://a.test"], 3, "There is no crawl at sqlite:///.sitecrawl/a.test.db"),
        (
            ["-a", "crawl_name=own"],
            3,
            "There is no crawl database at sqlite:///.sitecrawl/own.db",
        ),
        (["pending", "--realm", "other"], 3, "There is no crawl of realm 'other' at sqlite:///"),
    ],
)
def test_what_is_wrong_is_one_line(say: Say, words: list[str], status: int, line: str) -> None:
    said = say("frontier", *words)
    assert (said.status, said.out) == (status, "")
    assert line in said.err


def test_files_that_cannot_be_used_are_named(
    server: Server, crawl: CrawlCommand, say: Say, tmp_path: Path
) -> None:
    crawl(f"{server.serve({'*': page()})}/")
    (tmp_path / "latin").write_bytes(b"\xe9")
    assert say("frontier", "import", "none.txt").err == ("none.txt: No such file or directory.\n")
    assert say("frontier", "import", "latin").err == "latin is not UTF-8 text (byte 0).\n"
    (database,) = (tmp_path / ".sitecrawl").glob("*.db")
    database.write_bytes(b"no database" * 1000)
    said = say("frontier")
    assert said.status == 3
    assert "is not a SQLite database" in said.err
