"""Furniture: lines that many pages of a template share, such as menus and footers.

It is learned by counting. All functions are pure functions of the keys of lines. A bounded sample
of pages is counted for the origin and for each of its URL templates; the crawl database stores it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, NamedTuple
from zlib import crc32

from sitecrawl.policy.documents.field_values import reading_minutes, word_count
from sitecrawl.policy.documents.sections import without_lines
from sitecrawl.policy.documents.site_names import edge_mark, title_edges, without_edges
from sitecrawl.policy.documents.text_fields import ELLIPSIS, cut_at_word
from sitecrawl.policy.urls.templates import url_template

SAMPLED_PAGES = 64
"""Pages of a template whose lines are kept; more would hardly improve the shares of lines."""
MIN_PAGES = 12
"""Pages from which shares count: on a smaller site, three pages on one subject are many."""
MIN_SHARE, KEPT_SHARE = 0.5, 0.25
"""Shares of the pages: a line above the first becomes furniture, below the second it ceases to.

The two differ so that a line near the first does not come and go.
"""
MIN_RUN = 3
"""Minimum consecutive lines to remove in the middle of a text; at either end one is enough."""
MAX_LINES = 2_000
"""Maximum different lines counted per page: half from its beginning, half from its end."""
MAX_FURNITURE = 4_000
"""Maximum lines of a template that are removed."""
MAX_TEMPLATES = 50
"""Templates per origin; pages of further ones are compared with the whole origin."""
MAX_NAME = 200
"""Maximum characters of a template's name."""
STRIPPED_TYPES = frozenset({"text/html", "application/xhtml+xml"})
"""Media types of pages that have furniture."""
ORIGIN = ""
"""Name under which the pages of a whole origin are counted."""


class Names(NamedTuple):
    """The samples that a page belongs to."""

    origin: str
    template: str


def names_of(url: str) -> Names:
    """Return the samples that the page of a URL belongs to: its origin's, and its template's."""
    return Names(ORIGIN, str(url_template(url))[:MAX_NAME])


def encoded_lines(text: str) -> list[bytes]:
    """Return the lines of a text in UTF-8, the form for comparison."""
    return text.encode("utf-8", "surrogatepass").split(b"\n")


def line_key(line: bytes) -> int:
    """Return the key of a line: 63 bits, hardly ever equal for different lines."""
    return len(line) << 32 | crc32(line)


def mark_key(mark: str) -> int:
    """Return the key of a pseudo-line."""
    return line_key(mark.encode("utf-8", "surrogatepass"))


