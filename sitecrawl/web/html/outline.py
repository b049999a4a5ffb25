"""Outline of a page: its main content as a tree of blocks, from which Markdown is written.

The walk that collects the text fills it, so that both omit the same parts: an element is opened
when its action begins, and every finished line of the text is added to the open element.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, auto
from itertools import count
from typing import TYPE_CHECKING

from sitecrawl.web.content_blocks import ContentBlock
from sitecrawl.web.html.text import PERMALINKS, TextBuilder, cleaned
from sitecrawl.web.urls.url import Base
from sitecrawl.web.whitespace import BLOCK, squeezed, word_parts

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Heading


MAX_NESTING = 16  # nested lists, items, cells and quotes; deeper ones are not marked up
MAX_LINES = 80_000  # of one page
MAX_ELEMENTS = 80_000  # of one page; of later ones only the lines are kept
MAX_FORMATS = 16  # open at once; further ones are not marked up
MAX_MARKS = 20_000  # beginnings and ends of formats within one line; later ones are not marked up
MAX_REOPENED = 8  # lines that one link may span
MAX_UNWRITTEN = 50_000  # pieces of text that wait for their Markdown: 5 MB with their formats
MAX_URL = 2_000  # characters of an address in Markdown
MAX_NUMBER = 10**6  # of an item

_SPACE = re.compile(r"\s+")
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
# Signs that may open or close emphasis (CommonMark 0.31, 6.2): not between spaces, and underscores
# not within a word.
_ASTERISKS = re.compile(r"\*(?=[^\s])|(?<=[^\s])\*")
_UNDERSCORES = re.compile(r"(?<![^\W_])_(?=[\w])|(?<=[\w])_(?![^\W_])")
# Characters that begin a heading, list, quote, listing, rule or table at the start of a line.
_BLOCK_START = re.compile(r"\A(?=#{1,6}(?:\s|$)|[-+*>|](?:\s|$)|```|~~~|(?:-+|=+)\s*$)")
_NUMBER_START = re.compile(r"\A(\d{1,9})([.)])(?=\s|$)")
_IN_ADDRESS = (("(", "%28"), (")", "%29"), (" ", "%20"), ("<", "%3C"), (">", "%3E"))
_TICKS = re.compile("`+")
_ITEM_START = re.compile(r"- |1\. ")  # any other start of a list needs an empty line before it
MAX_LEAD = 1_000  # characters of a table's head up to which it is repeated
MAX_SPAN = 50  # columns that a cell spans, and columns with cells that span rows
MAX_EMPTY = 8  # empty cells that spans make of each cell of a table on average
STRONG, EMPHASIS, DELETED, CODE, LINK, IMAGE = "**", "*", "~~", "`", "[", "!["
LINKS, BOLD = frozenset({LINK, IMAGE}), frozenset({STRONG, EMPHASIS})
APART = LINKS | {CODE}  # two runs of these are not merged
# The words of admonitions, mapped to the kinds that GitHub's Markdown supports.
ADMONITIONS = {
    **dict.fromkeys(("note", "info", "seealso", "todo"), "NOTE"),
    **dict.fromkeys(("tip", "hint"), "TIP"),
    **dict.fromkeys(("important", "attention"), "IMPORTANT"),
    "warning": "WARNING",
    **dict.fromkeys(("caution", "danger", "error"), "CAUTION"),
}
WORDS = frozenset(word.upper() for word in ADMONITIONS)


class NodeKind(IntEnum):
    """The meaning of an element in an outline; a number, as hashing any other member takes 0.2 µs."""

    ROOT = auto()
    HEADING = auto()
    LIST = auto()
    ITEM = auto()
    TERM = auto()
    DETAIL = auto()
    QUOTE = auto()
    CODE = auto()
    TABLE = auto()
    ROW = auto()
    CELL = auto()
    GUTTER = auto()


PARTS_OF_TABLES = frozenset({NodeKind.TABLE, NodeKind.ROW, NodeKind.CELL})
DISSOLVED_BY_HEADINGS = PARTS_OF_TABLES | {
    NodeKind.LIST,
    NodeKind.ITEM,
    NodeKind.TERM,
    NodeKind.DETAIL,
}
NEVER_BOLD = frozenset({NodeKind.HEADING, NodeKind.TERM})


@dataclass(slots=True)
class OutlineLine:
    """A line of the text and its Markdown.

    If ``joined``, a line break separates it from the line before, and not a new paragraph.
    ``page`` is the page number in a file. ``runs`` are the pieces of the line and their formats while
    its Markdown is not written: a third of the lines of a page are left out of its content.
    """

    text: str
    markdown: str = ""
    joined: bool = False
    page: int = 0
    runs: tuple[Sequence[str], Sequence[Mark]] | None = None


class Structure:
    """An element of the outline.

    ``number`` is that of the first item of an ordered list (0 for bullets), or an item's own;
    ``word`` is the kind of an admonition, the Markdown of a listing, or the box of a task; ``level`` is that of a heading. ``rows`` and
    ``columns`` are the spans of a cell, and ``is_head`` marks the head of a column or row. A
    ``dissolved`` element serves the layout only: its content is written without it.
    """

    __slots__ = (
        *("anchor", "children", "columns", "dissolved", "is_head", "kind", "level", "number"),
        *("rows", "word"),
    )

    def __init__(
        self, kind: NodeKind, *, word: str = "", number: int = 0, anchor: str = ""
    ) -> None:
        self.kind = kind
        self.word = word
        self.number = number
        self.anchor = anchor
        self.level = 0
        self.rows = self.columns = 1
        self.is_head = False
        self.children: list[Structure | OutlineLine] = []
        self.dissolved = False

    @property
    def holds_something(self) -> bool:
        """True for an element to keep: one with content, or any cell of a row with content."""
        if self.kind is NodeKind.ROW:
            return any(isinstance(each, OutlineLine) or each.children for each in self.children)
        return bool(self.children) or self.kind is NodeKind.CELL


class Outline:
    """Tree of a page's blocks, recorded while its text is collected.

    The tree is built afterwards, when the page's own has been freed. A line of words without formats
    is recorded as its text, and the end of an element as None. ``base`` resolves addresses.
    """

    __slots__ = (
        "_elements",
        "_events",
        "_kept",
        "_lines",
        "_stack",
        "base",
        "broken",
        "has_pages",
        "is_cut",
        "listings",
        "page",
    )

    def __init__(self) -> None:
        self._stack = [Structure(NodeKind.ROOT)]
        self._events: list[Structure | OutlineLine | str | None] = []
        self._elements = self._lines = 0
        self._kept = bytearray()
        self.base = Base("", "utf-8")
        self.broken = True
        self.is_cut = False
        self.listings = 0  # open ones
        self.has_pages = False  # True for files with pages
        self.page = 0

    @property
    def kind(self) -> NodeKind:
        """The kind of the open element."""
        return self._stack[-1].kind

    def open(self, node: Structure) -> None:
        """Begin an element; beyond the bounds only its lines are kept."""
        self.broken = True
        self._elements += 1
        if len(self._stack) < MAX_NESTING and self._elements <= MAX_ELEMENTS:
            self._events.append(node)
            self._stack.append(node)
        else:
            self._stack.append(self._stack[-1])

    def close(self) -> None:
        """End the element that was opened last."""
        self.broken = True
        node = self._stack.pop()
        if node is self._stack[-1]:
            return
        if self._events[-1] is node and not node.holds_something:
            self._events.pop()
        else:
            self._events.append(None)

    def close_heading(self, heading: Heading | None) -> None:
        """End a heading; it becomes a paragraph if it is not among the page's headings."""
        node = self._stack[-1]
        if node.kind is not NodeKind.HEADING or heading is None:
            node.dissolved = node.dissolved or node.kind is NodeKind.HEADING
        else:
            node.level, node.anchor = heading.level, heading.anchor
        self.close()

    def add(self, line: OutlineLine | str) -> None:
        """Add a finished line of the text: words without formats, or a line to place."""
        if self._lines >= MAX_LINES:
            self.is_cut = True
            return
        self._lines += 1
        if isinstance(line, str):
            if self.broken and not self.page:
                self._events.append(line)
                self.broken = False
                return
            line = OutlineLine(line, escaped(line))
        line.joined, line.page = not self.broken, self.page
        self._events.append(line)
        self.broken = False

    def keep(self, kept: bytearray) -> None:
        """Keep only the lines whose byte in ``kept``, in reading order, is not 0."""
        self._kept = kept

    def blocks(self) -> tuple[ContentBlock, ...]:
        """The content of the page."""
        blocks = _blocks(self._tree().children)
        for block in blocks:
            if not (block.text.isascii() and block.markdown.isascii()):
                block.text, block.markdown = cleaned(block.text), cleaned(block.markdown)
        return tuple(blocks)

    def _tree(self) -> Structure:
        """The root of the tree, built from what was recorded, without elements that are empty."""
        stack = self._stack[:1]
        events, self._events = self._events, []
        kept = iter(self._kept)
        for event in events:
            if event is None:
                _close(stack)
            elif isinstance(event, Structure):
                stack.append(event)
            elif next(kept, 1):
                stack[-1].children.append(self._written(event, stack[-1].kind))
        return stack[0]

    def _written(self, line: OutlineLine | str, kind: NodeKind) -> OutlineLine:
        """A line with its Markdown, within an element of a kind."""
        if isinstance(line, str):
            return OutlineLine(line, escaped(line))
        if line.runs is not None:
            pieces, marks = line.runs
            line.markdown = _line_of_runs(pieces, marks, self.base, plain=kind in NEVER_BOLD)
            line.runs = None
        return line


