"""Sections as separate documents: their fields, their hashes, and their order on the page."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from sitecrawl.policy.documents.fields import VOLATILE, WHOLE
from sitecrawl.policy.documents.output_shapes import serialized
from sitecrawl.policy.documents.sections import (
    SectionOptions,
    build_sections,
    paragraphs,
    with_comments,
)

GAP = 2**20  # between the order numbers of sections that were written together
_RENAMED = {"text": "body", "hash": "content_hash"}
_CONTENT = frozenset({"body", "markdown"})  # volatile in a page, whose own hash covers them


@dataclass(frozen=True, slots=True)
class SectionDocument:
    """A section as written: its fields besides the envelope, and a hash of the lasting ones."""

    id: str
    hash: str
    content: dict[str, Any]


def section_documents(document: Mapping[str, Any]) -> list[SectionDocument]:
    """Return the sections of a stored document, at least one; without their order.

    A document that was read before its crawl was split, or whose sections a project's pipelines
    have removed, is built from its body.
    """
    sections = document.get("sections")
    if not sections:
        body = paragraphs(document.get("body", ""))
        url = document.get("url", "")
        sections = build_sections(body, document["id"], url, SectionOptions(0, 0))
        comments = document.get("comments", "")
        sections = with_comments(sections, comments, document["id"], url, SectionOptions(0, 0))
    common = {name: value for name, value in document.items() if name not in WHOLE}
    common.pop("body", None)
    common.pop("markdown", None)
    found = [_section_document(common, section) for section in sections or [{"id": document["id"]}]]
    return list({each.id: each for each in found}.values())


def _section_document(common: Mapping[str, Any], section: Mapping[str, Any]) -> SectionDocument:
    own = {_RENAMED.get(name, name): value for name, value in section.items() if name != "order"}
    own = {name: value for name, value in own.items() if value not in ("", [])}
    content = {**common, **own, "page_id": common["id"]}
    lasting = {
        name: content[name] for name in sorted(content) if name not in VOLATILE or name in _CONTENT
    }
    digest = blake2b(serialized(lasting), digest_size=16).hexdigest()
    return SectionDocument(str(content["id"]), digest, content)


def orders(before: Mapping[str, int], ids: Sequence[str]) -> dict[str, int]:
    """Return sort numbers for the sections of a page; keep as many existing ones as possible.

    New ones lie between those of their neighbours. If two have no number left between them, all are
    renumbered.
    """
    kept = _longest_rising([(each, before[each]) for each in ids if each in before])
    found: dict[str, int] = {}
    last, waiting = 0, list[str]()
    for each in ids:
        if each not in kept:
            waiting.append(each)
            continue
        step = (before[each] - last) // (len(waiting) + 1)
        if not step:
            return {name: GAP * number for number, name in enumerate(ids, start=1)}
        found |= {name: last + step * number for number, name in enumerate(waiting, start=1)}
        found[each] = last = before[each]
        waiting.clear()
    found |= {name: last + GAP * number for number, name in enumerate(waiting, start=1)}
    return found


def _longest_rising(numbered: Sequence[tuple[str, int]]) -> set[str]:
    """Return the names of the longest subsequence whose numbers increase."""
    ends: list[int] = []  # smallest last number of an increasing subsequence of each length
    places: list[int] = []
    previous: list[int] = []
    for place, (_, number) in enumerate(numbered):
        length = bisect_left(ends, number)
        previous.append(places[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        places[length : length + 1] = [place]
    found: set[str] = set()
    step = places[-1] if places else -1
    while step >= 0:
        found.add(numbered[step][0])
        step = previous[step]
    return found
