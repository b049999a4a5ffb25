"""Consequences of a page's robots directives."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.web.html.page import Directives

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Page


NOFOLLOW = frozenset({"nofollow"})


class RobotsVerdict(NamedTuple):
    """Consequences of a page's robots directives.

    ``noindex`` is the directive that keeps the page out of the index, empty if it may be indexed;
    ``rel`` holds the ``rel`` keywords that apply to all its links.
    """

    noindex: str = ""
    rel: frozenset[str] = frozenset()


class Obedience(NamedTuple):
    """Directives to obey: none with ``rogue``.

    ``index_nofollow``: a page with nofollow may be a document. ``obey_nofollow``: its links are not
    followed.
    """

    rogue: bool = False
    obey_nofollow: bool = True
    index_nofollow: bool = True

    def may_follow(self, directives: Directives) -> bool:
        """Return True if the links of the page may be followed."""
        return self.rogue or not (self.obey_nofollow and directives.nofollow)

    def rel_of_links(self, directives: Directives) -> frozenset[str]:
        """Return the ``rel`` keywords that apply to all links of the page."""
        return frozenset() if self.may_follow(directives) else NOFOLLOW

    def judge(self, directives: Directives, now: datetime) -> RobotsVerdict:
        """Return the consequences of the directives."""
        return RobotsVerdict(self.refusal(directives, now), self.rel_of_links(directives))

    def refusal(self, directives: Directives, now: datetime) -> str:
        """Return the directive that keeps the page out of the index, or an empty string."""
        if self.rogue:
            return ""
        if directives.noindex:
            return "noindex"
        if directives.nofollow and not self.index_nofollow:
            return "nofollow"
        after = directives.unavailable_after
        return "unavailable_after" if after is not None and after <= now else ""


def refresh_target(page: Page, *, delay: float, min_text: int = 0) -> str | None:
    """Return the target of a page that redirects by refresh, None if it is a document itself.

    A refresh to another URL in less than ``delay`` seconds is a redirect (with 0, none is), unless
    the page has ``min_text`` characters or more (with 0, the text does not matter).
    """
    refresh = page.refresh
    if refresh is None or refresh.url == page.url or refresh.delay >= delay:
        return None
    return None if min_text and len(page.text) >= min_text else refresh.url
