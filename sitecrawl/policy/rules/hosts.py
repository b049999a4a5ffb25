"""Hosts that are refused: numeric addresses where unwanted, and forbidden sites."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sitecrawl.policy.target import Target
from sitecrawl.web.identity import normal_form
from sitecrawl.web.urls import is_ip_host, normalize, split

_SLASHES = re.compile("//+")


@dataclass(slots=True)
class NumericHosts:
    """No addresses in place of host names, except those that a start itself uses."""

    starts: frozenset[str]
    setting: str
    reason: ClassVar[str] = "numeric_host"

    def refusal(self, target: Target) -> str:
        """Refuse an IP host, however it was written: the URL Standard has made it one form."""
        if target.parts.host in self.starts or not is_ip_host(target.parts.host):
            return ""
        return f"{self.setting}: {target.parts.host}"


@dataclass(slots=True)
class ForbiddenSites:
    """Hosts (with their subdomains) and URL prefixes that are never visited.

    ``sites`` pairs a host and a path prefix with the words of the rule.
    """

    sites: tuple[tuple[str, str, str], ...]
    setting: str
    reason: ClassVar[str] = "forbidden_site"

    def refusal(self, target: Target) -> str:
        """Refuse what lies on a forbidden host, below the path if one was given.

        Several slashes are one, as they are to servers.
        """
        path = _SLASHES.sub("/", target.parts.path)
        for host, prefix, words in self.sites:
            same = target.parts.host == host or target.parts.host.endswith("." + host)
            if same and path.startswith(prefix):
                return words
        return ""


def read_site(entry: str) -> tuple[str, str]:
    """Host and path prefix of an entry such as ``ads.example.com`` or ``http://host/dir/``.

    Raises ValueError if it names no host.
    """
    url = normalize(entry if "://" in entry else f"http://{entry}")
    parts = split(normal_form(url)) if url else None
    if parts is None or not parts.host:
        raise ValueError(f"{entry!r} names no host")
    return parts.host, parts.path
