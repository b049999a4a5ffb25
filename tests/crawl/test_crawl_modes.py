"""Modes and activities: the URLs that each visits, writes and leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from walked import paths, visited, wait_for

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page


@pytest.mark.behaviour("X-11", "A-03")
def test_a_list_is_fetched_and_nothing_else(
    server: Server, crawl: CrawlCommand, tmp_path: Path
) -> None:
    origin = server.serve(
        {
            "/": page("/a", "/b", "/c", title="Start"),
            "/a": page("/d", title="A"),
            "/b": page(title="B"),
            "/robots.txt": "Sitemap: /map.xml\n",
        }
    )
    alone = crawl(f"{origin}/", mode="page")
    assert paths(alone, origin) == {"/"}
    assert visited(server, origin) == ["/"]
    waiting = crawl.rows("SELECT url FROM url WHERE outcome IS NULL ORDER BY url")
    assert waiting == [(f"{origin}/{name}",) for name in "abc"]
    (tmp_path / "urls.txt").write_text(f"# chosen\n{origin}/a\n\n{origin}/b\n")
    chosen = crawl("@urls.txt", mode="list")
    assert paths(chosen, origin) == {"/a", "/b"}
    assert visited(server, origin) == ["/a", "/b"]
    rest = crawl(f"{origin}/")
    assert paths(rest, origin) == set()
    assert visited(server, origin) == ["/map.xml", "/c"]


@pytest.mark.behaviour("RC-15", "RC-20")
def test_discovery_and_refresh_are_separate(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {"/": page("/a", title="Start"), "/a": page(title="A")}
    origin = server.serve(site)
    crawl(f"{origin}/")
    visited(server, origin)
    late = Answer(page("/c", title="A", text="changed"), headers={"ETag": '"2"'})
    site["/"] = page("/a", "/b", title="Start", text="changed")
    site["/a"] = late
    site["/b"], site["/c"] = page(title="B"), page(title="C")
    discovery = crawl(f"{origin}/", activity="discover", recrawl=0)
    assert paths(discovery, origin) == {"/", "/b"}
    assert visited(server, origin) == ["/", "/b"]
    refresh = crawl(f"{origin}/", activity="refresh", recrawl=0)
    assert paths(refresh, origin) == {"/a"}
    assert set(visited(server, origin)) == {"/", "/a", "/b"}
    found = crawl(f"{origin}/", activity="discover", recrawl=0)
    assert paths(found, origin) == {"/c"}
    assert visited(server, origin) == ["/", "/c"]


@pytest.mark.behaviour("P-11")
def test_a_finished_crawl_begins_anew_after_its_interval(
    server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/": page("/a", title="Start"), "/a": page(title="A")}
    origin = server.serve(site)
    running = crawl.begin(f"{origin}/", delay=0, interval=1)
    try:
        wait_for(lambda: server.log.count("/a") == 1)
        site["/"] = page("/a", "/b", title="Start", text="changed")
        site["/b"] = page(title="B")
        wait_for(lambda: server.log.count("/") >= 3 and server.log.count("/b") >= 1)
    finally:
        running.process.terminate()
        run = running.finish()
    assert run.status == 130, run.log[-3000:]
    assert set(run.documents) == {f"{origin}/", f"{origin}/a", f"{origin}/b"}
    assert server.log.count("/a") == 1, "its age is not reached"
    starts = [each for each in server.log.of(origin) if each.target == "/"]
    last = max(each.started for each in server.log.of(origin) if each.target == "/a")
    assert starts[1].started - last >= 1.0
    assert starts[2].started - starts[1].started >= 1.0


@pytest.mark.behaviour("X-12", "S-18")
def test_a_check_lists_dead_links_and_writes_nothing(server: Server, crawl: CrawlCommand) -> None:
    site: dict[str, Page] = {
        "/": page("/a", "/dead", title="Start"),
        "/a": page("/broken", "/dead", title="A"),
        "/broken": Answer(status=403),
    }
    origin = server.serve(site)
    run = crawl(f"{origin}/", mode="check")
    assert run.status == 0, run.log[-3000:]
    assert run.lines == []
    assert "2 dead links" in run.log
    assert f"dead link {origin}/dead: not_found, status 404, linked from {origin}/" in run.log
    assert f"dead link {origin}/broken: forbidden, status 403, linked from {origin}/a" in run.log
    assert crawl.rows("SELECT count(*) FROM document") == [(0,)]
    site["/dead"] = page(title="Alive")
    server.log.clear()
    again = crawl(f"{origin}/", mode="check")
    assert "1 dead links" in again.log
    assert set(visited(server, origin)) == {"/", "/a", "/dead", "/broken"}


@pytest.mark.behaviour("A-04")
def test_the_entire_site_is_the_directory_of_the_start(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(
        {
            "/docs/start": page("/docs/a", "/docs/sub/b", "/other", title="Start"),
            "*": lambda request: page(title=request.target),
        }
    )
    run = crawl(f"{origin}/docs/start", entire_site=1, profile="fdse")
    assert paths(run, origin) == {"/docs/start", "/docs/a", "/docs/sub/b"}
