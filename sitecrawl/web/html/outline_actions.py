"""Actions that record elements in the outline, in addition to their actions on the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from sitecrawl.web.html.elements import HEADINGS, INLINE, TEXT
from sitecrawl.web.html.outline import (
    ADMONITIONS,
    CODE,
    DELETED,
    EMPHASIS,
    IMAGE,
    LINK,
    MAX_NUMBER,
    MAX_SPAN,
    STRONG,
    Format,
    NodeKind,
    Structure,
    fenced,
)
from sitecrawl.web.html.text_elements import GUTTERS, NUMBERS
from sitecrawl.web.html.walk import Enter, Leave, Walk, leave_block, skip

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
MAX_CLASSES = 500  # characters of a class attribute that are examined
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*)"
    r"([\w+#.-]+)"
)
_PANDOC = re.compile(r"(?:^|\s)(?:sourceCode|src)\s+(?:src-)?([\w+#-]+)")
NO_LANGUAGES = frozenset({"none", "default", "text", "plaintext", "plain", "notranslate", "src"})
MAX_BEFORE_BOX = 4  # nodes before the box of a task
LINES_OF_CODE = frozenset({"div", "p", "li", "tr"})
NO_CODE = frozenset({"br", "script", "style", "template", "button"})


def outlined(tag: str, inner: Enter | None) -> Enter | None:
    """The action of an element, extended to record the element in the outline."""
    if tag in FORMATS:
        return _formatted(Format(FORMATS[tag]), inner)
    if tag == "a":
        return _linked(inner)
    if inner is None or tag == "br":
        return inner
    if tag in ("img", "area"):
        return _pictured(inner)
    if tag in HEADINGS:
        return _headed(inner)
    if tag == "pre":
        return _listed(inner)
    if tag in INLINE:
        return inner
    contained = _contained(inner, _makers.get(tag, _admonition if tag in MAY_WARN else None))
    return _paged(contained) if tag == "section" else contained


def _ending(mark: Format, leave: Leave | None) -> Leave:
    """A leave action that records the end of formatting, after that of the element."""

    def leave_formatted(walk: Walk, node: LexborNode) -> None:
        if leave is not None:
            leave(walk, node)
        walk.marked.mark(mark, opens=False)

    return leave_formatted


def _formatted(mark: Format, inner: Enter | None) -> Enter:
    """An action that records the beginning and end of formatting."""
    leave_plain = _ending(mark, None)

    def enter_formatted(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node) if inner is not None else None
        if leave is skip or not walk.marked.mark(mark, opens=True):
            return leave
        return leave_plain if leave is None else _ending(mark, leave)

    return enter_formatted


def _linked(inner: Enter | None) -> Enter:
    """An action that records the beginning and end of a link."""

    def enter_link(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node) if inner is not None else None
        href = node.attributes.get("href")
        if leave is skip or href is None:
            return leave
        mark = Format(LINK, href)
        return _ending(mark, leave) if walk.marked.mark(mark, opens=True) else leave

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
        before = len(text.pieces)
        if not text.mark(Format(IMAGE, source), opens=True):
            return inner(walk, node)
        leave = inner(walk, node)
        if len(text.pieces) > before:
            text.mark(Format(IMAGE, source), opens=False)
        else:
            text.unmark()
        return leave

    return enter_picture


def _paged(inner: Enter) -> Enter:
    """An action that records the page number of a section that is a page of a file."""

    def enter_page(walk: Walk, node: LexborNode) -> Leave | None:
        outline = walk.marked.outline
        if outline.has_pages:
            outline.page = _number(node, PAGE, outline.page)
        return inner(walk, node)

    return enter_page


def _headed(inner: Enter) -> Enter:
    """An action that opens a heading in the outline."""

    def enter_headed(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node)
        if leave is None or leave is skip:
            return leave
        outline, count = walk.marked.outline, len(walk.headings)
        outline.open(Structure(NodeKind.HEADING))

        def leave_headed(walk: Walk, node: LexborNode) -> None:
            leave(walk, node)
            is_listed = len(walk.headings) > count
            outline.close_heading(walk.headings[-1][2] if is_listed else None)

        return leave_headed

    return enter_headed


def _listed(inner: Enter) -> Enter:
    """An action that keeps preformatted text unchanged, as a listing."""

    def enter_listed(walk: Walk, node: LexborNode) -> Leave | None:
        text = walk.marked
        outline = text.outline
        is_outer = not (outline.listings or text.muted)
        code = code_of(node) if is_outer else ""
        leave = inner(walk, node)
        if leave is None or leave is skip:
            return leave
        outline.listings += 1
        outline.open(Structure(NodeKind.CODE, word=fenced(code, language_of(node)) if code else ""))

        def leave_listed(walk: Walk, node: LexborNode) -> None:
            leave(walk, node)
            outline.close()
            outline.listings -= 1

        return leave_listed

    return enter_listed


def _contained(inner: Enter, make: Callable[[LexborNode], Structure | None] | None) -> Enter:
    """An action that opens an element's structure in the outline, and ends the paragraph before."""

    def enter_contained(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node)
        if leave is None or leave is skip:
            return leave
        outline = walk.marked.outline
        made = make(node) if make is not None else None
        if made is not None:
            outline.open(made)
        outline.broken = True
        if leave is leave_block:
            return _leave_part if made is None else _leave_structure

        def leave_contained(walk: Walk, node: LexborNode) -> None:
            leave(walk, node)
            if made is not None:
                outline.close()
            outline.broken = True

        return leave_contained

    return enter_contained