def page_keys(lines: list[bytes], marks: Iterable[str] = ()) -> tuple[int, ...]:
    """Return the keys of the different lines of a page in ascending order, and of its marks."""
    if len(lines) > MAX_LINES:
        lines = [*lines[: MAX_LINES // 2], *lines[-MAX_LINES // 2 :]]
    return tuple(sorted({*map(line_key, lines), *map(mark_key, marks)}))


def learn(pages: Collection[Iterable[int]], known: frozenset[int]) -> frozenset[int]:
    """Return the furniture in a sample of pages; ``known`` is the furniture so far."""
    if len(pages) < MIN_PAGES:
        return known
    counts: Counter[int] = Counter()
    for keys in pages:
        counts.update(keys)
    enough, still = len(pages) * MIN_SHARE, len(pages) * KEPT_SHARE
    found = [
        (count, key) for key, count in counts.items() if count > (still if key in known else enough)
    ]
    if len(found) > MAX_FURNITURE:
        found = sorted(found, reverse=True)[:MAX_FURNITURE]
    return frozenset(key for _, key in found)


class KnownLines(NamedTuple):
    """The furniture that a page is compared with: keys of lines, and the sizes in them."""

    keys: frozenset[int]
    sizes: frozenset[int]


def known_lines(*furniture: frozenset[int]) -> KnownLines:
    """Return the furniture of several samples in the form for comparison."""
    keys = frozenset[int]().union(*furniture)
    return KnownLines(keys, frozenset(key >> 32 for key in keys))


def kept_lines(lines: list[bytes], known: KnownLines) -> bytearray | None:
    """Return one byte per line, 0 if it is furniture to remove; None if all lines are kept.

    A text that consists of furniture alone keeps it. Sizes are compared first: most lines of most
    pages are not furniture, and a checksum takes longer.
    """
    found = bytearray(map(known.sizes.__contains__, map(len, lines)))
    last = len(found)
    kept = bytearray(b"\1" * last)
    start = found.find(1)
    while start >= 0:
        end = start
        while end < last and found[end] and line_key(lines[end]) in known.keys:
            end += 1
        if not start or end == last or end - start >= MIN_RUN:
            kept[start:end] = bytes(end - start)
        start = found.find(1, max(end, start + 1))
    return kept if 0 in kept and 1 in kept else None


@dataclass(frozen=True, slots=True)
class OriginFurniture:
    """Furniture of an origin, and the pages it was learned from, by the name of each sample.

    ``version`` grows with each change of the furniture; ``versions`` are those of the last change
    of each sample.
    """

    version: int = 0
    lines: dict[str, frozenset[int]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    pages: dict[str, frozenset[int]] = field(default_factory=dict)
    _compared: dict[tuple[str, ...], KnownLines] = field(default_factory=dict, compare=False)

    def kept(
        self, lines: list[bytes], names: Names, own: Callable[[], Collection[str]] = tuple
    ) -> bytearray | None:
        """Return one byte per line, 0 for furniture of the page's template or origin; None if none.

        The last occurrence of each line in ``own``, which a menu may contain too, is kept.
        """
        known = tuple(name for name in names if self.lines.get(name))
        if not known:
            return None
        if known not in self._compared:
            self._compared[known] = known_lines(*(self.lines[name] for name in known))
        kept = kept_lines(lines, self._compared[known])
        headings = own() if kept is not None else ()
        if kept is not None and headings:
            wanted = {text.encode("utf-8", "surrogatepass") for text in headings}
            last = {line: number for number, line in enumerate(lines) if line in wanted}
            for number in last.values():
                kept[number] = 1
        return kept

    def shared_edges(self, title: str) -> tuple[str, ...]:
        """Return the edges of a title that many titles of the origin share: the site's name."""
        known = self.lines.get(ORIGIN)
        if not known:
            return ()
        return tuple(edge for edge in title_edges(title) if mark_key(edge_mark(edge)) in known)

    def changed_since(self, version: int, names: Names) -> bool:
        """Return True if the furniture of a page has changed since a version."""
        return any(self.versions.get(name, 0) > version for name in names)

    def samples(self, fingerprint: int, names: Names) -> list[str]:
        """Return the samples that have room for a page, or had it before."""
        wanted = []
        for name in names:
            pages = self.pages.get(name, frozenset())
            is_new = name not in self.pages and len(self.pages) > MAX_TEMPLATES
            if fingerprint in pages or (len(pages) < SAMPLED_PAGES and not is_new):
                wanted.append(name)
        return wanted


def own_headings(texts: Iterable[str], title: str) -> frozenset[str]:
    """Return the headings that occur in the title of their page, and thus are its own."""
    folded = title.casefold()
    return frozenset(text for text in texts if text.casefold() in folded)


def stripped_document(
    document: dict[str, Any], furniture: OriginFurniture, names: Names
) -> tuple[dict[str, Any], list[str]] | None:
    """Return a stored document without furniture, and the removed lines; None if it has none."""
    body = document.get("body")
    if not isinstance(body, str) or document.get("content_type") not in STRIPPED_TYPES:
        return None
    document, has_name = _without_site_name(document, furniture)
    lines = body.split("\n")
    headings = document.get("headings")
    texts = [each["text"] for each in headings] if isinstance(headings, list) else []
    title = str(document.get("title", ""))
    kept = furniture.kept(encoded_lines(body), names, lambda: own_headings(texts, title))
    if kept is None:
        return (document, []) if has_name else None
    stripped = {**document, "body": "\n".join(compress(lines, kept))}
    if "word_count" in document:
        words = word_count(stripped["body"], document.get("language", ""))
        stripped["word_count"] = words
        stripped["reading_minutes"] = reading_minutes(words, document.get("language", ""))
    gone = [line for line, keep in zip(lines, kept, strict=True) if not keep]
    if document.get("description_source") in {"heading", "top"}:
        stripped["description"] = _without(str(document.get("description", "")), lines, kept)
    for name in ("headings", "pieces"):
        if isinstance(document.get(name), list):
            stripped[name] = [each for each in document[name] if not is_gone(each, gone)]
    stripped = without_lines(stripped, lines, kept)
    return {name: value for name, value in stripped.items() if value != []}, gone


def _without_site_name(
    document: dict[str, Any], furniture: OriginFurniture
) -> tuple[dict[str, Any], bool]:
    """Remove edges shared by the origin's titles from the title; return True if it had any."""
    title = document.get("title")
    if not isinstance(title, str):
        return document, False
    own = without_edges(title, furniture.shared_edges(title))
    return ({**document, "title": own}, True) if own != title else (document, False)


def _without(description: str, lines: Sequence[str], kept: bytearray) -> str:
    """Return a description that is part of the text, without furniture."""
    whole = description.removesuffix(ELLIPSIS)
    for start, line in enumerate(lines):
        if line and whole.startswith(line[: len(whole)]):
            rest = " ".join(compress(lines[start:], kept[start:]))
            return cut_at_word(rest, len(description)) if whole != description else rest
    return description


def is_gone(entry: Any, gone: Collection[str]) -> bool:
    """Return True for a heading or piece whose line was removed; level 1 headings stay."""
    return isinstance(entry, Mapping) and entry.get("level") != 1 and entry.get("text") in gone


UNKNOWN = OriginFurniture()
