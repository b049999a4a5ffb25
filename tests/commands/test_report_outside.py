"""Links that leave the crawl: stored if asked for, and checked at the crawl's pace."""

from __future__ import annotations

import json
from typing import Any

import pytest
from saying import Say

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Server, page

ELSEWHERE: dict[str, Page] = {
    "/robots.txt": "User-agent: *\nDisallow: /private\n",
    "/good": page(title="Good"),
    "/dead": Answer("none", status=404),
    "/private": page(title="Private"),
    "/file.pdf": Answer(b"%PDF-1.4", headers={"Content-Type": "application/pdf"}),
}


def outside(say: Say, *words: str) -> dict[str, dict[str, Any]]:
    """The list, by URL."""
    said = say("report", "--list", "outside", "--format", "jsonl", *words)
    return {row["url"]: row for row in map(json.loads, said.out.splitlines())}


@pytest.mark.behaviour("REP-07")
def test_links_outside_are_stored_and_checked_politely(
    server: Server, crawl: CrawlCommand, fetching: Say, say: Say
) -> None:
    elsewhere = server.serve(ELSEWHERE, address="127.0.0.2")
    links = [f"{elsewhere}{path}" for path in ("/good", "/dead", "/private")]
    origin = server.serve(
        {
            "/": page("/a", *links, title="Home"),
            "/a": page(links[1], title="A"),
        }
    )
    crawl(f"{origin}/", store_links="outside", delay=0.2, allow_private=1)
    assert server.log.targets(elsewhere) == []
    before = outside(say)
    assert {url: (row["outcome"], row["pages"]) for url, row in before.items()} == {
        links[0]: ("not checked", 1),
        links[1]: ("not checked", 2),
        links[2]: ("not checked", 1),
    }
    assert before[links[1]]["linked_from"] == [f"{origin}/", f"{origin}/a"]
    said = fetching("report", "--check-outside", "--list", "outside", "--format", "jsonl")
    assert said.status == 0, said.err
    assert "3 addresses outside of the crawl were checked" in said.err
    after = outside(say)
    assert {url: row["outcome"] for url, row in after.items()} == {
        links[0]: "file_ingested",
        links[1]: "file_not_found",
        links[2]: "blocked_by_robots_txt",
    }
    assert next(iter(after)) == links[1]
    assert sorted(server.log.targets(elsewhere)) == ["/dead", "/good", "/robots.txt"]
    assert server.log.shortest_gap(elsewhere) >= 0.19
    again = fetching("report", "--check-outside", "--list", "outside")
    assert "0 addresses outside of the crawl were checked" in again.err
    assert len(server.log.targets(elsewhere)) == 3


@pytest.mark.behaviour("REP-07")
def test_nothing_outside_is_stored_by_default(
    server: Server, crawl: CrawlCommand, say: Say
) -> None:
    elsewhere = server.serve(ELSEWHERE, address="127.0.0.2")
    link = f'<a href="{elsewhere}/good">Good</a>'
    origin = server.serve({"/": f'{link}<img src="/logo.png">'})
    crawl(f"{origin}/")
    assert outside(say) == {}
    crawl(f"{origin}/", store_links="outside", force=1)
    assert outside(say).keys() == {f"{elsewhere}/good"}
    crawl(f"{origin}/", store_links="assets", force=1)
    found = {url: (row["kind"], row["pages"]) for url, row in outside(say).items()}
    assert found == {f"{elsewhere}/good": ("link", 1), f"{origin}/logo.png": ("asset", 1)}


@pytest.mark.behaviour("REP-07")
def test_assets_of_any_host_are_stored_and_checked(
    server: Server, crawl: CrawlCommand, fetching: Say, say: Say
) -> None:
    elsewhere = server.serve(
        {**ELSEWHERE, "/lib.js": Answer(b"1", headers={"Content-Type": "text/javascript"})},
        address="127.0.0.2",
    )
    head = (
        f'<base href="/static/"><script src="{elsewhere}/lib.js"></script>'
        '<link rel="Alternate Stylesheet" href="site.css"><link rel="icon" href="icon.png">'
        f'<script src="app.js"></script><script>"src"</script><script src="{elsewhere}/dead">'
    )
    body = (
        '<img src="logo.png"><img src="data:image/gif;base64,AA"><img src=" ">'
        '<video src="film.mp4"><source src="film.webm"><track src="film.vtt"></video>'
        '<audio src="song.mp3"></audio><noscript><img src="lazy.png"></noscript>'
        '<img src="logo.png#again"><template><img src="never.png"></template>'
    )
    origin = server.serve(
        {
            "/": f"<head>{head}</script></head><body>{body}",
            "/static/app.js": Answer(b"1", headers={"Content-Type": "text/javascript"}),
            "/static/logo.png": Answer(b"PNG", headers={"Content-Type": "image/png"}),
        }
    )
    crawl(f"{origin}/", store_links="assets", allow_private=1)
    own = ("site.css", "app.js", "logo.png", "film.mp4", "film.webm", "film.vtt", "song.mp3")
    expected = {f"{origin}/static/{name}" for name in (*own, "lazy.png")}
    expected |= {f"{elsewhere}/lib.js", f"{elsewhere}/dead"}
    before = outside(say)
    assert before.keys() == expected
    assert {(row["kind"], row["pages"]) for row in before.values()} == {("asset", 1)}
    assert server.log.targets(elsewhere) == []
    said = fetching("report", "--check-outside", "--list", "outside")
    assert said.status == 0, said.err
    outcomes = {url: row["outcome"] for url, row in outside(say).items()}
    sound = {f"{elsewhere}/lib.js", f"{origin}/static/app.js", f"{origin}/static/logo.png"}
    assert outcomes == {
        url: "file_ingested" if url in sound else "file_not_found" for url in expected
    }


@pytest.mark.behaviour("REP-07")
def test_links_come_before_assets_within_the_bound_of_a_page(
    server: Server, crawl: CrawlCommand, say: Say
) -> None:
    elsewhere = server.serve(ELSEWHERE, address="127.0.0.2")
    images = "".join(f'<img src="/{number}.png">' for number in range(300))
    origin = server.serve({"/": f'{images}<a href="{elsewhere}/good">Good</a>'})
    crawl(f"{origin}/", store_links="assets")
    rows = outside(say)
    assert len(rows) == 200
    assert rows[f"{elsewhere}/good"]["kind"] == "link"


@pytest.mark.behaviour("REP-08")
def test_no_private_address_is_asked_because_a_page_names_it(
    server: Server, crawl: CrawlCommand, fetching: Say, say: Say
) -> None:
    elsewhere = server.serve({"*": "<p>done"}, address="127.0.0.2")
    port = elsewhere.rpartition(":")[2]
    hosts = ("127.0.0.2", "127.0.0.2.", "2130706434", "0x7f000002", "[::ffff:127.0.0.2]")
    links = [f"http://{host}:{port}/admin/delete?id={n}" for n, host in enumerate(hosts)]
    links += ["http://169.254.169.254/latest/meta-data/", "http://[::1]:1/"]
    origin = server.serve({"/": page(*links, title="Home")})
    crawl(f"{origin}/", store_links="outside")
    said = fetching("report", "--check-outside", "--list", "outside")
    assert said.status == 0, said.err
    rows = outside(say).values()
    assert len(rows) >= len(hosts)
    assert {row["outcome"] for row in rows} == {"not checked"}
    assert server.log.connected(elsewhere) == 0
