"""Outline of a page: its main content as a tree of blocks, from which Markdown is written.

The walk that collects the text records it, so that both omit the same parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, auto
from itertools import count
from typing import TYPE_CHECKING

from sitecrawl.web.content_blocks import ContentBlock
from sitecrawl.web.html.scripts import UNKNOWN_VALUE
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
_Ended = tuple[str, list[str], int]  # a format: its sign, around it, and its end there
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


class FormatMark(str):
    """Beginning or end of a format among the pieces of a line: a piece without characters.

    ``sign`` begins the format in Markdown, ``href`` is the address of a link or an image as written,
    ``lines`` the number of earlier lines that it spans.
    """

    __slots__ = ("href", "lines", "opens", "sign")

    sign: str
    href: str
    opens: bool
    lines: int


def opening(sign: str, href: str = "", lines: int = 0) -> FormatMark:
    """The beginning of a format."""
    mark = FormatMark()
    mark.sign, mark.href, mark.opens, mark.lines = sign, href, True, lines
    return mark


def _ending(sign: str) -> FormatMark:
    mark = opening(sign)
    mark.opens = False
    return mark


ENDS = {sign: _ending(sign) for sign in (STRONG, EMPHASIS, DELETED, CODE, LINK, IMAGE)}
BREAK = _ending("")
"""First piece of a line that a line break, and no block, separates from the line before."""


@dataclass(slots=True)
class OutlineLine:
    """A line of the text and its Markdown.

    If ``joined``, a line break separates it from the line before, and not a new paragraph.
    ``page`` is the page number in a file. ``pieces`` are its words and formats while its Markdown is
    not written: a third of the lines of a page are left out of its content.
    """

    text: str
    markdown: str = ""
    joined: bool = False
    page: int = 0
    pieces: Sequence[str] = ()


class Structure:
    """An element of the outline.

    ``number`` is that of the first item of an ordered list (0 for bullets), or an item's own;
    ``word`` is the kind of an admonition, the Markdown of a listing, or the box of a task; ``level`` is that of a heading. ``rows`` and
    ``columns`` are the spans of a cell, and ``is_head`` marks the head of a column or row. A
    ``dissolved`` element serves the layout only: its content is written without it.
    """

    number = level = 0
    rows = columns = 1
    word = anchor = ""
    is_head = dissolved = False

    def __init__(self, kind: NodeKind) -> None:
        self.kind = kind
        self.children: list[Structure | OutlineLine] = []

    @property
    def holds_something(self) -> bool:
        """True for an element to keep: one with content, or any cell of a row with content."""
        if self.kind is NodeKind.ROW:
            return any(isinstance(each, OutlineLine) or each.children for each in self.children)
        return bool(self.children) or self.kind is NodeKind.CELL


class MarkedText(TextBuilder):
    """Text with its formats, and the outline of its blocks.

    What happens is recorded: the beginning of an element as a ``Structure`` and its end as None, a
    line as its text or, with formats or of a listing, as an ``OutlineLine``, and a page of a file as
    its number. The tree is built from that when the page's own has been freed.
    ``base`` resolves addresses.
    """

    __slots__ = (
        *(
            "_depth",
            "_elements",
            "_events",
            "_joined",
            "_kept",
            "_marks",
            "_open",
            "_taken",
            "_unwritten",
        ),
        *("base", "has_pages", "is_cut", "listings"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._open = [Structure(NodeKind.ROOT)]
        self._events: list[Structure | OutlineLine | str | int | None] = []
        self._kept = bytearray()
        self._elements = self._marks = 0  # marks of the line, of which a break is one
        self._depth = 0  # open formats
        self._taken: list[str] | None = None  # the pieces of a line with marks
        self._joined = False
        self._unwritten = 0  # pieces whose Markdown is written later
        self.base = Base("", "utf-8")
        self.listings = 0  # open ones
        self.has_pages = False  # True for files with pages
        self.is_cut = False  # True if the text has more lines than its outline

    def begin_element(self, node: Structure) -> None:
        """Begin an element; beyond the bounds only its lines are kept."""
        self._elements += 1
        if len(self._open) < MAX_NESTING and self._elements <= MAX_ELEMENTS:
            self._events.append(node)
            self._open.append(node)
        else:
            self._open.append(self._open[-1])

    def end_element(self) -> None:
        """End the element that was begun last."""
        node = self._open.pop()
        if node is self._open[-1]:
            return
        if self._events[-1] is node and node.kind is not NodeKind.CELL:
            self._events.pop()
        else:
            self._events.append(None)

    def end_heading(self, heading: Heading | None) -> None:
        """End a heading; it becomes a paragraph if it is not among the page's headings."""
        node = self._open[-1]
        if node.kind is not NodeKind.HEADING or heading is None:
            node.dissolved = node.dissolved or node.kind is NodeKind.HEADING
        else:
            node.level, node.anchor = heading.level, heading.anchor
        self.end_element()

    def begin_page(self, number: int) -> None:
        """Begin a page of a file."""
        self._events.append(number)

    def begin(self, mark: FormatMark) -> bool:
        """Begin a format; return False if a line has too many."""
        if self._marks >= MAX_MARKS:
            return False
        self._marks += 2  # with its end
        self._depth += 1
        self.pieces.append(mark)
        return True

    def end(self, mark: FormatMark) -> None:
        """End a format."""
        self._depth -= 1
        self.pieces.append(mark)

    def break_line(self) -> None:
        """End a line at a line break."""
        joined, before = self._joined, len(self.lines)
        self.flush()
        self._joined = joined or len(self.lines) > before
        if self._joined:
            self._marks += 1
            self.pieces.append(BREAK)  # so that the end of a block ends the line that has begun

    def flush(self) -> None:
        """End a line, with its formats; those that are open continue in the next."""
        if self.muted or not self._marks:  # true for most lines
            super().flush()
            return
        before, self._taken = len(self.lines), self.pieces.copy()
        self.pieces[:] = filter(None, self.pieces)  # a line of one piece takes no memory of its own
        super().flush()
        self._continue(self._taken, before)
        self._taken = None

    def flush_lines(self) -> None:
        """End the lines of preformatted text, without formats."""
        before, pieces = len(self.lines), self.pieces.copy()
        super().flush_lines()
        if not self.muted:
            self._continue(pieces, before)

    def _continue(self, pieces: Iterable[str], before: int) -> None:
        """Begin a line with the formats that are open at the end of the one before."""
        self._joined, self._marks = False, 0
        if not self._depth:
            return
        ended = len(self.lines) > before
        for mark in _unmatched(pieces):
            if not mark.opens:
                continue
            if not ended or mark.sign not in LINKS:
                self.pieces.append(mark)
            elif mark.lines < MAX_REOPENED:
                self.pieces.append(opening(mark.sign, mark.href, mark.lines + 1))
        self._marks = len(self.pieces)

    def drop_muted(self) -> None:
        """Drop the pieces that were added while muted, except the marks of formats."""
        self.pieces[self._held :] = _unmatched(self.pieces[self._held :])

    def add_lines(self, lines: list[str]) -> None:
        """Add finished lines of preformatted text, which are their own Markdown."""
        room = max(0, MAX_LINES - len(self.lines))
        super().add_lines(lines)
        self._events += (
            OutlineLine(line, line, number > 0) for number, line in enumerate(lines[:room])
        )
        self.is_cut = self.is_cut or len(lines) > room

    def add(self, line: str) -> None:
        """Add one finished line."""
        super().add(line)
        if len(self.lines) > MAX_LINES:
            self.is_cut = True
        elif self._taken is None:
            self._events.append(line)
        else:
            added = OutlineLine(line, "", self._joined, pieces=self._taken)
            self._unwritten += len(self._taken)
            if self._unwritten > MAX_UNWRITTEN:
                _LineWriter(self.base).write_line(added, self._open[-1].kind)
            self._events.append(added)

    def add_box(self, box: str) -> None:
        """Begin the item of a task list with its box, unless words come before it."""
        item = self._events[-1] if self._events else None
        if isinstance(item, Structure) and item.kind is NodeKind.ITEM and not self.has_words:
            item.word = box

    def keep(self, kept: bytearray) -> None:
        """Keep only the lines whose byte in ``kept`` is not 0."""
        super().keep(kept)
        self._kept = kept

    def content(self) -> tuple[ContentBlock, ...]:
        """The content of the page."""
        blocks = _blocks(self._tree().children)
        for block in blocks:
            if not (block.text.isascii() and block.markdown.isascii()):
                block.text, block.markdown = cleaned(block.text), cleaned(block.markdown)
        return tuple(blocks)

    def _tree(self) -> Structure:
        """The root of the tree, built from what was recorded, without elements that are empty."""
        stack = self._open[:1]
        events, self._events = self._events, []
        kept = iter(self._kept)
        page, writer = 0, _LineWriter(self.base)
        for event in events:
            if event is None:
                _close(stack)
            elif isinstance(event, Structure):
                stack.append(event)
            elif isinstance(event, int):
                page = event
            elif next(kept, 1):
                line = OutlineLine(event, escaped(event)) if isinstance(event, str) else event
                if line.pieces:
                    writer.write_line(line, stack[-1].kind)
                line.page = page
                stack[-1].children.append(line)
        return stack[0]