def _close(stack: list[Structure]) -> None:
    """End the last of the open elements; drop it if it is empty."""
    node = stack.pop()
    if not node.holds_something:
        return
    stack[-1].children.append(node)
    if node.kind is NodeKind.HEADING and not node.dissolved:
        _dissolve(stack, DISSOLVED_BY_HEADINGS)
    elif node.kind is NodeKind.TABLE or (node.kind is NodeKind.CODE and node.word.count("\n") > 2):
        _dissolve(stack, PARTS_OF_TABLES)


def _dissolve(stack: Sequence[Structure], kinds: frozenset[NodeKind]) -> None:
    """Mark the open elements of these kinds as layout, up to the innermost quote."""
    for node in reversed(stack):
        if node.kind is NodeKind.QUOTE:
            return
        if node.kind in kinds:
            node.dissolved = True


def escaped(words: str) -> str:
    """Words with a backslash before signs that Markdown would read as tags or emphasis."""
    if "<" in words:
        words = _TAG.sub(r"\\<", words)
    if "$" in words:  # formulas
        return words
    if "*" in words and words.count("*") > 1:
        words = "".join(_ASTERISKS.sub(r"\\*", part) for part in word_parts(words))
    if "_" in words and words.count("_") > 1:
        words = "".join(_UNDERSCORES.sub(r"\\_", part) for part in word_parts(words))
    return words


