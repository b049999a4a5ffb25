"""Make the tables of docs/output.md of the registry of fields: python -m scripts.output_fields."""

from __future__ import annotations

import json
import re
from pathlib import Path

from sitecrawl.config.option_texts import descriptions
from sitecrawl.policy.documents.fields import DeletionFields, DocumentFields, registered

PAGE = Path(__file__).parents[1] / "docs" / "output.md"
HEAD = "| field | meaning | example |\n|---|---|---|\n"
SECTIONS = {"Documents": DocumentFields, "Deletions": DeletionFields}


def table(fields: type) -> str:
    """The table of a section, a row for each field."""
    meanings = descriptions(fields)
    rows = (
        f"| `{name}` | {meanings[name]} | `{json.dumps(field.example, ensure_ascii=False)}` |"
        for name, field in registered(fields).items()
    )
    return HEAD + "\n".join(rows) + "\n"


def page(text: str) -> str:
    """The page with its tables of fields made anew."""
    for title, fields in SECTIONS.items():
        found = re.search(rf"\n## {title}\n\n((?:\|.*\n)+)", text)
        if found is None:
            raise ValueError(f"docs/output.md has no table below '## {title}'")
        text = text[: found.start(1)] + table(fields) + text[found.end(1) :]
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), encoding="utf-8")
