"""Documents against public ground truth.

    python -m benchmarks.extraction [--only articles] [--without-others] [--cache FOLDER] [--wcxb FILE]

Fetches the truth from the registries when it is first needed: Go modules, a source distribution of
PyPI, Debian packages (which needs ``go`` and ``apt-get``). The pages of WCXB are an archive of
``html/ID.html.gz`` and ``truth/ID.json.gz``. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from benchmarks.extraction.main_text import MainText
from benchmarks.extraction.metadata import Metadata
from benchmarks.extraction.shared_lines import shared_lines
from benchmarks.extraction.structure import structure
from benchmarks.extraction.truth import Truth, cache_folder
from benchmarks.extraction.wcxb import wcxb


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="one of the tables")
    parser.add_argument("--without-others", action="store_true", help="leave other programs out")
    parser.add_argument("--cache", type=Path, default=cache_folder(), help="folder of the truth")
    parser.add_argument("--wcxb", type=Path, help="archive of the pages of WCXB")
    arguments = parser.parse_args()
    truth = Truth(arguments.cache)
    others = not arguments.without_others
    tables: dict[str, Callable[[], None]] = {
        "articles": MainText(truth, others=others).articles,
        "losses": MainText(truth, others=others).losses,
        "documentation": MainText(truth, others=others).documentation,
        "shared-lines": shared_lines,
        "structure": lambda: structure(truth, others=others),
        "metadata": Metadata(truth, others=others).articles,
        "dates": Metadata(truth, others=others).dates,
        "languages": Metadata(truth, others=others).documentation,
    }
    if arguments.wcxb:
        tables["wcxb"] = lambda: wcxb(arguments.wcxb, arguments.cache, others=others)
    for name, table in tables.items():
        if not arguments.only or name in arguments.only:
            table()


if __name__ == "__main__":
    main()
