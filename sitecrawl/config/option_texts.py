"""Options as people read them: type and default in words, and their groups."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.options.mode import ModeParams
from sitecrawl.config.types import BYTES, SECONDS, Notation

PLAIN = {bool: "yes or no", int: "whole number", float: "number", str: "text"}


def notation(annotation: Any) -> Notation | None:
    """The notation of a type, also where it is one of several that a value may have."""
    found = [part for part in getattr(annotation, "__metadata__", ()) if isinstance(part, Notation)]
    return found[0] if found else next(filter(None, map(notation, get_args(annotation))), None)


def field_notation(field: FieldInfo) -> Notation | None:
    """The notation of an option's values, if its type has one."""
    own = [part for part in field.metadata if isinstance(part, Notation)]
    return own[0] if own else notation(field.annotation)


def type_of(field: FieldInfo) -> str:
    """The option's type in a reader's words."""
    own = field_notation(field)
    name = own.name if own else plain(field.annotation)
    return f"{name} or none" if type(None) in get_args(field.annotation) else name


def plain(annotation: Any) -> str:
    """The words for a type without notation."""
    if get_origin(annotation) is Literal:
        return "one of " + ", ".join(f"`{choice}`" for choice in get_args(annotation))
    if annotation in PLAIN:
        return PLAIN[annotation]
    parts = [part for part in get_args(annotation) if part not in (type(None), Ellipsis)]
    return " or ".join(dict.fromkeys(plain(part) for part in parts))


def amount(value: float, units: dict[str, float], names: tuple[str, ...]) -> str:
    """A quantity in the largest of the named units in which it is whole."""
    whole = (name for name in names if value and value % units[name.lower()] == 0)
    name = next(whole, names[-1])
    return f"{value / units[name.lower()]:g}{name}"


def one(value: Any, field: FieldInfo) -> str:
    """A single value as one would write it."""
    own = field_notation(field)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if own and own.name == "duration" and isinstance(value, int | float):
        return amount(value, SECONDS, ("d", "h", "min", "s"))
    if own and own.name == "size" and isinstance(value, int | float):
        return amount(value, BYTES, ("GB", "GiB", "MB", "MiB", "KB", "KiB", "B"))
    return str(value)


def default(field: FieldInfo) -> str:
    """The option's value when nothing sets it."""
    if field.is_required():
        return "**required**"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ("", (), {}):
        return "none"
    if isinstance(value, dict):
        return "`" + ", ".join(f"{name}:{item}" for name, item in value.items()) + "`"
    values = value if isinstance(value, tuple) else (value,)
    return "`" + " ".join(one(item, field) for item in values) + "`"


def option_groups() -> Iterator[tuple[type[BaseModel], dict[str, FieldInfo]]]:
    """The parts of the model with the options of each, that of mode and start first."""
    classes = [part for part in CrawlParams.__mro__[1:] if issubclass(part, BaseModel)]
    for part in sorted(classes, key=lambda part: part is not ModeParams):
        own = {n: f for n, f in part.model_fields.items() if n in part.__annotations__}
        if own:
            yield part, own


def title_of(part: type[BaseModel]) -> str:
    """The title of a part of the model: the first line of its docstring."""
    return (part.__doc__ or "").strip().splitlines()[0].rstrip(".")


def descriptions(declaring: type) -> dict[str, str]:
    """The texts below the attributes that a class declares, by the attributes' names."""
    (declared,) = ast.parse(inspect.getsource(declaring)).body
    found = {}
    for before, after in pairwise(ast.iter_child_nodes(declared)):
        match before, after:
            case (
                ast.AnnAssign(target=ast.Name(name)) | ast.Assign(targets=[ast.Name(name)]),
                ast.Expr(ast.Constant(str(text))),
            ):
                found[name] = " ".join(text.split())
    return found
