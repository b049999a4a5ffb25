"""Table of the main text: precision and recall on articles and documentation, and search."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean

from benchmarks.extraction.others import NAMES, extract
from benchmarks.extraction.search import Ranking
from benchmarks.extraction.truth import DOCUMENTATION, FullText, Truth
from sitecrawl.web.html.page import Page
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

Pages = Sequence[tuple[str, Path]]
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f\u1000-\u109f]|\w+")
_QUOTES = str.maketrans("‘’“”", "''\"\"")
MIN_LINE = 20  # characters of a line of content that is looked for
MIN_TITLE = 15  # characters of a title that is looked for
EVERYTHING = ReadOptions(
    content="all", remove_elements=(), keep_parts=("skip_links", "cookie_banners")
)


@dataclass(slots=True)
class Extracted:
    """The texts of one program, and its CPU milliseconds a page."""

    texts: list[str]
    milliseconds: float
    pages: list[Page] = field(default_factory=list)


def words(text: str) -> list[str]:
    """The words of a text; characters where words are not parted."""
    return _WORD.findall(text.lower())


def folded(text: str) -> str:
    """A text with single spaces, in small letters, with straight quotation marks."""
    return " ".join(text.split()).lower().translate(_QUOTES)


def read_all(pages: Pages, options: ReadOptions) -> Extracted:
    """Our own reading."""
    read: list[Page] = []
    begun = time.process_time()
    for url, path in pages:
        page = read_page(
            path.read_bytes(), url=url, content_type="text/html", headers={}, options=options
        )
        read.append(page)
    seconds = time.process_time() - begun
    return Extracted([page.text for page in read], 1000 * seconds / len(read), read)


def ours() -> dict[str, ReadOptions]:
    """The ways of our own reading, by their names in the tables."""
    found = {
        "sitecrawl all": replace(EVERYTHING, remove_elements=("header", "footer")),
        "sitecrawl": ReadOptions(),
        "sitecrawl article": ReadOptions(content="article"),
        "sitecrawl article, resiliparse": ReadOptions(
            content="article", article_extractor="resiliparse"
        ),
    }
    if find_spec("trafilatura") is None:
        del found["sitecrawl article"]
    return found


def overlap(text: str, truth: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of the words of a text."""
    found, wanted = Counter(words(text)), Counter(words(truth))
    common = sum((found & wanted).values())
    precision = common / found.total() if found else 0.0
    recall = common / wanted.total() if wanted else 1.0
    return precision, recall, 2 * common / (found.total() + wanted.total() or 1)


def mean(rows: Sequence[Sequence[float]]) -> list[float]:
    """The means of columns."""
    return [fmean(column) for column in zip(*rows, strict=True)]


def losses(everything: Extracted, ours: Extracted, titles: Sequence[str]) -> tuple[int, int, int]:
    """Pages that lost their title from the text, all first-level headings, or all text."""
    lost_titles = lost_headings = emptied = 0
    for whole, page, title in zip(everything.pages, ours.pages, titles, strict=True):
        wanted = folded(title)
        found = wanted in folded(whole.text) and wanted not in folded(page.text)
        lost_titles += len(wanted) > MIN_TITLE and found
        first = [any(each.level == 1 for each in read.headings) for read in (whole, page)]
        lost_headings += first[0] and not first[1]
        emptied += bool(whole.text.strip()) and not page.text.strip()
    return lost_titles, lost_headings, emptied


