"""Which hosts and directories belong to the crawl."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from sitecrawl.policy.domains import is_under, registrable_domain
from sitecrawl.policy.target import Target, read_target
from sitecrawl.web.urls import normalize, split

Extent = Literal["origin", "host", "site", "directory", "domain", "any"]


@dataclass(slots=True)
class Scope:
    """The parts of the web that the starts stand for.

    ``extent`` says what of a start's URL must agree: its origin, host, site (scheme and
    host), directory (origin and path prefix) or registrable domain. ``domains`` come in
    addition, subdomains included; with ``any`` they are all there is. ``start_origins`` are
    those of the starts, and of where these redirect without a change of owner or less safety.
    """

    extent: Extent
    starts: Iterable[str]
    setting: str
    domains: frozenset[str] = frozenset()
    reason: str = field(default="scope", init=False)
    start_origins: set[str] = field(default_factory=set, init=False)
    _places: set[object] = field(default_factory=set, init=False)
    _directories: dict[str, dict[int, set[str]]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Take in every start."""
        for start in self.starts:
            self.widen(start)
            self.start_origins.add(read_target(start).origin)

    def widen(self, url: str) -> None:
        """Bring what ``url`` stands for into scope."""
        target = read_target(url)
        self._places.add(self._place(target))
        folder = _folder(target)
        by_length = self._directories.setdefault(target.origin, {})
        by_length.setdefault(len(folder), set()).add(folder)

    def covers(self, target: Target) -> bool:
        """Whether a URL is in scope."""
        if self.extent == "any":
            return not self.domains or self._in_domains(target.parts.host)
        if self._place(target) in self._places and self._in_directory(target):
            return True
        return bool(self.domains) and self._in_domains(target.parts.host)

    def refusal(self, target: Target) -> str:
        """Refuse what is out of scope."""
        return "" if self.covers(target) else f"{self.setting}: {target.origin}"

    def admit_redirect(self, start: str, target: str) -> str | None:
        """Widen the scope by where a start redirects to, if its owner is the same.

        Returns the line that says so, or None if nothing changed: the target is in scope
        already, or it lies under another registrable domain.
        """
        there = read_target(target)
        if not there.parts.host or owner_of(start) != owner_of(target):
            return None
        if there.parts.scheme == "https" or not start.startswith("https:"):
            self.start_origins.add(there.origin)
        if self.covers(there):
            return None
        self.widen(target)
        return f"{start} redirects to {target}: {self._name(there)} is now in scope"

    def _place(self, target: Target) -> object:
        if self.extent == "host":
            return target.parts.host
        if self.extent == "site":
            return (target.parts.scheme, target.parts.host)
        if self.extent == "domain":
            return registrable_domain(target.parts.host)
        return target.origin

    def _in_domains(self, host: str) -> bool:
        return any(is_under(host, domain) for domain in self.domains)

    def _in_directory(self, target: Target) -> bool:
        if self.extent != "directory":
            return True
        path, by_length = target.parts.path, self._directories.get(target.origin, {})
        return any(path[:length] in folders for length, folders in by_length.items())

    def _name(self, target: Target) -> str:
        if self.extent in {"host", "domain"}:
            return target.parts.host
        if self.extent != "directory":
            return target.origin
        return target.origin + _folder(target)


def read_domain(entry: str) -> str:
    """The domain of an entry of allowed_domains, as it stands in URLs.

    Raises ValueError for a URL, a pattern, or anything else that is no domain.
    """
    url = normalize(entry if "://" in entry else f"http://{entry.lstrip('.')}/")
    host = split(url).host if url else ""
    plain = host.replace("*", "").strip(".")
    if not plain:
        raise ValueError(f"{entry!r} is not a domain; write one as example.org")
    if "://" in entry or url != f"http://{host}/":
        raise ValueError(f"{entry!r} is not a domain; write {plain}")
    if plain != host.strip("."):
        raise ValueError(f"{entry!r} is not a domain; write {plain}, which includes subdomains")
    return host


def owner_of(url: str) -> str:
    """Whose a URL is: the registrable domain of its host."""
    return registrable_domain(split(url).host)


def _folder(target: Target) -> str:
    """The directory that a URL lies in, with the slash at its end."""
    path = target.parts.path
    return path[: path.rfind("/") + 1] or "/"
