"""Sections of pages as targets index them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from typing import Any

from sitecrawl.policy.documents.sections import SectionOptions, sections_of
from sitecrawl.web.content_blocks import ContentBlock

HASH_DIGITS = 32


@dataclass(frozen=True)
class PageSection:
    """A section as stored by a target; ``url`` leads to its heading if that has an anchor.

    ``headings`` are its own and those above it, or the page's title if there are none.
    """

    id: str
    url: str
    headings: tuple[str, ...]
    text: str
    markdown: str

    @cached_property
    def embedded_text(self) -> str:
        """Text that represents the section: the headings above it, then its own Markdown."""
        return "\n\n".join(filter(None, (" › ".join(self.headings), self.markdown or self.text)))

    @cached_property
    def hash(self) -> str:
        """Hash of the text that represents the section."""
        return sha256(self.embedded_text.encode("utf-8", "replace")).hexdigest()[:HASH_DIGITS]


def page_sections(record: Mapping[str, Any]) -> list[PageSection]:
    """Return the sections of a document, or the one that a line of ``split=sections`` is."""
    url, id_ = str(record.get("url") or ""), str(record["id"])
    title = str(record.get("title") or "")
    if record.get("page_id"):
        return [_section({**record, "text": record.get("body")}, url, title)]
    found = record.get("sections")
    if not isinstance(found, list) or not found:
        comments = str(record.get("comments") or "")
        found = sections_of(content_blocks(record), comments, id_, url, SectionOptions())
    sections = {each["id"]: _section(each, url, title) for each in found}
    return [section for section in sections.values() if section.text or section.markdown]


def content_blocks(record: Mapping[str, Any]) -> Iterator[ContentBlock]:
    """Yield the blocks of a body: its headings, each a line of its own, and what is between them.

    A heading that is not found in the body, in order, is left out.
    """
    lines = [line for line in str(record.get("body") or "").split("\n") if line]
    known = record.get("headings")
    listed = known if isinstance(known, list) else []  # a project's pipeline may give it any type
    headings = _headings_by_line(lines, [each for each in listed if isinstance(each, dict)])
    for at, group in groupby(range(len(lines)), key=lambda at: at if at in headings else -1):
        text = "\n".join(lines[number] for number in group)
        heading = headings.get(at, {})
        level = heading.get("level") or 0
        yield ContentBlock(
            text,
            f"{'#' * level} {text}" if level else "",
            level=level,
            anchor=str(heading.get("anchor") or ""),
        )


def _headings_by_line(
    lines: Sequence[str], headings: Iterable[Mapping[str, Any]]
) -> dict[int, Mapping[str, Any]]:
    found: dict[int, Mapping[str, Any]] = {}
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        places.setdefault(line, []).append(number)
    following = 0
    for heading in headings:
        same = places.get(str(heading.get("text")), [])
        index = bisect_left(same, following)
        if index < len(same):
            found[same[index]] = heading
            following = same[index] + 1
    return found


def _section(entry: Mapping[str, Any], url: str, title: str) -> PageSection:
    headings = entry.get("heading_path") or filter(None, [title])
    return PageSection(
        id=str(entry["id"]),
        url=str(entry.get("url") or url),
        headings=tuple(map(str, headings)),
        text=str(entry.get("text") or ""),
        markdown=str(entry.get("markdown") or ""),
    )
