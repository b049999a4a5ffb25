"""The checklist of Search Tools Consulting, by its profile, over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from checklist import BANNER, DAY, site_of

from fixtures.crawls import Crawl, CrawlCommand, Running
from fixtures.server import Answer, Page, Server, page
from sitecrawl.config.configuration import load
from sitecrawl.policy.lifecycle.revisit import Age

NewCrawl = Callable[[str], CrawlCommand]

OPTIONS: dict[str, Any] = {
    "profile": "searchtools",
    "contact": "https://example.org/spider",
    "from_email": "spider@example.org",
    "allow_private": 1,
}


class Seen(NamedTuple):
    """The first crawl: where it was, what it left, what was asked for."""

    server: Server
    origin: str
    named: str
    port: str
    site: dict[str, Page]
    command: CrawlCommand
    run: Crawl
    asked: list[str]

    @property
    def names(self) -> set[str]:
        """The documents of the first host by path and query."""
        return {url.removeprefix(self.origin) for url in self.run.documents}

    def document(self, path: str) -> dict[str, Any]:
        """The document of a path of the first host."""
        return self.run.documents[self.origin + path]

    def again(self) -> Crawl:
        """Another run, everything being due; the log of requests begins anew."""
        self.server.log.clear()
        run = self.command(f"{self.origin}/", f"{self.named}/", delay=0, recrawl=0, **OPTIONS)
        assert run.status == 0, run.log[-3000:]
        return run


@pytest.fixture(scope="module")
def pacing(served: Server, new_crawl: NewCrawl) -> Iterator[tuple[list[str], Running]]:
    """A crawl at the pace of the document, which goes on while the other tests run."""
    origins = [served.serve({"/": page(title="Slow")}, address="127.0.0.8") for _ in range(2)]
    running = new_crawl("pacing").begin(*(f"{each}/" for each in origins), **OPTIONS)
    yield origins, running
    running.finish()


@pytest.fixture(scope="module")
def seen(pacing: tuple[list[str], Running], new_crawl: NewCrawl) -> Iterator[Seen]:
    assert pacing
    with Server() as server:
        port = server.serve({"*": lambda request: page(title=f"port {request.path}")})
        site = site_of(port)
        origin = server.serve(site)
        named = origin.replace("127.0.0.1", "localhost")
        command = new_crawl("searchtools")
        run = command(f"{origin}/", f"{named}/", delay=0, **OPTIONS)
        assert run.status == 0, run.log[-3000:]
        asked = [each.target for each in server.log.of(origin) if "localhost" not in each.host]
        yield Seen(server, origin, named, port, site, command, run, asked)


@pytest.mark.behaviour("F-01", "F-02", "F-05", "F-07", "F-08", "F-10")
def test_servers_and_hosts(seen: Seen) -> None:
    host = seen.run.documents[f"{seen.named}/"]
    assert host["title"] == "Another host on the same address"
    assert seen.document("/")["title"] == "Home"
    exchanges = seen.server.log.of(seen.origin)
    assert {each.host.partition(":")[0] for each in exchanges} == {"localhost", "127.0.0.1"}
    (agent,) = {each.headers["user-agent"] for each in exchanges}
    assert agent.startswith("sitecrawl/")
    assert "https://example.org/spider" in agent
    assert {each.headers["from"] for each in exchanges} == {"spider@example.org"}
    assert not any("*/*" in each.headers["accept"] for each in exchanges)
    assert seen.server.log.header("/dot.html", "Referer") == [f"{seen.origin}/hrefs.html"]


@pytest.mark.behaviour("RT-09", "RT-10", "RT-11", "K-05")
def test_robots_txt_is_read_with_caution(seen: Seen) -> None:
    assert seen.asked[0] == "/robots.txt"
    assert not {"/PRIVATE/x", "/nosl/x"} & set(seen.asked)


@pytest.mark.behaviour("M-01", "M-02", "M-03", "M-04", "M-05")
def test_meta_robots(seen: Seen) -> None:
    assert "/noindex.html" not in seen.names
    assert {"/follow1.html", "/nofollow.html", "/index-follow.html", "/follow2.html"} <= seen.names
    assert "/both.html" in seen.asked
    assert "/both.html" not in seen.names
    assert not {"/hidden1.html", "/hidden2.html"} & set(seen.asked)


@pytest.mark.behaviour(
    "L-25", "L-14", "L-15", "U-04", "U-11", "U-12", "U-13", "U-03", "U-10", "L-10"
)
def test_links_as_people_write_them(seen: Seen) -> None:
    assert f"{seen.port}/on-a-port.html" in seen.run.documents
    expected = {"/anchor.html", "/folder/mainpage.html", "/quoted.html", "/dot.html", "/above.html"}
    expected |= {"/SubDir/SpecialPage.html", "/subdir/specialpage.html", "/base/target.html"}
    assert expected <= seen.names
    assert "/over.html" not in seen.asked
    assert not any("mydomain" in target for target in seen.asked)
    assert "Traceback" not in seen.run.log


@pytest.mark.behaviour(
    "L-02", "L-04", "L-05", "L-06", "L-08", "L-11", "L-12", "L-13", "L-16", "L-17"
)
def test_other_kinds_of_links(seen: Seen) -> None:
    expected = {"/frame.html", "/noframes.html", "/area.html", "/iframe.html", "/longdesc.html"}
    assert expected | {"/alternate.html", "/written.html", "/a.html"} <= seen.names
    refused = {"/image.gif", "/map.gif", "/applet.html", "/7"}
    assert not refused & set(seen.asked)
    assert not any(target.startswith("/server.map?") for target in seen.asked)
    assert "Text for those without frames" in seen.document("/frames.html")["body"]


@pytest.mark.behaviour("R-02", "R-05", "R-06", "L-26")
def test_redirects_and_listings(seen: Seen) -> None:
    assert {
        "/new.html",
        "/found.html",
        "/refreshed.html",
        "/list/",
        "/list/file.html",
    } <= seen.names
    assert not {"/old.html", "/temporary.html", "/refresh.html"} & seen.names
    assert not any(target.startswith("/list/?C") for target in seen.asked)


@pytest.mark.behaviour("LR-26", "LR-27", "LR-28", "LR-29", "LR-05", "C-17", "C-13")
def test_file_name_extensions(seen: Seen) -> None:
    assert {"/p.shtml", "/p.pl", "/p.cfm", "/p.asp", "/p.lasso", "/p.nclk"} <= seen.names
    assert "almost always useful" in seen.document("/text.txt")["body"]
    assert "between fields" in seen.document("/data.xml")["body"]
    assert not {"/access.log", "/x.css"} & set(seen.asked)


@pytest.mark.behaviour("Q-09", "Q-10", "Q-12", "Q-13", "Q-14", "Q-17", "DU-10", "F-15")
def test_dynamic_data(seen: Seen) -> None:
    assert sum(target.startswith("/entry") for target in seen.asked) == 1
    assert sum(target.startswith("/session") for target in seen.asked) == 1
    domino = {target for target in seen.asked if target.startswith("/view.nsf")}
    assert domino == {"/view.nsf/a?OpenDocument", "/view.nsf/e?OpenView&CollapseView"}
    assert seen.document("/cookie2")["title"] == "cookie state=kept"
    assert "/error/error/error/" in seen.asked
    assert "/error/error/error/error/" not in seen.asked


@pytest.mark.behaviour("DU-04", "DU-05", "K-12")
def test_a_directory_and_its_default_page(seen: Seen) -> None:
    assert {"/dir/", "/dir/index.html"} <= set(seen.asked), "both are looked at"
    assert len({"/dir/", "/dir/index.html"} & seen.names) == 1, "and one version is kept"


@pytest.mark.behaviour("S-01", "S-03", "S-04", "S-05", "RC-07")
def test_status_codes_and_expires(seen: Seen) -> None:
    assert "/203" in seen.names
    ages = load({"start": seen.origin, **OPTIONS}).params.state_options().revisit.ages
    rows = seen.command.rows("SELECT url, due - visited_at, ages FROM url")
    waits = {
        url.removeprefix(seen.origin): None if wait is None else wait + ages[Age(age)]
        for url, wait, age in rows
    }
    assert waits["/410"] == pytest.approx(30 * DAY, abs=60), "after max_revisit (K-42)"
    assert waits["/403"] == pytest.approx(30 * DAY, abs=60)
    assert waits["/500"] == pytest.approx(DAY, abs=60)
    assert waits["/expires"] == pytest.approx(5 * DAY, abs=300)


@pytest.mark.behaviour("C-02", "C-04", "C-05", "C-06", "C-07", "C-11", "C-14", "C-15", "L-23")
def test_text(seen: Seen) -> None:
    assert "words of the image" in seen.document("/hrefs.html")["body"]
    written = seen.document("/scripts.html")["body"]
    assert "It's written there" in written
    assert "onaline" in written
    assert "junkword" not in written
    content = seen.document("/content.html")
    assert "Cats & dogs" in content["body"]
    assert "styleword" not in content["body"]
    assert "navigationword" not in content["body"]
    assert "/in-noindex.html" in seen.names
    assert content["language"] == "de"
    assert content["blocks"] == [{"language": "es", "text": "Hola"}]


@pytest.mark.behaviour("MD-07", "MD-10", "MD-11", "T-03", "T-04", "T-09")
def test_metadata_and_descriptions(seen: Seen) -> None:
    content = seen.document("/content.html")
    assert content["meta_keywords"] == ["cats", "small animals", "pets"]
    assert content["description"] == "All about living with cats & dogs."
    assert content["author"] == "A. Writer"
    assert content["publisher"] == "A House"
    untitled = seen.document("/untitled.html")
    assert untitled["description"].startswith("A heading")
    assert untitled["description_source"] == "heading"


@pytest.mark.behaviour("S-02", "RC-10", "RC-11", "RC-13", "C-27", "R-03", "M-09", "RC-18", "RT-06")
@pytest.mark.behaviour("DEL-03", "F-09", "RC-03")
def test_updating_the_index(seen: Seen) -> None:
    seen.site["/404"] = Answer(status=404)
    seen.site["/content.html"] = BANNER
    seen.site["/noindex.html"] = page("/follow1.html", title="No longer noindex")
    second = seen.again()
    assert set(second.documents) == {f"{seen.origin}/noindex.html"}, "nothing else is new"
    assert second.deletions == {}
    assert seen.document("/now")["date_reliable"] is False
    asked = seen.server.log.targets(seen.origin)
    assert asked[0] == "/robots.txt", "before any other"
    assert {"/now", "/content.html", "/both.html"} <= set(asked)
    assert seen.server.log.header("/dated", "If-Modified-Since") == [
        "Sun, 06 Nov 1994 08:49:37 GMT"
    ]
    assert 304 in {
        each.status for each in seen.server.log.of(seen.origin) if each.target == "/dated"
    }
    assert not {"/old.html", "/410", "/403", "/500", "/expires"} & set(asked)
    assert seen.server.log.header("/dot.html", "Referer") == [None], "a first crawl only"
    assert seen.again().deletions == {}
    assert seen.again().deletions == {f"{seen.origin}/404": "not_found"}, "the third in a row"


@pytest.mark.behaviour("P-01", "P-07")
def test_one_page_in_ten_seconds(served: Server, pacing: tuple[list[str], Running]) -> None:
    origins, running = pacing
    run = running.finish()
    assert run.status == 0, run.log[-3000:]
    assert [served.log.targets(each) for each in origins] == [["/robots.txt", "/"]] * 2
    times = sorted(each.started for origin in origins for each in served.log.of(origin))
    assert min(later - earlier for earlier, later in pairwise(times)) >= 10, "of one address"


@pytest.mark.behaviour("Q-15", "Q-16")
def test_pages_of_a_directory_and_links_of_a_page_are_limited(
    server: Server, crawl: CrawlCommand
) -> None:
    lists = [f"/list{n}" for n in range(3)]
    site: dict[str, Page] = {
        "/": page(*lists, title="Home"),
        **{each: page(*(f"/d/{each[-1]}-{n}" for n in range(510)), title=each) for each in lists},
        "*": lambda request: page(title=f"Page {request.path}"),
    }
    origin = server.serve(site)
    crawl(f"{origin}/", profile="searchtools", politeness=0)
    asked = [each for each in server.log.targets(origin) if each.startswith("/d/")]
    assert len(asked) == 1000
    assert len([each for each in asked if each.startswith("/d/0")]) == 500
