"""The registry of fields: what it derives, and that nothing writes a field beside it."""

from __future__ import annotations

import ast
from inspect import getsource
from pathlib import Path

from sitecrawl import defaults, pipelines
from sitecrawl.output import exporters
from sitecrawl.policy.documents import fields
from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.policy.documents.output_shapes import field_names

ROOT = Path(__file__).parents[2]
REGISTRY = "sitecrawl/policy/documents/fields.py"


def written_fields(source: str) -> set[str]:
    """The names in ``document["name"] = …`` and ``document |= {"name": …}`` of a source."""
    targets = [
        target
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Subscript) and ast.unparse(target.value) == "document"
    ]
    return {
        target.slice.value
        for target in targets
        if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str)
    }


def test_pipelines_and_the_frontier_write_registered_fields_only() -> None:
    folders = ("frontier", "spiders", "crawl")
    paths = [path for folder in folders for path in (ROOT / "sitecrawl" / folder).glob("*.py")]
    paths.append(ROOT / "sitecrawl" / "pipelines.py")
    found = {name: path.name for path in paths for name in written_fields(path.read_text("utf-8"))}
    assert {"canonical_url", "content_hash"} <= found.keys()
    strangers = {n: p for n, p in found.items() if n not in fields.DOCUMENT}
    assert not strangers, f"register them in {REGISTRY}"


def test_a_field_that_names_a_pipeline_is_written_by_it() -> None:
    for name, field in fields.DOCUMENT.items():
        if field.filled_by != fields.DATABASE:
            source = getsource(getattr(pipelines, field.filled_by))
            assert name in written_fields(source), f"{field.filled_by} does not write it"


def test_every_exporter_is_the_default_of_a_format() -> None:
    ours = {name for name, each in vars(exporters).items() if is_own_class(each)}
    paths = map(str, defaults.FEED_EXPORTERS_BASE.values())
    named = {path.rpartition(".")[2] for path in paths if path.startswith(exporters.__name__)}
    assert ours == named, "name it in FEED_EXPORTERS_BASE of sitecrawl/defaults.py"


def is_own_class(each: object) -> bool:
    return isinstance(each, type) and each.__module__ == exporters.__name__


def test_csv_has_every_field_in_the_order_of_the_registry() -> None:
    assert field_names(fields.FIELDS, DocumentOptions()) == fields.FIELDS
    assert fields.FIELDS[: len(fields.DOCUMENT)] == tuple(fields.DOCUMENT)
