"""Microdata and RDFa: the schema.org properties marked in the elements of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sitecrawl.web.html.elements import INLINE, TEXT
from sitecrawl.web.html.json_ld import DESCRIBING, QUESTION, decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode


# Properties that describe a page; below, those that name an item.
PROPERTIES = frozenset(
    {
        *("author", "creator", "datePublished", "dateCreated", "dateModified", "uploadDate"),
        *("headline", "publisher", "image", "thumbnailUrl"),
    }
)
_NAMES = ("name", "title")  # Google's older breadcrumbs have titles
_KNOWN = {name.lower(): name for name in (*PROPERTIES, *_NAMES, "item")}
_CRUMBS = frozenset({"ListItem", "Breadcrumb"})
# The author of a comment is not the author of the page.
_SECONDARY_TYPE = re.compile(r"(?:Comments?|Review|Rating|Answer|Offer)$", re.IGNORECASE)
_ADDRESSES = frozenset({"image", "thumbnailUrl"})
# Selectors that the reader adds to its single query over the tree; each part of a query costs as
# much as a search in the markup.
ITEM_MARKS = ("[itemprop]", "[typeof]")
BYLINE_MARKS = ('a[rel~="author"]', '[class*="author"]', '[class*="byline"]')
_SELECTOR = "[itemprop], [itemscope], [property], [typeof]"
MAX_ELEMENTS = 2_000  # marked elements examined; long lists of products have more
MAX_STEPS = 100_000  # total steps to enclosing elements
MAX_DEPTH = 20  # of items within items
MAX_VALUE = 300  # characters of a value
MAX_NODES = 60  # nodes read for a value
MAX_BYLINES = 5
MAX_AROUND = 8  # elements around a byline whose names are read
_BYLINE_NAMES = frozenset({"author", "byline"})
# Other classes of bylines: post-author, entry__author-name, article-byline__written-by.
_BYLINE_CLASS = re.compile(
    r"(?:^|[-_])(?:author(?:s|[-_]{0,2}(?:name|link|info))?|byline)(?:__\S+)?$", re.IGNORECASE
)
_OF_COMMENT = re.compile(r"comment|respon[ds]|repl(?:y|ies)|review", re.IGNORECASE)
_OF_HEAD = frozenset({"meta", "link"})
_SILENT = frozenset({"script", "style", "template", "noscript", "title"})


@dataclass(slots=True, eq=False)
class _Item:
    """An element with a type, and the values of its properties, which may be items."""

    type: str = ""
    around: _Item | None = None
    node: LexborNode | None = None
    values: dict[str, list[str | _Item]] = field(default_factory=dict)

    def add(self, name: str, value: str | _Item) -> None:
        """Add a value of a property."""
        if value:
            self.values.setdefault(name, []).append(value)

    def texts(self, name: str) -> list[str]:
        """The values of a property; items are given by their names."""
        values = [
            value if isinstance(value, str) else value.name() for value in self.values.get(name, ())
        ]
        return [value for value in values if value]

    def name(self) -> str:
        """The name of the item, else of its ``item`` property, else its first words."""
        own = [value for name in _NAMES for value in self.values.get(name, ())]
        for inner in self.values.get("item", ()):
            own += [inner] if isinstance(inner, str) else inner.values.get("name", ())
        named = next((value for value in own if isinstance(value, str)), "")
        return named or (short_text(self.node) if self.node is not None else "")

    def describes_page(self) -> bool:
        """Return True for an item of a type that the page itself can be."""
        return bool(DESCRIBING.search(self.type)) or (
            self.type == QUESTION and "author" in self.values
        )

    def is_beside(self) -> bool:
        """Return True if the item is part of a comment, review or offer, not of the page."""
        item: _Item | None = self
        for _ in range(MAX_DEPTH):
            if item is None:
                return False
            if _SECONDARY_TYPE.search(item.type):
                return True
            item = item.around
        return True


@dataclass(slots=True)
class Marked:
    """Marked elements of a page: presence of items, and elements that name the author."""

    has_items: bool = False
    bylines: list[LexborNode] = field(default_factory=list)
    other_bylines: list[LexborNode] = field(default_factory=list)

    def add(self, node: LexborNode, attributes: dict[str, str | None]) -> None:
        """Record an element if it is an item or a byline; ignore others."""
        if "itemprop" in attributes or "typeof" in attributes:
            self.has_items = self.has_items or node.tag not in _OF_HEAD
        names = f"{attributes.get('class') or ''} {attributes.get('rel') or ''}".split()
        if not _BYLINE_NAMES.isdisjoint(names):
            bylines = self.bylines
        elif any(map(_BYLINE_CLASS.search, names)):
            bylines = self.other_bylines
        else:
            return
        if len(bylines) < MAX_BYLINES and not _is_of_comment(node):
            bylines.append(node)


def read_items(root: LexborNode) -> dict[str, tuple[str, ...]]:
    """The known properties of the items that describe the page, each with its values.

    Microdata (HTML, 5) and RDFa Lite differ only in their attributes. Properties outside any
    item belong to the page and take precedence; others come from the first item that has them.
    """
    page = _Item()
    items = _items(root, page)
    facts = {name: page.texts(name) for name in PROPERTIES & page.values.keys()}
    facts["breadcrumb"] = [item.name() for item in items if item.type in _CRUMBS]
    described = [item for item in items if item.describes_page() and not item.is_beside()]
    for item in described:
        for name in PROPERTIES & item.values.keys() - facts.keys():
            facts[name] = item.texts(name)
    facts["@type"] = [item.type for item in described if item.around is None][:1]
    return {name: tuple(dict.fromkeys(texts)) for name, texts in facts.items() if any(texts)}


def read_bylines(marked: Marked) -> tuple[str, ...]:
    """The texts of elements that name the author by relation or class, the surest ones first.

    Lines stay apart: below a name stands what the person is.
    """
    nodes = (*marked.bylines, *marked.other_bylines)
    return tuple(dict.fromkeys(text for text in map(short_lines, nodes) if text))


def _is_of_comment(node: LexborNode) -> bool:
    """Return True for an element of a comment or review, by the names of those around it."""
    step: LexborNode | None = node
    for _ in range(MAX_AROUND):
        if step is None or step.tag == "body":
            return False
        attributes = step.attributes
        if _OF_COMMENT.search(f"{attributes.get('class') or ''} {attributes.get('id') or ''}"):
            return True
        step = step.parent
    return False


def _items(root: LexborNode, page: _Item) -> list[_Item]:
    """The items of a page in order; properties outside any item are added to ``page``."""
    known: dict[int, _Item] = {}
    found: list[_Item] = []
    steps = 0
    last = None
    for node in root.css(_SELECTOR)[:MAX_ELEMENTS]:
        if node.mem_id == last:  # lexbor returns an element once for each selector that it matches
            continue
        last = node.mem_id
        attributes = node.attributes
        around, taken = _enclosing(node, known, page)
        steps += taken
        if steps > MAX_STEPS:
            break
        is_item = "itemscope" in attributes or "typeof" in attributes
        names = _properties(attributes)
        if is_item:
            kind = (attributes.get("itemtype") or attributes.get("typeof") or "").split()
            item = _Item(_local(kind[0]) if kind else "", None if around is page else around, node)
            known[node.mem_id] = item
            found.append(item)
            for name in names:
                around.add(name, item)
        elif around is not page or node.tag != "meta":  # metas outside items are read elsewhere
            for name in names:
                around.add(name, _value(node, name))
    return found


def _enclosing(node: LexborNode, known: dict[int, _Item], page: _Item) -> tuple[_Item, int]:
    """The item that encloses an element, and the number of steps to find it."""
    passed: list[int] = []
    above, item = node.parent, page
    while above is not None:
        mark = above.mem_id
        if mark in known:
            item = known[mark]
            break
        passed.append(mark)
        above = above.parent
    known.update(dict.fromkeys(passed, item))
    return item, len(passed) + 1


def _local(term: str) -> str:
    """The last part of a term: ``https://schema.org/Article``, ``schema:Article``."""
    return re.split(r"[/#:]", term[:MAX_VALUE].rstrip("/#"))[-1]


