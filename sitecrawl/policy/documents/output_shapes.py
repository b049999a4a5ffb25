"""Documents as JSON: the lines of the output, and what is stored and compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticSerializationError, to_json

from sitecrawl.policy.documents.fields import rename

if TYPE_CHECKING:
    from sitecrawl.policy.documents.document_options import DocumentOptions


def serialized(fields: Mapping[str, Any]) -> bytes:
    """Compact JSON in UTF-8, keys in their order; what JSON does not know is written as text.

    Half a surrogate pair, as pages have in their structured data, becomes U+FFFD.
    """
    try:
        return to_json(fields, fallback=str)
    except PydanticSerializationError:
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


MINIMAL = frozenset(
    {
        *("op", "id", "seq", "url", "title", "body", "description", "language"),
        *("last_crawled_at", "reason", "moved_to"),
    }
)


def full(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every field as the contract has it."""
    return record


def minimal(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a search needs at least, and what a deletion does."""
    return {name: value for name, value in record.items() if name in MINIMAL}


def elastic(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that Elastic's Open Crawler writes too have its types; the others stay.

    Its headings and links are texts, its keywords one text, and its directories are the
    parts of the path, a file's name included. What a project's pipelines have given another
    type is left as it is.
    """
    shaped = dict(record)
    for name, part in (("headings", "text"), ("links", "url")):
        if isinstance(record.get(name), list | tuple):
            shaped[name] = [_part(entry, part) for entry in record[name]]
    keywords = record.get("meta_keywords", ())
    if isinstance(keywords, list | tuple) and keywords:
        shaped["meta_keywords"] = ", ".join(map(str, keywords))
    parts = str(record.get("url_path", "")).split("/")[1:4]
    return shaped | {f"url_path_dir{n}": part for n, part in enumerate(parts, 1) if part}


def _part(entry: Any, name: str) -> Any:
    """One value of an entry in a list."""
    return entry.get(name, entry) if isinstance(entry, Mapping) else entry


def field_names(names: Iterable[str], options: DocumentOptions) -> tuple[str, ...]:
    """The names that a record's fields can have as ``written``, with those of extra fields."""
    every = dict.fromkeys((*names, *(name for name, _ in options.extra_fields)))
    kept = minimal(every) if options.preset == "minimal" else every
    return tuple(rename(kept, options.field_map))


PRESETS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "full": full,
    "elastic": elastic,
    "minimal": minimal,
}


def written(record: Mapping[str, Any], options: DocumentOptions) -> dict[str, Any]:
    """A record in the shape and under the names that the user's index has for it."""
    return rename(PRESETS[options.preset](record), options.field_map)
