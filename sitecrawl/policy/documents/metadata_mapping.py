"""Mapping of metadata to fields of the document, by the user's table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from sitecrawl.policy.documents.document_dates import rfc3339
from sitecrawl.policy.documents.fields import FIELDS
from sitecrawl.web.dates import read_date

if TYPE_CHECKING:
    from sitecrawl.web.html.page import Page


Value = str | int | float | bool
Pairs = Iterable[tuple[str, str]]
_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "1", "on"), True),
    **dict.fromkeys(("false", "no", "0", "off"), False),
}
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def _integer(text: str) -> int | None:
    try:
        return int(text.strip()) if len(text) < 20 else None
    except ValueError:
        return None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 1e300 else None  # JSON knows neither infinity nor NaN


def _date(text: str) -> str | None:
    moment = read_date(text)
    return rfc3339(moment) if moment is not None else None


TYPES: Mapping[str, Callable[[str], Value | None]] = {
    "keyword": str,
    "text": str,
    "integer": _integer,
    "float": _number,
    "boolean": lambda text: _BOOLEANS.get(text.strip().lower()),
    "date": _date,
}


def mapping_problems(metadata: Pairs, extra_fields: Pairs) -> list[str]:
    """Return the problems of a mapping, one sentence each."""
    declared, problems = dict(extra_fields), []
    for name, kind in declared.items():
        own = f"the extra field {name!r}"
        if not _NAME.fullmatch(name):
            problems.append(f"{own} should have a name of small letters, digits and underscores")
        if name in FIELDS:
            problems.append(f"{own} has the name of a built-in field; choose another")
        if kind not in TYPES:
            problems.append(f"{own} has the unknown type {kind!r}; known are {', '.join(TYPES)}")
    return problems + [
        f"metadata {name!r} goes to the field {field!r}, which extra_fields does not declare"
        for name, field in metadata
        if field not in declared
    ]


def mapped_fields(page: Page, metadata: Pairs, extra_fields: Pairs) -> dict[str, list[Value]]:
    """Return the extra fields of a page: all values mapped to each, in order, without duplicates.

    Names are compared in lower case; ``json_ld.PROPERTY`` and ``field.NAME`` refer to the page's
    structured data and its own fields. Values that are not of the declared type are left out.
    """
    declared = dict(extra_fields)
    fields: dict[str, dict[Value, None]] = {}
    for name, field in metadata:
        found = map(TYPES[declared[field]], _contents(page, name))
        fields.setdefault(field, {}).update({each: None for each in found if each is not None})
    return {field: list(values) for field, values in fields.items() if values}


def _contents(page: Page, name: str) -> tuple[str, ...]:
    """Return the values that a page has under a metadata name."""
    family, _, rest = name.partition(".")
    if family == "json_ld":
        return page.json_ld.get(rest, ())
    if family == "field":
        return page.fields.get(rest, ())
    return page.metas.get(name.lower(), ())
