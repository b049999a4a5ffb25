"""Views that known software offers of its pages, told by their URLs.

What is left out shows nothing that a page of the same site does not; most of it the authors of
the software keep from crawlers themselves, by nofollow and noindex. A view is told on the page
that links to it, from the software that this page names: the same URL on another site is a page
like any other. The programs and their views stand in ``known_views.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import unquote

from sitecrawl.policy.decision import ALLOWED, Decision, RefusalReason
from sitecrawl.policy.urls.code_browsers import CODE_BROWSERS, read_address
from sitecrawl.policy.urls.url_rules import LinkRule, read_target

MEMORY = 4096  # URLs; the same navigation is on every page of a site
_SEPARATORS = re.compile("[&;]")


class Program(NamedTuple):
    """The views of a program.

    ``views`` has a group for each view, named after it; ``drop`` the parameters that do not choose
    the content, with the URLs to which that applies.
    """

    name: str
    views: re.Pattern[str]
    drop: Mapping[str, re.Pattern[str]]

    def view_of(self, url: str, page: str) -> str:
        """Return the name of the view to which a link leads, "" for a page.

        Links from a view to the same view are followed: whoever starts at one means it.
        """
        if self.name in CODE_BROWSERS:
            return CODE_BROWSERS[self.name](read_address(url), read_address(page))
        view, text = _find_view(self.name, url)
        return "" if not view or text == _find_view(self.name, page)[1] else view

    def plain(self, url: str) -> str:
        """Return a URL without the parameters that do not choose its content."""
        if not self.drop or "?" not in url:
            return url
        text = _text(url)
        names = {name for name, where in self.drop.items() if where.search(text)}
        address, _, query = url.partition("?")
        pairs = _SEPARATORS.split(query)
        kept = [each for each in pairs if each.partition("=")[0] not in names]
        if len(kept) == len(pairs):
            return url
        separator = ";" if ";" in query else "&"
        return f"{address}?{separator.join(kept)}" if kept else address


@lru_cache(maxsize=MEMORY)
def _find_view(program: str, url: str) -> tuple[str, str]:
    """Return the name of the view that a URL is of a program, and what matched; "" for a page."""
    found = programs()[program].views.search(_text(url))
    return ((found.lastgroup or "").replace("_", " "), found[0]) if found else ("", "")


def _text(url: str) -> str:
    """Return the text of a URL in which views are searched."""
    parts = read_target(url).parts
    return f"{unquote(parts.path)}?&{parts.query.replace(';', '&')}&"


@cache
def programs() -> Mapping[str, Program]:
    """Return the known programs by their names."""
    text = files(__package__).joinpath("known_views.toml").read_text("utf-8")
    return {name: _program(name, table) for name, table in tomllib.loads(text).items()}


def _program(name: str, table: Mapping[str, str | Mapping[str, str]]) -> Program:
    views = (f"(?P<{view}>{each})" for view, each in table.items() if isinstance(each, str))
    drop = table.get("drop", {})
    assert not isinstance(drop, str)
    patterns = {parameter: re.compile(where) for parameter, where in drop.items()}
    return Program(name, re.compile("|".join(views)), patterns)


class PageViews(NamedTuple):
    """The test of the links on one page of known software."""

    program: Program
    page: str
    setting: str

    def decide(self, url: str) -> Decision:
        """Refuse a link to a view; the refusal names software, view and option."""
        view = self.program.view_of(url, self.page)
        if not view:
            return ALLOWED
        return KnownViews.reason.refuse(f"{self.program.name}: {view}, {self.setting}")


class KnownViews(LinkRule):
    """Refuse links to the views that known software offers of its pages."""

    reason = RefusalReason(
        "known_view",
        "a view that known software offers of a page: blame, difference, old version, history, "
        "form, print, one post of a thread (`skip_known_views`)",
        options=("skip_known_views",),
    )

    def on_page(self, url: str, generators: Sequence[str]) -> PageViews | None:
        """Return the test of the links on a page; None if nothing is known of its software."""
        if not generators or not self.value:
            return None
        known = programs()
        software = next((each for each in generators if each in known), "")
        return PageViews(known[software], url, self.setting) if software else None
