"""Rendering policy: decide by HTML and earlier pages of the pattern which pages need a browser."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sitecrawl.policy.decision import Decision, refuse
from sitecrawl.web.html.script_shells import Shell

if TYPE_CHECKING:
    from collections.abc import Iterable


MIN_TEXT_LENGTH = 200  # characters; a title, a spinner and a footer have fewer
MAX_BARE_LINKS = 3
MAX_FRUITLESS_RENDERINGS = 2
MAX_PATTERNS = 10_000
MIN_TEXT_GAIN = 1.2

_ASKS_FOR_SCRIPTS = re.compile(
    r"java\s?script|ecmascript|\bscripts?\b.{0,40}\b(?:enabl|activ|aktiv|erlaub)", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")


class RenderAlways:
    """Render every page with scripts (``render=playwright``, ``render=splash``)."""

    def decide(self, url: str, shell: Shell) -> Decision:  # noqa: ARG002 -- of some policies
        """Decide about rendering an HTML page; reason and rule explain the decision."""
        if not shell.scripts:
            return refuse("no_scripts", "the page has no scripts")
        return Decision(allowed=True, reason="asked", rule="every page with scripts")

    def learn(self, url: str, before: Shell, after: Shell) -> None:
        """Record the result of rendering a page; here none matters."""


@dataclass(slots=True)
class RenderWhereNeeded:
    """Render the pages that have little content without scripts (``render=auto``).

    Pages of one pattern are judged together: after two consecutive renderings without new content,
    no later page of the pattern is rendered for the same reason. ``fruitless`` counts those
    renderings, and is 0 once one added content; it is kept for the run.
    """

    fruitless: dict[tuple[str, str], int] = field(default_factory=dict)

    def decide(self, url: str, shell: Shell) -> Decision:
        """Decide by the response and by earlier pages of its pattern."""
        verdict = needs_scripts(shell)
        if not verdict.allowed:
            return verdict
        pattern = page_pattern(url)
        fruitless = self.fruitless.get((pattern, verdict.reason))
        if fruitless is None:
            return verdict
        if fruitless >= MAX_FRUITLESS_RENDERINGS:
            return refuse(
                "no_gain", f"render=auto: {fruitless} pages like {pattern} had no more to show"
            )
        return verdict._replace(rule=f"{verdict.rule}, as on pages like {pattern}")

    def learn(self, url: str, before: Shell, after: Shell) -> None:
        """Record if the page had more text or links after its scripts ran."""
        key = page_pattern(url), needs_scripts(before).reason
        if key not in self.fruitless and len(self.fruitless) >= MAX_PATTERNS:
            del self.fruitless[next(iter(self.fruitless))]
        more = shows_more(before, after)
        known = self.fruitless.get(key)
        self.fruitless[key] = 0 if more or known == 0 else (known or 0) + 1


def needs_scripts(shell: Shell) -> Decision:
    """Decide if a page seems to get its content from scripts alone."""
    bare = shell.text < MIN_TEXT_LENGTH and shell.links <= MAX_BARE_LINKS
    if not shell.scripts:
        return refuse("no_scripts", "the page has no scripts")
    if shell.root and shell.root_text < MIN_TEXT_LENGTH and shell.text < 1000:
        return _render("app_shell", f"{shell.root} holds {shell.root_text} characters")
    told = _ASKS_FOR_SCRIPTS.search(shell.noscript)
    if told and shell.text < MIN_TEXT_LENGTH * 3:
        return _render("noscript", f"its noscript says: {shell.noscript[:100]}")
    if bare:
        return _render("empty_body", f"{shell.text} characters and {shell.links} links in its body")
    return refuse("has_text", f"render=auto: {shell.text} characters without scripts")


def shows_more(before: Shell, after: Shell) -> bool:
    """Return True if scripts added text to index or links to follow."""
    return after.text > before.text * MIN_TEXT_GAIN + 20 or after.links > before.links


def page_pattern(url: str) -> str:
    """Return the pattern that pages of one template share: ``https://a.test/shop/*?id``.

    The last path segment becomes a wildcard except for its extension, as do digits anywhere;
    parameters count by name.
    """
    parts = urlsplit(url)
    folder, _, last = parts.path.rpartition("/")
    extension = f".{last.rpartition('.')[2]}" if "." in last else ""
    name = f"*{extension}" if last else ""
    names = _names(parts.query.split("&")) if parts.query else ""
    path = _DIGITS.sub("#", folder)
    return f"{parts.scheme}://{parts.netloc}{path}/{name}{names}"


def _names(parameters: Iterable[str]) -> str:
    return "?" + "&".join(sorted({each.partition("=")[0] for each in parameters}))


def _render(reason: str, rule: str) -> Decision:
    return Decision(allowed=True, reason=reason, rule=f"render=auto: {rule}")
