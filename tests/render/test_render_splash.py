"""Pages shown by Splash, through scrapy-splash; the server is a stand-in before a real Chromium.

With SPLASH_URL in the environment the last test asks a real Splash server as well.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.applications import LEADING_ON, MAKING, application, shell
from fixtures.crawls import CrawlCommand, read
from fixtures.server import Answer, Server, page, refusing_origin
from fixtures.splash import SplashServer
from sitecrawl.frontier.base import Outcome
from sitecrawl.render import splash_adapter

OWN_REQUESTS = '''
from sitecrawl.render.splash_adapter import SplashRequest
from sitecrawl.spiders.site import SiteSpider

LUA = """function main(splash, args)
  assert(splash:go(args.url))
  assert(splash:wait(0.2))
  return {html = splash:html(), url = splash:url()}
end"""


class OwnSpider(SiteSpider):
    name = "own"

    def parse(self, response, **_):
        for path in ("/app/1", "/app/2"):
            yield SplashRequest(
                response.urljoin(path),
                self.parse_made,
                endpoint="execute",
                args={"lua_source": LUA},
                cache_args=["lua_source"],
            )
        yield SplashRequest(response.urljoin("/app/3"), self.parse_made, endpoint="render.html",
                            args={"wait": 0.2})

    def parse_made(self, response, **_):
        yield {"url": response.url, "text": response.css("#root ::text").get()}
'''


@pytest.fixture(scope="module")
def splash() -> Iterator[SplashServer]:
    """A server that speaks Splash's API."""
    with SplashServer() as running:
        running.lingers = 0.1
        yield running


def test_pages_are_shown_by_the_splash_server(
    server: Server, crawl: CrawlCommand, splash: SplashServer
) -> None:
    views = {"/": ("/one", "/leading", "/inside"), "/one": ()}
    inside = server.serve({"*": "secret"}, address="127.0.0.2")
    script = f"""fetch('{inside}/').catch(() => ({{text: () => 'lost'}})).then(a => a.text()).then(
      text => document.getElementById('root').append('asked: ' + text));"""
    origin = server.serve(
        {
            **application(views),
            "/leading": LEADING_ON,
            "/arrived": page(title="Arrived"),
            "/inside": shell("Inside", script),
        }
    )
    splash.asked.clear()
    done = crawl(f"{origin}/", render="splash", settings={"SPLASH_URL": splash.url})
    assert done.status == 0, done.log[-3000:]
    assert "This is the view of /one" in done.documents[f"{origin}/one"]["body"]
    assert "secret" not in done.documents[f"{origin}/inside"]["body"]
    assert server.log.connected(inside) == 0
    assert done.stats["sitecrawl/render/refused_connections"] >= 1
    query = "select outcome, redirect_to from url where url = ?"
    assert crawl.rows(query, f"{origin}/leading") == [(Outcome.REDIRECT, f"{origin}/arrived")]
    assert {asked["url"] for asked in splash.asked} == {
        f"{origin}{path}" for path in ("/", "/one", "/leading", "/inside")
    }
    assert all(asked["headers"]["User-Agent"].startswith("sitecrawl/") for asked in splash.asked)


def test_auto_asks_splash_for_the_pages_that_need_it(
    server: Server, crawl: CrawlCommand, splash: SplashServer
) -> None:
    origin = server.serve(
        {
            "/": page("/app", title="Start", text="A page of text that needs no browser. " * 9),
            "/app": shell("App", MAKING % "/app"),
        }
    )
    splash.asked.clear()
    settings = {"SPLASH_URL": splash.url}
    done = crawl(f"{origin}/", render="auto", render_with="splash", settings=settings)
    assert "Made by a script for /app" in done.documents[f"{origin}/app"]["body"]
    assert [asked["url"] for asked in splash.asked] == [f"{origin}/app"]


