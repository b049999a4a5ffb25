"""Actions that record elements in the outline, in addition to their actions on the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from sitecrawl.web.html.elements import HEADINGS, SPAN, TEXT, tag_number
from sitecrawl.web.html.outline import (
    ADMONITIONS,
    CODE,
    DELETED,
    EMPHASIS,
    ENDS,
    IMAGE,
    LINK,
    MAX_NUMBER,
    MAX_SPAN,
    STRONG,
    NodeKind,
    Structure,
    fenced,
    opening,
)
from sitecrawl.web.html.part_names import MAX_NAMES
from sitecrawl.web.html.text_elements import GUTTERS, NUMBERS
from sitecrawl.web.html.walk import Enter, Leave, Walk, enter_block, leave_block, skip

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


FORMATS = {
    **dict.fromkeys(("strong", "b"), STRONG),
    **dict.fromkeys(("em", "i"), EMPHASIS),
    **dict.fromkeys(("del", "s", "strike"), DELETED),
    **dict.fromkeys(("code", "tt", "samp", "kbd"), CODE),
}
PAGE = "data-page"  # set on the sections that the readers of files make of pages
LISTS = frozenset({"ul", "ol", "menu", "dir"})
MAY_WARN = frozenset({"div", "aside", "section", "p", "details", "table"})
ADMONITION_CLASSES = frozenset(
    {
        *("admonition", "admonitionblock", "alert", "callout", "custom-block", "markdown-alert"),
        *("notecard", "theme-admonition", "message"),
    }
)
# Classes that mark an admonition alone, as DocBook and Asciidoctor write them.
PLAIN_ADMONITIONS = frozenset({"note", "warning", "tip", "caution", "important", "danger", "hint"})
LAZY_SOURCES = ("data-src", "data-original", "data-lazy-src")
MAX_LANGUAGE = 30  # characters
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*)"
    r"([\w+#.-]+)"
)
_PANDOC = re.compile(r"(?:^|\s)(?:sourceCode|src)\s+(?:src-)?([\w+#-]+)")
NO_LANGUAGES = frozenset({"none", "default", "text", "plaintext", "plain", "notranslate", "src"})
BOXES = frozenset({"li", "p", "label"})  # around the box of a task
LINES_OF_CODE = frozenset({"div", "p", "li", "tr"})
NO_CODE = frozenset({"br", "script", "style", "template", "button"})
NOT_ONLY_WORDS = frozenset(map(tag_number, LINES_OF_CODE | NO_CODE))
"""Elements that end a line of code, or hold none."""


def outlined(tag: str, inner: Enter | None) -> Enter | None:
    """The action of an element, extended to record the element in the outline."""
    if tag in FORMATS:
        return _formatted(FORMATS[tag], inner)
    if tag == "a":
        return _linked(inner)
    if inner is None:
        return inner
    if tag in _wrappers:
        return _wrappers[tag](inner)
    make = _makers.get(tag, _admonition if tag in MAY_WARN else None)
    contained = _contained(inner, make) if make is not None else inner
    return _paged(contained) if tag == "section" else contained


def _leaving(sign: str) -> Leave:
    """A leave action that records the end of a format."""
    end = ENDS[sign]

    def leave_formatted(walk: Walk, _node: LexborNode) -> None:
        walk.marked.end(end)

    return leave_formatted


_leave_link = _leaving(LINK)


def _both(leave: Leave, leave_formatted: Leave) -> Leave:
    """A leave action that records the end of a format, after that of the element."""

    def leave_both(walk: Walk, node: LexborNode) -> None:
        leave(walk, node)
        leave_formatted(walk, node)

    return leave_both


def _formatted(sign: str, inner: Enter | None) -> Enter:
    """An action that records the beginning and end of a format."""
    mark, leave_formatted = opening(sign), _leaving(sign)

    def enter_formatted(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node) if inner is not None else None
        if leave is skip or not walk.marked.begin(mark):
            return leave
        return leave_formatted if leave is None else _both(leave, leave_formatted)

    return enter_formatted


def _linked(inner: Enter | None) -> Enter:
    """An action that records the beginning and end of a link."""

    def enter_link(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node) if inner is not None else None
        href = node.attrs.get("href")  # half the time of a dictionary of all attributes
        if leave is skip or href is None or not walk.marked.begin(opening(LINK, href)):
            return leave
        return _leave_link if leave is None else _both(leave, _leave_link)

    return enter_link


def _pictured(inner: Enter) -> Enter:
    """An action that formats the ALT in the text as a Markdown image."""

    def enter_picture(walk: Walk, node: LexborNode) -> Leave | None:
        text = walk.marked
        attributes = node.attributes
        source = attributes.get("src") or ""
        if not source or source.startswith("data:"):
            lazy = (attributes.get(name) for name in LAZY_SOURCES)
            source = next((each for each in lazy if each), "")
        if not text.begin(opening(IMAGE, source)):
            return inner(walk, node)
        leave = inner(walk, node)
        text.end(ENDS[IMAGE])
        return leave

    return enter_picture


def _broken(inner: Enter) -> Enter:
    """An action that ends a line at a line break, but not its paragraph."""

    def enter_break(walk: Walk, node: LexborNode) -> Leave | None:
        if inner is not enter_block:  # removed or a region
            return inner(walk, node)
        walk.text.break_line()
        return None

    return enter_break


def _boxed(inner: Enter) -> Enter:
    """An action that records the box of a task list as GitHub writes it, first in its item."""

    def enter_input(walk: Walk, node: LexborNode) -> Leave | None:
        attributes, parent = node.attributes, node.parent
        is_box = attributes.get("type") == "checkbox" and "disabled" in attributes
        if is_box and parent is not None and parent.tag in BOXES:
            walk.marked.add_box("[x] " if "checked" in attributes else "[ ] ")
        return inner(walk, node)

    return enter_input


def _paged(inner: Enter) -> Enter:
    """An action that records the page number of a section that is a page of a file."""

    def enter_page(walk: Walk, node: LexborNode) -> Leave | None:
        if walk.marked.has_pages and (number := _number(node.attributes, PAGE, 0)):
            walk.marked.begin_page(number)
        return inner(walk, node)

    return enter_page


def _headed(inner: Enter) -> Enter:
    """An action that begins a heading in the outline."""

    def enter_headed(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node)
        if leave is None or leave is skip:
            return leave
        text, count = walk.marked, len(walk.headings)
        text.begin_element(Structure(NodeKind.HEADING))

        def leave_headed(walk: Walk, node: LexborNode) -> None:
            leave(walk, node)
            is_listed = len(walk.headings) > count
            text.end_heading(walk.headings[-1][2] if is_listed else None)

        return leave_headed

    return enter_headed


def _listed(inner: Enter) -> Enter:
    """An action that keeps preformatted text unchanged, as a listing."""

    def enter_listed(walk: Walk, node: LexborNode) -> Leave | None:
        text = walk.marked
        is_outer = not (text.listings or text.muted)
        code = code_of(node, is_fragment=walk.fragments > 0) if is_outer else ""
        leave = inner(walk, node)
        if leave is None or leave is skip:
            return leave
        text.listings += 1
        listing = Structure(NodeKind.CODE)
        listing.word = fenced(code, language_of(node)) if code else ""
        text.begin_element(listing)

        def leave_listed(walk: Walk, node: LexborNode) -> None:
            leave(walk, node)
            text.end_element()
            text.listings -= 1

        return leave_listed

    return enter_listed


def _contained(inner: Enter, make: Callable[[LexborNode], Structure | None]) -> Enter:
    """An action that begins an element's structure in the outline."""

    def enter_contained(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node)
        if leave is None or leave is skip:
            return leave
        made = make(node)
        if made is None:
            return leave
        walk.marked.begin_element(made)
        if leave is leave_block:
            return _leave_structure

        def leave_contained(walk: Walk, node: LexborNode) -> None:
            leave(walk, node)
            walk.marked.end_element()

        return leave_contained

    return enter_contained


