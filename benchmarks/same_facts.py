"""Compare the facts of every documentation page before and after.

    python benchmarks/same_facts.py FILE [DIRECTORY ...]

Writes a hash of each fact of each page into FILE (JSON), or compares with those in it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import LINK_PATTERNS, ReadOptions

DIRECTORIES = (
    "/usr/share/doc/python-django-doc",
    "/usr/share/doc/git-doc",
    "/usr/share/doc/debian-handbook",
    "/usr/share/doc/postgresql-doc-15/html",
    "/usr/share/doc/python3.11/html",
)
URL = "https://example.org/manual/page.html"
OPTIONS = {
    "default": ReadOptions(),
    "links": ReadOptions(link_text=True, image_text="title"),
    "removed": ReadOptions(
        remove_elements=("nav", "code", "li"),
        remove_classes=("sphinxsidebar", "pre", "note"),
        link_patterns=(*LINK_PATTERNS, "object@data", "img@src", "span@id"),
    ),
}
Facts = dict[str, str]


def readings(directories: list[str]) -> Iterator[tuple[str, Facts]]:
    """The facts of each page under each set of options, by the names of both."""
    for directory in directories:
        for path in sorted(path for path in Path(directory).rglob("*.html") if path.is_file()):
            body = path.read_bytes()
            for name, options in OPTIONS.items():
                page = read_page(
                    body, url=URL, content_type="text/html", headers={}, options=options
                )
                yield f"{name} {path}", facts(page)


def facts(page: Page) -> Facts:
    """The hash of each field of a page; fields that hold nothing are left out."""
    return {
        name: hashlib.sha256(json.dumps(plain(value)).encode()).hexdigest()[:16]
        for name, value in asdict(page).items()
        if value
    }


def plain(value: Any) -> Any:
    """A value in JSON's types, by the names of its fields, sets in their order."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in sorted(value.items())}
    if isinstance(value, AbstractSet):
        return sorted(value)
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value if isinstance(value, str | int | float | None) else str(value)


def differences(before: Mapping[str, Facts], now: Mapping[str, Facts]) -> Iterator[str]:
    """The readings that changed, each with the facts that did."""
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name, {}), now.get(name, {})
        changed = [fact for fact in sorted(old.keys() | new) if old.get(fact) != new.get(fact)]
        if changed:
            yield f"{name}: {', '.join(changed)}"


def main(file: Path, directories: list[str]) -> int:
    """Write or compare; 1 where a page reads differently."""
    now = dict(readings(directories))
    if not file.exists():
        file.write_text(json.dumps(now, indent=0))
        print(f"{len(now)} readings written to {file}")
        return 0
    changed = list(differences(json.loads(file.read_text()), now))
    print(f"{len(now)} readings, {len(changed)} changed", *changed[:20], sep="\n")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:] or list(DIRECTORIES)))