class MainText:
    """Measures every program on every set of pages."""

    def __init__(self, truth: Truth, *, others: bool) -> None:
        self._truth = truth
        self._others = NAMES if others else ()

    def _each(self, pages: Pages) -> dict[str, Extracted]:
        found = {name: read_all(pages, options) for name, options in ours().items()}
        for name in self._others:
            texts, milliseconds = extract(self._truth.folder, name, pages)
            found[name] = Extracted(texts, milliseconds)
        return found

    def articles(self) -> None:
        """Passages of trafilatura's pages, full texts of Readability's and newspaper4k's."""
        passages = self._truth.passages()
        readability, newspaper = self._truth.readability(), self._truth.newspaper()
        print(
            f"\n## Articles: {len(passages)} pages of trafilatura (passages), {len(readability)} of "
            f"Readability, {len(newspaper)} of newspaper4k (words)\n"
        )
        print("| main text | P | R | F1 | Readability F1 | newspaper4k F1 | ms/page | empty |")
        print("|---|---|---|---|---|---|---|---|")
        by_passages = self._each([(page.url, page.path) for page in passages])
        by_words = [
            {
                name: fmean(
                    overlap(text, page.text)[2]
                    for text, page in zip(each.texts, pages, strict=True)
                )
                for name, each in self._each([(page.url, page.path) for page in pages]).items()
            }
            for pages in (readability, newspaper)
        ]
        for name, each in by_passages.items():
            right = wrong = missed = 0
            for text, page in zip(map(folded, each.texts), passages, strict=True):
                hits = sum(folded(part) in text for part in page.wanted)
                right += hits
                missed += len(page.wanted) - hits
                wrong += sum(folded(part) in text for part in page.unwanted)
            precision, recall = right / (right + wrong), right / (right + missed)
            score = 2 * precision * recall / (precision + recall)
            scores = " | ".join(f"{scores[name]:.3f}" for scores in by_words)
            empty = sum(not text.strip() for text in each.texts)
            print(
                f"| {name} | {precision:.3f} | {recall:.3f} | {score:.3f} | {scores} |"
                f" {each.milliseconds:.1f} | {empty} |"
            )

    def losses(self) -> None:
        """Titles, headings and pages that our reading loses, among those that a page has."""
        articles = self._truth.passages()
        sets: dict[str, list[tuple[str, Path, str]]] = {
            "trafilatura": [
                (page.url, page.path, "".join(page.metadata.get("Title", ())[:1]))
                for page in articles
            ],
            "Readability": [
                (page.url, page.path, page.titles[0]) for page in self._truth.readability()
            ],
            "documentation": [
                (page.url, page.path, " ".join(page.titles[:1]))
                for of in DOCUMENTATION
                for page in self._truth.documentation(of)
            ],
        }
        print("\n## Lost by `content=page` and `content=all`: pages\n")
        print("| pages of | pages | title not in body | no h1 left | emptied |")
        print("|---|---|---|---|---|")
        for name, known in sets.items():
            pages = [(url, path) for url, path, _ in known]
            titles = [title for _, _, title in known]
            everything = read_all(pages, EVERYTHING)
            ways = {"page": ReadOptions(), "all": ours()["sitecrawl all"]}
            counts = [losses(everything, read_all(pages, way), titles) for way in ways.values()]
            cells = (f"{page} ({both})" for page, both in zip(*counts, strict=True))
            print(f"| {name} | {len(pages)} | {' | '.join(cells)} |")

    def documentation(self) -> None:
        """Documentation sets, whose generators mark their content."""
        rows: dict[str, list[Sequence[float]]] = {}
        single: dict[str, list[str]] = {}
        for of in DOCUMENTATION:
            pages = self._truth.documentation(of)
            found = self._each([(page.url, page.path) for page in pages])
            found = {"truth": Extracted([page.text for page in pages], 0.0), **found}
            for name, each in found.items():
                row = self._row(pages, each)
                rows.setdefault(name, []).append(row)
                single.setdefault(of.package, []).append(f"{row[2]:.3f}")
        print(f"\n## Documentation: {len(DOCUMENTATION)} sets of up to 40 pages, by words\n")
        print("| main text | P | R | F1 | MRR | AND | before | worst R | ms/page |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name, measured in rows.items():
            p, r, f1, mrr, both, before, ms = mean(measured)
            worst = min(row[1] for row in measured)
            print(
                f"| {name} | {p:.3f} | {r:.3f} | {f1:.3f} | {mrr:.3f} | {both:.1%} | {before:.0f} |"
                f" {worst:.3f} | {ms:.1f} |"
            )
        print(f"\n| F1 by set | {' | '.join(rows)} |\n|---|{'---|' * len(rows)}")
        for package, scores in single.items():
            print(f"| {package} | {' | '.join(scores)} |")

    def _row(self, pages: Sequence[FullText], each: Extracted) -> Sequence[float]:
        """Precision, recall, F1; MRR and matches of headings; characters before the content."""
        pairs = list(zip(each.texts, pages, strict=True))
        ranking = Ranking([words(text) for text in each.texts])
        queries = [(number, words(" ".join(page.titles[:1]))) for number, page in enumerate(pages)]
        queries = [(number, query) for number, query in queries if query]
        mrr = mean(
            [[ranking.reciprocal_rank(q, n), ranking.matches(q)] for n, q in queries] or [[1, 0]]
        )
        before = fmean(characters_before(text, page.text) for text, page in pairs)
        return (
            *mean([overlap(text, page.text) for text, page in pairs]),
            *mrr,
            before,
            each.milliseconds,
        )


def characters_before(text: str, truth: str) -> int:
    """The characters that stand before the first line of content."""
    wanted = folded(truth)
    before = 0
    for line in text.split("\n"):
        if len(line) >= MIN_LINE and folded(line) in wanted:
            return before
        before += len(line) + 1
    return before