@dataclass(slots=True)
class Format:
    """Formatting of a run of words: ``sign`` begins it in Markdown.

    ``href`` is the address of a link or an image as written, ``lines`` the number of earlier
    lines that it spans.
    """

    sign: str
    href: str = ""
    lines: int = 0

    def is_like(self, other: Format) -> bool:
        """Return True for the same formatting, in whatever line it began."""
        return self.sign == other.sign and self.href == other.href


_END = Format("")
Mark = tuple[int, Format, bool]  # a position in the pieces of a line, and if the format begins


class MarkedText(TextBuilder):
    """Text with its formatting, added to an outline line by line."""

    __slots__ = ("_marks", "_open", "_taken", "_unwritten", "outline")

    def __init__(self, outline: Outline) -> None:
        super().__init__()
        self.outline = outline
        self._marks: list[Mark] = []
        self._open: list[Format] = []
        self._taken: list[str] | None = None  # the pieces of a line with formatting
        self._unwritten = 0  # pieces whose Markdown is written later

    def begin(self, mark: Format) -> bool:
        """Record that formatting begins here; return False if a line has too much of it."""
        if len(self._marks) >= MAX_MARKS:
            return False
        self._marks.append((self._held if self.muted else len(self.pieces), mark, True))
        return True

    def end(self, mark: Format) -> None:
        """Record that formatting ends here."""
        self._marks.append((self._held if self.muted else len(self.pieces), mark, False))

    def unmark(self) -> None:
        """Drop the last mark."""
        self._marks.pop()

    def flush(self) -> None:
        """End a line, with its formatting."""
        if self.muted or not self.pieces:
            if self.muted:
                super().flush()
            return
        if not self._marks and not self._open:  # true for most lines
            super().flush()
            return
        self._taken = self.pieces.copy()
        super().flush()
        if self._taken is not None:  # the line was empty and not added
            self._formatted("")

    def flush_lines(self) -> None:
        """End the lines of preformatted text, without formatting."""
        super().flush_lines()
        if not self.muted:
            self._taken = []
            self._formatted("")

    def add_lines(self, lines: list[str]) -> None:
        """Add finished lines of preformatted text, which are their own Markdown."""
        super().add_lines(lines)
        for line in lines:
            if self.outline.is_cut:
                return
            self.outline.add(OutlineLine(line, line))

    def add(self, line: str) -> None:
        """Add one finished line, with its Markdown."""
        if self.muted:
            return
        super().add(line)
        if not self.outline.is_cut:
            self.outline.add(line if self._taken is None else self._formatted(line))

    def keep(self, kept: bytearray) -> None:
        """Keep only the lines whose byte in ``kept`` is not 0."""
        super().keep(kept)
        self.outline.keep(kept)

    def _formatted(self, text: str) -> OutlineLine:
        """The last line, whose open formatting continues in the next.

        Nearly all lines begin and end their formatting, so that their Markdown can be written later.
        """
        pieces, self._taken = self._taken or [], None
        marks, self._marks = self._marks, []
        if not self._open and _are_apart(marks):
            self._unwritten += len(pieces)
            if self._unwritten <= MAX_UNWRITTEN:
                return OutlineLine(text, runs=(pieces, marks))
            plain = self.outline.kind in NEVER_BOLD
            return OutlineLine(text, _line_of_runs(pieces, marks, self.outline.base, plain=plain))
        writer = _LineWriter(self.outline.base, plain=self.outline.kind in NEVER_BOLD)
        for mark in self._open:
            writer.open(mark)
        at = 0
        for position, mark, opens in marks:
            if position > at:
                writer.write("".join(pieces[at:position]))
                at = position
            if opens:
                writer.open(mark)
            else:
                writer.close(mark)
        if at < len(pieces):
            writer.write("".join(pieces[at:]))
        line = writer.finished()
        self._open = writer.still_open
        return OutlineLine(text, line)


