"""Construction of the parts of a crawl from its configuration."""

from __future__ import annotations

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

HANDLER = "sitecrawl.render.rendering_handler.RenderingDownloadHandler"
RENDERING = {
    "DOWNLOAD_HANDLERS_BASE": {"http": HANDLER, "https": HANDLER},
    "EXTENSIONS_BASE": {"sitecrawl.render.render_service.RenderService": 30},
    "DOWNLOADER_MIDDLEWARES_BASE": {
        "sitecrawl.downloadermiddlewares.renderer.RendererMiddleware": 610
    },
}
ARCHIVED = "sitecrawl.http.archived_handler.ArchivedDownloadHandler"
ARCHIVES = {"DOWNLOAD_HANDLERS_BASE": {"http": ARCHIVED, "https": ARCHIVED}}
ROTATION = {
    "DOWNLOADER_MIDDLEWARES_BASE": {"sitecrawl.downloadermiddlewares.proxies.RotatingProxies": 745}
}
LOGIN = {
    "DOWNLOADER_MIDDLEWARES_BASE": {"sitecrawl.downloadermiddlewares.login.LoginMiddleware": 650}
}
FILES = {
    "DOWNLOADER_MIDDLEWARES_BASE": {"sitecrawl.downloadermiddlewares.files.FilesMiddleware": 60}
}
SPLASH_ARGUMENTS = {"sitecrawl.render.splash_adapter.DeduplicateArgs": 100}
"""Components loaded only by crawls with a browser."""


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


def rendering_settings(params: CrawlParams) -> dict[str, Any]:
    """Return the tables of components that rendering adds to, if it is enabled."""
    if params.render == "none":
        return {}
    splash = params.render == "splash"
    return RENDERING | ({"SPIDER_MIDDLEWARES_BASE": SPLASH_ARGUMENTS} if splash else {})


def archive_settings(params: CrawlParams) -> dict[str, Any]:
    """Return the table of handlers that take archives in place of the network, if one is given."""
    return ARCHIVES if params.from_warc else {}


def proxy_settings(params: CrawlParams) -> dict[str, Any]:
    """Return the table of components that rotate the proxies, if any are listed."""
    return ROTATION if params.proxies else {}


def login_settings(params: CrawlParams) -> dict[str, Any]:
    """Return the table of components that see the end of a session, if the crawl logs in."""
    return LOGIN if params.logs_in else {}


def file_settings(params: CrawlParams) -> dict[str, Any]:
    """Return the table of components that reading files adds to, if files are wanted."""
    return FILES if any(map(is_file_type, params.content_types)) else {}


def database_url(setting: str, params: CrawlParams) -> str:
    """Return the crawl database's URL: the option's, else the setting's, with NAME replaced."""
    return (params.database or setting).replace("NAME", params.database_name)
