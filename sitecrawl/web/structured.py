"""JSON-LD: the facts of a page in schema.org's words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

PROPERTIES = frozenset(
    {
        *("@type", "headline", "name", "description", "abstract", "keywords", "inLanguage"),
        *("articleSection", "datePublished", "dateCreated", "dateModified", "author", "creator"),
        *("publisher", "isbn", "sku", "breadcrumb"),
    }
)
# A page's own description stands in one of these; others describe the site or its parts.
_PAGES = re.compile(
    r"(Article|Posting|Page|Product|Recipe|Event|Book|Course|Movie|Dataset|HowTo|Report|Review"
    r"|JobPosting|CreativeWork|VideoObject|SoftwareSourceCode|SoftwareApplication|Person|Place)$"
)
MAX_CHARACTERS = 200_000
MAX_NODES = 500
_CONTROL = re.compile(r"[\x00-\x1f]")
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a pair, from an escape; no encoding has it


def read_json_ld(scripts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The known properties of the objects that describe the page, each with its values.

    Malformed JSON tells nothing. Breadcrumbs become the names of their items, in order.
    """
    facts: dict[str, list[str]] = {}
    for script in scripts:
        for thing in _things(_load(script)):
            _collect(thing, facts)
    return {name: tuple(dict.fromkeys(values)) for name, values in facts.items()}


def _load(script: str) -> Any:
    """The value in a script, None where it is none."""
    if len(script) > MAX_CHARACTERS:
        return None
    text = script.strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
    try:
        return json.loads(_CONTROL.sub(" ", text))
    except (ValueError, RecursionError):
        return None


def _things(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a document, those of its graph included, a bounded number."""
    waiting = [value]
    for _ in range(MAX_NODES):
        if not waiting:
            return
        current = waiting.pop(0)
        if isinstance(current, list):
            waiting[:0] = current[:MAX_NODES]
        elif isinstance(current, dict):
            yield current
            waiting[:0] = [
                part for part in (current.get("@graph"), current.get("mainEntity")) if part
            ]


def _collect(thing: dict[str, Any], facts: dict[str, list[str]]) -> None:
    """Add the properties of one object that describes the page."""
    types = [name for name in _texts(thing.get("@type")) if name]
    if "BreadcrumbList" in types:
        facts.setdefault("breadcrumb", []).extend(_breadcrumbs(thing))
    if not any(_PAGES.search(name) for name in types):
        return
    for name in PROPERTIES & thing.keys():
        value = thing[name]
        is_trail = name == "breadcrumb" and isinstance(value, dict)
        texts = _breadcrumbs(value) if is_trail else _texts(value)
        facts.setdefault(name, []).extend(texts)


def _breadcrumbs(trail: dict[str, Any]) -> list[str]:
    """The names of a trail's items."""
    items = trail.get("itemListElement")
    named = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return [
        text
        for item in named
        for text in (_texts(item.get("name")) or _texts(item.get("item")))[:1]
    ]


def _texts(value: Any) -> list[str]:
    """A value as texts: itself, the items of a list, or the name of an object."""
    if isinstance(value, list):
        return [text for item in value[:50] for text in _texts_of_one(item)]
    return _texts_of_one(value)


def _texts_of_one(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return []
    text = _SURROGATE.sub("\ufffd", " ".join(str(value).split()))
    return [text] if text else []
