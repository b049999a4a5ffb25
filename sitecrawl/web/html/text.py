"""Text of a page, collected as lines that block elements separate."""

from __future__ import annotations

import re
from itertools import compress, groupby
from typing import TYPE_CHECKING

from sitecrawl.web.html.elements import INLINE, SILENT, TEXT, tag_number
from sitecrawl.web.html.page import Block
from sitecrawl.web.html.regions import sums
from sitecrawl.web.html.scripts import UNKNOWN_VALUE
from sitecrawl.web.whitespace import line_parts, squeezed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


# Delimiters of the ALT of foreign images: noncharacters, which pages have no reason to contain.
FOREIGN_OPEN, FOREIGN_CLOSE = "\ufdd0", "\ufdd1"
_FOREIGN_ALT = re.compile(f" ?{FOREIGN_OPEN}[^{FOREIGN_OPEN}{FOREIGN_CLOSE}]*{FOREIGN_CLOSE}")
SOFT_HYPHEN = "\xad"
_SIGNS = (SOFT_HYPHEN, FOREIGN_OPEN, FOREIGN_CLOSE)
_SPACES = re.compile("  +")
PERMALINK = "¶"  # follows headings and definitions in documentation
# Permalink signs of documentation tools. Read the Docs uses a letter of its icon font (U+F0C1),
# Docusaurus and VitePress only a zero width space, with an icon from the style sheet.
PERMALINKS = frozenset("¶#§🔗∞⚓\uf0c1")
# Stripped from both ends of a line: characters without width, Read the Docs' permalink.
_EDGES = " \u200b\u2060\ufeff\uf0c1"
_INLINE = frozenset(map(tag_number, INLINE))
# A noscript contains markup; the title of an icon is its tooltip.
_SILENT = frozenset(map(tag_number, (*SILENT, "script", "noscript", "title")))
MAX_BLANK = 64  # pieces of a line that may all be blank
_SPACELESS = "\u0e00"  # start of Thai; nearly all scripts with spaces come before it


