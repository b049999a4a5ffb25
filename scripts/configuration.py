"""Make docs/configuration.md of the model of the options: python -m scripts.configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sitecrawl.config.layers import profile_about, profile_names, read_profile
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.options.mode import ModeParams
from sitecrawl.config.types import BYTES, SECONDS, Notation

PAGE = Path(__file__).parents[1] / "docs" / "configuration.md"
HEAD = """# Configuration

`python -m scripts.configuration` makes this page from the model of the options: change the model, not the
page.

Only `start` is required. Give an option as `-a name=value`, or in a TOML file that `-a config=FILE` names.
Later ones win: the defaults, a profile (`-a profile=NAME`), the config file, every other `-a`. Unknown
options, invalid values and unknown settings `-s SITECRAWL_...` end with exit status 2 and one line each,
before anything is requested.

    # site.toml
    start = ["https://example.org/"]
    deny = ["/private/"]
    recrawl = "7d"

## Many crawls in one file

    # sites.toml
    exclusive = true                     # for every crawl
    delay = 2

    [[crawl]]
    name = "docs"
    start = ["https://docs.example.org/"]

    [[crawl]]
    name = "blog"
    start = ["https://blog.example.org/"]
    delay = 5                            # of this one

`scrapy crawl site -a config=sites.toml -a crawl=docs` runs one of them, `scrapy crawls sites.toml` all
([commands.md](commands.md#scrapy-crawls-file)), and `scrapy frontier --config sites.toml` shows the state of
all. Every other command takes the same two arguments. A table wins over the options at the head of the file,
which win over a profile; every other `-a` wins over both.

The `name` is the crawl's `crawl_name` and its `realm`, unless the file says otherwise. So each crawl has a
database of its own, `.sitecrawl/docs.db`; with `database = "postgresql://..."` or `"sqlite:///all.db"` at the
head all share one, each in its realm. A table may name its own `database`.

## How options are read

Arguments that begin with an underscore, such as Scrapyd's `_job`, are ignored. In a command
line a list may also be a JSON list, and `none` unsets an option that may have no value.
"""
PLAIN = {bool: "yes or no", int: "whole number", float: "number", str: "text"}
BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


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


def bounds(field: FieldInfo) -> str:
    """The least and the greatest value, in words."""
    found = {
        word: getattr(part, attribute)
        for part in field.metadata
        for attribute, word in BOUNDS.items()
        if hasattr(part, attribute)
    }
    return ", ".join(f"{word} {one(limit, field)}" for word, limit in found.items())


def cell(text: str) -> str:
    """Text that does not end the table's cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def row(name: str, field: FieldInfo) -> str:
    """One option as a row of its table."""
    kind = ", ".join(filter(None, (type_of(field), bounds(field))))
    return f"| `{name}` | {cell(kind)} | {cell(default(field))} | {cell(field.description or '')} |"


def parts() -> Iterator[tuple[type[BaseModel], dict[str, FieldInfo]]]:
    """The parts of the model with the options of each, that of mode and start first."""
    classes = [part for part in CrawlParams.__mro__[1:] if issubclass(part, BaseModel)]
    for part in sorted(classes, key=lambda part: part is not ModeParams):
        own = {n: f for n, f in part.model_fields.items() if n in part.__annotations__}
        if own:
            yield part, own


def section(part: type[BaseModel], options: dict[str, FieldInfo]) -> Iterator[str]:
    """The table of one part of the model."""
    title = (part.__doc__ or "").strip().splitlines()[0].rstrip(".")
    yield f"\n## {title}\n"
    yield "| option | value | default | what it does |"
    yield "|---|---|---|---|"
    yield from (row(name, field) for name, field in options.items())


def notations() -> Iterator[str]:
    """The notation of each type, with the options' names where types share one."""
    yield "\n## How values are written\n"
    used: dict[Notation, list[str]] = {}
    for name, field in CrawlParams.model_fields.items():
        if own := field_notation(field):
            used.setdefault(own, []).append(f"`{name}`")
    for own, names in sorted(used.items(), key=lambda entry: entry[0].name):
        shared = sum(other.name == own.name for other in used) > 1
        yield f"- {own.name}{' of ' + ', '.join(names) if shared else ''}: {own.written}"
    yield "- yes or no: also 1 or 0, true or false, on or off"


def profiles() -> Iterator[str]:
    """The options that each profile sets."""
    yield "\n## Profiles\n"
    yield "A profile holds options only. Each is a commented file in `sitecrawl/profiles/`."
    for name in profile_names():
        values = read_profile(name, "-a profile").values
        yield f"\n### {name}\n\n{profile_about(name)}\n\n| option | value |\n|---|---|"
        yield from (f"| `{option}` | {cell(shown(value))} |" for option, value in values.items())


def shown(value: object) -> str:
    """A value as a profile's file writes it."""
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def page() -> str:
    """The whole page."""
    lines = [HEAD.rstrip(), *(line for part in parts() for line in section(*part))]
    return "\n".join([*lines, *notations(), *profiles()]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
