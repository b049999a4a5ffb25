"""Make the JSON schemas of docs/schemas from the models: python -m scripts.schemas.

``site.schema.json`` is that of a file of options, by which editors complete and check it, and
``document.schema.json`` that of a line of the output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sitecrawl.config.option_texts import descriptions, option_groups
from sitecrawl.config.options.crawl_options import CrawlParams
from sitecrawl.policy.documents.fields import DeletionFields, DocumentFields, registered

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"
DIALECT = "http://json-schema.org/draft-07/schema#"
"""The newest that editors of TOML know (Taplo, Even Better TOML)."""

Schema = dict[str, Any]
OF_TABLES = {"config", "crawl"}
"""Options that choose a file and a table of it, and stand in neither."""
WRITTEN = {"number": "string", "integer": "string", "boolean": "string", "array": "string"}
"""Types whose values may be written as text too: ``7d``, ``10MB``, ``auto``, ``yes``, ``@FILE``."""
KEPT = ("items", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def option_schema(declared: Mapping[str, Any], description: str) -> Schema:
    """Return the schema of an option's values as a file of options may write them."""
    several = [each for each in declared.get("anyOf", [declared]) if each.get("type") != "null"]
    forms: list[Schema] = []
    for each in several:
        kind = each.get("type")
        form = {"type": kind} if kind else {}
        forms.append(form | {key: each[key] for key in KEPT if key in each})
        if kind in WRITTEN:
            forms.append({"type": WRITTEN[kind]})
    unique = [form for place, form in enumerate(forms) if form not in forms[:place]]
    schema: Schema = unique[0] if len(unique) == 1 else {"anyOf": unique}
    return {"description": description, **schema}


def site() -> Schema:
    """Return the schema of a file of options, with or without tables of crawls."""
    declared = CrawlParams.model_json_schema()["properties"]
    texts = {n: text for part, _ in option_groups() for n, text in descriptions(part).items()}
    options = {
        name: option_schema(each, texts[name])
        for name, each in declared.items()
        if name not in OF_TABLES
    }
    shared = {name: {"$ref": f"#/definitions/{name}"} for name in options}
    name = {"type": "string", "description": "The crawl's name: its crawl_name and realm."}
    table = {
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {"name": name, **shared},
    }
    return {
        "$schema": DIALECT,
        "title": "Options of a crawl by sitecrawl",
        "type": "object",
        "additionalProperties": False,
        "anyOf": [{"required": ["start"]}, {"required": ["crawl"]}],
        "properties": {**shared, "crawl": {"type": "array", "items": table}},
        "definitions": options,
    }


def value_schema(example: object) -> Schema:
    """Return the schema of the values that are like an example."""
    match example:
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case str():
            return {"type": "string"}
        case list():
            return {"type": "array", "items": value_schema(example[0])}
        case dict():
            return {"type": "object"}
        case _:
            raise TypeError(f"no type for {example!r}")


def line_schema(fields: type, operation: str) -> Schema:
    """Return the schema of the lines of one operation."""
    meanings = descriptions(fields)
    properties = {
        name: {
            "description": meanings[name],
            "examples": [each.example],
            **value_schema(each.example),
        }
        for name, each in registered(fields).items()
    }
    properties["op"] = {"const": operation}
    return {"type": "object", "required": ["op", "id", "seq"], "properties": properties}


def document() -> Schema:
    """Return the schema of a line of the output; fields of a user's own may be added."""
    return {
        "$schema": DIALECT,
        "title": "A line of the output of sitecrawl",
        "type": "object",
        "required": ["op"],
        "if": {"properties": {"op": {"const": "delete"}}},
        "then": line_schema(DeletionFields, "delete"),
        "else": line_schema(DocumentFields, "upsert"),
    }


SCHEMAS = {"site.schema.json": site, "document.schema.json": document}


def text(name: str) -> str:
    """Return the text of a schema's file."""
    return json.dumps(SCHEMAS[name](), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in SCHEMAS:
        (FOLDER / name).write_text(text(name), encoding="utf-8")