def _are_apart(marks: Sequence[Mark]) -> bool:
    """Return True if no run of a line is within another, but code in links, or may be merged."""
    outer = inner = last = ""
    for _, mark, opens in marks:
        sign = mark.sign
        if opens and not outer and (sign != last or sign in APART):
            outer = last = sign
        elif opens and outer == LINK and not inner and sign == CODE:
            inner = sign
        elif not opens and inner == sign:
            inner = ""
        elif not opens and not inner and outer == sign:
            outer = ""
        else:
            return False
    return not outer


def _line_of_runs(pieces: Sequence[str], marks: Sequence[Mark], base: Base, *, plain: bool) -> str:
    """The Markdown of a line whose formatting is hardly nested, as that of nearly all lines."""
    out: list[str] = []
    label: list[str] = []  # of the open link or image
    is_label = space = False
    sign = ""
    at = 0
    for position, mark, opens in (*marks, (len(pieces), _END, False)):
        if position > at:
            text = pieces[at] if position - at == 1 else "".join(pieces[at:position])
            at = position
            words = " ".join(text.split()) if len(text) <= BLOCK else squeezed(text)
            if words:
                if (space or text[0] != words[0]) and (label or out):
                    (label or out).append(" ")
                space = text[-1] != words[-1]
                words = words if sign == CODE else escaped(words)
                words = _label(words) if is_label else words
                words = _ticked(words) if sign == CODE else f"{sign}{words}{sign}"
                (label if is_label else out).append(words)
            else:
                space = space or bool(text)
        if mark.sign in LINKS:
            if label:
                out.append(_linked(mark, "".join(label), base))
                label = []
            is_label = opens
        else:
            sign = mark.sign if opens and not (plain and mark.sign in BOLD) else ""
    return "".join(out)


def _label(words: str) -> str:
    """Words within the label of a link or an image."""
    if "[" in words or "]" in words:
        return words.replace("[", "\\[").replace("]", "\\]")
    return words


def _ticked(content: str) -> str:
    """Code between as many backticks as none of its runs has."""
    if "`" not in content:
        return f"`{content}`"
    runs = {len(each) for each in _TICKS.findall(content)}
    ticks = "`" * next(each for each in count(1) if each not in runs)
    return f"{ticks} {content} {ticks}"


def _linked(mark: Format, content: str, base: Base) -> str:
    """A link or an image; empty for the sign of a permalink."""
    if mark.sign == LINK and content in PERMALINKS and mark.href.startswith("#"):
        return ""
    url = absolute(mark.href, base)
    return f"{mark.sign}{content}]({url})" if url else content


