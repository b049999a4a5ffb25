"""Whether pages still read the same: the facts of every documentation page, before and after.

    python benchmarks/same_facts.py FILE [DIRECTORY ...]

Writes one hash per page and set of options into FILE, or compares with what it holds.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from sitecrawl.web.options import ReadOptions
from sitecrawl.web.read import read_page

DIRECTORIES = (
    "/usr/share/doc/python-django-doc",
    "/usr/share/doc/git-doc",
    "/usr/share/doc/debian-handbook",
)
URL = "https://example.org/manual/page.html"
OPTIONS = {
    "default": ReadOptions(),
    "pieces": ReadOptions(text_pieces=True, link_text=True, keep_pre=True, title_text=True),
    "removed": ReadOptions(
        remove_elements=("nav", "code", "li"),
        remove_classes=("sphinxsidebar", "pre", "note"),
        extra_link_patterns=("img@src", "span@id"),
        object_links=True,
    ),
}


def hashes(directories: list[str]) -> Iterator[str]:
    """One line for each page and set of options: a hash and their names."""
    for directory in directories:
        for path in sorted(path for path in Path(directory).rglob("*.html") if path.is_file()):
            body = path.read_bytes()
            for name, options in OPTIONS.items():
                page = read_page(
                    body, url=URL, content_type="text/html", headers={}, options=options
                )
                yield f"{hashlib.sha256(repr(page).encode()).hexdigest()} {name} {path}"


def main(file: Path, directories: list[str]) -> int:
    """Write or compare; 1 where a page reads differently."""
    lines = list(hashes(directories))
    if not file.exists():
        file.write_text("\n".join(lines) + "\n")
        print(f"{len(lines)} readings written to {file}")
        return 0
    before = set(file.read_text().splitlines())
    changed = [line.partition(" ")[2] for line in lines if line not in before]
    print(f"{len(lines)} readings, {len(changed)} changed", *changed[:20], sep="\n")
    return 1 if changed or len(lines) != len(before) else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:] or list(DIRECTORIES)))
