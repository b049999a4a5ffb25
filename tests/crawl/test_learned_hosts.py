"""Two hosts of one site with the same pages: one is crawled, the other only sampled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fixtures.crawls import CrawlCommand, standing
from fixtures.server import Answer, Page, Server, page, redirect
from tests.crawl.test_learned_rules import leaf

PAGES = 60
APEX, WWW = "site.localhost", "www.site.localhost"
Site = dict[str, Page]
WIDE: dict[str, Any] = {
    "scope": "domain",
    "crawl_name": "hosts",
    "allow_private": 1,
    "max_barren_pages": 0,
}


class TwoHosts:
    """Pages at two host names; each links to the next one at both, ``//host/path`` overrides one."""

    def __init__(self, server: Server, other: Callable[[int, str], Page] | None = None) -> None:
        self.server = server
        self.site: Site = {}
        origin = server.serve(self.site)
        self.port = origin.rpartition(":")[2]
        self.other = other
        self.end_at(PAGES)
        self.site["/"] = page(f"{self.of(APEX)}/p0", f"{self.of(WWW)}/p0", title="Home")

    def end_at(self, pages: int) -> None:
        """Set the number of pages."""
        for n in range(pages):
            links = [f"{self.of(host)}/p{n + 1}" for host in (APEX, WWW)] if n + 1 < pages else []
            self.site[f"/p{n}"] = leaf(n, *links)
            if self.other is not None:
                self.site[f"//{WWW}/p{n}"] = self.other(n, f"{self.of(APEX)}/p{n}")

    @property
    def pages(self) -> list[str]:
        """The paths of the pages."""
        return [path for path in self.site if not path.startswith("//")]

    def of(self, host: str) -> str:
        """The origin of a host name."""
        return f"http://{host}:{self.port}"

    def asked(self, host: str) -> list[str]:
        """The pages that were asked for under a host name, since the log was cleared."""
        return [
            each.target
            for each in self.server.log.exchanges
            if each.host.partition(":")[0] == host and each.target.startswith("/p")
        ]

    def new_pages(self, kept: set[str], host: str) -> set[int]:
        """The numbers of the documents of a host."""
        urls = (url.partition(f"{self.of(host)}/p")[2] for url in kept)
        return {int(number) for number in urls if number}


@pytest.fixture
def twins(server: Server) -> TwoHosts:
    """Two hosts with the same pages."""
    return TwoHosts(server)


def folded(crawl: CrawlCommand) -> int:
    """The number of URLs that a learned rule leaves out."""
    [(count,)] = crawl.rows("SELECT count(*) FROM url WHERE reason = 'learned_duplicate'")
    return int(count)


@pytest.mark.behaviour("DU-30")
@pytest.mark.parametrize("start", [APEX, WWW])
def test_the_host_of_the_start_is_crawled_and_the_other_one_sampled(
    twins: TwoHosts, crawl: CrawlCommand, start: str
) -> None:
    [other] = {APEX, WWW} - {start}
    twins.end_at(30)
    first = crawl(f"{twins.of(start)}/", **WIDE)
    assert first.status == 0, first.log[-3000:]
    _, said = crawl.command("frontier", "rules")
    assert f"active {twins.of(other)} {twins.of(other)}/* => {twins.of(start)}/*" in said
    twins.end_at(PAGES)
    twins.server.log.clear()
    second = crawl(f"{twins.of(start)}/", **WIDE, recrawl=0)
    assert standing(first, second) == {f"{twins.of(start)}{path}" for path in twins.pages}
    samples = {each for each in twins.asked(other) if int(each[2:]) >= 30}
    assert len(samples) <= 6
    assert not [line for line in second.lines if twins.of(other) in line["url"]]
    [(url,)] = crawl.rows("SELECT url FROM url WHERE reason = 'learned_duplicate' LIMIT 1")
    _, said = crawl.command("explain", url)
    assert f"by the learned rule {twins.of(other)}/* => {twins.of(start)}/*, seen" in said
    _, said = crawl.command("frontier", "rule-options")
    assert f"(?=/)=>{twins.of(start)}" in said


@pytest.mark.behaviour("DU-30")
def test_the_host_that_pages_redirect_to_is_crawled_even_if_it_is_not_that_of_the_start(
    server: Server, crawl: CrawlCommand
) -> None:
    hosts = TwoHosts(server, lambda _, there: redirect(there, 301))
    run = crawl(f"{hosts.of(WWW)}/", **WIDE)
    assert run.status == 0, run.log[-3000:]
    assert {f"{hosts.of(APEX)}/p{n}" for n in range(PAGES)} <= run.kept
    hosts.end_at(2 * PAGES)
    server.log.clear()
    again = crawl(f"{hosts.of(WWW)}/", **WIDE, recrawl=0)
    assert {f"{hosts.of(APEX)}/p{n}" for n in range(PAGES, 2 * PAGES)} <= again.kept
    assert len([each for each in hosts.asked(WWW) if int(each[2:]) >= PAGES]) <= 6


@pytest.mark.behaviour("DU-31")
def test_a_host_rule_that_a_page_contradicts_is_withdrawn(
    server: Server, crawl: CrawlCommand
) -> None:
    hosts = TwoHosts(server, lambda n, _: leaf(n if n < 30 else f"other {n}"))
    run = crawl(f"{hosts.of(APEX)}/", **WIDE)
    assert run.status == 0, run.log[-3000:]
    titles = {line["title"] for line in run.documents.values()}
    assert titles == {"Home", *(f"Page {n}" for n in range(PAGES))} | {
        f"Page other {n}" for n in range(30, PAGES)
    }
    assert folded(crawl) == 0
    _, said = crawl.command("frontier", "rules")
    assert f"withdrawn {hosts.of(WWW)} " in said


