"""Scrapy's own commands in this project: they work, or a line says what to use in their place."""

from __future__ import annotations

from pathlib import Path

import pytest
from saying import Say

from fixtures.server import Server, page, redirect

SITE = {"/": page("/a", title="Home"), "/a": page(title="A")}
OUTCOME = "sitecrawl.downloadermiddlewares.outcome.OutcomeMiddleware"
FOREIGN = """
import scrapy

class Foreign(scrapy.Spider):
    name = "foreign"

    async def start(self):
        yield scrapy.Request(self.begin)

    def parse(self, response):
        yield {"title": response.css("title::text").get()}
        yield from response.follow_all(css="a")
"""
OURS = (
    "from sitecrawl.spiders.site import SiteSpider\n\nclass Ours(SiteSpider):\n    name = 'ours'\n"
)


def test_fetch_prints_one_page_and_is_no_crawl(
    server: Server, fetching: Say, tmp_path: Path
) -> None:
    origin = server.serve(dict(SITE))
    said = fetching("fetch", "--nolog", f"{origin}/")
    assert said.status == 0
    assert "<title>Home</title>" in said.out
    assert server.log.targets() == ["/"]
    (agent,) = server.log.header("/", "user-agent")
    assert agent is not None
    assert agent.startswith("sitecrawl/")
    assert not (tmp_path / ".sitecrawl").exists()


def test_the_shell_tries_selectors(server: Server, fetching: Say) -> None:
    origin = server.serve(dict(SITE))
    code = "response.css('title::text').get()"
    assert fetching("shell", "--nolog", f"{origin}/", "-c", code).lines == ["Home"]