def _leave_structure(walk: Walk, _node: LexborNode) -> None:
    walk.text.flush()
    walk.marked.end_element()


def code_of(pre: LexborNode, *, is_fragment: bool = False) -> str:
    """Preformatted text with its white space, without line numbers."""
    if not is_fragment:  # traversing the first node of a fragment covers all of the fragment
        inside = pre.traverse()
        next(inside)
        if all(map(_holds_words, inside)):
            return _without_ends(pre.text())
    parts: list[str] = []
    around: list[LexborNode] = []
    node = pre.first_child
    while node is not None or around:
        if node is None:
            node = around.pop()
            _part_lines(parts, node)
        elif node.tag_id == TEXT:
            parts.append(node.text_content or "")
        elif node.is_element_node:
            _part_lines(parts, node)
            if node.tag not in NO_CODE and not _is_number(node):
                around.append(node)
                node = node.first_child
                continue
        node = node.next
    return _without_ends("".join(parts))


def _without_ends(code: str) -> str:
    """Code without white space at the ends of lines, and without empty lines around it."""
    return "\n".join([line.rstrip() for line in code.replace("\r", "").split("\n")]).strip("\n")


def _holds_words(node: LexborNode) -> bool:
    """Return True for an element of a listing of which only the text counts."""
    return node.tag_id not in NOT_ONLY_WORDS and not _is_number(node)


