"""Rules on hosts: the scope that the starts define, and IP addresses instead of names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, Self

from sitecrawl.policy.decision import OptionValues, RefusalReason
from sitecrawl.policy.urls.canonicalization import Rewriting
from sitecrawl.policy.urls.url_rules import OnStarts, Target, UrlRule, read_target
from sitecrawl.web.urls.url import is_ip_host, normalize, split

if TYPE_CHECKING:
    from tldextract import TLDExtract


@cache
def suffixes(*, private: bool = False) -> TLDExtract:
    """Return the public suffix list, with private suffixes if asked for.

    The packaged list is used in every run; nothing is fetched.
    """
    from tldextract import TLDExtract  # noqa: PLC0415 -- a tenth of a start; few crawls need it

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=private)


@lru_cache(maxsize=4096)
def registrable_domain(host: str) -> str:
    """Return the registered domain of a host: ``example.co.uk`` of ``www.example.co.uk``.

    Addresses and single names are returned as they are; under a suffix that is on no list
    (``.test``, an intranet's) the last two labels are returned.
    """
    if is_ip_host(host) or "." not in host:
        return host
    found = suffixes()(host).top_domain_under_public_suffix
    return found or ".".join(host.split(".")[-2:])


def start_urls(options: OptionValues) -> list[str]:
    """Return the starts in their normal form, rewritten like links."""
    rewriting = Rewriting.build(options)
    starts = [url for start in options.value("start") if (url := normalize(start))]
    return [rewriting.change(url) for url in starts] if rewriting else starts


Extent = Literal["origin", "host", "site", "directory", "domain", "any"]


class NumericHosts(UrlRule):
    """Refuse IP addresses instead of host names, except those that a start uses."""

    reason = RefusalReason(
        "numeric_host",
        "an IP address in place of a name (`numeric_hosts`)",
        options=("numeric_hosts",),
    )
    on_starts = OnStarts.EXEMPTS

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """Build the rule if addresses are refused."""
        if options.value("numeric_hosts") != "refuse":
            return None
        hosts = frozenset(split(start).host for start in start_urls(options))
        return cls(value=hosts, setting=options.setting("numeric_hosts"))

    def refusal(self, target: Target) -> str:
        """Refuse an IP host in any notation; URL parsing has normalized it."""
        if target.parts.host in self.value or not is_ip_host(target.parts.host):
            return ""
        return f"{self.setting}: {target.parts.host}"


@dataclass(slots=True)
class Scope(UrlRule):
    """The parts of the web that the starts define.

    ``extent`` is the part of a start's URL that must match: its origin, host, site (scheme and
    host), directory (origin and path prefix) or registrable domain. ``domains`` are added to
    it, subdomains included; with ``any`` they alone decide. ``start_origins`` are the origins of
    the starts, and of their redirect targets under the same owner and not less secure.
    """

    extent: Extent
    starts: Iterable[str]
    domains: frozenset[str] = frozenset()
    start_origins: set[str] = field(default_factory=set, init=False)
    _places: set[str] = field(default_factory=set, init=False)
    reason = RefusalReason(
        "scope",
        "not within the scope of a start (`scope`, `allowed_domains`)",
        options=("scope", "allowed_domains"),
    )
    on_starts = OnStarts.EXEMPTS

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the scope of the configured starts; with ``any`` the list of domains decides."""
        extent, domains = options.value("scope"), options.value("allowed_domains")
        decides = "allowed_domains" if extent == "any" and domains else "scope"
        listed = frozenset(map(read_domain, domains))
        return cls(extent, start_urls(options), listed, setting=options.setting(decides))

    def __post_init__(self) -> None:
        """Bring every start into scope."""
        for start in self.starts:
            self.widen(start)
            self.start_origins.add(read_target(start).origin)

    def widen(self, url: str) -> None:
        """Bring the part of the web that ``url`` defines into scope."""
        self._places.add(self._place(read_target(url)))

    def covers(self, target: Target) -> bool:
        """Return True if a URL is in scope."""
        if self.extent == "any":
            return not self.domains or self._in_domains(target.parts.host)
        place = self._place(target)
        end = len(place) if self.extent == "directory" else 0
        is_within = place in self._places
        while end and not is_within:  # as a directory above it may be
            end = place.rfind("/", 0, end - 1) + 1
            is_within = place[:end] in self._places
        return is_within or (bool(self.domains) and self._in_domains(target.parts.host))

    def refusal(self, target: Target) -> str:
        """Refuse URLs that are out of scope."""
        return "" if self.covers(target) else f"{self.setting}: {self._name(target)}"

    def admit_redirect(self, start: str, target: str) -> str | None:
        """Widen the scope by a start's redirect target, if its owner is the same.

        Returns a notice, or None if nothing changed: the target is in scope
        already, or under another registrable domain.
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

    def _place(self, target: Target) -> str:
        if self.extent == "host":
            return target.parts.host
        if self.extent == "site":
            return f"{target.parts.scheme}://{target.parts.host}"
        if self.extent == "domain":
            return registrable_domain(target.parts.host)
        path = target.parts.path if self.extent == "directory" else ""
        return target.origin + path[: path.rfind("/") + 1]

    def _in_domains(self, host: str) -> bool:
        return any(f".{host}".endswith(f".{domain}") for domain in self.domains)

    def _name(self, target: Target) -> str:
        is_host = self.extent in {"host", "domain"}
        return target.parts.host if is_host else self._place(target)


def read_domain(entry: str) -> str:
    """Return the domain of an entry of allowed_domains, in the form it has in URLs.

    Raises ValueError for a URL, a pattern, or anything else that is not a domain.
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
    """Return the owner of a URL: the registrable domain of its host."""
    return registrable_domain(split(url).host)
