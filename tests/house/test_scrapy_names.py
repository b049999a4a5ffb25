"""Names of Scrapy that we use beyond its public API: each one that a version lacks is reported."""

from __future__ import annotations

import inspect
from pkgutil import resolve_name

import pytest
import scrapy

NAMES = {
    "scrapy.cmdline": {"_get_commands_dict": "console/completion.py"},
    "scrapy.core.downloader.Downloader": {
        "_enqueue_request": "http/downloader.py",
        "active": "http/downloader.py",
        "handlers": "http/downloader.py",
        "middleware": "http/downloader.py",
    },
    "scrapy.core.downloader.handlers.DownloadHandlers": {
        "download_request_async": "http/downloader.py"
    },
    "scrapy.core.downloader.middleware.DownloaderMiddlewareManager": {
        "download_async": "http/downloader.py"
    },
    "scrapy.core.engine.ExecutionEngine": {"_slot": "scheduler.py"},
    "scrapy.core.engine._Slot": {"nextcall": "scheduler.py"},
    "scrapy.crawler.CrawlerProcessBase": {"_create_crawler": "commands/crawl.py"},
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": {
        "_process_cookies": "http/cookie_jar.py",
        "jars": "http/cookie_jar.py",
    },
    "scrapy.extensions.feedexport": {"apply_uri_params": "output/feeds.py"},
    "scrapy.extensions.feedexport.FeedExporter": {
        "_close_slot": "output/feeds.py",
        "_get_storage": "output/feeds.py",
        "_get_uri_params": "output/feeds.py",
        "_start_new_batch": "output/feeds.py",
        "slots": "output/feeds.py",
    },
    "scrapy.extensions.feedexport.FeedSlot": {
        "_exporting": "output/feeds.py",
        "_fileloaded": "output/feeds.py",
        "itemcount": "output/feeds.py",
    },
    "scrapy.http.cookies.CookieJar": {"_cookies": "http/cookie_jar.py"},
    "scrapy.resolver": {"dnscache": "resolver.py"},
    "scrapy.utils.defer": {
        "_process_pending_io": "http/downloader.py",
        "_schedule_coro": "http/downloader.py",
    },
    "scrapy.utils.reactor.CallLaterOnce": {"__call__": "scheduler.py", "schedule": "scheduler.py"},
}
NAMED = [(owner, name, user) for owner, names in NAMES.items() for name, user in names.items()]


@pytest.mark.parametrize(("owner", "name", "user"), NAMED)
def test_scrapy_still_has_what_it_does_not_promise(owner: str, name: str, user: str) -> None:
    found = resolve_name(owner)
    here = hasattr(found, name) or f"self.{name}" in inspect.getsource(found)
    why = 'see "Scrapy is 2.18" in docs/decisions.md'
    assert here, f"Scrapy {scrapy.__version__}: {owner} has no {name}, needed by {user}; {why}"
