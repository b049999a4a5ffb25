"""The pipelines, in their order, and the presets in a crawl."""

from __future__ import annotations

import json

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Page, Server, page

SITE: dict[str, Page] = {
    "/": page("/hidden", "/dir/page.html", title="Start"),
    "/hidden": "<meta name=robots content=noindex><title>Hidden</title><p>Text",
    "/dir/page.html": "<title>Page</title><meta name=keywords content='a, b'><h1>One</h1>",
}
PLACES = (50, 150, 450, 940, 960)
SEEN = """
class Seen{place}:
    def process_item(self, item):
        with open("seen.txt", "a") as file:
            print({place}, "title" in item, "id" in item, "content" in item, file=file)
        return item
"""


@pytest.mark.behaviour("O-04")
@pytest.mark.parametrize(
    ("path", "seen"),
    [
        (
            "/dir/page.html",
            [
                "50 False False False",  # before noindex
                "150 False False False",
                "450 True False False",  # mapped
                "940 True True False",  # recorded
                "960 True True True",  # under the names of the output
            ],
        ),
        ("/hidden", ["50 False False False"]),
    ],
)
def test_the_order_is_noindex_mapping_record_output(
    server: Server, crawl: CrawlCommand, path: str, seen: list[str]
) -> None:
    origin = server.serve({"/": SITE[path]})
    code = "".join(SEEN.replace("{place}", str(place)) for place in PLACES)
    (crawl.directory / "seen.py").write_text(code, encoding="utf-8")
    hooks = {f"seen.Seen{place}": place for place in PLACES}
    settings = {"ITEM_PIPELINES": json.dumps(hooks)}
    run = crawl(f"{origin}/", settings=settings, field_map="body:content")
    assert run.status == 0, run.log[-3000:]
    assert (crawl.directory / "seen.txt").read_text("utf-8").splitlines() == seen


def test_presets_in_a_crawl(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve(dict(SITE))
    run = crawl(f"{origin}/", preset="elastic", output_links=1, crawl_name="elastic")
    document = run.documents[f"{origin}/dir/page.html"]
    assert document["headings"] == ["One"]
    assert document["meta_keywords"] == "a, b"
    assert (document["url_path_dir1"], document["url_path_dir2"]) == ("dir", "page.html")
    links = run.documents[f"{origin}/"]["links"]
    assert links == [f"{origin}/hidden", f"{origin}/dir/page.html"]
    small = crawl(f"{origin}/", preset="minimal", crawl_name="minimal").documents[f"{origin}/"]
    assert set(small) == {
        *("op", "id", "seq", "url", "title", "body", "description", "language"),
        "last_crawled_at",
    }
