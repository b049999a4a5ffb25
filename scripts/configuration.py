"""Make docs/configuration.md of the model of the options: python -m scripts.configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from itertools import takewhile
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sitecrawl.config.layers import profile_names, read_profile
from sitecrawl.config.option_texts import (
    default,
    descriptions,
    field_notation,
    one,
    option_groups,
    title_of,
    type_of,
)
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.config.types import Notation

PAGE = Path(__file__).parents[1] / "docs" / "configuration.md"
HEAD = """# Configuration

`python -m scripts.configuration` makes this page from the model of the options: change the model, not the
page.

Only `start` is required. Give an option as `-a name=value` or as a flag (`--max-pages 500` for `-a max_pages=500`,
`--force` and `--no-obey-robots` for yes and no), or in a TOML file that `-a config=FILE` names.
Later ones win: the defaults, a profile (`-a profile=NAME`), the config file, every other `-a`. Unknown
options, invalid values and unknown settings `-s SITECRAWL_...` end with exit status 2 and one line each,
before anything is requested. [How do I …](how-to.md) has the common ones by task, with an example each.

    # site.toml
    start = ["https://example.org/"]
    deny = ["/private/"]
    recrawl = "7d"

Editors complete and check such a file by [its JSON schema](schemas/site.schema.json), which a first line `#:schema
docs/schemas/site.schema.json` names (Taplo, Even Better TOML).

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
BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


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


def row(name: str, field: FieldInfo, text: str) -> str:
    """One option as a row of its table."""
    kind = ", ".join(filter(None, (type_of(field), bounds(field))))
    return f"| `{name}` | {cell(kind)} | {cell(default(field))} | {cell(text)} |"


def section(part: type[BaseModel], options: dict[str, FieldInfo]) -> Iterator[str]:
    """The table of one part of the model."""
    yield f"\n## {title_of(part)}\n"
    yield "| option | value | default | what it does |"
    yield "|---|---|---|---|"
    texts = descriptions(part)
    yield from (row(name, field, texts[name]) for name, field in options.items())


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


def profile_about(name: str) -> str:
    """Return a profile's description: the comment at its head."""
    text = (files("sitecrawl.profiles") / f"{name}.toml").read_text("utf-8")
    lines = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return "\n".join(line.removeprefix("#").strip() for line in lines)


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
    lines = [HEAD.rstrip(), *(line for part in option_groups() for line in section(*part))]
    return "\n".join([*lines, *notations(), *profiles()]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
