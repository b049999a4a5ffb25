"""Pages shown by a real Splash server, through scrapy-splash.

Its WebKit is of 2016: scripts here are ES5, and ask by XMLHttpRequest.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.applications import LEADING_ON, MAKING, shell
from fixtures.crawls import CrawlCommand, read
from fixtures.server import Answer, Server, page, refusing_origin
from fixtures.splash import SplashServer
from sitecrawl.policy.outcomes import Outcome
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


ASKING = """
var root = document.getElementById('root');
function show(text) { root.innerHTML += '<p>' + text + '</p>'; }
var request = new XMLHttpRequest();
request.onload = function () { show('Loaded: ' + request.responseText); };
request.onerror = function () { show('Lost'); };
request.open('GET', '%s');
request.send();
"""


@pytest.fixture(scope="module")
def splash(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SplashServer]:
    """A server for all tests."""
    with SplashServer(tmp_path_factory.mktemp("splash")) as running:
        yield running


def test_pages_are_shown_and_each_is_asked_for_once(
    server: Server, crawl: CrawlCommand, splash: SplashServer
) -> None:
    text = "It is the Splash server's work. " * 9
    origin = server.serve(
        {
            "/": page("/made", title="Start", text=text, head="<script src='/side.js'></script>"),
            "/side.js": Answer("window.side = 1", headers={"Content-Type": "text/javascript"}),
            "/made": shell("Caf\u00e9", ASKING % "/more"),
            "/more": Answer(
                "Gr\u00fc\u00dfe <a href='/latin'>next</a>",
                headers={"Content-Type": "text/plain; charset=utf-8"},
            ),
            "/latin": Answer(
                shell("Caf\u00e9", MAKING % "\u00e9").encode("latin-1"),
                headers={"Content-Type": "text/html; charset=iso-8859-1"},
            ),
        }
    )
    done = crawl(f"{origin}/", render="splash", delay=0.3, settings={"SPLASH_URL": splash.url})
    assert done.status == 0, done.log[-3000:]
    assert "Loaded: Gr\u00fc\u00dfe" in done.documents[f"{origin}/made"]["body"]
    assert done.documents[f"{origin}/made"]["title"] == "Caf\u00e9"
    assert "Made by a script for \u00e9" in done.documents[f"{origin}/latin"]["body"]
    asked = Counter(server.log.targets())
    assert asked == dict.fromkeys(("/robots.txt", "/", "/side.js", "/made", "/more", "/latin"), 1)
    agents = {each.headers["user-agent"].partition("/")[0] for each in server.log.of(origin)}
    assert agents == {"sitecrawl"}


def test_a_page_has_the_credentials_and_cookies_of_its_crawl(
    server: Server, crawl: CrawlCommand, splash: SplashServer
) -> None:
    origin = server.serve(
        {
            "/": Answer(shell("Start", ASKING % "/own"), headers={"Set-Cookie": "seen=1"}),
            "/own": "fine",
        }
    )
    settings = {"SPLASH_URL": splash.url}
    auth = f"{origin}=me:secret"
    done = crawl(f"{origin}/", render="splash", auth=auth, settings=settings)
    assert "Loaded: fine" in done.documents[f"{origin}/"]["body"], done.log[-3000:]
    (own,) = [each for each in server.log.of(origin) if each.target == "/own"]
    assert own.headers["authorization"].startswith("Basic ")


def test_what_a_page_asks_for_passes_the_gate(
    server: Server, crawl: CrawlCommand, splash: SplashServer
) -> None:
    inside = server.serve(
        {"*": Answer("secret", headers={"Access-Control-Allow-Origin": "*"})}, address="127.0.0.2"
    )
    origin = server.serve({"/": shell("Inside", ASKING % f"{inside}/")})
    done = crawl(f"{origin}/", render="splash", settings={"SPLASH_URL": splash.url})
    assert "secret" not in done.documents[f"{origin}/"]["body"]
    assert server.log.connected(inside) == 0
    assert done.stats["sitecrawl/render/refused_connections"] >= 1


def test_a_script_that_leads_on_is_a_redirect(
    server: Server, crawl: CrawlCommand, splash: SplashServer
) -> None:
    origin = server.serve({"/": LEADING_ON, "/arrived": page(title="Arrived")})
    done = crawl(f"{origin}/", render="splash", settings={"SPLASH_URL": splash.url})
    query = "select outcome, redirect_to from url where url = ?"
    assert crawl.rows(query, f"{origin}/") == [(Outcome.REDIRECT, f"{origin}/arrived")], done.log
    assert f"{origin}/arrived" in done.documents
    assert Counter(server.log.targets()) == {"/robots.txt": 1, "/": 1, "/arrived": 1}


def test_documents_in_frames_are_pages_of_their_own(
    server: Server, crawl: CrawlCommand, splash: SplashServer
) -> None:
    script = """var frame = document.createElement('iframe'); frame.src = '/framed';
    var root = document.getElementById('root'); root.innerHTML = '<p>Around the frame</p>';
    root.appendChild(frame);"""
    origin = server.serve({"/": shell("Framing", script), "/framed": page(title="Framed")})
    settings = {"SPLASH_URL": splash.url}
    done = crawl(f"{origin}/", render="splash", max_depth=0, settings=settings)
    assert "Around the frame" in done.documents[f"{origin}/"]["body"]
    assert server.log.targets() == ["/robots.txt", "/"]


def test_auto_asks_splash_for_the_pages_that_need_it(
    server: Server, crawl: CrawlCommand, splash: SplashServer
) -> None:
    origin = server.serve(
        {
            "/": page("/app", title="Start", text="A page of text that needs no browser. " * 9),
            "/app": shell("App", MAKING % "/app"),
        }
    )
    settings = {"SPLASH_URL": splash.url}
    done = crawl(f"{origin}/", render="splash", settings=settings)
    assert "Made by a script for /app" in done.documents[f"{origin}/app"]["body"]
    assert done.stats["sitecrawl/render/pages"] == 1


def test_a_missing_splash_server_is_reported_once(server: Server, crawl: CrawlCommand) -> None:
    text = "A page of text that needs no browser. " * 9
    apps = {f"/app/{number}": shell("App", "1") for number in range(3)}
    origin = server.serve({"/": page(*apps, title="Start", text=text), **apps})
    settings = {"SPLASH_URL": refusing_origin()}
    done = crawl(f"{origin}/", render="splash", settings=settings)
    assert list(done.documents) == [f"{origin}/"]
    assert done.log.count("Pages cannot be rendered: no Splash server answers at") == 1
    outcomes = crawl.rows("select distinct outcome, reason from url where url like '%/app/%'")
    assert outcomes == [(Outcome.CANCELLED, "renderer_missing")]


def test_a_page_is_taken_without_what_never_comes(
    server: Server, crawl: CrawlCommand, splash: SplashServer
) -> None:
    head = "<script async src='/hanging'></script>"
    hanging = Answer("", delay=30)
    origin = server.serve({"/": shell("App", MAKING % "all", head=head), "/hanging": hanging})
    settings = {"SPLASH_URL": splash.url}
    done = crawl(f"{origin}/", render="splash", render_time=1, settings=settings)
    assert "Made by a script for all" in done.documents[f"{origin}/"]["body"]


def test_a_project_asks_splash_itself_with_scripts_of_its_own(
    server: Server, splash: SplashServer, tmp_path: Path
) -> None:
    pages = {f"/app/{n}": shell("App", MAKING % n) for n in (1, 2, 3)}
    origin = server.serve({"/": page(title="Start", body="<script>1</script>"), **pages})
    (tmp_path / "own.py").write_text(OWN_REQUESTS, encoding="utf-8")
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


def test_the_adapter_is_still_needed() -> None:
    """A failure means that a release of scrapy-splash works by itself: drop the workaround."""
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
