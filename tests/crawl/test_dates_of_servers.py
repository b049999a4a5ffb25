"""Dates that a server gives wrongly must not keep changes from being seen."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import formatdate, parsedate_to_datetime
from time import time

import pytest

from fixtures.crawls import CrawlCommand
from fixtures.server import Answer, Page, Request, Server, page

HOUR = 3600
NOW = time()


def not_later(text: str, modified: float) -> Callable[[Request], Answer]:
    """A page whose server answers 304 to any date that is not before its file's."""

    def answer(request: Request) -> Answer:
        since = request.headers.get("if-modified-since")
        if since and parsedate_to_datetime(since).timestamp() >= int(modified):
            return Answer(status=304)
        headers = {"Last-Modified": formatdate(modified, usegmt=True)}
        return Answer(page(title="Page", text=text), headers=headers, ignores_validators=True)

    return answer


@pytest.mark.behaviour("RC-02", "RC-13", "K-16")
def test_a_change_is_seen_whatever_date_the_page_had(server: Server, crawl: CrawlCommand) -> None:
    dates = {
        "/from another time zone": (NOW + 2 * HOUR, NOW + HOUR),
        "/of a container, from 1970": (1.0, 1.0),
        "/copied into place with its own date": (NOW - HOUR, NOW - HOUR / 2),
    }
    paths = {path.replace(" ", "-"): each for path, each in dates.items()}
    site: dict[str, Page] = {
        path: not_later(f"{path} as it was", before) for path, (before, _) in paths.items()
    }
    origin = server.serve(site)
    starts = [f"{origin}{path}" for path in paths]
    assert crawl(*starts).documents.keys() == {*starts}
    site |= {path: not_later(f"{path} as it is now", after) for path, (_, after) in paths.items()}
    documents = crawl(*starts, recrawl=0).documents
    assert documents.keys() == {*starts}
    assert all("as it is now" in each["body"] for each in documents.values())
