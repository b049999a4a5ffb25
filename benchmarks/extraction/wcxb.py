"""Table of pages of seven kinds with their main content: the Web Content eXtraction Benchmark."""

from __future__ import annotations

import gzip
import json
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks.extraction.main_text import Extracted, mean, ours, overlap, read_all
from benchmarks.extraction.others import extract

OTHERS = ("rs_trafilatura", "trafilatura", "resiliparse main")


class KnownPage(NamedTuple):
    """A page with its kind and its main content."""

    url: str
    kind: str
    content: str
    path: Path


def known_pages(archive: Path, folder: Path) -> Iterator[KnownPage]:
    """The pages of the archive, unpacked into a folder of the cache."""
    unpacked = folder / "wcxb"
    if not unpacked.is_dir():
        with tarfile.open(archive) as file:
            file.extractall(unpacked, filter="data")
    for each in sorted((unpacked / "truth").glob("*.json.gz")):
        told = json.loads(gzip.decompress(each.read_bytes()))
        name = each.name.removesuffix(".json.gz")
        path = unpacked / f"{name}.html"
        if not path.is_file():
            path.write_bytes(gzip.decompress((unpacked / "html" / f"{name}.html.gz").read_bytes()))
        yield KnownPage(told["url"], told["kind"], told["main_content"] or "", path)


def wcxb(archive: Path, folder: Path, *, others: bool) -> None:
    """Print precision, recall and F1 of all pages, and F1 by kind."""
    pages = list(known_pages(archive, folder))
    named = [(page.url, page.path) for page in pages]
    found = {name: read_all(named, options) for name, options in ours().items()}
    for name in OTHERS if others else ():
        found[name] = Extracted(*extract(folder, name, named))
    kinds = sorted({page.kind for page in pages})
    print(f"\n## WCXB: {len(pages)} pages, by words\n")
    print(f"| main text | P | R | F1 | {' | '.join(kinds)} | ms/page |")
    print(f"|---|---|---|---|{'---|' * len(kinds)}---|")
    for name, each in found.items():
        rows = [overlap(text, page.content) for text, page in zip(each.texts, pages, strict=True)]
        cells = [f"{value:.3f}" for value in (*mean(rows), *_by_kind(rows, pages, kinds))]
        print(f"| {name} | {' | '.join(cells)} | {each.milliseconds:.1f} |")


def _by_kind(
    rows: Sequence[tuple[float, float, float]], pages: Sequence[KnownPage], kinds: Sequence[str]
) -> list[float]:
    """Mean F1 of each kind."""
    return [
        fmean(row[2] for row, page in zip(rows, pages, strict=True) if page.kind == kind)
        for kind in kinds
    ]
