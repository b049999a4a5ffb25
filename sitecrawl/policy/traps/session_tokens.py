"""Finds session ids whose names nobody knows: one opaque value on many different paths.

Once a parameter has shown itself, each path is fetched with one of its values only. A page
that offers one path under several values shows the contrary: its values tell pages apart, as
those of commits and products do. A session has one value for all links of a page.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.policy.decision import ALLOWED, Decision, refuse
from sitecrawl.policy.traps.series import is_opaque
from sitecrawl.policy.urls.canonicalization import keep_parameters, parameter_name
from sitecrawl.policy.urls.url_rules import Target

SETTING = "one opaque value on several paths"
PATHS = 4
VALUES = 4
REMEMBERED = 5000
REMEMBERED_PAGES = 500_000


@dataclass(slots=True)
class Tokens:
    """Opaque parameters, the paths they were seen on, and the pages fetched with one.

    ``_names`` look like session ids, ``_choices`` tell pages apart whatever they look like.
    """

    setting: str = SETTING
    _paths: dict[str, set[str]] = field(default_factory=dict, init=False)
    _names: set[tuple[str, str]] = field(default_factory=set, init=False)
    _choices: set[tuple[str, str]] = field(default_factory=set, init=False)
    _page: Target | None = field(default=None, init=False)
    _values: dict[str, set[str]] = field(default_factory=dict, init=False)
    _pages: set[int] = field(default_factory=set, init=False)

    def offered(self, page: Target, link: Target) -> Decision:
        """Whether a link that is not known yet is more than a page under another id."""
        if not link.parts.query:
            return ALLOWED
        opaque = [p for p in link.parts.query.split("&") if is_opaque(p.partition("=")[2])]
        if not opaque:
            return ALLOWED
        if page is not self._page:
            self._page, self._values = page, {}
        for parameter in opaque:
            self._note(link, parameter)
            self._compare(link, parameter)
        names = {(link.origin, parameter_name(parameter)) for parameter in opaque} & self._names
        names -= self._choices
        if not names or len(self._pages) >= REMEMBERED_PAGES:
            return ALLOWED
        return self._once(link, frozenset(name for _, name in names))

    def _note(self, link: Target, parameter: str) -> None:
        key = f"{link.origin}?{parameter}"
        paths = self._paths.setdefault(key, set())
        paths.add(link.parts.path)
        if len(paths) >= PATHS:
            self._names.add((link.origin, parameter_name(parameter)))
        if len(self._paths) > REMEMBERED:
            del self._paths[next(iter(self._paths))]

    def _compare(self, link: Target, parameter: str) -> None:
        name = parameter_name(parameter)
        values = self._values.setdefault(f"{link.origin}{link.parts.path}?{name}", set())
        values.add(parameter)
        if len(values) >= VALUES:
            self._choices.add((link.origin, name))

    def _once(self, link: Target, names: frozenset[str]) -> Decision:
        page = hash(keep_parameters(link.url, lambda name: name not in names))
        if page in self._pages:
            return refuse("session_like", f"{self.setting}: {' '.join(sorted(names))}")
        self._pages.add(page)
        return ALLOWED