def _leave_part(walk: Walk, _node: LexborNode) -> None:
    walk.text.flush()
    walk.marked.outline.broken = True


def _leave_structure(walk: Walk, _node: LexborNode) -> None:
    walk.text.flush()
    walk.marked.outline.close()


def code_of(pre: LexborNode) -> str:
    """Preformatted text with its white space, without line numbers."""
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
    lines = [line.rstrip() for line in "".join(parts).replace("\r", "").split("\n")]
    return "\n".join(lines).strip("\n")


def _part_lines(parts: list[str], node: LexborNode) -> None:
    """End a line of code at an element that breaks lines."""
    if node.tag == "br":
        parts.append("\n")
    elif node.tag in LINES_OF_CODE:
        last = next((part for part in reversed(parts) if part), "\n")
        if not last.endswith("\n"):
            parts.append("\n")


def _is_number(node: LexborNode) -> bool:
    return node.tag == "span" and node.attributes.get("class") in NUMBERS


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
        classes = (attributes.get("class") or "")[:MAX_CLASSES]
        for found in (named, *_LANGUAGE.findall(classes), *_PANDOC.findall(classes)):
            language = found.lower().strip()
            if language in NO_LANGUAGES:
                return ""
            if language and len(language) <= MAX_LANGUAGE and language.isprintable():
                return str(language.split()[0])
    return ""


def _classes(node: LexborNode) -> list[str]:
    return (node.attributes.get("class") or "")[:MAX_CLASSES].lower().split()


def _admonition(node: LexborNode) -> Structure | None:
    """A quote for a note or warning; None for any other element."""
    classes = node.attributes.get("class")
    word = _kind_of_admonition(classes[:MAX_CLASSES].lower()) if classes else None
    return Structure(NodeKind.QUOTE, word=word) if word is not None else None


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
    return Structure(NodeKind.LIST, number=min(_number(node, "start", 1), MAX_NUMBER))


def _item(node: LexborNode) -> Structure:
    """An item with its own number, or with the box of a task list as GitHub writes it."""
    return Structure(NodeKind.ITEM, number=_number(node, "value", 0), word=_box(node))


def _box(node: LexborNode) -> str:
    child = node.first_child
    for _ in range(MAX_BEFORE_BOX):
        if child is None or child.tag == "input":
            break
        is_wrapper = child.tag in ("p", "label")
        child = child.first_child if is_wrapper else child.next if child.tag_id == TEXT else None
    attributes = child.attributes if child is not None and child.tag == "input" else {}
    if attributes.get("type") != "checkbox" or "disabled" not in attributes:
        return ""
    return "[x] " if "checked" in attributes else "[ ] "


def _term(node: LexborNode) -> Structure:
    return Structure(NodeKind.TERM, anchor=node.attributes.get("id") or "")


def _cell(node: LexborNode) -> Structure:
    """A cell, or the column of line numbers beside a listing."""
    if not GUTTERS.isdisjoint(_classes(node)):
        return Structure(NodeKind.GUTTER)
    made = Structure(NodeKind.CELL)
    made.is_head = node.tag == "th"
    made.columns = min(_number(node, "colspan", 1), MAX_SPAN)
    made.rows = _number(node, "rowspan", 1)
    return made


def _number(node: LexborNode, name: str, default: int) -> int:
    """The value of an attribute as a positive number, or the default."""
    value = (node.attributes.get(name) or "").strip()[:9]
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
OUTLINED = (*_makers, *MAY_WARN, "br")
"""Block elements that are not paragraphs in an outline."""
