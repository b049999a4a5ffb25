"""Scrapy's features on a SiteSpider, as docs/as-a-library.md lists them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from fixtures.own_spider import OwnCrawl
from fixtures.server import Server, page

SITE = {"/": page("/a", title="Home"), "/a": page(title="A")}
PLAIN = """
    def parse(self, response):
        yield from super().parse(response)
        yield {"own": response.url}
"""


@pytest.fixture
def origin(server: Server) -> str:
    """A site of two pages."""
    return server.serve(dict(SITE))


SIGNALS = """
    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        for name in ("engine_started", "engine_stopped", "spider_opened", "spider_idle",
                     "spider_closed", "item_scraped", "item_dropped", "request_scheduled",
                     "request_reached_downloader", "request_left_downloader",
                     "response_received", "response_downloaded", "feed_exporter_closed"):
            def heard(name=name, **_):
                crawler.stats.inc_value(f"heard/{name}")
                return None
            spider.heard = [*getattr(spider, "heard", []), heard]
            crawler.signals.connect(heard, getattr(scrapy.signals, name))
        return spider
"""


def test_signals_and_stats(origin: str, own: OwnCrawl) -> None:
    own(SIGNALS + PLAIN, "-a", f"start={origin}/")
    counts = {"item_scraped": 4, "response_received": 3, "request_reached_downloader": 3}
    counts |= dict.fromkeys(("engine_started", "spider_opened", "spider_closed"), 1)
    counts |= {"response_downloaded": 3, "request_left_downloader": 3, "feed_exporter_closed": 1}
    for name, count in counts.items():
        assert f"'heard/{name}': {count}" in own.log, name
    assert "'heard/spider_idle'" in own.log


FEEDS = """
    custom_settings = {"FEEDS": {
        "chosen.csv": {"format": "csv", "fields": ["url", "title"], "item_classes": []},
        "filtered.jsonl": {"format": "jsonlines", "item_filter": "filters.Titled"},
        "batch-%(batch_id)d.jsonl": {"format": "jsonlines", "batch_item_count": 1},
        "zipped.jsonl.gz": {"format": "jsonlines",
            "postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"]},
    }}
"""
FILTER = """
class Titled:
    def __init__(self, options):
        pass

    def accepts(self, item):
        return item.get("title") == "A"
"""


def test_feeds_with_fields_filter_batches_and_postprocessing(
    origin: str, own: OwnCrawl, tmp_path: Path
) -> None:
    (tmp_path / "filters.py").write_text(FILTER)
    own(FEEDS.replace(', "item_classes": []', ""), "-a", f"start={origin}/", output="")
    assert (tmp_path / "chosen.csv").read_text().splitlines() == [
        "url,title",
        f"{origin}/,Home",
        f"{origin}/a,A",
    ]
    (line,) = (tmp_path / "filtered.jsonl").read_text().splitlines()
    assert json.loads(line)["title"] == "A"
    batches = sorted(tmp_path.glob("batch-*.jsonl"))
    assert [len(path.read_text().splitlines()) for path in batches] == [1, 1]
    assert len(gzip.decompress((tmp_path / "zipped.jsonl.gz").read_bytes()).splitlines()) == 2


def test_log_settings(origin: str, own: OwnCrawl, tmp_path: Path) -> None:
    words = ("-s", "LOG_FILE=job.log", "-s", "LOG_LEVEL=WARNING", "-s", "LOG_FORMAT=%(message)s")
    own(PLAIN, "-a", f"start={origin}/", *words)
    assert own.log == ""
    (line,) = (tmp_path / "job.log").read_text().splitlines()
    assert line.startswith("No contact is set")


def test_the_telnet_console(origin: str, own: OwnCrawl) -> None:
    extension = '{"scrapy.extensions.telnet.TelnetConsole": 0}'
    words = ("-s", f"EXTENSIONS={extension}", "-s", "TELNETCONSOLE_ENABLED=1")
    own(PLAIN, "-a", f"start={origin}/", *words)
    assert "Telnet console listening on 127.0.0.1" in own.log


HANDLER = """
    custom_settings = {"DOWNLOAD_HANDLERS": {"http": "handlers.Handler", "test": "handlers.Handler"}}
"""
HANDLERS = """
from sitecrawl.http.handler import BoundedDownloadHandler


class Handler(BoundedDownloadHandler):
    async def download_request(self, request):
        response = await super().download_request(request)
        if request.meta.get("shown"):
            return response.replace(body=b"<title>Shown</title>")
        return response
"""


def test_a_download_handler_of_its_own(origin: str, own: OwnCrawl, tmp_path: Path) -> None:
    (tmp_path / "handlers.py").write_text(HANDLERS)
    body = HANDLER + (
        "    def parse(self, response):\n"
        '        yield response.follow("/a", self.shown, meta={"shown": True})\n'
        "    def shown(self, response):\n"
        '        yield {"title": response.css("title::text").get()}\n'
    )
    own(body, "-a", f"start={origin}/", "-a", "discover=no")
    assert (tmp_path / "own.jsonl").read_text() == '{"title": "Shown"}\n', own.log[-3000:]


CONTRACTS = '''
    def parse(self, response):
        """Yield the title.

        @url {origin}/
        @returns items 1 1
        @scrapes title
        """
        yield {{"title": response.css("title::text").get()}}
'''


def test_check_parse_and_shell(origin: str, own: OwnCrawl) -> None:
    own.write(CONTRACTS.format(origin=origin))
    modules = ("-s", "SPIDER_MODULES=own")
    assert own.command("check", "own", *modules) == 0, own.log
    assert "Ran 2 contracts" in own.log
    assert own.command("parse", "--spider=own", f"{origin}/", *modules) == 0
    assert "[{'title': 'Home'}]" in own.printed
    assert own.command("shell", "--spider=own", f"{origin}/", "-c", "spider.name", *modules) == 0
    assert own.printed.splitlines()[-1] == "own"


POET = """
    custom_settings = {{"ADDONS": {{"scrapy_poet.Addon": 300}}}}

    def parse(self, response, page: pages.TitlePage):
        yield from super().parse(response)
        yield {{"title of a page object": page.title}}
"""
PAGES = """
from web_poet import WebPage, field


class TitlePage(WebPage):
    @field
    def title(self):
        return self.css("title::text").get()
"""


def test_page_objects_of_scrapy_poet(origin: str, own: OwnCrawl, tmp_path: Path) -> None:
    (tmp_path / "pages.py").write_text(PAGES)
    body = POET.format()
    own.head = "import pages"
    own(body, "-a", f"start={origin}/")
    assert (tmp_path / "own.jsonl").read_text().count("title of a page object") == 2, own.log[
        -3000:
    ]


MONITORED = """
    custom_settings = {
        "SPIDERMON_ENABLED": True,
        "EXTENSIONS": {"spidermon.contrib.scrapy.extensions.Spidermon": 500},
        "SPIDERMON_SPIDER_CLOSE_MONITORS": ["monitors.Suite"],
    }
"""
MONITORS = """
from spidermon import Monitor, MonitorSuite


class Items(Monitor):
    def test_items(self):
        self.assertEqual(self.data.stats.item_scraped_count, 2)


class Suite(MonitorSuite):
    monitors = [Items]
"""


def test_monitors_of_spidermon(origin: str, own: OwnCrawl, tmp_path: Path) -> None:
    (tmp_path / "monitors.py").write_text(MONITORS)
    own(MONITORED, "-a", f"start={origin}/")
    assert "Items/test_items... OK" in own.log
