"""Names of Scrapy that we use beyond its public API: each one that a version lacks is reported."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pkgutil import resolve_name

import pytest
import scrapy

from tests.house.test_style import sources

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
PRIVATE = re.compile("^_[^_].*")
OF_PYTHON = {"_asdict", "_exit", "_replace", "_Decompress"}
NAMED = [(owner, name, user) for owner, names in NAMES.items() for name, user in names.items()]


@pytest.mark.parametrize(("owner", "name", "user"), NAMED)
def test_scrapy_still_has_what_it_does_not_promise(owner: str, name: str, user: str) -> None:
    found = resolve_name(owner)
    here = hasattr(found, name) or f"self.{name}" in inspect.getsource(found)
    why = 'see "Scrapy is 2.18" in docs/decisions.md'
    assert here, f"Scrapy {scrapy.__version__}: {owner} has no {name}, needed by {user}; {why}"


def test_the_table_has_all_of_them() -> None:
    ours = {name: text for name, text in sources().items() if name.startswith("sitecrawl/")}
    used = {name for text in ours.values() for name in private_names(ast.parse(text))}
    listed = {part for owner, name, _ in NAMED for part in (*owner.split("."), name)}
    assert used - OF_PYTHON <= listed


def private_names(tree: ast.Module) -> Iterator[str]:
    """The private names of others that a module imports, or asks other objects for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scrapy"):
            yield from (each.name for each in node.names if each.name.startswith("_"))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) not in {"self", "cls"}:
            yield from PRIVATE.findall(node.attr)