def _part_lines(parts: list[str], node: LexborNode) -> None:
    """End a line of code at an element that breaks lines."""
    if node.tag == "br":
        parts.append("\n")
    elif node.tag in LINES_OF_CODE:
        last = next((part for part in reversed(parts) if part), "\n")
        if not last.endswith("\n"):
            parts.append("\n")


def _is_number(node: LexborNode) -> bool:
    return node.tag_id == SPAN and node.attributes.get("class") in NUMBERS


def language_of(pre: LexborNode) -> str:
    """The language named by the attributes of a listing, its first child or its ancestors."""
    code = pre.first_child
    if code is not None and not code.is_element_node:
        code = code.next
    parent = pre.parent
    around = [code, pre, parent, parent.parent if parent is not None else None]
    for node in around:
        if node is None or not node.is_element_node:
            continue
        attributes = node.attributes
        named = attributes.get("data-lang") or attributes.get("data-language") or ""
        named = named[:MAX_NAMES]
        classes = (attributes.get("class") or "")[:MAX_NAMES]
        if not named and not classes:
            continue
        language = _language_named(named, classes)
        if language is not None:
            return language
    return ""


@lru_cache(maxsize=4_096)
def _language_named(named: str, classes: str) -> str | None:
    """The language that an element names; empty for none, None if it says nothing."""
    for found in (named, *_LANGUAGE.findall(classes), *_PANDOC.findall(classes)):
        language = found.lower().strip()
        if language in NO_LANGUAGES:
            return ""
        if language and len(language) <= MAX_LANGUAGE and language.isprintable():
            return str(language.split()[0])
    return None


def _classes(attributes: Mapping[str, str | None]) -> list[str]:
    return (attributes.get("class") or "")[:MAX_NAMES].lower().split()


def _admonition(node: LexborNode) -> Structure | None:
    """A quote for a note or warning; None for any other element."""
    classes = node.attributes.get("class")
    word = _kind_of_admonition(classes[:MAX_NAMES].lower()) if classes else None
    if word is None:
        return None
    made = Structure(NodeKind.QUOTE)
    made.word = word
    return made


@lru_cache(maxsize=4_096)
def _kind_of_admonition(names: str) -> str | None:
    """The kind of an admonition by its classes, empty without a word; None for other elements."""
    classes = names.split()
    words = [ADMONITIONS.get(each.rpartition("-")[2], "") for each in classes]
    word = next((each for each in words if each), "")
    is_marked = not (ADMONITION_CLASSES | PLAIN_ADMONITIONS).isdisjoint(classes)
    return word if is_marked and (word or "admonition" in classes) else None


def _table(node: LexborNode) -> Structure:
    return _admonition(node) or Structure(NodeKind.TABLE)


def _ordered(node: LexborNode) -> Structure:
    made = Structure(NodeKind.LIST)
    made.number = min(_number(node.attributes, "start", 1), MAX_NUMBER)
    return made


def _item(node: LexborNode) -> Structure:
    made = Structure(NodeKind.ITEM)
    if attributes := node.attributes:
        made.number = _number(attributes, "value", 0)
    return made


def _term(node: LexborNode) -> Structure:
    made = Structure(NodeKind.TERM)
    made.anchor = node.id or ""
    return made


def _cell(node: LexborNode) -> Structure:
    """A cell, or the column of line numbers beside a listing."""
    made = Structure(NodeKind.CELL)
    made.is_head = node.tag == "th"
    if attributes := node.attributes:
        if not GUTTERS.isdisjoint(_classes(attributes)):
            return Structure(NodeKind.GUTTER)
        made.columns = min(_number(attributes, "colspan", 1), MAX_SPAN)
        made.rows = _number(attributes, "rowspan", 1)
    return made


def _number(attributes: Mapping[str, str | None], name: str, default: int) -> int:
    """The value of an attribute as a positive number, or the default."""
    value = (attributes.get(name) or "").strip()[:9]
    return max(int(value), 1) if value.isascii() and value.isdigit() else default


_makers: dict[str, Callable[[LexborNode], Structure | None]] = {
    "ol": _ordered,
    **dict.fromkeys(LISTS - {"ol"}, lambda _: Structure(NodeKind.LIST)),
    "li": _item,
    "dt": _term,
    "dd": lambda _: Structure(NodeKind.DETAIL),
    "blockquote": lambda _: Structure(NodeKind.QUOTE),
    "table": _table,
    "tr": lambda _: Structure(NodeKind.ROW),
    "td": _cell,
    "th": _cell,
}
_wrappers: dict[str, Callable[[Enter], Enter]] = {
    **dict.fromkeys(HEADINGS, _headed),
    **dict.fromkeys(("img", "area"), _pictured),
    "br": _broken,
    "input": _boxed,
    "pre": _listed,
}
OUTLINED = (*_makers, *MAY_WARN, "br", "input")
"""Block elements that are not paragraphs in an outline."""
