"""Sections as separate documents: their fields, hashes and order, and ids that outlive a renamed heading."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any

from sitecrawl.policy.documents.fields import VOLATILE, WHOLE
from sitecrawl.policy.documents.output_shapes import serialized
from sitecrawl.policy.documents.sections import (
    SectionOptions,
    paragraphs,
    sections_of,
)

GAP = 2**20  # between the order numbers of sections that were written together
_RENAMED = {"text": "body", "hash": "content_hash"}
_CONTENT = frozenset({"body", "markdown"})  # volatile in a page, whose own hash covers them
Section = Mapping[str, Any]


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
        body, comments, url = (document.get(name, "") for name in ("body", "comments", "url"))
        bounds = SectionOptions(0, 0)
        sections = sections_of(paragraphs(body), comments, document["id"], url, bounds)
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


def with_lasting_ids(
    before: Mapping[str, Any] | None, document: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a document whose sections have the ids of those that they succeed in ``before``.

    A section that has no namesake there succeeds one whose name is gone, if both stand between the
    same neighbours and have one text below their headings, or are as many there.
    """
    old, new = (before or {}).get("sections", ()), document.get("sections", ())
    kept = dict(_successions(old, new))
    if not kept:
        return dict(document)
    return {**document, "sections": [_renamed(section, kept) for section in new]}


def _renamed(section: Section, kept: Mapping[str, str]) -> dict[str, Any]:
    """Return a section with its own id and that of its parent replaced."""
    ids = {
        name: kept.get(section[name], section[name]) for name in ("id", "parent") if name in section
    }
    return {**section, **ids}


def _successions(old: Sequence[Section], new: Sequence[Section]) -> Iterator[tuple[str, str]]:
    """Yield the id of each section that has a predecessor, and the id of that."""
    places = {section["id"]: place for place, section in enumerate(old)}
    names = {section["id"] for section in new}
    shared = [(places[each["id"]], at) for at, each in enumerate(new) if each["id"] in places]
    for (start, first), (end, last) in pairwise([(-1, -1), *shared, (len(old), len(new))]):
        gone = [each for each in old[start + 1 : end] if each["id"] not in names]
        yield from _matched(gone, new[first + 1 : last])


def _matched(gone: Sequence[Section], added: Sequence[Section]) -> Iterator[tuple[str, str]]:
    """Match sections by their texts, else by their order if they are equally many."""
    texts = {text: each["id"] for each in gone if (text := _below(each))}
    found = {each["id"]: texts.pop(text) for each in added if (text := _below(each)) in texts}
    taken = set(found.values())
    rest = [each["id"] for each in gone if each["id"] not in taken]
    others = [each["id"] for each in added if each["id"] not in found]
    yield from found.items()
    if len(rest) == len(others):
        yield from zip(others, rest, strict=True)


def _below(section: Section) -> str:
    return str(section.get("text", "")).partition("\n")[2]
