"""Warn of Scrapy's settings that have no effect here, and name their replacements."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from sitecrawl.components import Component, params_of
from sitecrawl.config.assembly import spider_settings
from sitecrawl.config.options.crawl_options import CrawlParams

NOT_HEEDED = "%s has no effect on this crawl: %s"
BESIDE = "only requests that the spider itself makes obey it"
DELAY = "give the seconds between requests with -a delay=..."
AGAIN = f"failures are retried according to their kind, see -a patience=...; {BESIDE}"
CONSOLE = "its extension is left out; name it in EXTENSIONS"
FIGURES = "give the seconds between figures with -s SITECRAWL_STATISTICS_SECONDS=..."
NO_PAGE = f"a response with an error status is an outcome, and is not parsed; {BESIDE}"

INSTEAD = {
    "AUTOTHROTTLE_ENABLED": "the delay adapts to the responses, see -a politeness=...",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "give it with -a requests_per_origin=...",
    "DEFAULT_REQUEST_HEADERS": "give them with -a headers=...",
    "DEPTH_LIMIT": "give it with -a max_depth=...",
    "DEPTH_PRIORITY": "URLs nearer to a start always come first",
    "DNS_TIMEOUT": "give it with -a timeout=...",
    "DOWNLOAD_DELAY": DELAY,
    "DOWNLOAD_MAXSIZE": "give it with -a max_body_size=...",
    "DOWNLOAD_SLOTS": DELAY,
    "DOWNLOAD_TIMEOUT": "give it with -a timeout=... and -a max_time=...",
    "DUPEFILTER_CLASS": "rules decide which URLs are equal, see -a fold=...",
    "HTTPAUTH_USER": "give it with -a auth=...",
    "HTTPCACHE_ENABLED": "the crawl database remembers the pages, and requests are conditional",
    "HTTPERROR_ALLOWED_CODES": NO_PAGE,
    "HTTPERROR_ALLOW_ALL": NO_PAGE,
    "JOBDIR": "the crawl database keeps the queue, and the next run continues",
    "LOGSTATS_INTERVAL": FIGURES,
    "METAREFRESH_MAXDELAY": "give it with -a refresh_delay=...",
    "PERIODIC_LOG_DELTA": FIGURES,
    "PERIODIC_LOG_STATS": FIGURES,
    "REDIRECT_MAX_TIMES": "give it with -a max_redirects=...",
    "REFERRER_POLICY": "see -a referer=...",
    "REMOTE_CONTROL_ENABLED": CONSOLE,
    "RETRY_HTTP_CODES": AGAIN,
    "RETRY_TIMES": AGAIN,
    "ROBOTSTXT_USER_AGENT": "robots.txt is matched with the first word of -a user_agent=...",
    "TELNETCONSOLE_ENABLED": CONSOLE,
    "URLLENGTH_LIMIT": "give it with -a max_url_length=...",
    "USER_AGENT": "give it with -a user_agent=... or -a contact=...",
}
"""Replacements for settings that are switched on."""

SWITCHES = {
    "COOKIES_ENABLED": ("cookies", "give -a cookies=no"),
    "DOWNLOAD_VERIFY_CERTIFICATES": ("unverified_origins", "give -a unverified_origins=*"),
    "METAREFRESH_ENABLED": ("refresh_delay", "give -a refresh_delay=0"),
    "REDIRECT_ENABLED": ("max_redirects", "give -a max_redirects=0"),
    "REFERER_ENABLED": ("referer", "give -a referer=never"),
    "RETRY_ENABLED": ("patience", AGAIN),
    "ROBOTSTXT_OBEY": ("obey_robots", "give -a obey_robots=no"),
}
"""Replacements for settings that are switched off while the option named is on."""

OFF = ("", "0", "false", "none", "never", "0.0", "{}", "[]")

logger = logging.getLogger(__name__)


class IgnoredSettings(Component):
    """Warnings of ignored settings, logged once as the crawl begins."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    def spider_opened(self) -> None:
        """Log a line for each ignored setting."""
        spider: Any = self._crawler.spider
        settings, params = self._crawler.settings, params_of(self._crawler)
        for name, instead in ignored_settings(settings, params, spider.overruled):
            logger.warning(NOT_HEEDED, name, instead)
        if getattr(spider, "allowed_domains", None):
            logger.warning(NOT_HEEDED, "allowed_domains", "give it with -a scope=...")


def ignored_settings(
    settings: BaseSettings, params: CrawlParams, overruled: Mapping[str, Any] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the settings that were given and have no effect, each with its replacement.

    ``overruled`` holds the values that the spider has replaced with those of its options.
    """
    given = {name: settings[name] for name in settings if _is_given(settings, name)}
    if overruled is not None:
        given = {n: value for n, value in given.items() if n not in spider_settings(params)}
        given |= overruled
    for name in sorted(given.keys() & (INSTEAD.keys() | SWITCHES.keys())):
        if name in INSTEAD and not _is_off(given[name]):
            yield name, INSTEAD[name]
        if name in SWITCHES and _is_off(given[name]):
            option, instead = SWITCHES[name]
            if not _is_off(getattr(params, option)):
                yield name, instead


def _is_given(settings: BaseSettings, name: str) -> bool:
    return (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["addon"]


def _is_off(value: object) -> bool:
    return str(value).lower() in OFF
