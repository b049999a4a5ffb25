"""Lines that many pages of a template share: menus, footers and the like, learned by counting.

Pure functions of the keys of lines. What is counted is a bounded sample of pages, for the origin and
for each of its URL templates; the crawl database keeps it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, groupby
from typing import Any, NamedTuple
from zlib import crc32

from sitecrawl.policy.documents.field_values import reading_minutes, word_count
from sitecrawl.policy.documents.sections import without_lines
from sitecrawl.policy.documents.site_names import edge_mark, title_edges, without_edges
from sitecrawl.policy.documents.text_fields import ELLIPSIS, cut_at_word
from sitecrawl.policy.urls.templates import url_template

SAMPLED_PAGES = 64
"""Pages of a template whose lines are kept: of more, the share of a line is known no better."""
MIN_PAGES = 12
"""Pages from which shares count: on a smaller site three pages on one subject are many."""
MIN_SHARE, KEPT_SHARE = 0.5, 0.25
"""Share of the pages from which a line is furniture, and below which it is one no longer.

The two are apart so that a line near the first does not come and go.
"""
MIN_RUN = 3
"""Lines in a row that are left out in the middle of a text; at either end one is enough."""
MAX_LINES = 2_000
"""Different lines of a page that are counted: half of the first ones, half of the last."""
MAX_FURNITURE = 4_000
"""Lines of a template that are left out."""
MAX_TEMPLATES = 50
"""Templates of an origin; pages of further ones are compared with those of the whole origin."""
MAX_NAME = 200
"""Characters of a template's name that count."""
STRIPPED_TYPES = frozenset({"text/html", "application/xhtml+xml"})
"""Media types of pages that have furniture."""
TEXT_SOURCES = frozenset({"heading", "top", "summary"})
"""Sources of a description that are the page's own text."""
ORIGIN = ""
"""The name under which the pages of a whole origin are counted."""


class Names(NamedTuple):
    """The samples that a page belongs to."""

    origin: str
    template: str


def names_of(url: str) -> Names:
    """The samples that the page of a URL belongs to: its origin's, and its template's."""
    return Names(ORIGIN, str(url_template(url))[:MAX_NAME])


def line_keys(lines: Sequence[str]) -> list[int]:
    """The keys of lines: two that differ share one hardly ever, and each fits into 63 bits."""
    encoded = "\n".join(lines).encode("utf-8", "surrogatepass")
    return [len(line) << 32 | crc32(line) for line in encoded.split(b"\n")]


def line_key(line: str) -> int:
    """The key of one line."""
    return line_keys([line])[0]


def page_keys(lines: Sequence[str]) -> tuple[int, ...]:
    """The keys of the different lines of a page, in order."""
    if len(lines) > MAX_LINES:
        lines = [*lines[: MAX_LINES // 2], *lines[-MAX_LINES // 2 :]]
    return tuple(sorted(set(line_keys(lines))))


def learn(pages: Collection[Iterable[int]], known: frozenset[int]) -> frozenset[int]:
    """The furniture by a sample of pages, where ``known`` was the furniture so far."""
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


def kept_lines(lines: Sequence[str], *furniture: frozenset[int]) -> bytearray | None:
    """The lines of a text that are none of its furniture, one byte each; None for all of them.

    A text of nothing but furniture keeps it.
    """
    known = frozenset[int]().union(*furniture)
    kept = bytearray([key not in known for key in line_keys(lines)])
    if 0 not in kept or 1 not in kept:
        return None
    start, last = 0, len(kept)
    for keep, run in groupby(kept):
        end = start + sum(1 for _ in run)
        if not keep and start and end < last and end - start < MIN_RUN:
            kept[start:end] = b"\1" * (end - start)
        start = end
    return kept if 0 in kept else None


@dataclass(frozen=True, slots=True)
class OriginFurniture:
    """Furniture of an origin, and the pages it is known from, by the name of each sample.

    ``version`` grows with each change of the furniture; ``versions`` are those of the last
    change of each sample.
    """

    version: int = 0
    lines: dict[str, frozenset[int]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    pages: dict[str, frozenset[int]] = field(default_factory=dict)

    def kept(
        self, lines: Sequence[str], names: Names, own: Collection[str] = ()
    ) -> bytearray | None:
        """The lines of a page that are none of the furniture of its template or its origin.

        Of the lines in ``own``, which a menu may name too, the last one of each stays.
        """
        known = [self.lines[name] for name in names if self.lines.get(name)]
        kept = kept_lines(lines, *known) if known else None
        if kept is not None and own:
            last = {line: number for number, line in enumerate(lines) if line in own}
            for number in last.values():
                kept[number] = 1
        return kept

    def shared_edges(self, title: str) -> tuple[str, ...]:
        """The parts of a title that many titles of the origin have at an end: the site's name."""
        known = self.lines.get(ORIGIN, frozenset())
        return tuple(edge for edge in title_edges(title) if line_key(edge_mark(edge)) in known)

    def changed_since(self, version: int, names: Names) -> bool:
        """Tell whether the furniture of a page has changed since a version."""
        return any(self.versions.get(name, 0) > version for name in names)

    def samples(self, fingerprint: int, names: Names) -> list[str]:
        """The samples that have room for a page, or had it before."""
        wanted = []
        for name in names:
            pages = self.pages.get(name, frozenset())
            is_new = name not in self.pages and len(self.pages) > MAX_TEMPLATES
            if fingerprint in pages or (len(pages) < SAMPLED_PAGES and not is_new):
                wanted.append(name)
        return wanted


def own_headings(texts: Iterable[str], title: str) -> frozenset[str]:
    """The headings that the title of their page names: the page's own, wherever else they stand."""
    folded = title.casefold()
    return frozenset(text for text in texts if text.casefold() in folded)


def stripped_document(
    document: dict[str, Any], furniture: OriginFurniture, names: Names
) -> tuple[dict[str, Any], list[str]] | None:
    """A stored document without furniture, and the lines that are left out; None where it has none."""
    body = document.get("body")
    if not isinstance(body, str) or document.get("content_type") not in STRIPPED_TYPES:
        return None
    document, has_name = _without_site_name(document, furniture)
    lines = body.split("\n")
    headings = document.get("headings")
    texts = [each["text"] for each in headings] if isinstance(headings, list) else []
    kept = furniture.kept(lines, names, own_headings(texts, str(document.get("title", ""))))
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
    """A stored document whose title has no part that the origin's titles share; tell if it had."""
    title = document.get("title")
    if not isinstance(title, str):
        return document, False
    own = without_edges(title, furniture.shared_edges(title))
    return ({**document, "title": own}, True) if own != title else (document, False)


def _without(description: str, lines: Sequence[str], kept: bytearray) -> str:
    """A description that is a part of the text, without furniture."""
    whole = description.removesuffix(ELLIPSIS)
    for start, line in enumerate(lines):
        if line and whole.startswith(line[: len(whole)]):
            rest = " ".join(compress(lines[start:], kept[start:]))
            return cut_at_word(rest, len(description)) if whole != description else rest
    return description


def is_gone(entry: Any, gone: Collection[str]) -> bool:
    """Tell a heading or piece that was left out with its line; first headings stay."""
    return isinstance(entry, Mapping) and entry.get("level") != 1 and entry.get("text") in gone


UNKNOWN = OriginFurniture()
