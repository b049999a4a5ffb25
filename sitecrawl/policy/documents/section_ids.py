"""Ids of sections that outlive a renamed heading: those of the page's last version are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

Section = Mapping[str, Any]


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
    texts = _by_text(gone)
    found = {each["id"]: texts.pop(text) for each in added if (text := _below(each)) in texts}
    taken = set(found.values())
    rest = [each["id"] for each in gone if each["id"] not in taken]
    others = [each["id"] for each in added if each["id"] not in found]
    yield from found.items()
    if len(rest) == len(others):
        yield from zip(others, rest, strict=True)


def _by_text(sections: Iterable[Section]) -> dict[str, str]:
    """Return the ids of sections by the text below their headings, where there is any."""
    return {text: each["id"] for each in sections if (text := _below(each))}


def _below(section: Section) -> str:
    return str(section.get("text", "")).partition("\n")[2]
