"""The head of a page: title, metas, base, links to other pages, structured facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sitecrawl.web.html.embedded import enter_script
from sitecrawl.web.html.json_ld import decoded
from sitecrawl.web.html.text import cleaned
from sitecrawl.web.robots.directives import NAMES
from sitecrawl.web.whitespace import squeezed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.web.html.walk import Walk


Attributes = dict[str, str | None]
_NAMING = ("name", "http-equiv")
_LISTING = ("property", "itemprop")  # terms separated by white space (RDFa, 5; HTML, 5.2.3)
_DUBLIN_CORE = ("dc:", "dcterms:")  # RDFa's spelling; metas use dc.title
MAX_HEAD_ELEMENTS = 5_000  # link elements of one head, and meta values; authors write below 500
_METADATA = frozenset({"title", "meta", "link", "base", "style", "script", "noscript", "template"})

# Robots values at the beginning of a text, with the separators between them. The four that begin
# no English word may be followed by the text of the body without white space.
_VALUES = re.compile(
    rf"(?:\s*(?:(?:{'|'.join(NAMES)})(?::[^\s,;]*)?(?=[\s,;]|\Z)"
    r"|no(?:index|follow|archive|snippet)(?!ed|ing))[\s,;]*+)+",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Head:
    """Content of a head, with addresses as written."""

    title: str = ""
    metas: dict[str, list[str]] = field(default_factory=dict)
    refresh: str = ""
    links: list[Attributes] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    values: int = 0


def read_head(root: LexborNode, walk: Walk) -> Head:
    """Read the head of a page; store its base and scripts in ``walk``, which reads the body."""
    head = Head()
    first = root.first_child
    while first is not None and first.tag != "head":
        first = first.next
    if first is None:
        return head
    for node in children(first):
        _read_element(head, node, walk)
    last = first.last_child
    while last is not None and not last.is_element_node:
        last = last.prev
    if last is not None and _is_malformed_robots(last):
        _read_displaced(head, root, walk)
    return head


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The element children of a node."""
    child = node.first_child
    while child is not None:
        if child.is_element_node:
            yield child
        child = child.next


def body_of(root: LexborNode) -> LexborNode | None:
    """The body of a page; None for a frameset page."""
    node = root.last_child
    while node is not None and node.tag != "body":
        node = node.prev
    return node


def _read_element(head: Head, node: LexborNode, walk: Walk) -> None:
    """Read one element of a head."""
    match node.tag:
        case "title" if not head.title:
            head.title = squeezed(node.text())
        case "meta":
            _read_meta(head, node.attributes, walk)
        case "link" if len(head.links) < MAX_HEAD_ELEMENTS:
            head.links.append(node.attributes)
        case "link":
            walk.cut("too_many_links")
        case "base":
            note_base(walk, node)
        case "script":
            if (source := node.attributes.get("src")) and len(head.scripts) < MAX_HEAD_ELEMENTS:
                head.scripts.append(source)
            enter_script(walk, node)


def note_base(walk: Walk, node: LexborNode) -> None:
    """Keep the href of a base element, if it is the first one (HTML, 4.2.3)."""
    if walk.base is None and "href" in node.attributes:
        walk.base = node.attributes["href"] or ""


def _read_meta(head: Head, attributes: Attributes, walk: Walk) -> None:
    """Store a meta element under each of its names; values of one name accumulate."""
    if head.values >= MAX_HEAD_ELEMENTS and (attributes.get("name") or "").lower() != "robots":
        walk.cut("too_many_metas")
        return
    content = cleaned(squeezed(decoded(attributes.get("content") or "")))
    names = {name.strip().lower() for naming in _NAMING if (name := attributes.get(naming))}
    for listing in _LISTING:
        if terms := attributes.get(listing):
            names.update(terms.lower().split())
    for name in names - {""}:
        head.values += 1
        if content:
            head.metas.setdefault(name, []).append(content)
        if content and name.startswith(_DUBLIN_CORE):
            head.metas.setdefault(name.replace(":", ".", 1), []).append(content)
    equivalent = (attributes.get("http-equiv") or "").strip().lower()
    if equivalent == "refresh" and not head.refresh:
        head.refresh = content


def _is_malformed_robots(node: LexborNode) -> bool:
    """Return True for a robots meta without ``content``, whose value may follow as text."""
    attributes = node.attributes
    is_robots = node.tag == "meta" and (attributes.get("name") or "").lower() == "robots"
    return is_robots and "content" not in attributes


def _read_displaced(head: Head, root: LexborNode, walk: Walk) -> None:
    """Read ``<meta name="robots">nofollow</meta>``, whose text ends the head for a parser.

    The parser moves the text, and the rest of the head after it, to the start of the body.
    """
    body = body_of(root)
    node = body.first_child if body is not None else None
    if node is None or not node.is_text_node:
        return
    text = node.text_content or ""
    values = _VALUES.match(text)
    if values is None:
        return
    head.metas.setdefault("robots", []).append(values[0])
    sibling = node.next
    if len(values[0]) < len(text):
        node.replace_with(text[values.end() :])
    else:
        node.decompose()
    while sibling is not None and (not sibling.is_element_node or sibling.tag in _METADATA):
        if sibling.is_element_node:
            _read_element(head, sibling, walk)
        sibling = sibling.next
