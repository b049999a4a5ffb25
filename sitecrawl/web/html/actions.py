"""Action tables of the walk: the handler of each element, built once for each set of options."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from sitecrawl.web.html.definitions import enter_definition_term, enter_paragraph, enter_row
from sitecrawl.web.html.elements import (
    ANCHOR,
    COMMENT,
    HEADINGS,
    INLINE,
    SILENT,
    STANDARD,
    tag_number,
)
from sitecrawl.web.html.embedded import (
    enter_meta,
    enter_noframes,
    enter_noscript,
    enter_option,
    enter_script,
    enter_select,
    enter_time,
    enter_title,
)
from sitecrawl.web.html.exclusions import enter_comment, removed
from sitecrawl.web.html.head import note_base
from sitecrawl.web.html.images import enter_area, enter_image
from sitecrawl.web.html.links import link_patterns
from sitecrawl.web.html.main_content import (
    LANDMARK_ELEMENTS,
    PAGE_LANDMARKS,
    enter_aside,
    enter_container,
    enter_form,
    enter_page_landmark,
    enter_section,
    in_region,
    region_action,
)
from sitecrawl.web.html.outline_actions import FORMATS, OUTLINED, outlined
from sitecrawl.web.html.regions import ARTICLE, CONTROL, LABEL, LANDMARK, MAIN, MENU, TOLD
from sitecrawl.web.html.text import join_one_word
from sitecrawl.web.html.text_elements import (
    enter_formula,
    enter_fraction,
    enter_heading,
    enter_lowered,
    enter_pre,
    enter_raised,
    enter_span,
    is_html,
)
from sitecrawl.web.html.walk import Enter, Leave, Patterns, Table, Tables, Walk, enter_block, skip

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.web.read_options import ReadOptions


Wrapper = Callable[[Enter | None], Enter]

_BOLD = frozenset({tag_number("strong"), tag_number("b")})


def enter_base(walk: Walk, node: LexborNode) -> Leave | None:
    """Apply a base element outside head as browsers do, except within noscript."""
    shown = not walk.fragments or walk.via == "script"
    anywhere = walk.options.base_element == "anywhere"
    if walk.base is None and anywhere and shown and is_html(node):
        note_base(walk, node)
    return None


SPECIAL: dict[str, Enter] = {
    **dict.fromkeys(HEADINGS, enter_heading),
    "base": enter_base,
    "img": enter_image,
    "area": enter_area,
    "meta": enter_meta,
    "noframes": enter_noframes,
    "noscript": enter_noscript,
    "option": enter_option,
    "script": enter_script,
    "select": enter_select,
    "time": enter_time,
    "title": enter_title,
    **dict.fromkeys(("text", "mtd"), enter_block),  # of SVG and MathML
    "tspan": enter_span,
    "math": enter_formula,
    "sup": enter_raised,
    "sub": enter_lowered,
    "mfrac": enter_fraction,
}


def enter_anchor(walk: Walk, node: LexborNode) -> Leave | None:
    """Separate a bold word at the start of a link from the text after it: <b>Next</b>Chapter 2.

    Style sheets show such words on a line of their own; capitals within a word are rare. The
    texts of adjacent links are separated for the same reason.
    """
    walk.anchors += 1
    first = node.first_child
    if first is not None and first.tag_id in _BOLD:
        after = first.next
        text = (after.text_content or "") if after is not None else ""
        if text[:1].isupper() or text[:1].isdigit():
            first.insert_after(" ")
    before = node.prev
    if (
        first is not None
        and before is not None
        and before.tag_id == ANCHOR
        and join_one_word(before, node)
    ):
        first.insert_before(" ")
    return None


def enter_label(_walk: Walk, node: LexborNode) -> Leave | None:
    """Separate a label from the label right before it: tabs are made of such labels."""
    first, before = node.first_child, node.prev
    if first is not None and before is not None and before.tag_id == node.tag_id:
        first.insert_before(" ")
    return None


def enter_silent(_walk: Walk, _node: LexborNode) -> Leave | None:
    """Skip an element whose content is not text."""
    return skip


def linked(patterns: Patterns, inner: Enter | None, most: int) -> Enter:
    """An action that records the element as one with links, and runs its other action."""

    def enter_linked(walk: Walk, node: LexborNode) -> Leave | None:
        leave = inner(walk, node) if inner is not None else None
        if not walk.nofollow:
            if len(walk.found) < most:  # inlined for speed: a call per link costs 3 % of a page
                walk.found.append((node, patterns, walk.via))
            else:
                walk.cut("too_many_links")
        return leave

    return enter_linked


@lru_cache(maxsize=64)
def action_tables(options: ReadOptions) -> Tables:
    """The action tables for the options: all elements, and those allowed within a run of words.

    Where words keep their formatting, an element with any is not read in one run.
    """
    table = action_table(options)
    removed_tags = {tag.lower() for tag in options.remove_elements}
    formatted = {*FORMATS, "a"} if options.outline else set()
    inline = (tag_number(tag) for tag in INLINE if tag not in removed_tags | formatted)
    runs = {tag: table[tag] for tag in inline if tag is not None}
    plain = frozenset(tag for tag, enter in runs.items() if enter is None)
    return table, plain, {tag: enter for tag, enter in runs.items() if enter is not None}


def action_table(options: ReadOptions) -> Table:
    """The action of each element, by number, and by name where it has no fixed number."""
    named: dict[str, Enter | None] = {
        **dict.fromkeys(INLINE),
        **dict.fromkeys(SILENT, enter_silent),
        **SPECIAL,
        "a": enter_anchor,
        "dt": enter_definition_term,
        "tr": enter_row,
        "p": enter_paragraph,
        "label": enter_label,
        "pre": enter_pre,
        "noindex": removed(None),
        **dict.fromkeys(("audio", "video"), removed(enter_block)),  # for browsers without them
    }
    if options.content != "all":
        named |= region_actions(options)
    for tag, patterns in link_patterns(options).items():
        if tag != "link":
            named[tag] = linked(patterns, named.get(tag, enter_block), options.max_links * 2)
    for tag in options.remove_elements:
        named[tag.lower()] = removed(named.get(tag.lower(), enter_block))
    block: Enter | None = enter_block
    if options.outline:
        block = outlined("", enter_block)
        every = {**dict.fromkeys(OUTLINED, enter_block), **named}
        named = {tag: outlined(tag, action) for tag, action in every.items()}
    numbered = {tag_number(tag) or tag: action for tag, action in named.items()}
    blocks: Table = dict.fromkeys(STANDARD, block)
    table = {**blocks, **numbered}
    return {**table, COMMENT: enter_comment}


def region_actions(options: ReadOptions) -> dict[str, Enter]:
    """The actions of the elements that separate content from the rest of a page."""
    actions = {
        "main": region_action(MAIN, sectioning=True),
        "article": region_action(ARTICLE, sectioning=True),
        "section": enter_section,
    }
    if "furniture" not in options.keep_parts:
        actions |= dict.fromkeys(("div", "ul", "ol", "dl", "table"), enter_container)
        actions["form"] = enter_form
        actions["select"] = in_region(MENU)(enter_select)
        actions["button"] = region_action(CONTROL, sectioning=False)
        actions["text"] = region_action(LABEL, sectioning=False)
        actions["pre"] = in_region(TOLD)(enter_pre)
        told = ("blockquote", "caption", "figcaption")
        actions |= dict.fromkeys(told, region_action(TOLD, sectioning=False))
    if "landmarks" not in options.keep_parts:
        actions |= dict.fromkeys(LANDMARK_ELEMENTS, region_action(LANDMARK, sectioning=False))
        actions |= dict.fromkeys(PAGE_LANDMARKS, enter_page_landmark)
        actions["aside"] = enter_aside
    return actions


def enter_named(walk: Walk, node: LexborNode) -> Leave | None:
    """Apply the table to an element known only by its name.

    Unknown elements are inline; custom elements (with a hyphen) separate words.
    """
    name = node.tag or ""
    enter = walk.names.get(name, enter_custom if "-" in name else None)
    return enter(walk, node) if enter is not None else None


def enter_custom(walk: Walk, _node: LexborNode) -> Leave | None:
    """Begin a line at a custom element, which may be a part of a paragraph."""
    walk.text.break_line()
    return leave_custom


def leave_custom(walk: Walk, _node: LexborNode) -> None:
    """End the line of a custom element."""
    walk.text.break_line()


def marked_actions(table: Table, wrappers: dict[int, list[Wrapper]], tags: set[int]) -> Table:
    """The action table of a page where single elements, by ``mem_id``, have additional actions.

    ``tags`` are the numbers of those elements; all others keep their actions.
    """

    def enter_marked(walk: Walk, node: LexborNode) -> Leave | None:
        inner = table.get(node.tag_id, walk.named)
        for wrap in wrappers.get(node.mem_id, ()):
            inner = wrap(inner)
        return inner(walk, node) if inner is not None else None

    return {**table, **dict.fromkeys(tags, enter_marked)}