def _properties(attributes: dict[str, str | None]) -> list[str]:
    """The known properties of an element; Open Graph's are excluded."""
    terms = f"{attributes.get('itemprop') or ''} {attributes.get('property') or ''}"[:MAX_VALUE]
    names = (_KNOWN.get(_local(term).lower()) for term in terms.split() if term[:3] != "og:")
    return [name for name in names if name]


def _value(node: LexborNode, name: str) -> str:
    """The value of an element: that of its attribute, else its text."""
    attributes = node.attributes
    value = attributes.get("content") or attributes.get("datetime")
    if name in _ADDRESSES:
        value = value or attributes.get("src") or attributes.get("href")
    return " ".join(decoded(value).split())[:MAX_VALUE] if value else short_text(node)


def short_text(node: LexborNode) -> str:
    """The first words of an element."""
    return short_lines(node).replace("\n", " ")


def short_lines(node: LexborNode) -> str:
    """The first words of an element, from a bounded number of nodes, in lines that blocks begin."""
    parts: list[str] = []
    size = 0
    below: Iterator[LexborNode] = node.traverse(include_text=True)
    for _, inner in zip(range(MAX_NODES), below, strict=False):
        parent = inner.parent
        if inner.tag_id == TEXT and parent is not None and parent.tag not in _SILENT:
            text = (inner.text_content or "")[:MAX_VALUE]
            parts += text.split()
            size += len(text)
            if size > MAX_VALUE:
                break
        elif inner.is_element_node and inner.tag not in INLINE:
            parts.append("\n")
    lines = (line.strip() for line in " ".join(parts).split("\n"))
    return "\n".join(filter(None, lines))[:MAX_VALUE]
