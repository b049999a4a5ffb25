"""``render=auto``: a browser for those pages that need one, and for no others."""

from __future__ import annotations

from fixtures.applications import mixed
from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page

TEXT = "A page like any other, whose text stands in the answer for everybody to read. " * 4


def test_of_three_hundred_pages_those_thirty_are_rendered_that_need_it(
    server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(mixed(pages=300, scripted=30))
    done = crawl(f"{origin}/", render="auto", politeness=0, requests_per_origin=4)
    assert done.status == 0, done.log[-3000:]
    assert len(done.documents) == 301
    made = [line for line in done.lines if "Made by a script for /app/" in line["body"]]
    assert len(made) == 30
    assert 30 <= done.stats["sitecrawl/render/pages"] <= 40
    assert done.stats["sitecrawl/render/app_shell"] == 30
    assert done.stats["sitecrawl/render/has_text"] == 270
    ((detail,),) = crawl.rows("select detail from url where url = ?", f"{origin}/app/7")
    assert detail.startswith("rendered: app_shell (render=auto: #root holds 0 characters")
    assert server.log.count("/app/7") == 1


def test_a_site_that_needs_no_browser_never_starts_one(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page("/a", title="Start", text=TEXT, body="<script>1</script>")})
    done = crawl(f"{origin}/", render="auto")
    assert done.status == 0, done.log[-3000:]
    assert "playwright/browser_count" not in done.stats
    assert "scrapy-playwright" not in done.log


def test_a_plain_crawl_loads_nothing_of_rendering(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page(title="Start", text=TEXT)})
    done = crawl(f"{origin}/", settings={"LOG_LEVEL": "DEBUG"})
    assert done.status == 0, done.log[-3000:]
    assert "sitecrawl.render" not in done.log
