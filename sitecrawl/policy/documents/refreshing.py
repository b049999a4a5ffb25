"""Whether a page that refreshes is a document, or only leads to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.web.page import Page


def refresh_target(page: Page, *, delay: float, min_text: int = 0) -> str | None:
    """Where a page redirects by refresh, None where it is a document of its own.

    A refresh to another URL in less than ``delay`` seconds is a redirect (0: none is),
    unless the page has ``min_text`` characters or more (0: however many it has).
    """
    refresh = page.refresh
    if refresh is None or refresh.url == page.url or refresh.delay >= delay:
        return None
    return None if min_text and len(page.text) >= min_text else refresh.url