def _unmatched(pieces: Iterable[str]) -> list[FormatMark]:
    """The marks of formats that do not both begin and end among some pieces."""
    found: list[FormatMark] = []
    for piece in pieces:
        if not isinstance(piece, FormatMark) or piece is BREAK:
            continue
        signs = () if piece.opens else [mark.sign if mark.opens else "" for mark in found]
        if piece.sign in signs:
            del found[len(signs) - 1 - signs[::-1].index(piece.sign)]
        else:
            found.append(piece)
    return found


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


def _linked(mark: FormatMark, content: str, base: Base) -> str:
    """A link or an image; empty for the sign of a permalink."""
    if mark.sign == LINK and content in PERMALINKS and mark.href.startswith("#"):
        return ""
    url = absolute(mark.href, base)
    return f"{mark.sign}{content}]({url})" if url else content


class _LineWriter:
    """Writer of a line of Markdown, from words and the formats around them.

    Space is moved outside formats, empty ones are omitted, and adjacent runs of one are merged.
    """

    __slots__ = ("_around", "_base", "_code", "_ended", "_labels", "_out", "_plain", "_space")

    def __init__(self, base: Base) -> None:
        self._base = base
        self._plain = False
        self._out: list[str] = []
        # The open formats: each with its sign, empty if it is not marked up, what is before it, and
        # the last format before it.
        self._around: list[tuple[FormatMark, str, list[str], _Ended]] = []
        self._code = -1  # the place of code among them
        self._labels = 0  # links and images among them
        self._ended: _Ended = ("", self._out, 0)
        self._space = False

    def write_line(self, line: OutlineLine, kind: NodeKind) -> None:
        """Write the Markdown of a line within an element of a kind."""
        self._plain, self._space, self._out = kind in NEVER_BOLD, False, []
        text, begun = "", None  # a format that holds nothing but the text so far
        for piece in line.pieces:
            if not isinstance(piece, FormatMark):
                text += piece
            elif begun is not None and begun.sign == piece.sign and not piece.opens:
                self._write_run(begun, text)
                text, begun = "", None
            else:
                self._write_begun(begun, text)
                text, begun = "", piece if piece.opens else None
                if begun is None:
                    self._end(piece.sign)
        self._write_begun(begun, text)
        while self._around:
            self._end_last()
        line.markdown, line.pieces = "".join(self._out), ()

    def _write_begun(self, mark: FormatMark | None, text: str) -> None:
        if mark is not None:
            self._begin(mark)
        if text:
            self._write(text)

    def _write(self, text: str) -> None:
        words = self._words(text)
        if words:
            words = words if self._code >= 0 else escaped(words)
            self._out.append(_label(words) if self._labels else words)

    def _write_run(self, mark: FormatMark, text: str) -> None:
        """Write a format that holds words alone, as most do."""
        sign = mark.sign
        if self._code >= 0 or self._hides(sign):
            self._begin(mark)
            self._write(text)
            self._end(sign)
        elif words := self._words(text):
            words = words if sign == CODE else escaped(words)
            is_label = self._labels or sign in LINKS
            self._add_run(mark, _label(words) if is_label else words, self._out)

    def _hides(self, sign: str) -> bool:
        """Return True for a format that is not marked up: within itself, or one too many."""
        around = self._around
        if self._plain and sign in BOLD:
            return True
        return bool(around) and (
            len(around) >= MAX_FORMATS or any(sign == each for _, each, *_ in around)
        )

    def _words(self, text: str) -> str:
        """The words of a text, after adding the space before them."""
        words = " ".join(text.split()) if len(text) <= BLOCK else squeezed(text)
        if not words:
            self._space = self._space or bool(text)
            return ""
        if self._space or text[0] != words[0]:
            out = self._out
            if not out:
                out = next((each for _, _, each, _ in reversed(self._around) if each), out)
            if out:
                out.append(" ")
        self._space = text[-1] != words[-1]
        return words

    def _begin(self, mark: FormatMark) -> None:
        """Begin a format; a link or an image within code splits the code around it."""
        sign, around = mark.sign, self._around
        is_hidden = self._hides(sign)
        if self._code >= 0 and not is_hidden:
            if sign in LINKS or not self._out:
                inner = self._end_from(self._code)
                for each in (mark, *inner):
                    self._begin(each)
                return
            is_hidden = True
        around.append((mark, "" if is_hidden else sign, self._out, self._ended))
        if is_hidden:
            return
        self._out = []
        self._labels += sign in LINKS
        if sign == CODE:
            self._code = len(around) - 1

    def _end(self, sign: str) -> None:
        """End a format; those begun within it continue after it."""
        if self._around and self._around[-1][0].sign == sign:
            self._end_last()
            return
        signs = [mark.sign for mark, *_ in self._around]
        if sign in signs:
            at = len(signs) - 1 - signs[::-1].index(sign)
            for mark in self._end_from(at)[1:]:
                self._begin(mark)

    def _end_from(self, at: int) -> list[FormatMark]:
        """End an open format and those within it; return them."""
        ended = [mark for mark, *_ in self._around[at:]]
        for _ in ended:
            self._end_last()
        return ended

    def _end_last(self) -> None:
        mark, sign, outside, ended = self._around.pop()
        if not sign:
            return
        content, self._out, self._ended = "".join(self._out), outside, ended
        if sign == CODE:
            self._code = -1
        self._labels -= sign in LINKS
        if content:
            self._add_run(mark, content, outside)

    def _add_run(self, mark: FormatMark, content: str, outside: list[str]) -> None:
        """Add a format with its content; merge it with the same one right before it."""
        sign = mark.sign
        if sign == CODE:
            outside.append(_ticked(content))
        elif sign in LINKS:
            outside.append(_linked(mark, content, self._base))
        else:
            last, where, end = self._ended
            if last == sign and where is outside and outside[end:] in ([], [" "]):
                del outside[end - 1]
            else:
                outside.append(sign)
            outside += (content, sign)
            self._ended = sign, outside, len(outside)


def absolute(href: str, base: Base) -> str:
    """An absolute address for Markdown; empty if it has no usable target."""
    href = href.strip()
    reference, sign, fragment = href.partition("#")
    url = base.resolve(reference) if reference else base.url.partition("#")[0]
    if url is None or len(url) + len(fragment) > MAX_URL or UNKNOWN_VALUE in href:
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
    """Several blocks as one."""
    if len(blocks) == 1:  # true for most items
        return ContentBlock(blocks[0].text, blocks[0].shown, page=blocks[0].page)
    text = "\n".join([block.text for block in blocks if block.text])
    return ContentBlock(text, _shown(blocks), page=blocks[0].page)


def _shown(blocks: Sequence[ContentBlock]) -> str:
    """The Markdown of several blocks; a list begins on the line right after its paragraph."""
    parts: list[str] = []
    for block in blocks:
        if parts:
            is_close = block.tight or _ITEM_START.match(block.shown)
            parts.append("\n" if is_close else "\n\n")
        parts.append(block.shown)
    return "".join(parts)


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
        shown = _shown(blocks[1:]) if titled else joined.shown
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
