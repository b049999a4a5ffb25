"""Removal of session ids and tracking parameters, which do not identify a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from sitecrawl.policy.decision import OptionValues
from sitecrawl.policy.urls.canonicalization import keep_parameters, names_pattern
from sitecrawl.policy.urls.url_rules import UrlChange

# Servers put a prefix of their own before: JSESSIONID, Bv_SessionID, ASP.NET_SessionId, PHPSESSID.
SESSION_PARAMETERS = (
    "*sessionid",
    "*session_id",
    "*session-id",
    "*sessid",
    "*_sid",
    "sid",
    "$sessionid$*",
    "aspsessionid*",
    "phpsession",
    "bv_engineid",
    "oscsid",
    "zenid",
    "cfid",
    "cftoken",
)
TRACKING_PARAMETERS = (
    "tw",
    "utm_*",
    "ref",
    "src",
    "fbclid",
    "gclid",
    "dclid",
    "msclkid",
    "yclid",
    "mc_cid",
    "mc_eid",
    "_ga",
    "_hsenc",
    "_hsmi",
)

# ASP.NET's cookieless sessions, as a segment of their own.
_ASPX_SEGMENT = re.compile(r"/\((?:[A-Z]\([^()/?]*\))+\)(?=/)")
_DOLLAR_ID = r"\$sessionid[$=]*[^/?;&$]*\$?"
_DOLLAR = re.compile(f"(?<=/){_DOLLAR_ID}/?|;?{_DOLLAR_ID}", re.IGNORECASE)
_DOLLAR_IN_VALUE = re.compile(f";{_DOLLAR_ID}", re.IGNORECASE)


@dataclass(slots=True)
class SessionIds(UrlChange):
    """Removal of session ids from the query, from ``;name=value`` and from the path."""

    names: Iterable[str]
    setting: str
    _query: re.Pattern[str] = field(init=False)
    _path: re.Pattern[str] = field(init=False)
    name = "session_id"

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """Build the treatment with the listed names, if any."""
        names = options.value("session_parameters")
        return cls(names, options.setting("session_parameters")) if names else None

    def __post_init__(self) -> None:
        """Compile the names, in which ``*`` is any text."""
        self._query = names_pattern(self.names)
        self._path = re.compile(
            f";(?:{self._query.pattern})(?:=[^/?;&]*|(?![^/?;&]))", re.IGNORECASE
        )

    def change(self, url: str) -> str:
        """Return ``url`` without session ids."""
        path, mark, query = url.partition("?")
        before = ""
        while path != before:  # the remaining parts may form another id
            before, path = path, self._strip(path)
        if "$" in query:
            query = _DOLLAR_IN_VALUE.sub("", query)
        url = path + mark + query
        return keep_parameters(url, lambda name: not self._query.fullmatch(name))

    def _strip(self, path: str) -> str:
        if ";" in path:
            path = self._path.sub("", path)
        if "$" in path:
            path = _DOLLAR.sub("", path)
        return _ASPX_SEGMENT.sub("", path) if "/(" in path else path


@dataclass(slots=True)
class TrackingParameters(UrlChange):
    """Removal of tracking parameters, which only identify the source of a visit."""

    names: Iterable[str]
    setting: str
    _query: re.Pattern[str] = field(init=False)
    name = "entry_id"

    @classmethod
    def build(cls, options: OptionValues) -> Self:
        """Build the treatment with the listed names."""
        return cls(options.value("entry_parameters"), options.setting("entry_parameters"))

    def __post_init__(self) -> None:
        """Compile the names, in which ``*`` is any text."""
        self._query = names_pattern(self.names)

    def change(self, url: str) -> str:
        """Return ``url`` without tracking parameters."""
        return keep_parameters(url, lambda name: not self._query.fullmatch(name))


@dataclass(slots=True)
class DroppedParameters(UrlChange):
    """Removal of the parameters that the configuration names; names are case-sensitive."""

    names: frozenset[str]
    setting: str
    name = "query_drop"

    @classmethod
    def build(cls, options: OptionValues) -> Self | None:
        """Build the treatment with the listed names, if any."""
        names = frozenset(options.value("query_drop"))
        return cls(names, options.setting("query_drop")) if names else None

    def change(self, url: str) -> str:
        """Return ``url`` without the listed parameters."""
        return keep_parameters(url, lambda name: name not in self.names)
