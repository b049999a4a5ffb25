"""Detection of session ids by their values: one opaque value on many different paths.

Once a parameter is found to be a session id, each path is fetched with one of its values only. A
page that links to one path with several values proves the opposite: the values distinguish pages,
as those of commits and products do. A session has one value for all links of a page.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.policy.decision import ALLOWED, Decision, RefusalReason
from sitecrawl.policy.traps.trap_limit import TrapLimit
from sitecrawl.policy.urls.canonicalization import keep_parameters, parameter_name
from sitecrawl.policy.urls.templates import is_opaque
from sitecrawl.policy.urls.url_rules import Target

MIN_PATHS = 4
"""Number of paths with the same opaque value after which its parameter is a session id."""
MIN_VALUES = 4
"""Number of values of one path on one page that show that their parameter distinguishes pages."""
REMEMBERED_VALUES = 5000
REMEMBERED_PAGES = 500_000
SESSION_LIKE = RefusalReason(
    "session_like",
    "another value of a likely session id, on a path that is known with one value",
    premise="one opaque value on several paths",
)


@dataclass(slots=True)
class SessionTokens(TrapLimit):
    """Opaque parameters, the paths they were seen on, and the pages fetched with one.

    ``_names`` look like session ids; ``_choices`` distinguish pages, whatever they look like.
    """

    setting: str = SESSION_LIKE.premise
    _paths: dict[str, set[str]] = field(default_factory=dict, init=False)
    _names: set[tuple[str, str]] = field(default_factory=set, init=False)
    _choices: set[tuple[str, str]] = field(default_factory=set, init=False)
    _page: Target | None = field(default=None, init=False)
    _values: dict[str, set[str]] = field(default_factory=dict, init=False)
    _pages: set[int] = field(default_factory=set, init=False)
    reasons = (SESSION_LIKE,)

    def admit_link(self, page: Target, link: Target) -> Decision:
        """Decide on a link that is not known yet: refuse a page already seen under another id."""
        if not link.parts.query:
            return ALLOWED
        opaque = [p for p in link.parts.query.split("&") if is_opaque(p.partition("=")[2])]
        if not opaque:
            return ALLOWED
        if page is not self._page:
            self._page, self._values = page, {}
        for parameter in opaque:
            self._record_path(link, parameter)
            self._record_value(link, parameter)
        names = {(link.origin, parameter_name(parameter)) for parameter in opaque} & self._names
        names -= self._choices
        if not names or len(self._pages) >= REMEMBERED_PAGES:
            return ALLOWED
        return self._admit_once(link, frozenset(name for _, name in names))

    def _record_path(self, link: Target, parameter: str) -> None:
        key = f"{link.origin}?{parameter}"
        paths = self._paths.setdefault(key, set())
        paths.add(link.parts.path)
        if len(paths) >= MIN_PATHS:
            self._names.add((link.origin, parameter_name(parameter)))
        if len(self._paths) > REMEMBERED_VALUES:
            del self._paths[next(iter(self._paths))]

    def _record_value(self, link: Target, parameter: str) -> None:
        name = parameter_name(parameter)
        values = self._values.setdefault(f"{link.origin}{link.parts.path}?{name}", set())
        values.add(parameter)
        if len(values) >= MIN_VALUES:
            self._choices.add((link.origin, name))

    def _admit_once(self, link: Target, names: frozenset[str]) -> Decision:
        page = hash(keep_parameters(link.url, lambda name: name not in names))
        if page in self._pages:
            return SESSION_LIKE.refuse(f"{self.setting}: {' '.join(sorted(names))}")
        self._pages.add(page)
        return ALLOWED