class TextBuilder:
    """Builder that collects text nodes in ``pieces``, and joins them into ``lines`` at each break.

    White space is normalized, and empty lines are dropped. Text between ``mute`` and ``unmute``
    is dropped. ``language`` is set while the text's language differs from the page's.
    """

    __slots__ = (
        "_alts",
        "_broken",
        "_held",
        "alt_lines",
        "foreign",
        "has_foreign_alt",
        "language",
        "lines",
        "muted",
        "pieces",
    )

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.lines: list[str] = []
        self.language = ""
        self.foreign: list[tuple[int, Block]] = []
        self.has_foreign_alt = False
        self.alt_lines: list[int] = []  # lines without other text
        self._alts = 0  # ALT texts in the line
        self.muted = 0
        self._held = 0  # pieces collected before muting
        self._broken = False

    @property
    def has_words(self) -> bool:
        """True if a line has begun."""
        return len(self.pieces) > MAX_BLANK or any(map(str.strip, self.pieces))

    def break_line(self) -> None:
        """End a line, but not its paragraph."""
        self.flush()

    def flush(self) -> None:
        """End the line of the pieces collected since the last break."""
        if self.muted:
            self._broken = True
            self.drop_muted()
            return
        if not self.pieces:
            return
        line = "".join(self.pieces).replace("\n", " ").strip()
        is_alt = False
        if self._alts:
            is_alt = self._alts == sum(bool(piece.strip()) for piece in self.pieces)
            self._alts = 0
        self.pieces.clear()
        # The space is the one printable white space; most lines are returned unchanged.
        if not line.isprintable():
            line = squeezed(line.replace(SOFT_HYPHEN, "")).strip(_EDGES)
        elif "  " in line:
            line = _SPACES.sub(" ", line)
        if line:
            if is_alt:
                self.alt_lines.append(len(self.lines))
            self.add(line[:-1].rstrip() if line[-1] == PERMALINK and len(line) > 1 else line)

    def flush_lines(self) -> None:
        """End the lines of preformatted text."""
        if self.muted:
            self.flush()
            return
        text = "".join(self.pieces).replace(SOFT_HYPHEN, "")
        self.pieces.clear()
        for part in line_parts(text):
            self.add_lines([line for raw in part.split("\n") if (line := " ".join(raw.split()))])

    def add_lines(self, lines: list[str]) -> None:
        """Add finished lines of preformatted text."""
        if self.language:
            numbers = range(len(self.lines), len(self.lines) + len(lines))
            blocks = (Block(self.language, line) for line in lines)
            self.foreign.extend(zip(numbers, blocks, strict=True))
        self.lines += lines

    def add(self, line: str) -> None:
        """Add one finished line."""
        if self.language:
            self.foreign.append((len(self.lines), Block(self.language, line)))
        self.lines.append(line)

    def add_alt(self, text: str, *, foreign: bool) -> None:
        """Add an image's ALT as separate words."""
        self.has_foreign_alt = self.has_foreign_alt or foreign
        marked = f"{FOREIGN_OPEN}{text}{FOREIGN_CLOSE}" if foreign else text
        self.pieces.append(f" {marked} ")
        self._alts += not self.muted

    def mute(self) -> None:
        """Drop all text from here on; a word begun before may continue afterwards."""
        if not self.muted:
            self._held = len(self.pieces)
            self._broken = False
        self.muted += 1

    def unmute(self) -> None:
        """End one ``mute``; text is collected again after the outermost one."""
        self.muted = max(0, self.muted - 1)
        if self.muted:
            return
        self.drop_muted()
        if self._broken:
            self.flush()

    def drop_muted(self) -> None:
        """Drop the pieces that were added while muted."""
        del self.pieces[self._held :]

    def close(self) -> None:
        """End the last line; if text is still muted, that is the line begun before."""
        if self.muted:
            self.muted = 1
            self.unmute()
        self.flush()

    def add_foreign(self, language: str, text: str) -> None:
        """Record words of another language within a line."""
        words = " ".join(text.split())
        if words and not self.muted:
            self.foreign.append((len(self.lines), Block(language, words)))

    def keep(self, kept: bytearray) -> None:
        """Keep only the lines whose byte in ``kept`` is not 0."""
        self.lines = list(compress(self.lines, kept))
        if self.foreign:
            numbers = sums(kept)
            last = len(kept) - 1
            self.foreign = [
                (numbers[line], block) for line, block in self.foreign if kept[min(line, last)]
            ]

    def blocks(self) -> tuple[Block, ...]:
        """Text in languages other than the page's; adjacent lines of one language are joined."""
        if not self.foreign:
            return ()
        numbered = [(line - index, block) for index, (line, block) in enumerate(self.foreign)]
        groups = groupby(numbered, key=lambda item: (item[0], item[1].language))
        return tuple(
            Block(language, cleaned("\n".join(block.text for _, block in group)))
            for (_, language), group in groups
        )

    def without_foreign_alt(self, lines: list[str]) -> str:
        """Lines as text without the ALT of images of other sites."""
        text, stable = self.finished(lines)
        return stable or text

    def finished(self, lines: list[str]) -> tuple[str, str]:
        """Lines as text, and the same text without foreign ALT (empty if there is none)."""
        text = "\n".join(lines)
        if not self.has_foreign_alt:
            return cleaned(text), ""
        return cleaned(text), cleaned(_FOREIGN_ALT.sub("", text))


def cleaned(text: str) -> str:
    """Text without soft hyphens and the reader's internal markers."""
    if text.isascii():
        return text
    for sign in _SIGNS:
        if sign in text:
            text = text.replace(sign, "")
    if UNKNOWN_VALUE in text:
        lines = (" ".join(line.replace(UNKNOWN_VALUE, " ").split()) for line in text.split("\n"))
        text = "\n".join(line for line in lines if line)
    return text


def link_text(link: LexborNode) -> str:
    """The text of a link in one line; blocks separate words, inline elements do not."""
    parts: list[str] = []
    around: list[LexborNode] = []
    node = link.first_child
    while node is not None or around:
        if node is None:
            node = around.pop()
            _separate(parts, node)
        elif node.tag_id == TEXT:
            parts.append(node.text_content or "")
        elif node.is_element_node and node.tag_id not in _SILENT:
            _separate(parts, node)
            around.append(node)
            node = node.first_child
            continue
        node = node.next
    return " ".join("".join(parts).replace(SOFT_HYPHEN, "").split())


def join_one_word(before: LexborNode, link: LexborNode) -> bool:
    """Return True if two adjacent links would form one word.

    Two links with the same address do not count, because editors split words into such links;
    nor do scripts without spaces.
    """
    end, start = before.text()[-1:], link.text()[:1]
    if not (end.isalnum() and start.isalnum()) or max(end, start) >= _SPACELESS:
        return False
    hrefs = before.attributes.get("href"), link.attributes.get("href")
    return None not in hrefs and hrefs[0] != hrefs[1]


def _separate(parts: list[str], node: LexborNode) -> None:
    """Add a space at the start or end of a block."""
    if node.tag_id not in _INLINE:
        parts.append(" ")
