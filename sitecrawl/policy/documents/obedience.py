"""Consequences of a page's robots directives."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sitecrawl.policy.documents.usage_permissions import NOTHING_SAID, UsageRefusal, usage_refusal
from sitecrawl.web.html.page import Directives

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Page


NOFOLLOW = frozenset({"nofollow"})


class RobotsVerdict(NamedTuple):
    """Consequences of a page's robots directives.

    ``noindex`` is the directive that keeps the page out of the index, empty if it may be indexed;
    ``rel`` holds the ``rel`` keywords that apply to all its links. ``usage`` is the document's field
    of this name, and ``forbidden`` the purpose of the crawl that it forbids.
    """

    noindex: str = ""
    rel: frozenset[str] = frozenset()
    usage: Mapping[str, Any] = NOTHING_SAID
    forbidden: UsageRefusal | None = None


class Obedience(NamedTuple):
    """Directives to obey: none with ``rogue``.

    ``index_nofollow``: a page with nofollow may be a document. ``obey_nofollow``: its links are not
    followed. ``purposes`` are the uses of documents that a site may forbid.
    """

    rogue: bool = False
    obey_nofollow: bool = True
    index_nofollow: bool = True
    purposes: tuple[str, ...] = ()

    def rel_of_links(self, directives: Directives) -> frozenset[str]:
        """Return the ``rel`` keywords that apply to all links of the page."""
        is_obeyed = self.obey_nofollow and directives.nofollow and not self.rogue
        return NOFOLLOW if is_obeyed else frozenset()

    def judge(
        self, directives: Directives, now: datetime, usage: Mapping[str, Any] = NOTHING_SAID
    ) -> RobotsVerdict:
        """Return the consequences of the directives, and of what was said about usage."""
        refusal, rel = self.refusal(directives, now), self.rel_of_links(directives)
        return RobotsVerdict(refusal, rel, usage, self.forbidden(usage))

    def forbidden(self, usage: Mapping[str, Any]) -> UsageRefusal | None:
        """Return the purpose that is forbidden, if any."""
        return None if self.rogue or not usage else usage_refusal(usage, self.purposes)

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
    return None if min_text and len(page.whole_text) >= min_text else refresh.url
