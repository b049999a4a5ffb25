"""Removal of session ids and tracking parameters, which do not identify a page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Self

from sitecrawl.policy.decision import OptionValues
from sitecrawl.policy.urls.canonicalization import keep_parameters, names_pattern
from sitecrawl.policy.urls.url_rules import UrlChange, read_pattern
from sitecrawl.web.urls.url import origin

# The names that server software and senders of advertisements use for nothing else. Names such as
# ref, sid and src are not among them: on many sites they are all that identifies a page.
SESSION_PARAMETERS = (
    *("jsessionid", "phpsessid", "phpsession", "asp.net_sessionid", "aspsessionid*", "$sessionid*"),
    *("bv_sessionid", "bv_engineid", "oscsid", "zenid", "cfid", "cftoken"),
)
TRACKING_PARAMETERS = (
    *("utm_*", "fbclid", "gclid", "dclid", "msclkid", "yclid", "mc_cid", "mc_eid", "_ga", "_hsenc"),
    "_hsmi",
)

# A session id by its value, whose name is only a guess: a digest (MD5, SHA-1), as of phpBB and PHP.
_DIGEST_NAME = r"(?:s|sid|\w*(?:_sid|sess(?:ion)?[_-]?id))"
_DIGEST = f"{_DIGEST_NAME}=(?:[0-9a-f]{{8}}){{4,5}}"
_PATH_DIGEST = re.compile(f";{_DIGEST}(?![^/?;&])", re.IGNORECASE)
_QUERY_DIGEST = re.compile(f"(?<![^&;]){_DIGEST}(?:&amp;|[&;]|$)", re.IGNORECASE)
# ASP.NET's cookieless sessions, as a segment of their own.
_ASPX_SEGMENT = re.compile(r"/\((?:[A-Z]\([^()/?]*\))+\)(?=/)")
_DOLLAR_ID = r"\$sessionid[$=]*[^/?;&$]*\$?"
_DOLLAR = re.compile(f"(?<=/){_DOLLAR_ID}/?|;?{_DOLLAR_ID}", re.IGNORECASE)
_DOLLAR_IN_VALUE = re.compile(f";{_DOLLAR_ID}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedParameters:
    """Parameters that lists of names remove, unless other options ask for them.

    The default lists apply to ``query=learn`` only: the other values say themselves which
    parameters stay. ``guesses`` are the names that such a list only guesses. ``allowed`` are the
    patterns of ``allow``, ``taken_back`` the names with an origin before them, and the URLs as found,
    that a trial exempts.
    """

    names: re.Pattern[str] | None
    guesses: re.Pattern[str] | None
    kept: frozenset[str]
    allowed: tuple[re.Pattern[str], ...]
    taken_back: set[str] = field(default_factory=set)

    @classmethod
    def build(cls, options: OptionValues, option: str, default: tuple[str, ...]) -> Self:
        """Build the treatment from the names of an option."""
        names = tuple(options.value(option))
        is_guess = names == default
        pattern = names_pattern(names) if names else None
        if is_guess and options.value("query") != "learn":
            pattern = None
        return cls(
            pattern,
            re.compile(f"{pattern.pattern}|{_DIGEST_NAME}", re.IGNORECASE)
            if pattern and is_guess
            else None,
            frozenset(options.value("query_keep")),
            tuple(map(read_pattern, options.value("allow"))),
        )

    def remove(self, url: str) -> str:
        """Return ``url`` without the named parameters of its query."""
        names = self.names
        if names is None or url in self.taken_back:
            return url
        return keep_parameters(url, lambda name: not names.fullmatch(name) or self.keeps(url, name))

    def keeps(self, url: str, name: str) -> bool:
        """Return True if an option or a trial keeps a parameter of this name."""
        if name in self.kept:
            return True
        return bool(self.taken_back) and taken_back(origin(url), name) in self.taken_back

    def unless_allowed(self, url: str, changed: str) -> str:
        """Return ``changed``, or ``url`` if only that matches a pattern of ``allow``."""
        if changed == url or not any(pattern.search(url) for pattern in self.allowed):
            return changed
        return changed if any(pattern.search(changed) for pattern in self.allowed) else url


@dataclass(slots=True)
class SessionIds(UrlChange):
    """Removal of session ids from the query, from ``;name=value`` and from the path."""

    named: NamedParameters
    _path: re.Pattern[str]
    name = "session_id"

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """Build the treatment with the listed names, if any."""
        names = options.value("session_parameters")
        if not names:
            return None
        listed = names_pattern(names).pattern
        path = re.compile(f";(?:{listed})(?:=[^/?;&]*|(?![^/?;&]))", re.IGNORECASE)
        named = NamedParameters.build(options, "session_parameters", SESSION_PARAMETERS)
        return cls(named, path, setting=options.setting("session_parameters"))

    def change(self, url: str) -> str:
        """Return ``url`` without session ids."""
        path, mark, query = url.partition("?")
        before = ""
        while path != before:  # the remaining parts may form another id
            before, path = path, self._strip(path)
        if query and self.named.names is not None and url not in self.named.taken_back:
            query = self._strip_query(url, query)
            mark = "?" if query else ""
        return self.named.unless_allowed(url, self.named.remove(path + mark + query))

    def _strip(self, path: str) -> str:
        if ";" in path:
            path = _PATH_DIGEST.sub("", self._path.sub("", path))
        if "$" in path:
            path = _DOLLAR.sub("", path)
        return _ASPX_SEGMENT.sub("", path) if "/(" in path else path

    def _strip_query(self, url: str, query: str) -> str:
        if "$" in query:
            query = _DOLLAR_IN_VALUE.sub("", query)

        def keep(found: re.Match[str]) -> str:
            return found[0] if self.named.keeps(url, found[0].partition("=")[0]) else ""

        stripped = _QUERY_DIGEST.sub(keep, query)
        return query if stripped == query else stripped.rstrip("&;")


def taken_back(key: str, name: str) -> str:
    """Return the entry of ``NamedParameters.taken_back`` for a name on an origin."""
    return f"{key} {name}"


@dataclass(slots=True)
class TrackingParameters(UrlChange):
    """Removal of tracking parameters, which only identify the source of a visit."""

    named: NamedParameters
    name = "entry_id"

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the treatment with the listed names."""
        named = NamedParameters.build(options, "entry_parameters", TRACKING_PARAMETERS)
        return cls(named, setting=options.setting("entry_parameters"))

    def change(self, url: str) -> str:
        """Return ``url`` without tracking parameters."""
        return self.named.unless_allowed(url, self.named.remove(url))
