"""Settings of Scrapy that users give with ``-s``: they have their effect, or the log says why not."""

from __future__ import annotations

import re

import pytest
from scrapy.settings import Settings, default_settings

from fixtures.crawls import CrawlCommand
from fixtures.server import Server, page
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.extensions.ignored_settings import INSTEAD, SWITCHES, ignored_settings

PATHS = [f"/p{n}" for n in range(40)]
SITE = {"/": page(*PATHS, text="Home"), **{path: page(text=f"Page {path}") for path in PATHS}}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CLOSESPIDER_TIMEOUT", 1),
        ("CLOSESPIDER_PAGECOUNT", 5),
        ("CLOSESPIDER_ITEMCOUNT", 5),
    ],
)
def test_a_crawl_ends_at_its_limit_and_the_next_goes_on(
    name: str, value: int, server: Server, crawl: CrawlCommand
) -> None:
    origin = server.serve(dict(SITE))
    run = crawl(origin, delay=0.15, settings={name: value})
    assert run.status == 0, run.log[-3000:]
    assert f"'finish_reason': '{name.lower()}'" in run.log
    assert 0 < len(run.lines) < len(PATHS)
    rest = crawl(origin)
    assert len(run.lines) + len(rest.lines) == 1 + len(PATHS)


def test_settings_without_effect_are_reported(server: Server, crawl: CrawlCommand) -> None:
    origin = server.serve({"/": page(text="Home")})
    ignored = {
        "DOWNLOAD_TIMEOUT": 1,
        "USER_AGENT": "mine",
        "JOBDIR": "job",
        "DEPTH_LIMIT": 1,
    }
    ignored |= {
        "TELNETCONSOLE_ENABLED": 1,
        "ROBOTSTXT_OBEY": 0,
        "COOKIES_ENABLED": "False",
    }
    heeded = {"HTTPCACHE_ENABLED": 0, "CONCURRENT_REQUESTS": 1, "REDIRECT_ENABLED": 1}
    run = crawl(origin, settings={**ignored, **heeded, "DOWNLOAD_DELAY": 0})
    warned = [line.split()[0] for line in said(run.log)]
    assert warned == sorted(ignored)
    assert said(crawl(origin).log) == []


def test_switches_that_agree_with_the_options_are_not_reported() -> None:
    settings = Settings({"ROBOTSTXT_OBEY": True, "COOKIES_ENABLED": False, "RETRY_TIMES": 7})
    params = CrawlParams(start=("http://example.org/",), cookies=False)
    assert [name for name, _ in ignored_settings(settings, params)] == ["RETRY_TIMES"]
    settings.setmodule("sitecrawl.settings", priority="project")
    assert [name for name, _ in ignored_settings(settings, params)] == ["RETRY_TIMES"]
    params = CrawlParams(start=("http://example.org/",))
    assert [name for name, _ in ignored_settings(settings, params)] == [
        "COOKIES_ENABLED",
        "RETRY_TIMES",
    ]


def test_all_of_them_are_settings_of_scrapy() -> None:
    known = {*dir(default_settings), "HTTPERROR_ALLOWED_CODES", "HTTPERROR_ALLOW_ALL"}
    known |= {"REMOTE_CONTROL_ENABLED"}  # from Scrapy 2.19 on
    assert INSTEAD.keys() | SWITCHES.keys() <= known
    options = {option for option, _ in SWITCHES.values()}
    told = {*re.findall(r"-a (\w+)=", " ".join(map(str, [*INSTEAD.values(), *SWITCHES.values()])))}
    assert options | told <= CrawlParams.model_fields.keys()


def said(log: str) -> list[str]:
    """Lines of the log about settings, each from the name on."""
    lines = [line for line in log.splitlines() if "has no effect on this crawl" in line]
    return [line.partition("WARNING: ")[2] for line in lines]