class _LineWriter:
    """Writer of one line of Markdown, from words and the formatting around them.

    Space is moved outside formatted words, and empty formatting is omitted.
    """

    def __init__(self, base: Base, *, plain: bool) -> None:
        self._base = base
        self._plain = plain
        self._out: list[str] = []
        self._active: list[tuple[Format, int]] = []  # with the position of its sign
        self._pending: list[Format] = []
        self._closed: tuple[str, int, int] = ("", 0, 0)  # sign, and the positions of both ends
        self._space = False
        self.still_open: list[Format] = []

    def write(self, text: str) -> None:
        """Add words."""
        words = squeezed(text)
        if not words:
            self._space = self._space or bool(text)
            return
        if (self._space or text[0].isspace()) and self._out:
            self._out.append(" ")
        self._space = text[-1].isspace()
        for mark in self._pending:
            self._begin(mark)
        self._pending.clear()
        signs = [mark.sign for mark, _ in self._active]
        if CODE not in signs:
            words = escaped(words)
        self._out.append(_label(words) if LINK in signs or IMAGE in signs else words)

    def open(self, mark: Format) -> None:
        """Begin formatting; a link or image within code splits the code around it."""
        if self._plain and mark.sign in BOLD:
            return
        if len(self._active) + len(self._pending) >= MAX_FORMATS:
            return
        code = next((each for each, _ in self._active if each.sign == CODE), None)
        if code is not None and mark.sign in LINKS:
            self._close_from(code)
            self._pending += [mark, code]
        elif code is None or mark.sign == CODE:
            at = len(self._pending)
            if mark.sign != CODE and self._pending and self._pending[-1].sign == CODE:
                at -= 1
            self._pending.insert(at, mark)

    def close(self, mark: Format) -> None:
        """End formatting; formatting opened within it continues after it."""
        for waiting in reversed(self._pending):
            if waiting.is_like(mark):
                self._pending.remove(waiting)
                return
        if any(each.is_like(mark) for each, _ in self._active):
            inner = self._close_from(mark)
            self._pending[:0] = inner

    def finished(self) -> str:
        """The finished line; ``still_open`` has the formatting that continues in the next one."""
        going_on = [*(mark for mark, _ in self._active), *self._pending]
        if self._active:
            self._close_from(self._active[0][0])
        self.still_open = [
            Format(mark.sign, mark.href, mark.lines + 1)
            for mark in going_on
            if mark.lines < MAX_REOPENED or mark.sign not in LINKS
        ]
        return "".join(self._out)

    def _begin(self, mark: Format) -> None:
        sign, start, end = self._closed
        is_next = mark.sign == sign and self._out[end - 1 : end] == [sign]
        if is_next and self._out[end:] in ([], [" "]):  # merge adjacent runs of one format
            del self._out[end - 1]
            self._active.append((mark, start))
        else:
            self._active.append((mark, len(self._out)))
            self._out.append(mark.sign)

    def _close_from(self, mark: Format) -> list[Format]:
        """End an active run and those within it; return the inner ones."""
        inner: list[Format] = []
        while True:
            last, start = self._active.pop()
            self._end(last, start)
            if last.is_like(mark):
                return inner[::-1]
            inner.append(last)

    def _end(self, mark: Format, start: int) -> None:
        if mark.sign == CODE:
            self._out[start:] = [_ticked("".join(self._out[start + 1 :]))]
        elif mark.sign in LINKS:
            self._out[start:] = [_linked(mark, "".join(self._out[start + 1 :]), self._base)]
        else:
            self._out.append(mark.sign)
            self._closed = (mark.sign, start, len(self._out))


def absolute(href: str, base: Base) -> str:
    """An absolute address for Markdown; empty if it has no usable target."""
    href = href.strip()
    reference, sign, fragment = href.partition("#")
    url = base.resolve(reference) if reference else base.url.partition("#")[0]
    if url is None or len(url) + len(fragment) > MAX_URL:
        return ""
    if url.startswith(("javascript:", "data:", "about:")):
        return ""
    address = f"{url}{sign}{fragment}"
    if "(" in address or ")" in address or " " in address or "<" in address or ">" in address:
        for each, code in _IN_ADDRESS:  # a quarter of the time of str.translate
            address = address.replace(each, code)
    return address


