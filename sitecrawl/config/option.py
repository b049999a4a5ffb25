"""Declaration of an option: default, bounds, documentation and effect."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Flag, auto
from typing import Any

from pydantic import Field
from pydantic.fields import FieldInfo

_EFFECT = "effect"
_NOT_SHOWN = "secret"


class Effect(Flag):
    """The parts of a crawl that change with the value of an option.

    ``RUN``: requests, pace, bounds and memory alone; the documents stay the same.
    ``SELECTION``: URLs and responses that become documents.
    ``FOLLOWING``: links of a page that are followed; pages read with other values are read
    again for their links.
    ``READING``: content of a page's document that needs the page; documents made with
    other values are read again.
    ``NAMING``: shape and names of the output; stored documents are rewritten without a request.
    """

    RUN = auto()
    SELECTION = auto()
    FOLLOWING = auto()
    READING = auto()
    NAMING = auto()


def option(default: Any, effect: Effect, *, secret: bool = False, **constraints: Any) -> Any:
    """Declare an option, which the text below it describes; ``...`` for one without a default.

    The value of a ``secret`` option is neither stored nor shown. ``constraints`` are those of
    pydantic's ``Field``.
    """
    extra: dict[str, Any] = {_EFFECT: effect.value, _NOT_SHOWN: secret}
    return Field(default, json_schema_extra=extra, **constraints)


def effect_of(field: FieldInfo) -> Effect:
    """Return the declared effect of an option; none if it was not declared by ``option``."""
    return Effect(_declared(field).get(_EFFECT, 0))


def is_secret(field: FieldInfo) -> bool:
    """Return True for an option whose value is neither stored nor shown."""
    return _declared(field).get(_NOT_SHOWN) is True


def _declared(field: FieldInfo) -> Any:
    return field.json_schema_extra or {}


def options_with(effects: Effect, fields: Iterable[tuple[str, FieldInfo]]) -> frozenset[str]:
    """Return the names of the options that have one of ``effects``."""
    return frozenset(name for name, field in fields if effect_of(field) & effects)
