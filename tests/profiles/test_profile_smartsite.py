"""The description of Smartsite's web crawler, by its profile, over HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import pytest

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Request, Server, page

NewCrawl = Callable[[str], CrawlCommand]

HEAD = (
    '<meta name="DCTERMS.title" content="Example title">'
    '<meta property="og:title" content="Other title"><meta name="category" content="News">'
    '<meta property="topic" content="Sport"><a href="/in-head">in the head</a>'
)
BODY = (
    '<header>Page head <div>nested</div> <a href="/in-header">1</a></header>'
    '<div class="menu noindex">Menu <a href="/in-noindex">2</a></div>'
    '<p class="noindexed">Kept</p><footer>Page foot <a href="/in-footer">3</a></footer>'
    "<script>var text = '<a href=\"/in-script\">4</a>'; document.write(text);</script>"
    '<map name="m"><area href="/in-area"></map><iframe src="/in-frame"></iframe>'
)
OPTIONS: dict[str, Any] = {
    "profile": "smartsite",
    "not_contains": "secret",
    "metadata": "category:extra_category,topic:extra_category",
    "extra_fields": "extra_category:keyword",
    "max_lost_share": 1,
}


class Seen(NamedTuple):
    """The first crawl: where it was, what it left, what was asked for."""

    server: Server
    origin: str
    site: dict[str, Page]
    command: CrawlCommand
    run: Crawl
    asked: list[str]
    at: float

    @property
    def names(self) -> set[str]:
        """The documents by path and query."""
        return {url.removeprefix(self.origin) for url in self.run.documents}


def robots(content: str) -> str:
    """A page with one robots directive, and a link behind it."""
    name = content.lower().replace(", ", "-").replace(" ", "-")
    head = f'<meta name="ROBOTS" content="{content}">'
    return page(f"/behind-{name}", title=name, head=head)


def since_november(request: Request) -> Answer:
    """A page that has not changed since the first of November."""
    since = request.headers.get("if-modified-since", "Thu, 01 Jan 1970 00:00:00 GMT")
    changed = parsedate_to_datetime("Sun, 01 Nov 2026 00:00:00 GMT")
    known = parsedate_to_datetime(since) >= changed
    return Answer(status=304) if known else Answer(page(title="Other"))


@pytest.fixture(scope="module")
def seen(served: Server, new_crawl: NewCrawl) -> Seen:
    site: dict[str, Page] = {}
    origin = served.serve(site)
    elsewhere = served.serve({"*": page(title="elsewhere")}, address="127.0.0.2")
    port = origin.rpartition(":")[2]
    links = ["/calendar?year=2018&month=11&day=8", "/item?id=12345&from=home", "/item?id=2"]
    links += [f"{elsewhere}/host", f"https://127.0.0.1:{port}/scheme", "/secret/page"]
    links += ["/film.mp4", "/feed.xml", "/IMAGE.PNG", "/clip", "/page#secret", "/my-page_name"]
    links += [
        "/noindex",
        "/nofollow",
        "/both",
        "/index-follow",
        "/noindex-follow",
        "/other",
        "/kept",
    ]
    names = ["in-head", "in-header", "in-noindex", "in-footer", "in-script", "in-area", "in-frame"]
    names += ["page", "behind-noindex", "behind-nofollow", "behind-nofollow-noindex", "kept"]
    names += ["behind-index-follow", "behind-noindex-follow"]
    site |= {f"/{name}": page(title=f"page {name}") for name in names}
    site |= {
        "/": page(*links, title="Home", head=HEAD, body=BODY),
        "/calendar": lambda _: page(
            *(f"/calendar?year=2018&month=11&day={n}" for n in range(30)), title="Calendar"
        ),
        "/item": lambda request: page(title=f"Item {request.query}"),
        "/clip": Answer(b"\0" * 300_000, headers={"Content-Type": "video/mp4"}),
        "/my-page_name": "<p>Text without a title.",
        "/noindex": robots("NoIndex"),
        "/nofollow": robots("NOFOLLOW"),
        "/both": robots("nofollow, noindex"),
        "/index-follow": robots("Index, Follow"),
        "/noindex-follow": robots("noindex, follow"),
        "/other": since_november,
    }
    command = new_crawl("smartsite")
    at = time.time()
    run = command(f"{origin}/", **OPTIONS)
    asked = served.log.targets(origin)
    assert served.log.targets(elsewhere) == []
    return Seen(served, origin, site, command, run, asked, at)


@pytest.mark.behaviour("Q-04", "Q-06", "U-19", "K-03")
def test_parameters_other_than_id_are_dropped(seen: Seen) -> None:
    assert seen.run.status == 0, seen.run.log[-3000:]
    assert [target for target in seen.asked if target.startswith("/calendar")] == ["/calendar"]
    items = {target for target in seen.asked if target.startswith("/item")}
    assert items == {"/item?id=12345", "/item?id=2"}
    assert {f"{seen.origin}{item}" for item in items} <= set(seen.run.documents)


@pytest.mark.behaviour("LR-12", "LR-13", "LR-06", "LR-11", "LR-22", "K-09", "K-28")
def test_urls_are_kept_to_the_configured_sites(seen: Seen) -> None:
    refused = {
        name.removeprefix("sitecrawl/rules/"): number
        for name, number in seen.run.stats.items()
        if name.startswith("sitecrawl/rules/")
    }
    # host and scheme; "secret", of which a bookmark is no part; mp4, xml and png by the URL alone
    # and the links of two pages that say nofollow
    assert refused == {"scope": 2, "not_contains": 1, "extension": 3, "rel": 2}
    assert "/page" in seen.names


@pytest.mark.behaviour("F-13")
def test_an_extensionless_url_is_judged_by_its_mime_type(seen: Seen) -> None:
    rows = seen.command.rows("SELECT reason, u.id FROM url AS u WHERE url LIKE '%/clip'")
    assert [reason for reason, _ in rows] == ["mime_ignored"]
    (taken,) = seen.command.rows("SELECT bytes FROM attempt WHERE url = ?", rows[0][1])
    assert taken == (0,), "the video itself was not retrieved"


@pytest.mark.behaviour("L-22", "L-19", "C-09", "C-10", "C-21", "L-01", "K-08", "K-19", "K-23")
def test_elements_are_removed_and_their_links_found(seen: Seen) -> None:
    body = seen.run.documents[f"{seen.origin}/"]["body"]
    assert "Kept" in body
    assert not any(word in body for word in ("Page head", "nested", "Menu", "Page foot", "href"))
    assert {"/in-head", "/in-header", "/in-noindex", "/in-footer"} <= seen.names
    assert not {"/in-script", "/in-area", "/in-frame"} & set(seen.asked)


@pytest.mark.behaviour("T-01", "T-02", "K-17", "MD-01", "MD-02", "MD-03", "MD-04", "MD-05", "MD-06")
def test_titles_and_metadata(seen: Seen) -> None:
    home = seen.run.documents[f"{seen.origin}/"]
    assert home["title"] == "Example title"
    assert home["extra_category"] == ["News", "Sport"]
    assert seen.run.documents[f"{seen.origin}/my-page_name"]["title"] == "my page name"
    assert "category" not in home, "lost unless mapped"


@pytest.mark.behaviour("M-01", "M-02", "M-03", "M-04", "M-05")
def test_noindex_and_nofollow(seen: Seen) -> None:
    behind = {f"/behind-{each}" for each in ("noindex", "index-follow", "noindex-follow")}
    assert {"/nofollow", "/index-follow", *behind} <= seen.names
    assert not {"/noindex", "/noindex-follow", "/both"} & seen.names
    assert not {"/behind-nofollow", "/behind-nofollow-noindex"} & set(seen.asked)


@pytest.mark.behaviour("L-27", "X-11", "LR-21", "LR-08", "Q-05")
def test_discovery_and_further_lists_are_options(seen: Seen, new_crawl: NewCrawl) -> None:
    alone = new_crawl("alone")(f"{seen.origin}/", discover=0, **OPTIONS)
    assert set(alone.documents) == {f"{seen.origin}/"}
    seen.site["/list"] = page(
        *("/a.html", "/b.tmp", "/item?nr=7&x=1", "/IMAGE.PNG", "/elsewhere"), title="List"
    )
    seen.site.update({"/a.html": page(title="a"), "/b.tmp": page(title="b")})
    run = new_crawl("lists")(
        f"{seen.origin}/list",
        contains="/list .html .tmp nr=",
        default_ignored_extensions="+tmp",
        query_keep="id, nr",
        profile="smartsite",
    )
    names = {url.removeprefix(seen.origin) for url in run.documents}
    assert names == {"/list", "/a.html", "/item?nr=7"}


@pytest.mark.behaviour(
    "RC-01", "RC-02", "RC-03", "RC-04", "RC-05", "K-15", "K-16", "DEL-01", "DEL-02"
)
@pytest.mark.behaviour("DEL-06", "S-16", "K-13")
def test_maintenance_of_documents(seen: Seen) -> None:
    early = seen.command(f"{seen.origin}/", **OPTIONS)
    assert early.lines == [], "48 hours have not passed"
    seen.server.log.clear()
    seen.site.update(
        {
            "/page": page(title="page page", text="modified"),
            "/in-head": Answer(status=404),
            "/in-header": Answer(status=403),
        }
    )
    run = seen.command(f"{seen.origin}/", recrawl=0, **OPTIONS)
    assert run.status == 0, run.log[-3000:]
    (since,) = seen.server.log.header("/other", "If-Modified-Since")
    assert since is not None
    assert abs(parsedate_to_datetime(since).timestamp() - seen.at) < 60, "the time of indexing"
    statuses = {each.target: each.status for each in seen.server.log.of(seen.origin)}
    assert statuses["/other"] == 304
    assert statuses["/page"] == 200
    assert {url.removeprefix(seen.origin) for url in run.documents} == {"/page"}
    assert {url.removeprefix(seen.origin): why for url, why in run.deletions.items()} == {
        "/in-head": "not_found",
        "/in-header": "unreachable",
    }
    seen.server.log.clear()
    run = seen.command(f"{seen.origin}/", recrawl=0, **{**OPTIONS, "not_contains": "secret kept"})
    assert run.deletions == {f"{seen.origin}/kept": "excluded"}
    assert "/kept" not in seen.server.log.targets(seen.origin)
