"""Names of a page and its parts: title, headings, definitions, file name; compared without case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sitecrawl.search.analysis import PART, name_key

MAX_NAMES = 2000  # of the headings of a page, and of its definitions
TITLE_PARTS = re.compile(r"\s+[—–|·»-]\s+|\s::\s")
EXTENSION = re.compile(r"\.\w+$")
NAME = re.compile(r"\w[\w.]*")


class Name(NamedTuple):
    """A name as it is compared, and the anchor that it leads to."""

    key: str
    anchor: str


def page_names(url: str, content: Mapping[str, Any]) -> set[Name]:
    """Return the names of a page; the parts of its title and its file's name count as titles."""
    title = str(content.get("title") or "")
    stem = unquote(urlsplit(url).path).rstrip("/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    found = {Name(name_key(part), "") for part in [title, stem, *TITLE_PARTS.split(title)]}
    for each in entries(content, "headings"):
        key = name_key(str(each.get("text") or ""))
        found.add(Name(key, str(each.get("anchor") or "")))
    for each in entries(content, "definitions"):
        term, anchor = str(each.get("term") or ""), str(each.get("anchor") or "")
        keys = qualified_names(term, anchor) or [name_key(term)]
        found.update(Name(key, anchor) for key in keys)
    return {name for name in found if name.key}


def url_words(url: str) -> list[str]:
    """Return the words of a URL's path, without its file's extension."""
    path = unquote(urlsplit(url).path)
    return PART.findall(EXTENSION.sub("", path))


def qualified_names(term: str, anchor: str) -> list[str]:
    """Return the name that an anchor spells out, and its last parts; none if it is only an id.

    ``class Parser(file)`` with the anchor ``lib.config.Parser`` is also ``config.Parser``.
    """
    whole = anchor.lower()
    words = NAME.findall(term.lower())
    if not any(whole == word or whole.endswith(f".{word}") for word in words):
        return []
    parts = whole.split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]


@lru_cache(maxsize=8)
def language_part(languages: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of a part of a URL that names one of the languages: ``de``, ``pt-BR``.

    URLs that are equal without it are translations of one page.
    """
    names = "|".join(map(re.escape, sorted(languages)))
    return re.compile(
        rf"(?<=[/.])({names})(?:[-_][a-z]{{2,4}})?(?=[/.]|$)", re.IGNORECASE | re.ASCII
    )


def entries(content: Mapping[str, Any], field: str) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of a list field, of which a project's pipeline may have made anything."""
    listed = content.get(field)
    for each in (listed if isinstance(listed, list) else [])[:MAX_NAMES]:
        if isinstance(each, Mapping):
            yield each
