"""Learn the weights of parts of pages (``sitecrawl/web/html/part_weights.py``).

    python -m benchmarks.extraction.weights --wcxb FILE [--odds 3] [--write]

Prints what the weights bring on pages of sites that they were not learnt on (five folds), for
several odds from which a part is left out, and the weights of all pages.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch
from urllib.parse import urlsplit
from zlib import crc32

import numpy as np

from benchmarks.extraction.main_text import folded, mean, overlap, words
from benchmarks.extraction.truth import cache_folder
from benchmarks.extraction.wcxb import KnownPage, known_pages
from sitecrawl.web.html import main_content, part_scores
from sitecrawl.web.html.page_types import DOCUMENTATION
from sitecrawl.web.html.part_scores import ScoredPart, parts_of
from sitecrawl.web.html.walk import Walk
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

FOLDS = 5
RIDGE = 50.0
MIN_WORDS, MAX_PAGE = 60, 4.0  # words of a page, and its weight
MAX_PART = 0.5
ODDS = (2, 2.5, 3, 3.5, 4, 5)
NUMBERS = (
    *("characters of a line", "links of a line", "before the first heading", "text before"),
    *("no prose follows", "no prose precedes", "share of the prose"),
)
# Subjects that weigh differently on pages of a type, the types themselves, and what adds nothing.
OF_TYPES = (
    *("article", "listing", "product", "thread", "article meta", "article opinions"),
    *("listing sidebar", "product reviews", "thread forms", "thread opinions"),
)
USELESS = frozenset({"meta"})
_FILE = Path(part_scores.__file__).with_name("part_weights.py")


class ReadPage(NamedTuple):
    """A page of known content: its lines, those kept without weights, and its parts."""

    known: KnownPage
    lines: list[str]
    kept: bytearray
    parts: list[ScoredPart]
    types: list[str]

    @property
    def fold(self) -> int:
        """The number of the fold, by host."""
        return crc32(urlsplit(self.known.url).netloc.encode()) % FOLDS


def read(known: KnownPage) -> ReadPage:
    """Read a page without leaving scored parts out."""
    found = ReadPage(known, [], bytearray(), [], [])

    def record(walk: Walk, kept: bytearray, page_type: str) -> list[object]:
        found.lines[:], found.kept[:], found.types[:] = walk.text.lines, kept, [page_type]
        found.parts[:] = parts_of(walk, kept) if page_type != DOCUMENTATION else ()
        return []

    with patch.object(main_content, "scored_parts", record):
        body = known.path.read_bytes()
        read_page(body, url=known.url, content_type="text/html", headers={}, options=ReadOptions())
    return found


def furniture(page: ReadPage) -> Iterator[tuple[ScoredPart, float, float]]:
    """The parts of a page, each with its words and the share of them that the truth lacks."""
    truth = folded(page.known.content)
    told = words(page.known.content)
    triples = set(zip(told, told[1:], told[2:], strict=False))
    number, own = [0], [0.0]
    for line, keep in zip(page.lines, page.kept, strict=True):
        found = words(line) if keep else []
        those = list(zip(found, found[1:], found[2:], strict=False))
        share = (
            sum(map(triples.__contains__, those)) / len(those) if those else folded(line) in truth
        )
        number.append(number[-1] + len(found))
        own.append(own[-1] + share * len(found))
    for part in page.parts:
        count = number[part.region.end] - number[part.region.start]
        if count:
            right = own[part.region.end] - own[part.region.start]
            yield part, count / max(MIN_WORDS, len(told)), 1 - right / count


def row(page: ReadPage, part: ScoredPart, subjects: Sequence[str]) -> list[float]:
    """What a score weighs, the bias first."""
    kind = page.types[0]
    named = {kind, *part.subjects, *(f"{kind} {each}" for each in part.subjects)}
    return [1.0, *map(float, part.values), *(float(each in named) for each in subjects)]


def learn(pages: Sequence[ReadPage], subjects: Sequence[str]) -> np.ndarray:
    """Weights by logistic regression; a page counts as much as another."""
    rows, bad, weights = [], [], []
    for page in pages:
        those = [(part, min(size, MAX_PART), share) for part, size, share in furniture(page)]
        whole = sum(size for _, size, _ in those)
        rows += [row(page, part, subjects) for part, _, _ in those]
        bad += [share for _, _, share in those]
        weights += [size * min(1, MAX_PAGE / whole) for _, size, _ in those]
    x, y, w = np.array(rows), np.array(bad), np.array(weights)
    w *= len(w) / w.sum()
    beta = np.zeros(x.shape[1])
    scale = x.std(axis=0) ** 2 * RIDGE
    for _ in range(12):
        odds = 1 / (1 + np.exp(-x @ beta))
        curve = (x * (w * odds * (1 - odds))[:, None]).T @ x + np.diag(scale + 1e-6)
        beta += np.linalg.solve(curve, x.T @ (w * (y - odds)) - scale * beta)
    return beta


def text_of(page: ReadPage, subjects: Sequence[str], beta: np.ndarray, odds: float) -> str:
    """The text of a page without the parts that the weights leave out."""
    kept = page.kept[:]
    for part in page.parts:
        if np.dot(row(page, part, subjects), beta) > log(odds):
            kept[part.region.start : part.region.end] = bytes(part.region.end - part.region.start)
    return "\n".join(line for line, keep in zip(page.lines, kept, strict=True) if keep)


def judge(pages: Sequence[ReadPage], subjects: Sequence[str]) -> None:
    """Print precision, recall and F1 of pages of sites that the weights do not know."""
    learnt = [learn([page for page in pages if page.fold != n], subjects) for n in range(FOLDS)]
    kinds = sorted({page.known.kind for page in pages})
    print(f"| odds | P | R | F1 | {' | '.join(kinds)} |\n|---|---|---|---|{'---|' * len(kinds)}")
    for odds in (1e9, *ODDS):
        rows = [
            overlap(text_of(page, subjects, learnt[page.fold], odds), page.known.content)
            for page in pages
        ]
        by_kind = (
            mean(
                [found for found, page in zip(rows, pages, strict=True) if page.known.kind == kind]
            )
            for kind in kinds
        )
        cells = [f"{value:.3f}" for value in mean(rows)] + [f"{f1:.3f}" for _, _, f1 in by_kind]
        print(f"| {odds:g} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the tables, and write the weights if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wcxb", type=Path, required=True, help="archive of the pages of WCXB")
    parser.add_argument("--cache", type=Path, default=cache_folder(), help="folder of the truth")
    parser.add_argument("--odds", type=float, default=3, help="from which a part is left out")
    parser.add_argument("--write", action="store_true", help="write the weights")
    arguments = parser.parse_args()
    pages = [read(known) for known in known_pages(arguments.wcxb, arguments.cache)]
    found = {each for page in pages for part in page.parts for each in part.subjects}
    subjects = sorted({*found, *OF_TYPES} - USELESS)
    judge(pages, subjects)
    beta = [round(float(value), 2) for value in learn(pages, subjects)]
    values, named = beta[1 : len(NUMBERS) + 1], beta[len(NUMBERS) + 1 :]
    lines = ['"""Weights of parts, learnt by ``python -m benchmarks.extraction.weights``."""', ""]
    lines += [f"BIAS = {beta[0] - log(arguments.odds):.2f}", "VALUES = ("]
    lines += [f"    {value},  # {name}" for value, name in zip(values, NUMBERS, strict=True)]
    lines += [
        ")",
        '# "article meta" is added to "meta" on articles; the name of a type to the bias.',
        "SUBJECTS = {",
    ]
    lines += [f'    "{name}": {value},' for name, value in zip(subjects, named, strict=True)]
    text = "\n".join([*lines, "}", ""])
    print(text)
    if arguments.write:
        _FILE.write_text(text)


if __name__ == "__main__":
    main()
