"""Groups of the test site under other options than the default ones."""

from __future__ import annotations

import pytest
from site_runs import marks

from fixtures.crawls import Crawl, CrawlCommand
from fixtures.server import Answer, Page, Server, page
from fixtures.site import serve


def found(run: Crawl) -> set[int]:
    """The good marks of all documents."""
    assert run.status == 0, run.log[-3000:]
    return {mark for each in run.documents.values() for mark in marks(each)}


@pytest.mark.behaviour("L-06", "L-07")
@pytest.mark.parametrize(
    ("mode", "targets", "requests"),
    [("mapfile", {320, 321, 322}, ["/maps/picture.map"]), ("sample", {323}, None)],
)
def test_image_maps_of_the_server(
    mode: str, targets: set[int], requests: list[str] | None, server: Server, crawl: CrawlCommand
) -> None:
    origins = serve(server)
    start = f"{origins.main}/maps/server.html"
    run = crawl(start, scope="directory", image_maps=mode)
    assert found(run) == {307, *targets}
    asked = [target for target in server.log.targets() if "picture.map" in target]
    points = [f"/maps/picture.map?{x},{y}" for y in (10, 30, 50) for x in (10, 30, 50)]
    assert asked == (requests or points)


@pytest.mark.behaviour("L-06")
@pytest.mark.parametrize("query", ["keep", "strip", "filter", "ignore", "policy"])
def test_points_of_image_maps_are_asked_for_whatever_becomes_of_queries(
    query: str, server: Server, crawl: CrawlCommand
) -> None:
    body = '<a href="/map"><img ismap src=x.gif width=20 height=20></a><a href="/p?x=1">p</a>'
    origin = server.serve({"/": page(body=body), "*": lambda each: page(title=each.target)})
    crawl(f"{origin}/", image_maps="sample", query=query)
    points = {f"/map?{x},{y}" for x in (3, 10, 16) for y in (3, 10, 16)}
    of_query = {"keep": {"/p?x=1"}, "strip": {"/p"}, "filter": {"/p"}}.get(query, set())
    assert set(server.log.targets(origin)) == {"/robots.txt", "/", *points, *of_query}


@pytest.mark.behaviour("L-31")
def test_the_text_of_links_is_kept_with_their_target(server: Server, crawl: CrawlCommand) -> None:
    origins = serve(server)
    run = crawl(f"{origins.main}/anchors/", scope="directory", more_fields="anchors")
    target = run.documents[f"{origins.main}/anchors/target.html"]
    assert target["anchors"] == ["zqgood1650"]
    assert "zqgood1650" not in target["body"]


@pytest.mark.behaviour("K-08", "L-19", "L-20")
def test_scripts_and_menus_can_be_left_alone(server: Server, crawl: CrawlCommand) -> None:
    origins = serve(server)
    starts = [f"{origins.main}/menus/", f"{origins.main}/scripts/"]
    run = crawl(*starts, scope="directory", script_output="no")
    assert found(run) == {400, 405, 410, 411, 500, 501, 507}


@pytest.mark.behaviour("Q-15", "Q-16", "Q-21")
def test_pages_can_be_limited(server: Server, crawl: CrawlCommand) -> None:
    origins = serve(server)
    start = f"{origins.main}/many/"
    crawl(start, scope="directory", max_links_per_page=50, max_pages_per_directory=21)
    asked = [target for target in server.log.targets() if target != "/robots.txt"]
    pages = [f"/many/{number}.html" for number in range(1, 22)]
    assert list(dict.fromkeys(asked)) == ["/many/", *pages]  # the start is not counted
    server.log.clear()
    crawl(start, scope="directory", max_pages=7)
    asked = [target for target in server.log.targets() if target != "/robots.txt"]
    assert asked == [f"/many/{number}.html" for number in range(22, 29)]


@pytest.mark.behaviour("U-17", "Q-03", "K-03")
def test_queries_can_be_taken_off(server: Server, crawl: CrawlCommand) -> None:
    origins = serve(server)
    run = crawl(f"{origins.main}/query/", scope="directory", query="strip")
    assert found(run) == {1736}
    assert server.log.targets() == ["/robots.txt", "/query/"]


@pytest.mark.behaviour("M-14")
def test_nofollow_can_be_disregarded(server: Server, crawl: CrawlCommand) -> None:
    origins = serve(server)
    crawl(f"{origins.main}/robots/", scope="directory", nofollow="ignore")
    asked = set(server.log.targets())
    behind = ("meta-nofollow-target", "meta-none-target", "header-nofollow-target")
    assert asked >= {f"/robots/{name}.html" for name in (*behind, "rel-nofollow", "rel-noindex")}
    assert "/robots/disallow/robots-test.html" not in asked


@pytest.mark.behaviour("RT-16", "M-15")
def test_a_rogue_disregards_all_rules_for_robots(server: Server, crawl: CrawlCommand) -> None:
    origins = serve(server)
    run = crawl(f"{origins.main}/robots/", scope="directory", rogue="yes")
    assert server.log.count("/robots.txt") == 0
    written = {url.removeprefix(origins.main) for url in run.documents}
    told = ("disallow/robots-test", "meta-noindex", "meta-none-target", "header-noindex-target")
    assert written >= {f"/robots/{name}.html" for name in told}
    assert "WARNING: The robots exclusion standard is ignored" in run.log


@pytest.mark.behaviour("MD-17", "A-10")
def test_each_source_has_its_own_mapping(server: Server, crawl: CrawlCommand) -> None:
    head = '<meta name="category" content="stone"><meta name="region" content="north">'
    pages: dict[str, Page] = {"/": Answer(page(title="Metadata", head=head))}
    documents = []
    for name, source in (("first", "category"), ("second", "region")):
        origin = server.serve(pages)
        path = crawl.directory / f"{name}.toml"
        path.write_text(
            f'start = ["{origin}/"]\ncrawl_name = "{name}"\nmetadata = {{ {source} = "extra_kind" }}\n'
            'extra_fields = { extra_kind = "keyword" }\n'
        )
        run = crawl(config=path)
        documents.append(run.documents[f"{origin}/"])
    assert [document["extra_kind"] for document in documents] == [["stone"], ["north"]]
