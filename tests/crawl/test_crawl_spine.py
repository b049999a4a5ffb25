"""The whole path of a page: one small site, one crawl, seen from the server and the output."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import AccessLog, Answer, Page, Server, page, redirect
from sitecrawl.policy.outcomes import Outcome

NOINDEX = '<meta name="robots" content="noindex">'
NOFOLLOW = '<meta name="robots" content="nofollow">'


class Seen(NamedTuple):
    """One finished crawl: where it was, what it left, what it asked for."""

    origin: str
    elsewhere: str
    run: Crawl
    log: AccessLog
    command: CrawlCommand

    @property
    def urls(self) -> set[str]:
        """Path and query of every document."""
        return {url.removeprefix(self.origin) for url in self.run.documents}

    def asked(self, target: str) -> int:
        """Number of requests for a target."""
        return self.log.count(target, self.origin)

    def outcome(self, target: str) -> list[Outcome]:
        """Outcomes of the crawl actions of a target."""
        rows = self.command.rows(
            "SELECT attempt.outcome FROM attempt JOIN url ON url.id = attempt.url WHERE url.url = ?",
            self.origin + target,
        )
        return [Outcome(outcome) for (outcome,) in rows]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    command = CrawlCommand(tmp_path_factory.mktemp("spine"))
    with Server() as server:
        elsewhere = server.serve({"*": page(title="elsewhere")}, address="127.0.0.2")
        links = ["/a", "/a#part", "/deep/", "/forbidden/p", "/picture.gif", "/missing", "/gone"]
        links += ["/old", "/temporary", "/noindex", "/nofollow", "/film", "mailto:someone@x.test"]
        links += ["javascript:go()", f"{elsewhere}/offsite", "http://", "/text.txt", "/empty"]
        site: dict[str, Page] = {
            "/robots.txt": "User-agent: *\nDisallow: /forbidden/\n",
            "/": page(*links, title="Start"),
            "/a": page("/", "/second", title="A", text="The text of A."),
            "/second": page(title="Second"),
            "/deep/": page("../..//a", "../../../../second", title="Deep"),
            "/gone": Answer("gone", status=410),
            "/old": redirect("/new"),
            "/new": page(title="New"),
            "/temporary": redirect(f"{elsewhere}/moved", status=302),
            "/noindex": page("/behind-noindex", title="Noindex", head=NOINDEX),
            "/behind-noindex": page(title="Behind noindex"),
            "/nofollow": page("/behind-nofollow", title="Nofollow", head=NOFOLLOW),
            "/film": Answer(b"\0" * 1000, headers={"Content-Type": "video/mp4"}),
            "/text.txt": "plain <text>\n",
            "/empty": Answer(status=204),
        }
        origin = server.serve(site)
        run = command(f"{origin}/", contact="people@example.org")
        yield Seen(origin, elsewhere, run, server.log, command)


@pytest.mark.behaviour("A-01", "A-12", "P-10", "O-01", "LR-32")
def test_it_ends_well(seen: Seen) -> None:
    assert seen.run.status == 0, seen.run.log[-3000:]
    assert "Traceback" not in seen.run.log
    assert seen.run.stats["sitecrawl/exit_status"] == 0


@pytest.mark.behaviour("L-01", "M-02", "R-02", "LR-27", "O-02")
def test_the_documents_are_the_pages(seen: Seen) -> None:
    pages = {"/", "/a", "/second", "/deep/", "/new", "/behind-noindex", "/nofollow", "/text.txt"}
    assert seen.urls == pages
    assert len(seen.run.lines) == len(pages)


@pytest.mark.behaviour("RT-01")
def test_robots_txt_is_first(seen: Seen) -> None:
    assert seen.log.targets(seen.origin)[0] == "/robots.txt"
    assert seen.asked("/robots.txt") == 1


@pytest.mark.behaviour("RT-03", "DB-17")
def test_a_forbidden_page_is_never_asked_for(seen: Seen) -> None:
    assert seen.asked("/forbidden/p") == 0
    assert seen.outcome("/forbidden/p") == [Outcome.BLOCKED_BY_ROBOTS_TXT]


@pytest.mark.behaviour("DU-01", "LR-24", "U-03", "U-04", "U-07")
def test_nothing_is_asked_for_twice(seen: Seen) -> None:
    targets = seen.log.targets(seen.origin)
    assert sorted(targets) == sorted(set(targets))
    assert [target for target in targets if ".." in target or "//" in target] == []


@pytest.mark.behaviour("L-11", "L-20", "LR-01", "LR-04", "LR-14", "R-08")
def test_nothing_out_of_scope_is_asked_for(seen: Seen) -> None:
    assert seen.log.targets(seen.elsewhere) == []
    assert seen.asked("/picture.gif") == 0
    # The redirect out of scope is recorded all the same.
    rows = seen.command.rows(
        "SELECT redirect_to FROM url WHERE url = ?", f"{seen.origin}/temporary"
    )
    assert rows == [(f"{seen.elsewhere}/moved",)]


@pytest.mark.behaviour("M-01", "M-10", "M-11")
def test_noindex_and_nofollow(seen: Seen) -> None:
    assert seen.outcome("/noindex") == [Outcome.NOINDEX]
    assert seen.asked("/behind-noindex") == 1
    assert seen.asked("/behind-nofollow") == 0
    known = seen.command.rows("SELECT 1 FROM url WHERE url = ?", f"{seen.origin}/behind-nofollow")
    assert known == []


@pytest.mark.behaviour("R-01", "R-04", "S-14", "DB-23")
@pytest.mark.parametrize(
    ("target", "outcome"),
    [
        ("/a", Outcome.FILE_INGESTED),
        ("/missing", Outcome.FILE_NOT_FOUND),
        ("/gone", Outcome.FILE_GONE),
        ("/old", Outcome.PERMANENT_REDIRECT),
        ("/temporary", Outcome.REDIRECT),
        ("/film", Outcome.UNWANTED_TYPE),
        ("/empty", Outcome.NO_CONTENT),
    ],
)
def test_every_end_has_one_outcome(seen: Seen, target: str, outcome: Outcome) -> None:
    assert seen.asked(target) == 1
    assert seen.outcome(target) == [outcome]


@pytest.mark.behaviour("P-05", "F-05", "F-21")
def test_requests_are_polite(seen: Seen) -> None:
    assert seen.log.most_in_flight(seen.origin) == 1
    requests = seen.log.of(seen.origin)
    (agent,) = {each.headers["user-agent"] for each in requests}
    assert agent.startswith("sitecrawl/")
    assert "people@example.org" in agent
    assert not any(name.startswith("if-") for each in requests for name in each.headers)


@pytest.mark.behaviour("F-08")
def test_the_referer_is_the_page_with_the_link(seen: Seen) -> None:
    assert seen.log.header("/", "Referer", seen.origin) == [None]
    assert seen.log.header("/a", "Referer", seen.origin) == [f"{seen.origin}/"]
    assert seen.log.header("/second", "Referer", seen.origin) == [f"{seen.origin}/a"]


@pytest.mark.behaviour("O-03", "DB-19")
def test_a_document_says_where_it_comes_from(seen: Seen) -> None:
    document = seen.run.documents[f"{seen.origin}/second"]
    assert document["op"] == "upsert"
    assert document["change"] == "new"
    assert document["title"] == "Second"
    assert document["source_url"] == f"{seen.origin}/a"
    assert document["discovered_via"] == "link"
    assert document["depth"] == 2
    assert document["status_code"] == 200
    assert document["content_type"].startswith("text/html")
    assert document["schema_version"] == 1
    assert len(document["id"]) == 32


@pytest.mark.behaviour("O-05")
def test_a_document_says_what_was_learnt_of_its_file(server: Server, crawl: CrawlCommand) -> None:
    body = b"<title>File</title><link rel=canonical href=/>" + b"<p>A line of the file.</p>" * 50
    told = {"ETag": '"1"', "Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}
    packed = {"Content-Encoding": "gzip", "Content-Type": "text/html; charset=utf-8"}
    origin = server.serve({"/": Answer(gzip.compress(body), headers={**told, **packed})})
    [document] = crawl(f"{origin}/").lines
    names = ("status_code", "content_type", "content_length", "etag", "last_modified")
    learnt = [200, "text/html", len(body), *told.values()]
    assert [document[name] for name in names] == learnt
    assert (document["canonical_url"], document["modified_at"][:10]) == (f"{origin}/", "2015-10-21")
    [(size,)] = crawl.rows("SELECT bytes FROM attempt")
    assert size < len(body), "of the attempt what came over the wire"


@pytest.mark.behaviour("O-09")
def test_the_times_of_a_visit_are_in_utc_and_those_of_the_page_as_it_has_them(
    server: Server, crawl: CrawlCommand
) -> None:
    head = '<meta property="article:modified_time" content="2020-01-02T03:04:05+02:00">'
    site: dict[str, Page] = {"/": page(head=head, text="first")}
    origin = server.serve(site)
    [first] = crawl(f"{origin}/").lines
    names = ("first_seen_at", "last_crawled_at", "last_changed_at")
    assert [len(first[name]) for name in names] == [len("2026-01-31T12:00:00Z")] * 3
    assert all(first[name].endswith("Z") for name in names)
    assert first["modified_at"] == "2020-01-02T03:04:05+02:00"
    assert first["first_seen_at"] <= first["last_crawled_at"] == first["last_changed_at"]
    site["/"] = page(head=head, text="second")
    [second] = crawl(f"{origin}/", force=1).lines
    assert second["first_seen_at"] == first["first_seen_at"]
    assert first["last_changed_at"] <= second["last_changed_at"] == second["last_crawled_at"]
    site["/"] = page(head=f'{head}<meta name="description" content="d">', text="second")
    [third] = crawl(f"{origin}/", force=1).lines
    assert third["last_changed_at"] == second["last_changed_at"] <= third["last_crawled_at"]


@pytest.mark.behaviour("LR-01", "LR-31")
def test_every_refused_link_is_counted(seen: Seen) -> None:
    refused = {
        name.removeprefix("sitecrawl/rules/"): count
        for name, count in seen.run.stats.items()
        if name.startswith("sitecrawl/rules/")
    }
    # mailto: and javascript:; an address without host; the picture; the link and the redirect to
    # the other origin; the forbidden page; the link on the page that says nofollow.
    assert refused == {
        "scheme": 2,
        "malformed": 1,
        "extension": 1,
        "scope": 2,
        "robots_txt": 1,
        "rel": 1,
    }