def fenced(code: str, language: str) -> str:
    """A fenced code block in Markdown."""
    longest = max(map(len, _TICKS.findall(code))) if "```" in code else 0
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def _blocks(children: Iterable[Structure | OutlineLine]) -> list[ContentBlock]:
    """The content of an element as blocks, each with its Markdown."""
    blocks: list[ContentBlock] = []
    lines: list[OutlineLine] = []
    before: NodeKind | None = None
    for child in children:
        if isinstance(child, OutlineLine):
            if lines and not child.joined:
                blocks.append(_paragraph(lines))
                lines = []
            lines.append(child)
            before = None
            continue
        if lines:
            blocks.append(_paragraph(lines))
            lines = []
        made = _of_element(child)
        if made and before is NodeKind.TERM and child.kind in (NodeKind.TERM, NodeKind.DETAIL):
            made[0].tight = True
        before = child.kind
        blocks += made
    if lines:
        blocks.append(_paragraph(lines))
    return blocks


def _of_element(node: Structure) -> list[ContentBlock]:
    if node.dissolved or node.kind in (NodeKind.ROW, NodeKind.CELL):
        return _blocks(node.children)
    return _WRITERS[node.kind](node)


def _paragraph(lines: Sequence[OutlineLine]) -> ContentBlock:
    if len(lines) == 1:
        text, shown = lines[0].text, _escaped_start(lines[0].markdown)
    else:
        text = "\n".join([line.text for line in lines])
        shown = "  \n".join([_escaped_start(line.markdown) for line in lines])
    return ContentBlock(text, shown if shown != text else "", page=lines[0].page)


def _escaped_start(line: str) -> str:
    """A line whose start is escaped if Markdown would read it as the start of a block."""
    if line[:1].isalpha():  # true for most lines
        return line
    if _BLOCK_START.match(line):
        return f"\\{line}"
    number = _NUMBER_START.match(line)
    return f"{number[1]}\\{line[number.end(1) :]}" if number else line


def _heading(node: Structure) -> list[ContentBlock]:
    lines = list(_lines(node))
    words = " ".join([line.markdown for line in lines])
    block = _block(lines, f"{'#' * node.level} {words}")
    block.level, block.anchor = node.level, node.anchor
    return [block]


def _block(lines: Sequence[OutlineLine], markdown: str) -> ContentBlock:
    text = "\n".join([line.text for line in lines])
    return ContentBlock(text, markdown, page=lines[0].page if lines else 0)


def _lines(node: Structure) -> Iterator[OutlineLine]:
    """All lines of an element; those of a listing are formatted as code."""
    for child in node.children:
        if isinstance(child, OutlineLine):
            yield child
        elif child.kind is NodeKind.CODE:
            yield from (
                OutlineLine(line.text, f"`{line.text}`", page=line.page) for line in _lines(child)
            )
        else:
            yield from _lines(child)


def _list(node: Structure) -> list[ContentBlock]:
    blocks: list[ContentBlock] = []
    number = node.number
    for child in node.children:
        if isinstance(child, Structure) and child.kind is NodeKind.ITEM and not child.dissolved:
            number = min(child.number, MAX_NUMBER) if number and child.number else number
            found = _item(child, f"{number}. " if number else "- ")
            number += bool(number)
        else:
            found = _blocks([child])
            for block in found:
                _indent(block, "  ", "  ")
        for block in found:
            block.tight = block.tight or bool(blocks)
            blocks.append(block)
    return blocks


def _item(node: Structure, marker: str = "- ") -> list[ContentBlock]:
    blocks = _blocks(node.children)
    if not blocks:
        return blocks
    block = _joined(blocks)
    _indent(block, marker + node.word, " " * len(marker))
    return [block]


def _joined(blocks: Sequence[ContentBlock]) -> ContentBlock:
    """Several blocks as one; a list begins on the line right after its paragraph."""
    if len(blocks) == 1:  # true for most items
        return ContentBlock(blocks[0].text, blocks[0].shown, page=blocks[0].page)
    parts: list[str] = []
    for block in blocks:
        if parts:
            is_close = block.tight or _ITEM_START.match(block.shown)
            parts.append("\n" if is_close else "\n\n")
        parts.append(block.shown)
    text = "\n".join([block.text for block in blocks if block.text])
    return ContentBlock(text, "".join(parts), page=blocks[0].page)


