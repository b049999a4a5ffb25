"""Sections of a document: its content blocks, split at headings within size limits.

A section is identified by the headings above it, so that its ``id`` survives every edit elsewhere
on the page. For the same reason, each decision depends on a section and its neighbours alone: a
small one is merged into the text before it, and a large one is split where its content says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from sitecrawl.web.content_blocks import ContentBlock
from sitecrawl.web.urls.url import with_fragment

MAX_SECTIONS = 2_000  # of one document; later headings stay in the last one
MAX_HEADING = 200  # characters of a heading within a path
MAX_ANCHOR = 500  # characters
MIN_LETTERS = 3  # headings of one letter; a page on the languages C and R is no index
MAX_GAP = 200  # characters from the place of a cut to the end of a line or word
ROOT_LEVEL = 1
COMMENTS = "comments"  # part of a section that readers wrote
_EMPTY_LINES = re.compile(r"\n{2,}")
FENCE = re.compile(r"\s*(`{3,}|~{3,})")

_NOT_SLUG = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class SectionOptions:
    """Size limits of a section's Markdown in characters; a maximum of 0 is none."""

    min_size: int = 200
    max_size: int = 4_000


@dataclass(slots=True)
class _Node:
    """A heading with all blocks up to the next one; the root has the blocks before the first."""

    heading: str = ""
    level: int = 0
    anchor: str = ""
    path: tuple[str, ...] = ()
    parent: _Node | None = None
    blocks: list[ContentBlock] = field(default_factory=list)
    id: str = ""
    size: int = 0
    children: list[_Node] = field(default_factory=list)
    is_parent: bool = False  # of a section that is not merged
    is_merged: bool = False
    merged: list[_Node] = field(default_factory=list)


def build_sections(
    blocks: Iterable[ContentBlock], document_id: str, url: str, options: SectionOptions
) -> list[dict[str, Any]]:
    """Build the sections of a document as output fields; together they contain every block.

    ``blocks`` may come from any reader: headings are the blocks with a level. A block's page number
    becomes the ``page_number`` of the section that begins with it.
    """
    nodes = _outline(blocks)
    _name(nodes, document_id)
    for node in nodes:
        node.size = sum(len(block.shown) for block in node.blocks)
    _merge_small(nodes, options.min_size)
    sections: list[dict[str, Any]] = []
    for node in nodes:
        if not node.is_merged and (content := _gathered(node)):
            sections += _parts(node, content, url, options)
    for order, section in enumerate(sections, start=1):
        section["order"] = order
    return sections


def sections_of(
    blocks: Iterable[ContentBlock],
    comments: str,
    document_id: str,
    url: str,
    options: SectionOptions,
) -> list[dict[str, Any]]:
    """Build the sections of a document, and after them those of the comments, which are cut between
    comments by size alone.
    """
    own = build_sections(blocks, document_id, url, options)
    below = build_sections(paragraphs(comments), _digest(document_id, COMMENTS), url, options)
    for order, section in enumerate(below, start=len(own) + 1):
        section |= {"order": order, "part": COMMENTS}
    return own + below


def markdown_of(blocks: Iterable[ContentBlock]) -> str:
    """Join the Markdown of blocks; unindent those that begin within a definition."""
    parts: list[str] = []
    margin = ""
    for number, block in enumerate(blocks):
        shown = block.shown
        if number == 0:
            parts.append(block.lead)
            margin = shown[: len(shown) - len(shown.lstrip(" "))] if block.markdown else ""
        else:
            parts.append("\n" if block.tight else "\n\n")
        if margin and shown.startswith(margin):
            shown = shown.removeprefix(margin).replace(f"\n{margin}", "\n")
        else:
            margin = ""
        parts.append(shown)
    return "".join(parts)


def text_of(blocks: Iterable[ContentBlock]) -> str:
    """Join the text of blocks, as in a body."""
    return "\n".join(block.text for block in blocks if block.text)


def paragraphs(text: str) -> list[ContentBlock]:
    """Split plain text into paragraphs at empty lines."""
    return [ContentBlock(each) for each in _EMPTY_LINES.split(text) if each]


