"""Ends paths that grow by a directory on every page.

How deep a path may be is no question of its own; how deep a page may lead below itself is.
"""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.policy.decision import ALLOWED, Decision, refuse
from sitecrawl.policy.target import Target


@dataclass(slots=True)
class Growth:
    """The most directories of a path that is found on a page it lies below; 0 for no limit."""

    limit: int
    setting: str

    def offered(self, page: Target, link: Target) -> Decision:
        """Whether a new link may be followed, seen from the page that it stands on."""
        directories = link.parts.path.count("/") - 1
        if not self.limit or directories <= self.limit or not leads_deeper(page, link):
            return ALLOWED
        return refuse("growing_path", f"{self.setting}: {directories} directories")


def directory(target: Target) -> str:
    """The path up to its last slash."""
    path = target.parts.path
    return path[: path.rfind("/") + 1]


def leads_deeper(page: Target, link: Target) -> bool:
    """Whether a link leads to a directory below its page's own."""
    home, there = directory(page), directory(link)
    return page.origin == link.origin and there != home and there.startswith(home)