def test_a_splash_server_that_is_not_there_is_told_once(
    server: Server, crawl: CrawlCommand
) -> None:
    text = "A page of text that needs no browser. " * 9
    apps = {f"/app/{number}": shell("App", "1") for number in range(3)}
    origin = server.serve({"/": page(*apps, title="Start", text=text), **apps})
    settings = {"SPLASH_URL": refusing_origin()}
    done = crawl(f"{origin}/", render="auto", render_with="splash", settings=settings)
    assert list(done.documents) == [f"{origin}/"]
    assert done.log.count("Pages cannot be rendered: no Splash server answers at") == 1
    outcomes = crawl.rows("select distinct outcome, reason from url where url like '%/app/%'")
    assert outcomes == [(Outcome.CANCELLED, "renderer_missing")]


def test_what_splash_cannot_render_has_its_outcome(
    server: Server, crawl: CrawlCommand, splash: SplashServer
) -> None:
    origin = server.serve(
        {
            "/": shell("App", "fetch('/hanging')", head="<script async src='/hanging'></script>"),
            "/hanging": Answer("", delay=30),
        }
    )
    settings = {"SPLASH_URL": splash.url}
    done = crawl(f"{origin}/", render="splash", render_time=1, settings=settings)
    assert done.status == 1
    assert crawl.rows("select outcome, reason from url") == [
        (Outcome.REQUEST_TIMEOUT, "render_timeout")
    ]


def test_a_project_asks_splash_itself_with_scripts_of_its_own(
    server: Server, splash: SplashServer, tmp_path: Path
) -> None:
    pages = {f"/app/{n}": shell("App", MAKING % n) for n in (1, 2, 3)}
    origin = server.serve({"/": page(title="Start", body="<script>1</script>"), **pages})
    (tmp_path / "own.py").write_text(OWN_REQUESTS, encoding="utf-8")
    splash.asked.clear()
    splash.kept.clear()
    output = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "scrapy", "runspider", "own.py", "-O", str(output)]
    for given in (f"start={origin}/", "delay=0", "render=splash"):
        command += ["-a", given]
    command += ["-s", f"SPLASH_URL={splash.url}"]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert sorted((item["url"], item["text"]) for item in read(output)) == [
        (f"{origin}/app/{n}", f"Made by a script for {n}") for n in (1, 2, 3)
    ], done.stderr[-3000:]
    scripts = [asked for asked in splash.asked if "load_args" in asked or "save_args" in asked]
    assert ["lua_source" in asked for asked in scripts] == [True, False]


def test_the_adapter_is_still_needed() -> None:
    """When this fails, a release of scrapy-splash works by itself: drop what it mends."""
    alone = subprocess.run(
        [sys.executable, "-c", "import scrapy_splash"], capture_output=True, text=True, check=False
    )
    assert "cannot import name 'canonicalize_url'" in alone.stderr
    middleware = splash_adapter.released.SplashMiddleware
    assert "downloader._get_slot_key" in inspect.getsource(middleware._get_slot_key)
    for method in (middleware.process_request, middleware.process_response):
        assert "spider" in inspect.signature(method).parameters
    deduplicate = splash_adapter.released.SplashDeduplicateArgsMiddleware
    assert not hasattr(deduplicate, "process_start")
    assert not hasattr(deduplicate, "process_spider_output_async")
    assert issubclass(splash_adapter.Splash, middleware)


@pytest.mark.skipif(
    "SPLASH_URL" not in os.environ, reason="no SPLASH_URL: no real Splash was asked"
)
def test_a_real_splash_server_shows_the_same(server: Server, crawl: CrawlCommand) -> None:
    script = "document.getElementById('root').innerHTML = '<p>Made</p><a href=\"/two\">2</a>';"
    origin = server.serve(
        {
            "/": shell("One", script),
            "/two": shell("Two", "location.href = '/three';"),
            "/three": page(title="Three"),
        }
    )
    settings = {"SPLASH_URL": os.environ["SPLASH_URL"]}
    done = crawl(f"{origin}/", render="splash", settings=settings)
    assert done.status == 0, done.log[-3000:]
    assert "Made" in done.documents[f"{origin}/"]["body"]
    query = "select outcome, redirect_to from url where url = ?"
    assert crawl.rows(query, f"{origin}/two") == [(Outcome.REDIRECT, f"{origin}/three")]
