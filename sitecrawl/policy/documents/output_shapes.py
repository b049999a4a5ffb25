"""Documents as JSON, for the output and for storage and comparison."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticSerializationError, to_json

from sitecrawl.policy.documents.fields import FIELDS, MINIMAL, RAG, elastic_fields

if TYPE_CHECKING:
    from sitecrawl.policy.documents.document_options import DocumentOptions


LARGE = 1_000_000  # characters of a document; its JSON is then made in parts
PART = 250_000  # characters of a text in one part
TEXTS = ("body", "comments")
ENTRY = 1_000  # characters that an entry of a list counts for


def serialized(value: Any) -> bytes:
    """Serialize to compact JSON in UTF-8, keys in order; values that JSON lacks become text.

    A lone surrogate, as pages have in their structured data, becomes U+FFFD.
    """
    try:
        return to_json(value, fallback=str)
    except PydanticSerializationError:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def serialized_parts(fields: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield what ``serialized`` returns, that of a large document in parts.

    At once, the JSON of a page of 10 MB with its sections takes 75 MB while it grows.
    """
    if sum(map(_size, fields.values())) < LARGE:
        yield serialized(fields)
        return
    before = b"{"
    for name, value in fields.items():
        yield before + serialized(name) + b":"
        yield from _value_parts(value)
        before = b","
    yield b"}"


def _size(value: Any) -> int:
    """Return the size of a field in characters, roughly."""
    if isinstance(value, str):
        return len(value)
    return len(value) * ENTRY if isinstance(value, list) else 0


def _value_parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, str):
        yield b'"'
        for start in range(0, len(value), PART):
            yield serialized(value[start : start + PART])[1:-1]
        yield b'"'
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        before = b"["
        for each in value:
            yield before + serialized(each)
            before = b","
        yield b"]"
    else:
        yield serialized(value)


def text_of(document: Mapping[str, Any], names: Iterable[str] = ("title", *TEXTS)) -> str:
    """Return the texts of a document, each on lines of its own: title, body and comments."""
    return "\n".join(str(text) for name in names if (text := document.get(name)))


def field_names(names: Iterable[str], options: DocumentOptions) -> tuple[str, ...]:
    """Return the names that fields of a ``written`` record can have, extra fields included."""
    every = dict.fromkeys((*names, *(name for name, _ in options.extra_fields)))
    chosen = every if options.preset == "elastic" else PRESETS[options.preset](every)
    return tuple(rename(chosen, options.field_map))


PRESETS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "full": lambda record: record,
    "elastic": lambda record: {**record, **elastic_fields(record)},
    "minimal": lambda record: {name: record[name] for name in record if name in MINIMAL},
    "rag": lambda record: {n: record[n] for n in record if n in RAG or n not in FIELDS},
}
"""Shapes of a record: every field; with Elastic's types where Elastic's Open Crawler writes a field
too; those registered as minimal; those registered for retrieval and those that the user declared.
"""


def written(record: Mapping[str, Any], options: DocumentOptions) -> dict[str, Any]:
    """Return a record in the shape and with the field names of the user's index."""
    return rename(PRESETS[options.preset](record), options.field_map)


def rename(document: Mapping[str, Any], field_map: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """Return a document with its fields renamed for the user's index."""
    if not field_map:
        return dict(document)
    names = dict(field_map)
    return {names.get(name, name): value for name, value in document.items()}


def renaming_problems(
    field_map: Iterable[tuple[str, str]], known: Collection[str], written: Iterable[str]
) -> list[str]:
    """Return the problems of a renaming, one sentence each.

    ``known`` are all fields, ``written`` those that the output has.
    """
    names = dict(field_map)
    problems = [f"{name!r} has no new name" for name, new in names.items() if not new]
    for name in names:
        if name not in known:
            meant = get_close_matches(name, known, n=1)
            hint = f"did you mean {meant[0]!r}" if meant else "docs/output.md lists them"
            problems.append(f"there is no field {name!r}; {hint}, or declare it in extra_fields")
    named: dict[str, str] = {}
    for name in written:
        new = names.get(name, name)
        if new in named:
            one, other = sorted((name, named[new]), key=lambda each: each not in names)
            problems.append(
                f"{one!r} and {other!r} would both be called {new!r}, and one be lost; "
                f"give {one!r} another name"
            )
        named[new] = name
    return problems