def _indent(block: ContentBlock, first: str, rest: str) -> None:
    """Put a prefix before the first line of a block, and another before its other lines."""
    shown = block.shown
    if "\n" in shown:
        begin, *lines = shown.split("\n")
        shown = "\n".join([begin, *[rest + line if line else rest.rstrip() for line in lines]])
    block.markdown, block.level = first + shown, 0


def _term(node: Structure) -> list[ContentBlock]:
    lines = list(_lines(node))
    block = _block(lines, _escaped_start(" ".join([line.markdown for line in lines])))
    block.anchor = node.anchor
    return [block]


def _detail(node: Structure) -> list[ContentBlock]:
    blocks = _blocks(node.children)
    first = ":   "
    for block in blocks:
        _indent(block, first, "    ")
        first = "    "
    return blocks


def _quote(node: Structure) -> list[ContentBlock]:
    blocks = _blocks(node.children)
    if not blocks:
        return blocks
    joined = _joined(blocks)
    if node.word:
        titled = blocks[0].text.strip(": ").upper() in WORDS
        shown = _joined(blocks[1:]).shown if titled else joined.shown
        joined.markdown = f"[!{node.word}]\n{shown}".rstrip()
    _indent(joined, "> ", "> ")
    return [joined]


def _listing(node: Structure) -> list[ContentBlock]:
    return [_block(list(_lines(node)), node.word)]


def _table(node: Structure) -> list[ContentBlock]:
    """The rows of a table, one block each; a table of one column serves the layout only."""
    rows: list[Structure] = []
    captions: list[Structure | OutlineLine] = []
    for each in node.children:
        if isinstance(each, Structure) and each.kind is NodeKind.ROW:
            rows.append(each)
        else:
            captions.append(each)
    spanning = _keeps_spans(rows)
    width = max((_width(row, spanning=spanning) for row in rows), default=0)
    if width <= 1:
        return _blocks(node.children)
    blocks = _blocks(captions)
    has_head = all(cell.is_head for cell in _cells(rows[0]) if cell.children)
    reaching: dict[int, int] = {}
    shown = [_row(row, reaching, spanning=spanning) for row in rows]
    first = shown.pop(0) if has_head else _in_pipes([""] * width)
    lead = f"{first}\n{_in_pipes(['---'] * width)}"
    blocks.append(_block(list(_lines(rows[0])), lead if has_head else f"{lead}\n{shown.pop(0)}"))
    repeated = f"{lead}\n" if len(lead) <= MAX_LEAD else ""
    for row, words in zip(rows[1:], shown, strict=True):
        block = _block(list(_lines(row)), words)
        block.tight, block.lead = True, repeated
        blocks.append(block)
    return blocks


def _cells(row: Structure) -> list[Structure]:
    return [
        each for each in row.children if isinstance(each, Structure) and each.kind is NodeKind.CELL
    ]


def _keeps_spans(rows: Sequence[Structure]) -> bool:
    """Return True unless spans would fill the table with far more empty cells than it has cells."""
    cells = [cell for row in rows for cell in _cells(row)]
    empty = sum(cell.columns - 1 + min(cell.rows, len(rows)) - 1 for cell in cells)
    return empty <= MAX_EMPTY * len(cells)


def _width(row: Structure, *, spanning: bool) -> int:
    cells = _cells(row)
    return sum(cell.columns for cell in cells) if spanning else len(cells)


def _row(row: Structure, reaching: dict[int, int], *, spanning: bool) -> str:
    """A row; ``reaching`` maps columns filled by cells above to the rows that they still span."""
    cells: list[str] = []
    for cell in _cells(row):
        while reaching.get(len(cells)):
            reaching[len(cells)] -= 1
            cells.append("")
        if spanning and cell.rows > 1 and len(cells) < MAX_SPAN:
            reaching[len(cells)] = cell.rows - 1
        words = " ".join(line.markdown for line in _lines(cell))
        cells += [words.replace("|", "\\|"), *[""] * (cell.columns - 1 if spanning else 0)]
    return _in_pipes(cells)


def _in_pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _nothing(_node: Structure) -> list[ContentBlock]:
    return []


_WRITERS = {
    NodeKind.HEADING: _heading,
    NodeKind.LIST: _list,
    NodeKind.ITEM: _item,
    NodeKind.TERM: _term,
    NodeKind.DETAIL: _detail,
    NodeKind.QUOTE: _quote,
    NodeKind.CODE: _listing,
    NodeKind.TABLE: _table,
    NodeKind.GUTTER: _nothing,
}