def _outline(blocks: Iterable[ContentBlock]) -> list[_Node]:
    """Return the headings in order, each below the nearest one of a lower level."""
    root = _Node()
    nodes = [root]
    above = [root]
    for block in blocks:
        if block.level and len(nodes) < MAX_SECTIONS:
            while above[-1].level >= block.level:
                above.pop()
            heading = " ".join(block.text.split())[:MAX_HEADING]
            anchor = block.anchor if len(block.anchor) <= MAX_ANCHOR else ""
            path = (*above[-1].path, heading)
            node = _Node(heading, block.level, anchor, path, above[-1], [block])
            above[-1].children.append(node)
            nodes.append(node)
            above.append(node)
        else:
            nodes[-1].blocks.append(block)
    return nodes


def _name(nodes: Sequence[_Node], document_id: str) -> None:
    """Set the id of each section: a hash of the document's id, the headings above it and its own.

    The first heading of level 1 is the page's own; its words do not count, so that a corrected
    title leaves the sections' ids unchanged. An anchor counts only if an author chose it. Of
    sections that are still equal, the first has the plain id, and the others have one that includes
    their text.
    """
    title = next((node for node in nodes if node.level == ROOT_LEVEL), None)
    below: set[int] = set()  # the title and the sections below it
    used: set[str] = set()
    repeats: Counter[str] = Counter()
    for node in nodes:
        if node is title or id(node.parent) in below:
            below.add(id(node))
        path = ("", *node.path[1:]) if id(node) in below else node.path
        plain = _digest(document_id, *path, *_chosen_anchor(node))
        node.id = plain
        if plain in used:
            node.id = _repeated(_digest(plain, text_of(node.blocks)), repeats)
        used.add(plain)


def _chosen_anchor(node: _Node) -> list[str]:
    """Return the anchor if it says more than the heading and is not a generated number."""
    anchor, heading = (_NOT_SLUG.sub("-", text.lower()) for text in (node.anchor, node.heading))
    is_number = any(map(str.isdecimal, anchor)) and heading not in anchor
    return [] if not anchor or anchor == heading or is_number else [f"#{node.anchor}"]


def _repeated(id_: str, repeats: Counter[str]) -> str:
    """Return an id as it is at first, then with the number of its repetition."""
    repeats[id_] += 1
    return id_ if repeats[id_] == 1 else _digest(id_, str(repeats[id_]))


def _digest(*parts: str) -> str:
    """Return 32 hexadecimal digits that represent some texts."""
    return sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _merge_small(nodes: Sequence[_Node], least: int) -> None:
    """Merge small sections, in order, into their parent or the small section before them.

    Those before the first larger sibling belong to the parent; those behind it form sections of
    their own, with the parent's heading path where they have several headings. The letters of an
    index are merged whatever their size, unless ``least`` is 0: a letter says nothing of its text.
    """
    for node in reversed(nodes):
        host: _Node | None = node
        letters = sum(len(child.heading) == 1 for child in node.children)
        is_index = least > 0 and letters >= MIN_LETTERS and letters * 2 > len(node.children)
        for child in node.children:
            is_letter = is_index and len(child.heading) == 1
            if child.is_parent or (child.size >= least and not is_letter):
                node.is_parent, host = True, None
            elif host is None:
                node.is_parent, host = True, child
            else:
                child.is_merged = True
                host.merged.append(child)
                host.size += child.size
                if host is not node:
                    host.path = node.path
                    host = host if is_letter or host.size < least else None


def _gathered(node: _Node) -> list[ContentBlock]:
    """Return the blocks of a section and of those that are merged into it, in order."""
    return [*node.blocks, *(block for each in node.merged for block in _gathered(each))]


def _parts(
    node: _Node, blocks: list[ContentBlock], url: str, options: SectionOptions
) -> Iterator[dict[str, Any]]:
    """Yield a section as one entry, or as several if it is too large.

    A later part has the anchor of its first block, else of the last merged heading before it.
    """
    repeats: Counter[str] = Counter()
    anchor, last = node.anchor, ""
    for number, part in enumerate(_split(blocks, options)):
        id_ = node.id
        if number:
            id_, anchor = _repeated(_digest(node.id, part[0].text), repeats), part[0].anchor or last
        yield _entry(node, id_, anchor, part, url)
        last = next((each.anchor for each in reversed(part[not number :]) if each.level), last)


def _entry(
    node: _Node, id_: str, anchor: str, blocks: Sequence[ContentBlock], url: str
) -> dict[str, Any]:
    """Return a section, or a part of one, as in the output."""
    parent = node.parent.id if node.parent is not None and node.parent.level else None
    entry = {
        "id": id_,
        "parent": parent,
        "order": 0,
        "level": node.level,
        "heading_path": list(node.path),
        "anchor": anchor,
        "url": _address(node, anchor, url),
        "page_number": blocks[0].page,
        "text": text_of(blocks),
        "markdown": markdown_of(blocks),
    }
    entry = {name: value for name, value in entry.items() if value or name in ("order", "text")}
    lasting = ("heading_path", "url", "text", "markdown")
    return {**entry, "hash": _digest(*(str(entry.get(name, "")) for name in lasting))}


