"""Markup embedded in a page: declarative shadow trees, scripts, noscript, menus, body metas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sitecrawl.web.dates import read_date
from sitecrawl.web.html.images import shows_again
from sitecrawl.web.html.scripts import MAX_SCRIPT, named_addresses, navigates, runs, written
from sitecrawl.web.html.text_elements import add_tex, is_in_svg
from sitecrawl.web.html.walk import Leave, Walk, skip
from sitecrawl.web.robots.usage_statements import MAX_LICENSES, RSL_TYPE
from sitecrawl.web.whitespace import squeezed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


DECLARED = b"shadowrootmode"
_TEMPLATE = re.compile(rb"<(/?)template\b([^<>]*)>", re.IGNORECASE)


def with_shadows(markup: bytes) -> bytes:
    """Markup with the templates that declare shadow trees (HTML, 4.12.3) as plain elements.

    Other templates stay. Slots are not filled: slotted content follows its shadow tree.
    """
    open_templates: list[bool] = []

    def replaced(tag: re.Match[bytes]) -> bytes:
        if tag[1]:
            declares = bool(open_templates) and open_templates.pop()
        else:
            declares = DECLARED in tag[2].lower()
            open_templates.append(declares)
        return b"<%bshadow-root>" % tag[1] if declares else tag[0]

    return _TEMPLATE.sub(replaced, markup)


MAX_JSON_LD_SCRIPTS = 1_000
MAX_BODY_TITLES = 100  # title elements outside head
_OPTION = (("value", "option"),)
_NAMING = ("name", "property", "http-equiv")


def enter_script(walk: Walk, node: LexborNode) -> Leave | None:
    """Read JSON-LD, licences, formulas of MathJax, and what a script writes with ``document.write``."""
    script, kind = node.text(), node.attributes.get("type") or ""
    if "document" in script and "write" in script and runs(kind):
        if len(script) > MAX_SCRIPT:
            walk.cut("fragments")
        _enter_written(walk, written(script))
    elif script and kind.startswith("math/tex"):
        add_tex(walk, script, is_display="display" in kind)
    elif script and "ld+json" in kind.lower():
        if len(walk.json_ld) < MAX_JSON_LD_SCRIPTS:
            walk.json_ld.append(script)
        else:
            walk.cut("too_many_metas")
    elif script and kind == RSL_TYPE and len(walk.licenses) < MAX_LICENSES:
        walk.licenses.append(script)
    return skip


def _enter_written(walk: Walk, markup: str) -> None:
    """Read text and links from markup written by a script."""
    if not markup or not walk.options.script_output:
        return
    walk.read_fragment(markup, via="script")
    if not walk.nofollow:
        walk.addresses += [(address, "script") for address in named_addresses(markup)]


def enter_noscript(walk: Walk, node: LexborNode) -> Leave | None:
    """Read the content for browsers without scripts."""
    if walk.fragments:  # a fragment's parser has parsed the noscript as markup
        walk.text.flush()
        return leave_flush
    markup = node.text()
    if shows_again(node, markup):
        walk.text.mute()
        walk.read_fragment(markup)
        walk.text.unmute()
        return skip
    walk.text.flush()
    walk.read_fragment(markup)
    walk.text.flush()
    return skip


def enter_noframes(walk: Walk, node: LexborNode) -> Leave | None:
    """Read the content for browsers without frames."""
    walk.text.flush()
    walk.read_fragment(node.text())
    walk.text.flush()
    return skip


def leave_flush(walk: Walk, _node: LexborNode) -> None:
    """End the line."""
    walk.text.flush()


def enter_select(walk: Walk, node: LexborNode) -> Leave | None:
    """Begin a menu; its options are links if its change handler navigates."""
    walk.text.flush()
    handler = node.attributes.get("onchange") or ""
    walk.navigates = bool(handler) and walk.options.script_output and navigates(handler)
    return leave_select


def leave_select(walk: Walk, _node: LexborNode) -> None:
    """End a menu."""
    walk.text.flush()
    walk.navigates = False


def enter_option(walk: Walk, node: LexborNode) -> Leave | None:
    """Add the value of an option of a navigating menu as a link."""
    walk.text.flush()
    if walk.navigates and not walk.nofollow:
        walk.add_found(node, _OPTION)
    return leave_flush


def enter_title(walk: Walk, node: LexborNode) -> Leave | None:
    """Record a title outside head, as in broken markup, unless it belongs to an SVG image."""
    if len(walk.titles) < MAX_BODY_TITLES and not is_in_svg(node):  # the first non-empty one counts
        walk.titles.append(squeezed(node.text()))
    return skip


def enter_meta(walk: Walk, node: LexborNode) -> Leave | None:
    """Record robots directives and a refresh outside head.

    Search engines obey robots directives there. Browsers obey a refresh anywhere (HTML,
    4.2.5.3), except in markup for browsers without scripts.
    """
    attributes = node.attributes
    content = attributes.get("content") or ""
    names = {(attributes.get(naming) or "").strip().lower() for naming in _NAMING}
    is_robots = "robots" in names or walk.options.agent.lower() in names
    if is_robots and content not in walk.robots[-1:]:
        walk.robots.append(content)
    equivalent = (attributes.get("http-equiv") or "").strip().lower()
    if equivalent == "refresh" and not walk.fragments:
        walk.refresh = walk.refresh or content
    return skip


def enter_time(walk: Walk, node: LexborNode) -> Leave | None:
    """Record the first machine-readable date of each kind; ignore durations."""
    attributes = node.attributes
    value = attributes.get("datetime")
    if value:
        meaning = " ".join(attributes.get(name) or "" for name in ("itemprop", "class")).lower()
        kind = "modified" if "modif" in meaning or "updat" in meaning else "time"
        published = "publi" in meaning or "entry-date" in meaning or "pubdate" in attributes
        kind = "published" if published else kind
        if kind not in walk.times and read_date(value) is not None:
            walk.times[kind] = value
    return None