@pytest.mark.behaviour("NE-01")
@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("fetch", "START/redirect"), 0),
        (("fetch", "START/refresh"), 0),
        (("fetch", "START/redirect", "-s", "ROBOTSTXT_OBEY=1"), 0),
        (("view", "START/redirect"), 0),
        (("shell", "START/redirect", "-c", "1"), 0),
        (("shell", "START/", "-c", "fetch('START/redirect')"), 0),
        (("shell", "START/", "-c", "fetch('PRIVATE/')"), 1),
        (("parse", "--spider", "foreign", "-c", "parse", "-d", "2", "START/links"), 0),
        (("fetch", "PRIVATE/"), 1),
    ],
)
def test_only_a_typed_host_may_be_private(
    words: tuple[str, ...], asked: int, server: Server, fetching: Say, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(FOREIGN)
    private = server.serve({"*": "secret"}, address="127.0.0.2")
    refresh = f'<meta http-equiv="refresh" content="0; url={private}/">'
    origin = server.serve(
        {
            "/": page(title="Home"),
            "/redirect": redirect(f"{private}/"),
            "/refresh": page(title="Refresh", head=refresh),
            "/links": page(f"{private}/", title="Links"),
        }
    )
    typed = [word.replace("START", origin).replace("PRIVATE", private) for word in words]
    said = fetching(*typed, "-s", "SPIDER_MODULES=own")
    assert server.log.connected(private) == asked, said.err
    if not asked:
        assert "allow_private: 127.0.0.2 is loopback" in said.err


def test_fetch_reads_a_file(fetching: Say, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>here")
    assert "<p>here" in fetching("fetch", "--nolog", f"file://{tmp_path}/page.html").out


def test_view_opens_a_browser(
    server: Server, fetching: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", f"cp %s {tmp_path}/seen &")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    origin = server.serve(dict(SITE))
    assert fetching("view", "--nolog", f"{origin}/").status == 0
    assert server.log.targets() == ["/"]
    (shown,) = tmp_path.glob("*.html")
    assert "<title>Home</title>" in shown.read_text()


def test_bench_runs(fetching: Say) -> None:
    said = fetching("bench", "-s", "CLOSESPIDER_TIMEOUT=0.1")
    assert said.status == 0
    assert "Spider closed" in said.err


@pytest.mark.parametrize("command", ["fetch", "view", "shell"])
def test_a_missing_spider_is_reported(command: str, fetching: Say) -> None:
    said = fetching(command, "--spider=sit", "http://127.0.0.1:1/")
    assert said.status == 2
    assert said.err.splitlines()[-1].endswith("there is no such spider. Did you mean 'site'?")


def test_a_site_spider_is_tried_in_a_project_with_feeds(
    server: Server, fetching: Say, tmp_path: Path
) -> None:
    spider = (
        "from sitecrawl.spiders.site import SiteSpider\n\nclass D(SiteSpider):\n    name = 'd'\n"
    )
    (tmp_path / "own.py").write_text(spider)
    origin = server.serve(dict(SITE))
    given = ("--spider", "d", "-s", "SPIDER_MODULES=own", "-s", 'FEEDS={"o.jsonl": {}}')
    for words in (("parse", f"{origin}/"), ("shell", f"{origin}/", "-c", "response.status")):
        said = fetching(*words, *given)
        assert said.status == 0, said.err
        assert "Traceback" not in said.err


def test_parse_says_what_to_use(fetching: Say) -> None:
    said = fetching("parse", "http://127.0.0.1:1/a")
    assert said.status == 2
    assert "scrapy links http://127.0.0.1:1/a;" in said.err.splitlines()[-1]


@pytest.mark.parametrize(
    "words", [("runspider", "foreign.py"), ("crawl", "foreign", "-s", "SPIDER_MODULES=foreign")]
)
def test_an_ordinary_spider_runs_as_in_plain_scrapy(
    words: tuple[str, ...], server: Server, fetching: Say, tmp_path: Path
) -> None:
    (tmp_path / "foreign.py").write_text(FOREIGN)
    origin = server.serve(dict(SITE))
    said = fetching(*words, "-a", f"begin={origin}/", "-O", "o.jsonl")
    assert said.status == 0, said.err
    assert (tmp_path / "o.jsonl").read_text() == '{"title": "Home"}\n{"title": "A"}\n'
    assert "scrapy.core.scheduler" not in said.err
    assert "sitecrawl.scheduler" not in said.err
    assert "scrapy.downloadermiddlewares.retry.RetryMiddleware" in said.err
    assert server.log.targets() == ["/", "/a"]


@pytest.mark.slow
def test_a_site_spider_runs_from_a_file(server: Server, fetching: Say, tmp_path: Path) -> None:
    (tmp_path / "ours.py").write_text(OURS)
    origin = server.serve(dict(SITE))
    said = fetching("runspider", "ours.py", "-a", f"start={origin}/", "-O", "o.jsonl")
    assert said.status == 0, said.err
    assert len((tmp_path / "o.jsonl").read_text().splitlines()) == 2
    said = fetching("runspider", "ours.py", "-a", "strat=x")
    assert said.status == 2
    assert "strat" in said.err
    assert fetching("runspider", "ours.py", "-a", f"start={origin}/none").status == 1


@pytest.mark.parametrize(
    ("setting", "lacks"),
    [
        (
            'ITEM_PIPELINES={"sitecrawl.pipelines.OutputPipeline": null}',
            "ITEM_PIPELINES lacks sitecrawl.pipelines.OutputPipeline",
        ),
        ("EXTENSIONS_BASE={}", "EXTENSIONS lacks sitecrawl.extensions.crawl.Crawl"),
        (
            f'DOWNLOADER_MIDDLEWARES={{"{OUTCOME}": null}}',
            f"DOWNLOADER_MIDDLEWARES lacks {OUTCOME}",
        ),
        ("SCHEDULER=scrapy.core.scheduler.Scheduler", "SCHEDULER is not sitecrawl.scheduler"),
        (
            "ITEM_PROCESSOR=scrapy.pipelines.ItemPipelineManager",
            "ITEM_PROCESSOR is not sitecrawl.pipelines.DocumentProcessor",
        ),
    ],
)
def test_a_crawl_without_its_parts_does_not_begin(
    setting: str, lacks: str, fetching: Say, tmp_path: Path
) -> None:
    said = fetching("crawl", "site", "-a", "start=http://127.0.0.1:1/", "-s", setting)
    assert said.status == 2
    assert said.err.startswith(lacks)
    assert not (tmp_path / ".sitecrawl").exists()


def test_parts_may_be_derived(fetching: Say, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from sitecrawl.scheduler import OriginScheduler\n\nclass Own(OriginScheduler):\n    pass\n"
    )
    said = fetching(
        "crawl",
        "site",
        "-a",
        "start=http://127.0.0.1:1/",
        "-a",
        "patience=1",
        "-s",
        "SCHEDULER=own.Own",
    )
    assert said.status == 1
    assert "start http://127.0.0.1:1/ produced nothing" in said.err


def test_no_spider_is_written_into_the_package(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = say("genspider", "mine", "example.org")
    assert said.status == 2
    assert "NEWSPIDER_MODULE is sitecrawl.spiders, which is installed" in said.err
    assert say("genspider", "--list").status == 0
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").touch()
    assert say("genspider", "mine", "example.org", "-s", "NEWSPIDER_MODULE=own").status == 0
    assert (tmp_path / "own" / "mine.py").exists()
