"""Policies that close parts of a site, written as robots.txt writes paths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sitecrawl.policy.target import Target
from sitecrawl.web.identity import normal_text


@dataclass(slots=True)
class DoNotCrawl:
    """Policies, each with its words; one that matches refuses."""

    policies: tuple[tuple[re.Pattern[str], str], ...]
    setting: str
    reason: ClassVar[str] = "do_not_crawl"

    def refusal(self, target: Target) -> str:
        """Refuse what a policy covers."""
        return next((words for policy, words in self.policies if policy.match(target.url)), "")


def read_policy(entry: str) -> re.Pattern[str]:
    """A policy as a pattern on the whole URL.

    An entry is a path prefix (``/private/``, any origin) or a URL prefix; ``*`` stands
    for any characters, ``$`` at the end for the URL's end, and several slashes are one as
    they are to servers. Raises ValueError for others.
    """
    end = "$" if entry.endswith("$") else ""
    body = re.escape(normal_text(entry.removesuffix("$"))).replace(r"\*", ".*").replace("/", "/+")
    if entry.startswith(("/", "*")):
        return re.compile(f"[a-z][a-z0-9+.-]*://[^/]*{body}{end}")
    if "://" in entry:
        return re.compile(body + end)
    raise ValueError(f"{entry!r} is neither a path from the root nor a URL")
