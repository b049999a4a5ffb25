"""Walk over a parsed page, which collects text, headings, and elements with links."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from sitecrawl.web.html.elements import PHRASES, TEXT
from sitecrawl.web.html.outline import MarkedText
from sitecrawl.web.html.parser_bounds import bounded
from sitecrawl.web.html.text import TextBuilder, link_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.web.html.page import Definition, Heading
    from sitecrawl.web.html.regions import Region
    from sitecrawl.web.read_options import ReadOptions


Patterns = tuple[tuple[str, str], ...]
Leave = Callable[["Walk", "LexborNode"], None]
Enter = Callable[["Walk", "LexborNode"], Leave | None]
Table = dict[int | str, Enter | None]
# The action of each element; within runs of words, the elements without an action, and the
# actions of the others.
Tables = tuple[Table, frozenset[int], dict[int, Enter]]
MAX_FRAGMENTS = 3  # nesting: a noscript within script output within noframes
MAX_FRAGMENTS_READ = 1_000  # of one page; each needs its own parser of 160 KB
MAX_FRAGMENT_MARKUP = 5_000_000  # characters of all fragments of one page
FRAGMENT_TREE = 40_000_000  # bytes that the tree of a fragment may take in addition to the page's
# An element with links, the attributes that contain them, and the name to report, if not theirs.
Found = tuple["LexborNode | Detached", Patterns, str]


class Mark(NamedTuple):
    """Start or end of a marked section, by a comment: the name of its form, and what it forbids."""

    form: str
    opens: bool
    noindex: bool = True
    nofollow: bool = False

    def joined(self, other: Mark) -> Mark:
        """A mark of the same form that forbids everything that either of the two forbids."""
        noindex, nofollow = self.noindex or other.noindex, self.nofollow or other.nofollow
        return self._replace(noindex=noindex, nofollow=nofollow)

    def beyond(self, other: Mark) -> Mark:
        """A mark of the same form that forbids only what the other mark allows."""
        noindex = self.noindex and not other.noindex
        return self._replace(noindex=noindex, nofollow=self.nofollow and not other.nofollow)


class Detached(NamedTuple):
    """Detached copy of a link element in a fragment, whose tree is freed early."""

    attributes: dict[str, str | None]
    text: str
    mem_id: int = 0


class Walk:
    """Visitor of every node of a page, which calls the ``actions`` of the elements.

    An action is called when its element begins. It returns the function to call at the end of
    the element, None for no call, or ``skip`` to omit the content.
    """

    __slots__ = (
        "actions",
        "addresses",
        "anchors",
        "banners",
        "base",
        "blocks",
        "cuts",
        "definitions",
        "found",
        "fragments",
        "fragments_read",
        "fragments_size",
        "heading_start",
        "headings",
        "host",
        "image_maps",
        "images",
        "json_ld",
        "language",
        "licenses",
        "marked",
        "marks",
        "named",
        "names",
        "navigates",
        "no_alt",
        "nofollow",
        "options",
        "plain",
        "refresh",
        "regions",
        "robots",
        "runs",
        "sections",
        "text",
        "times",
        "titles",
        "via",
    )

    def __init__(self, tables: Tables, named: Enter, options: ReadOptions) -> None:
        self.names, self.plain, self.runs = tables
        self.actions = self.names
        self.named = named
        self.options = options
        self.text: TextBuilder
        if options.outline:
            self.text = self.marked = MarkedText()
        else:
            self.text = TextBuilder()
        self.found: list[Found] = []
        self.addresses: list[tuple[str, str]] = []
        self.banners: set[int] = set()
        self.base: str | None = None
        self.anchors = 0  # links so far
        self.blocks: list[tuple[int, int, str, str]] = []
        self.image_maps: dict[int, str] = {}
        self.headings: list[tuple[int, int, Heading]] = []
        self.heading_start = 0
        self.definitions: list[tuple[int, Definition]] = []
        self.images: list[str] = []
        self.json_ld: list[str] = []
        self.licenses: list[str] = []
        self.titles: list[str] = []
        self.regions: list[Region] = []
        self.robots: list[str] = []
        self.sections = 0
        self.refresh = ""
        self.times: dict[str, str] = {}
        self.cuts: list[str] = []
        self.marks: dict[str, Mark] = {}
        self.language = ""
        self.host = ""
        self.nofollow = self.no_alt = 0
        self.navigates = False
        self.via = ""
        self.fragments = self.fragments_read = self.fragments_size = 0

    def add_found(self, node: LexborNode, patterns: Patterns) -> None:
        """Record an element with links; up to twice ``max_links`` elements are examined."""
        if len(self.found) < self.options.max_links * 2:
            self.found.append((node, patterns, self.via))
        else:
            self.cut("too_many_links")

    def _detach(self, begun: int) -> None:
        """Replace the elements found in a fragment by copies of the data that links need."""
        for number, (node, patterns, via) in enumerate(self.found[begun:], begun):
            if not isinstance(node, Detached):
                needed = self.options.link_text or number in self.banners
                text = link_text(node) if needed else ""
                self.found[number] = (Detached(node.attributes, text), patterns, via)

    def cut(self, word: str) -> None:
        """Record a truncation."""
        if word not in self.cuts:
            self.cuts.append(word)

    def read(self, node: LexborNode | None) -> None:  # noqa: C901, PLR0912 -- calls per node are slow
        """Walk ``node``, its following siblings, and all their descendants, without recursion."""
        stack: list[tuple[LexborNode, Leave | None]] = []
        text = self.text
        pieces, flush = text.pieces, text.flush
        get, named = self.actions.get, self.named
        phrases = PHRASES if self.plain else ()
        while True:
            if node is None:
                if not stack:
                    return
                node, leave = stack.pop()
            elif (tag := node.tag_id) == TEXT:
                if pieces or not node.is_empty_text_node:
                    content = node.text_content
                    if content and (pieces or not content.isspace()):
                        pieces.append(content)
                node = node.next
                continue
            else:
                enter = get(tag, named)
                if enter is enter_block:  # inlined for speed: a third of all elements
                    leave = leave_block
                    if pieces or text.muted:
                        flush()
                else:
                    leave = enter(self, node) if enter is not None else None
                child = node.first_child if leave is not skip else None
                if child is None:
                    pass
                elif child.next is None and child.tag_id == TEXT:  # true for 56 % of all elements
                    content = child.text_content
                    if content and (pieces or not content.isspace()):
                        pieces.append(content)
                elif tag not in phrases or not self._read_run(node):
                    stack.append((node, leave))
                    node = child
                    continue
            if leave is leave_block:
                if pieces or text.muted:
                    flush()
            elif leave is not None:
                leave(self, node)
            node = node.next

    def _read_run(self, node: LexborNode) -> bool:
        """Add the words of an element at once, if nothing within it separates, adds or drops any.

        Return False, without effect, if something does.
        """
        if self.fragments:  # traversing the first node of a fragment covers all of the fragment
            return False
        plain, acting = self.plain, []
        below = node.traverse()
        next(below)
        for inner in below:
            if inner.tag_id not in plain:
                enter = self.runs.get(inner.tag_id)
                if enter is None:
                    return False
                acting.append((enter, inner))
        for enter, inner in acting:
            enter(self, inner)
        self.text.pieces.append(node.text())
        return True

    def read_fragment(self, html: str, via: str = "") -> None:
        """Walk markup that the page contains as text: noscript, noframes, output of a script."""
        is_full = (
            self.fragments_read >= MAX_FRAGMENTS_READ or self.fragments_size >= MAX_FRAGMENT_MARKUP
        )
        if is_full or self.fragments >= MAX_FRAGMENTS:
            self.cut("fragments")
            return
        outer, self.via = self.via, via or self.via
        self.fragments += 1
        self.fragments_read += 1
        self.fragments_size += len(html)
        options = self.options
        markup, cuts = bounded(
            html.encode("utf-8", "replace"), options.max_bytes, options.max_depth, FRAGMENT_TREE
        )
        for word in cuts:
            self.cut(word)
        begun = len(self.found)
        self.read(LexborHTMLParser(markup, is_fragment=True).root)
        if self.fragments == 1:  # found nodes would keep each tree in memory until the page is done
            self._detach(begun)
        self.fragments -= 1
        self.via = outer


def first_node(root: LexborNode) -> LexborNode:
    """The first node of the document: comments may precede its root element."""
    node = root
    while node.prev is not None:
        node = node.prev
    return node


def skip(_walk: Walk, _node: LexborNode) -> None:
    """Sentinel that an action returns to skip the element's content."""


def enter_block(walk: Walk, _node: LexborNode) -> Leave | None:
    """End the line at the beginning and at the end of an element."""
    walk.text.flush()
    return leave_block


def leave_block(walk: Walk, _node: LexborNode) -> None:
    """End the line of a block."""
    walk.text.flush()
