"""Construction of the parts of a crawl from its configuration."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from sitecrawl import __version__
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.http.politeness import Pace
from sitecrawl.policy.http.request_headers import HeaderPolicy, user_agent
from sitecrawl.web.files.formats import is_file_type
from sitecrawl.web.read_options import ReadOptions
from sitecrawl.web.robots.robots_txt import product_token

_MIDDLEWARES = "DOWNLOADER_MIDDLEWARES_BASE"
_RENDERING = "sitecrawl.render.rendering_handler.RenderingDownloadHandler"
_ARCHIVED = "sitecrawl.http.archived_handler.ArchivedDownloadHandler"


def agent(params: CrawlParams) -> str:
    """Return the User-Agent of every request."""
    return user_agent(__version__, params.contact, params.user_agent)


def header_policy(params: CrawlParams, start_origins: AbstractSet[str]) -> HeaderPolicy:
    """Build the headers of all requests, and of those to the origins of starts."""
    return HeaderPolicy(
        agent=agent(params),
        from_email=params.from_email,
        referer=params.referer,
        accept_extra=(*params.accept, *filter(is_file_type, params.content_types)),
        headers=params.headers,
        start_origins=start_origins,
        origin_headers=params.origin_headers,
        auth={key: secret.get_secret_value() for key, secret in params.auth.items()},
    )


def read_options(params: CrawlParams) -> ReadOptions:
    """Return the options for reading pages."""
    options = params.read_options(product_token(agent(params)))
    return replace(options, assets=params.store_links == "assets")


def pace(params: CrawlParams) -> Pace:
    """Return the initial pace of a new origin."""
    if params.from_warc:
        return Pace(delay=0.0, level=0, max_wait=params.max_wait)
    return Pace(delay=params.delay, level=params.politeness, max_wait=params.max_wait)


def spider_settings(params: CrawlParams) -> dict[str, Any]:
    """Return the Scrapy settings that follow from the options."""
    return {
        "USER_AGENT": agent(params),
        "COOKIES_ENABLED": params.cookies,
        "DOWNLOAD_TIMEOUT": params.max_time,
    }


def component_tables(params: CrawlParams) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the components that only some crawls need, each with the table that it is added to."""
    if params.render != "none":
        yield "DOWNLOAD_HANDLERS_BASE", dict.fromkeys(("http", "https"), _RENDERING)
        yield "EXTENSIONS_BASE", {"sitecrawl.render.render_service.RenderService": 30}
        yield _MIDDLEWARES, {"sitecrawl.downloadermiddlewares.renderer.RendererMiddleware": 610}
    if params.render == "splash":
        yield "SPIDER_MIDDLEWARES_BASE", {"sitecrawl.render.splash_adapter.DeduplicateArgs": 100}
    if any(map(is_file_type, params.content_types)):
        yield _MIDDLEWARES, {"sitecrawl.downloadermiddlewares.files.FilesMiddleware": 60}
    if params.from_warc:
        yield "DOWNLOAD_HANDLERS_BASE", dict.fromkeys(("http", "https"), _ARCHIVED)
    if params.proxies:
        yield _MIDDLEWARES, {"sitecrawl.downloadermiddlewares.proxies.RotatingProxies": 745}
    if params.logs_in:
        yield _MIDDLEWARES, {"sitecrawl.downloadermiddlewares.login.LoginMiddleware": 650}


def database_url(setting: str, params: CrawlParams) -> str:
    """Return the crawl database's URL: the option's, else the setting's, with NAME replaced."""
    return (params.database or setting).replace("NAME", params.database_name)
