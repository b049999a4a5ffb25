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
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(NOW + 2 * HOUR, NOW + HOUR, id="a file from another time zone"),
        pytest.param(1.0, 1.0, id="every file of a container from 1970"),
        pytest.param(NOW - HOUR, NOW - HOUR / 2, id="copied into place with its own date"),
    ],
)
def test_a_change_is_seen_whatever_date_the_page_had(
    before: float, after: float, server: Server, crawl: CrawlCommand
) -> None:
    site: dict[str, Page] = {"/": not_later("as it was", before)}
    origin = server.serve(site)
    assert "as it was" in crawl(f"{origin}/").documents[f"{origin}/"]["body"]
    site["/"] = not_later("as it is now", after)
    assert "as it is now" in crawl(f"{origin}/", recrawl=0).documents[f"{origin}/"]["body"]
