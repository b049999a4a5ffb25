"""Conversion of Scrapy's responses into plain types."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from parsel import Selector
from scrapy import Request
from scrapy.http import Headers, Response

from sitecrawl.policy.http.answers import OK, FetchResult, answer_of_status
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

TELLING = ("location", "retry-after", "content-range", "cf-mitigated", "x-amzn-waf-action")
NOT_ASCII = re.compile(rb"[\x80-\xff]")

logger = logging.getLogger(__name__)


def request_of(response: Response) -> Request:
    """Return the request of a response passed to a callback; raises ValueError if it has none."""
    if response.request is None:
        raise ValueError(f"no request led to {response!r}")
    return response.request


def page_of(response: Response, options: ReadOptions) -> Page:
    """Read the page of a response that belongs to no visit; its headers say nothing."""
    kind = header(response.headers, "Content-Type") or None
    return read_page(
        response.body, url=response.url, content_type=kind, headers={}, options=options
    )


def answer_of(response: Response) -> FetchResult:
    """Classify a response by its status and relevant headers."""
    if response.status == 200:
        return OK
    headers = {name: header(response.headers, name) for name in TELLING}
    return answer_of_status(response.status, headers)


def header(headers: Headers, name: str) -> str:
    """Return a header's last value as text, "" if it is absent."""
    values: list[bytes] | None = dict.get(headers, _key(name))
    return values[-1].decode("latin-1") if values else ""


def location(headers: Headers) -> str:
    """Return the target of a redirect, "" if there is none; see ``header_values``."""
    values: list[bytes] | None = dict.get(headers, b"Location")
    return _escaped(values[-1]).decode("ascii") if values else ""


def header_values(headers: Headers, names: tuple[str, ...]) -> dict[str, list[str]]:
    """Return all values of the named headers that are present.

    Bytes beyond ASCII are percent-encoded: many servers send raw paths, mostly in UTF-8, and
    must be requested with exactly these bytes.
    """
    found = ((name, dict.get(headers, _key(name))) for name in names)
    return {
        name: [(v if v.isascii() else _escaped(v)).decode("ascii") for v in values]
        for name, values in found
        if values is not None
    }


@lru_cache(100)
def _key(name: str) -> bytes:
    return name.title().encode()


def _escaped(value: bytes) -> bytes:
    return NOT_ASCII.sub(lambda found: b"%%%02X" % found[0][0], value)


def xpath_fields(
    markup: str, expressions: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Evaluate XPath expressions on a page, by field; white space is normalized.

    This is a second parse of the page: lexbor has no XPath. An expression that fails on a page
    finds nothing there, and the failure is logged.
    """
    root = Selector(text=markup, type="html")
    for name, expression in expressions:
        try:
            found = [" ".join(each.split()) for each in _texts(root.xpath(expression))]
        except ValueError as error:
            logger.warning("The field %s was not read: %s", name, error)
            continue
        if values := tuple(text for text in found if text):
            yield name, values


def _texts(found: Iterable[Selector]) -> Iterator[str]:
    """Yield the text of elements; attributes and numbers are unchanged."""
    for each in found:
        yield each.xpath("string()").get("") if hasattr(each.root, "tag") else str(each.root)