@pytest.mark.behaviour("DU-31")
def test_a_host_that_is_down_replaces_nothing(twins: TwoHosts, crawl: CrawlCommand) -> None:
    start = f"{twins.of(APEX)}/"
    crawl(start, **WIDE)
    before = len(crawl.rows("SELECT 1 FROM document WHERE seq IS NOT NULL"))
    new = [f"/p{n}" for n in range(PAGES, PAGES + 20)]
    for n in range(PAGES):  # whichever of them were read before
        twins.site[f"//{WWW}/p{n}"] = leaf(n, *(f"{twins.of(WWW)}{path}" for path in new))
    for path in new:
        twins.site[f"//{APEX}{path}"] = Answer("", 503)
        twins.site[f"//{WWW}{path}"] = leaf(path)
    for n in range(PAGES):
        twins.site[f"//{APEX}/p{n}"] = Answer("", 503)
    twins.site[f"//{APEX}/"] = Answer("", 503)
    down = crawl(start, **WIDE, recrawl=0, retries=0, patience=5)
    assert {f"{twins.of(WWW)}{path}" for path in new} <= down.kept, down.log[-3000:]
    assert not [line for line in down.lines if line["op"] == "delete"]
    after = len(crawl.rows("SELECT 1 FROM document WHERE seq IS NOT NULL"))
    assert before + 20 <= after < before + 30  # a run reads some of the pages that were left out


@pytest.mark.behaviour("DU-30")
def test_pages_that_an_earlier_run_has_read_are_evidence(
    twins: TwoHosts, crawl: CrawlCommand
) -> None:
    start = f"{twins.of(APEX)}/"
    crawl(start, **WIDE, learn_duplicates="no")
    crawl(start, **WIDE, recrawl=0)
    _, said = crawl.command("frontier", "rules")
    assert f"active {twins.of(WWW)} {twins.of(WWW)}/* => {twins.of(APEX)}/*" in said


@pytest.mark.behaviour("DU-30")
def test_a_forbidden_host_rule_leaves_nothing_out(twins: TwoHosts, crawl: CrawlCommand) -> None:
    crawl(f"{twins.of(APEX)}/", **WIDE, forbidden_rules="*")
    assert folded(crawl) == 0
    assert len(twins.asked(WWW)) == len(twins.asked(APEX)) == PAGES


@pytest.mark.behaviour("DU-32")
@pytest.mark.parametrize("option", [{"learn_duplicates": "no"}, {"forbidden_rules": "*"}])
def test_documents_of_both_hosts_are_withdrawn_until_the_rule_is_forbidden(
    twins: TwoHosts, crawl: CrawlCommand, option: dict[str, object]
) -> None:
    first = crawl(f"{twins.of(APEX)}/", **WIDE)
    moved = {line["url"]: line["moved_to"] for line in first.lines if line["op"] == "delete"}
    assert set(first.deletions.values()) == {"learned_duplicate"}
    assert moved
    assert all(url.replace(WWW, APEX) == to for url, to in moved.items())
    assert standing(first) == {f"{twins.of(APEX)}{path}" for path in twins.pages}
    _, said = crawl.command("explain", next(iter(moved)))
    assert f"by the learned rule {twins.of(WWW)}/* => {twins.of(APEX)}/*, seen" in said
    second = crawl(f"{twins.of(APEX)}/", **WIDE, **option)
    assert twins.new_pages(standing(first, second), WWW) == set(range(PAGES))


@pytest.mark.behaviour("DU-32")
def test_a_withdrawn_document_returns_when_the_page_that_replaced_it_is_gone(
    twins: TwoHosts, crawl: CrawlCommand
) -> None:
    first = crawl(f"{twins.of(APEX)}/", **WIDE)
    gone = sorted(twins.new_pages(set(first.deletions), WWW))[:2]
    for n in gone:
        twins.site[f"//{APEX}/p{n}"] = Answer("", 410)
    second = crawl(f"{twins.of(APEX)}/", **WIDE, recrawl=0)
    kept = standing(first, second)
    assert twins.new_pages(kept, APEX) == set(range(PAGES)) - set(gone)
    assert twins.new_pages(kept, WWW) >= set(gone)


@pytest.mark.behaviour("DU-32")
def test_documents_are_withdrawn_when_the_other_host_has_their_pages_later(
    twins: TwoHosts, crawl: CrawlCommand
) -> None:
    start = f"{twins.of(APEX)}/"
    twins.site["/late"] = page(title="Late")
    twins.site["/"] = page(
        *(f"{twins.of(host)}{path}" for host in (APEX, WWW) for path in ("/p0", "/late")),
        title="Home",
    )
    twins.site[f"//{APEX}/late"] = Answer("", 403)
    first = crawl(start, **WIDE)
    assert f"{twins.of(WWW)}/late" in standing(first)
    twins.site[f"//{APEX}/late"] = Answer(str(twins.site["/late"]), delay=0.5)
    second = crawl(start, **WIDE, force=1)
    assert second.deletions[f"{twins.of(WWW)}/late"] == "learned_duplicate"
