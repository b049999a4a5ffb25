"""JSON-LD: the schema.org properties of a page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from types import MappingProxyType
from typing import Any

Thing = dict[str, Any]
PROPERTIES = frozenset(
    {
        *("@type", "headline", "name", "description", "abstract", "keywords", "inLanguage"),
        *("articleSection", "datePublished", "dateCreated", "dateModified", "author", "creator"),
        *("publisher", "isbn", "sku", "breadcrumb", "image", "thumbnailUrl", "uploadDate"),
    }
)
# Types that describe the page itself; others describe the site or its parts.
DESCRIBING = re.compile(
    r"(Article|Posting|Page|Product(?:Group|Model)?|Vehicle|Car|Recipe|Event|Book|Course|Movie"
    r"|Dataset|HowTo|Report|Review|JobPosting|CreativeWork|VideoObject|SoftwareSourceCode|SoftwareApplication|Person|Place)$"
)
# A question with an author is what a page of questions and answers is about, and no frequent one.
QUESTION = "Question"
_PERSON_OR_PLACE = re.compile(r"(Person|Place)$")
MAX_CHARACTERS = 200_000
MAX_NODES = 500
MAX_PARTS = 50  # values of one property
_ADDRESSES = frozenset({"image", "thumbnailUrl"})
_CONTROL = re.compile(r"[\x00-\x1f]")
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a pair, from an escape; cannot be encoded


def read_json_ld(values: Iterable[Any]) -> dict[str, tuple[str, ...]]:
    """The known properties of the objects that describe the page, each with its values.

    ``values`` are those of its scripts. Breadcrumbs become the names of their items, in order. References
    to another object by its ``@id`` (JSON-LD 1.1, 3.3) become that object's name.
    """
    things = [thing for value in values for thing in _things(value)]
    names = {thing.get("@id"): thing.get("name") for thing in things if _is_named(thing)}
    facts: dict[str, list[str]] = {}
    for thing in things:
        if "BreadcrumbList" in _types(thing):
            facts.setdefault("breadcrumb", []).extend(_breadcrumbs(thing))
    for thing in _describing(things):
        _collect(thing, names, facts)
    facts["WebSite"] = [name for thing in things for name in _site_names(thing)]
    return {name: tuple(dict.fromkeys(values)) for name, values in facts.items() if values}


def load(script: str) -> Any:
    """The JSON value in a script, None if it is too long; raises ValueError if it is invalid."""
    if len(script) > MAX_CHARACTERS:
        return None
    text = script.strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
    try:
        return json.loads(_CONTROL.sub(" ", text))
    except RecursionError:
        return None


def _things(value: Any) -> Iterator[Thing]:
    """The objects of a document and its graph, at most ``MAX_NODES``."""
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


def _site_names(thing: Thing) -> list[str]:
    """The names of the websites that a thing is or is part of."""
    sites = [thing, *_listed(thing.get("isPartOf"))[:MAX_PARTS]]
    return [
        name
        for site in sites
        if isinstance(site, dict) and "WebSite" in _types(site)
        for name in _texts(site.get("name"))[:1]
    ]


def _is_named(thing: Thing) -> bool:
    """Return True if other objects can refer to a thing by its name."""
    return isinstance(thing.get("@id"), str) and isinstance(thing.get("name"), str)


def _types(thing: Thing) -> list[str]:
    return _texts(thing.get("@type"))


def _describing(things: list[Thing]) -> list[Thing]:
    """The things that the page is or is about.

    People and places that a graph names besides the page, such as its author, are excluded.
    """
    found = [
        thing
        for thing in things
        if any(map(DESCRIBING.search, _types(thing)))
        or (QUESTION in _types(thing) and "author" in thing)
    ]
    subjects = {
        _identity(main)
        for thing in found
        for main in _listed(thing.get("mainEntity"))
        if isinstance(main, dict)
    }
    main = [
        thing
        for thing in found
        if not all(map(_PERSON_OR_PLACE.search, _types(thing)))
        or "mainEntityOfPage" in thing
        or _identity(thing) in subjects
    ]
    return main or found


def _identity(thing: Thing) -> str | int:
    """The ``@id`` of a thing, else the ``id()`` of the object."""
    name = thing.get("@id")
    return name if isinstance(name, str) else id(thing)


def _listed(value: Any) -> list[Any]:
    """A list as it is, any other value as the only item of a list."""
    return value if isinstance(value, list) else [value]


def _collect(thing: Thing, names: Mapping[Any, Any], facts: dict[str, list[str]]) -> None:
    """Add the properties of one object that describes the page."""
    for name in PROPERTIES & thing.keys():
        value = thing[name]
        is_trail = name == "breadcrumb" and isinstance(value, dict)
        if name in _ADDRESSES:
            texts = _addresses(value)
        else:
            texts = _breadcrumbs(value) if is_trail else _texts(value, names)
        facts.setdefault(name, []).extend(texts)


def _breadcrumbs(trail: Thing) -> list[str]:
    """The names of the items of a breadcrumb trail."""
    items = trail.get("itemListElement")
    named = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return [
        text
        for item in named
        for text in (_texts(item.get("name")) or _texts(item.get("item")))[:1]
    ]


def _addresses(value: Any) -> list[str]:
    """The addresses of images, given as strings or as objects."""
    found: list[str] = []
    for item in _listed(value)[:MAX_PARTS]:
        address = item
        if isinstance(item, dict):
            address = item.get("url") or item.get("contentUrl") or item.get("@id")
        found += _texts(address)[:1] if not isinstance(address, dict) else []
    return found


def _texts(value: Any, names: Mapping[Any, Any] = MappingProxyType({})) -> list[str]:
    """A value as texts: a scalar itself, the items of a list, or the name of an object."""
    return [text for item in _listed(value)[:MAX_PARTS] for text in _texts_of_one(item, names)]


def decoded(text: str) -> str:
    """A text with its doubly escaped character references decoded."""
    return unescape(text) if "&" in text else text


def _texts_of_one(value: Any, names: Mapping[Any, Any]) -> list[str]:
    if isinstance(value, dict):
        name = value.get("@id")
        known = names.get(name) if isinstance(name, str) else None
        value = value.get("name") or value.get("@value") or known
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return []
    text = _SURROGATE.sub("\ufffd", " ".join(decoded(str(value)).split()))
    return [text] if text else []
