"""Arguments, starts and settings of a project's own spider, and the name of its crawl."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.own_spider import OwnCrawl
from fixtures.server import Server, page
from sitecrawl import defaults
from sitecrawl.config.config_errors import ConfigError
from sitecrawl.spiders.site import SiteSpider

SITE = {"/": page("/a", title="Home"), "/a": page(title="A")}
NAMED = """
    category = "all"

    def __init__(self, shop, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.start_urls = [shop]

    def parse(self, response):
        yield {"category": self.category}
        yield from super().parse(response)
"""


def test_arguments_that_its_init_or_class_names_are_its_own(
    server: Server,
    own: OwnCrawl,
    tmp_path: Path,
) -> None:
    origin = server.serve(dict(SITE))
    assert own(NAMED, "-a", f"shop={origin}/", "-a", "category=toys") == 0, own.log[-3000:]
    lines = (tmp_path / "own.jsonl").read_text()
    assert lines.count('{"category": "toys"}') == 2
    assert lines.count('"title"') == 2
    assert own(NAMED, "-a", f"shop={origin}/", "-a", "categry=toys") == 2
    assert "-a categry: there is no such option" in own.log


@pytest.mark.parametrize("init", ["self, shop", "self, shop, **arguments"])
def test_an_init_gets_what_it_names(init: str, server: Server, own: OwnCrawl) -> None:
    origin = server.serve(dict(SITE))
    body = f"""
    def __init__({init}):
        super().__init__(start=shop, max_pages=1)
    """
    assert own(body, "-a", f"shop={origin}/") == 0, own.log[-3000:]
    assert server.log.targets() == ["/robots.txt", "/"]


def test_start_urls_are_starts_unless_others_are_given(
    server: Server,
    own: OwnCrawl,
    tmp_path: Path,
) -> None:
    origin = server.serve(dict(SITE))
    body = f"    start_urls = ['{origin}/a']"
    assert own(body) == 0, own.log[-3000:]
    assert server.log.targets() == ["/robots.txt", "/a"]
    assert [path.name for path in (tmp_path / ".sitecrawl").glob("own-*.db")]
    (tmp_path / "own.toml").write_text(f'start = "{origin}/"')
    own(body, "-a", "config=own.toml", "-a", "crawl_name=other")
    assert server.log.targets()[2:] == ["/robots.txt", "/", "/a"]
    assert (tmp_path / ".sitecrawl" / "other.db").exists()


def test_a_spider_without_any_start_says_so(own: OwnCrawl) -> None:
    assert own("    pass") == 2
    assert "start is missing" in own.log


class Shop(SiteSpider):
    """A spider with a name of its own."""

    name = "the shop"


def test_the_name_of_a_crawl_has_the_spiders() -> None:
    given = {"start": "http://a.test/"}
    for spider, name in ((SiteSpider, "a.test"), (Shop, "the-shop-a.test")):
        assert spider.configuration_from_arguments(given).params.database_name == name
    named = Shop.configuration_from_arguments({**given, "crawl_name": "mine"})
    assert named.params.database_name == "mine"
    with pytest.raises(ConfigError, match="no such option"):
        Shop.configuration_from_arguments({**given, "shop": "x"})


CUSTOM = """
    custom_settings = {"USER_AGENT": "mine", "COOKIES_ENABLED": False, "ROBOTSTXT_OBEY": False,
        "DOWNLOAD_TIMEOUT": 3, "DOWNLOAD_DELAY": 1, "RETRY_TIMES": 1, "CONCURRENT_REQUESTS": 3}
    allowed_domains = ["127.0.0.1"]
"""


def test_custom_settings_without_effect_are_reported(server: Server, own: OwnCrawl) -> None:
    origin = server.serve(dict(SITE))
    own(CUSTOM, "-a", f"start={origin}/")
    lines = [line for line in own.log.splitlines() if "has no effect on this crawl" in line]
    assert [line.partition("WARNING: ")[2].split()[0] for line in lines] == [
        "COOKIES_ENABLED",
        "DOWNLOAD_DELAY",
        "DOWNLOAD_TIMEOUT",
        "RETRY_TIMES",
        "ROBOTSTXT_OBEY",
        "USER_AGENT",
        "allowed_domains",
    ]
    (agent,) = server.log.header("/", "user-agent")
    assert agent is not None
    assert agent.startswith("sitecrawl/")


TABLES = """
    custom_settings = {
        "ITEM_PIPELINES": {"parts.Pipeline": 500},
        "DOWNLOADER_MIDDLEWARES": {"parts.Middleware": 500},
        "SPIDER_MIDDLEWARES": {"parts.SpiderMiddleware": 500},
        "EXTENSIONS": {"parts.Extension": 500},
    }
"""
PARTS = """
import logging

class Pipeline:
    def process_item(self, item):
        item["seen"] = "pipeline"
        return item


class Middleware:
    def process_response(self, request, response):
        logging.info("middleware saw %s", response.url)
        return response


class SpiderMiddleware:
    def process_spider_input(self, response):
        logging.info("spider middleware saw %s", response.url)


class Extension:
    def __init__(self):
        logging.info("extension is there")
"""


def test_tables_in_custom_settings_add_to_the_crawls(
    server: Server,
    own: OwnCrawl,
    tmp_path: Path,
) -> None:
    origin = server.serve(dict(SITE))
    (tmp_path / "parts.py").write_text(PARTS)
    assert own(TABLES, "-a", f"start={origin}/") == 0, own.log[-3000:]
    lines = (tmp_path / "own.jsonl").read_text().splitlines()
    assert [line.count("pipeline") for line in lines] == [1, 1]
    for words in (
        "extension is there",
        f"middleware saw {origin}/a",
        f"spider middleware saw {origin}/a",
    ):
        assert words in own.log


COMPONENTS = [
    (table.removesuffix("_BASE"), name)
    for table in ("ITEM_PIPELINES_BASE", "DOWNLOADER_MIDDLEWARES_BASE", "EXTENSIONS_BASE")
    for name in getattr(defaults, table)
]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "name"), COMPONENTS)
def test_a_crawl_without_one_of_its_components_ends(
    table: str, name: str, server: Server, own: OwnCrawl
) -> None:
    origin = server.serve(dict(SITE))
    status = own(
        f"    custom_settings = {{{table!r}: {{{name!r}: None}}}}", "-a", f"start={origin}/"
    )
    assert (status == 2) == (f"{table} lacks {name}" in own.log), own.log[-2000:]
    assert status == 2 or server.log.targets()[-2:] == ["/", "/a"], own.log[-2000:]
    assert "Traceback" not in own.log