def _address(node: _Node, anchor: str, url: str) -> str:
    """Return the URL of a section, with its own anchor, else the nearest one above it."""
    step: _Node | None = node
    while step is not None and not anchor:
        anchor, step = step.anchor, step.parent
    if not anchor or "#" in url:
        return url
    return with_fragment(url, anchor)


def _split(blocks: Sequence[ContentBlock], options: SectionOptions) -> Iterator[list[ContentBlock]]:
    """Split a section into parts within its size limit.

    The position of a cut depends on the hash of the block after it, so that an edit moves only the
    cuts next to it.
    """
    most = options.max_size
    if not most or sum([len(block.shown) for block in blocks]) <= most:  # true for most sections
        yield list(blocks)
        return
    small = [piece for block in blocks for piece in _pieces(block, most)]
    sizes = [len(piece.shown) for piece in small]
    rest = sum(sizes)
    start = 0
    while rest > most:
        end = _cut(small, sizes, start, most)
        yield small[start:end]
        rest -= sum(sizes[start:end])
        start = end
    if start < len(small):
        yield small[start:]


def _cut(blocks: Sequence[ContentBlock], sizes: Sequence[int], start: int, most: int) -> int:
    """Return the end of a part that begins at ``start``: before a heading if possible."""
    size, fitting, candidates = 0, start + 1, []
    for end in range(start + 1, len(blocks)):
        size += sizes[end - 1]
        if size > most:
            break
        fitting = end
        if size * 2 >= most:
            candidates.append(end)

    def preference(end: int) -> tuple[bool, bool, bool, str]:
        block, is_behind_heading = blocks[end], bool(blocks[end - 1].level)
        return is_behind_heading, not block.level, not block.anchor, _digest(block.text)

    return min(candidates, key=preference, default=fitting)


def _pieces(block: ContentBlock, most: int) -> Iterator[ContentBlock]:
    """Yield a block; split one that is larger than a part at its lines, else at its words."""
    size = len(block.shown)
    if size <= most:
        yield block
        return
    pieces = _cut_lines(block.shown, most)
    total, begun = sum(map(len, pieces)), 0
    text, taken = block.text, 0
    for number, markdown in enumerate(pieces):
        begun += len(markdown)
        end = len(text) if number == len(pieces) - 1 else _gap(text, taken, begun / total)
        first = number == 0
        yield replace(
            block,
            text=text[taken:end].strip("\n"),
            markdown=markdown,
            level=block.level if first else 0,
            tight=block.tight if first else False,
        )
        taken = end


def _gap(text: str, start: int, share: float) -> int:
    """Return the end of the line or word nearest to a share of a text."""
    at = max(start, int(len(text) * share))
    first, last = max(start, at - MAX_GAP), at + MAX_GAP + 1
    for gap in ("\n", " "):
        for found in (text.rfind(gap, first, at + 1), text.find(gap, at, last)):
            if found >= 0:
                return found + 1
    return at


def _cut_lines(markdown: str, most: int) -> list[str]:
    """Split Markdown into parts of whole lines; close and reopen a listing that is split."""
    parts: list[str] = []
    lines: list[str] = []
    size, opening, closing = 0, "", ""
    for line in _short_lines(markdown, most):
        length = len(line) + 1
        if lines and size + length > most:
            parts.append("\n".join([*lines, closing] if closing else lines))
            lines, size = ([opening], len(opening)) if opening else ([], 0)
        lines.append(line)
        size += length
        if closing and line == closing:
            opening = closing = ""
        elif not closing and (fence := FENCE.match(line)):
            opening, closing = line, fence[0]
    parts.append("\n".join(lines))
    return parts


def _short_lines(markdown: str, most: int) -> Iterator[str]:
    """Yield the lines of a text; split those that are too long between words."""
    for line in markdown.split("\n"):
        if len(line) <= most:
            yield line
            continue
        start, width = 0, max(1, len(line) * most // (len(line) + 1))
        while len(line) - start > width:
            space = line.rfind(" ", start + width // 2, start + width)
            end = space + 1 if space > 0 else start + width
            yield line[start:end].rstrip()
            start = end
        yield line[start:]
