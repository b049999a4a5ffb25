"""Tables of the metadata: titles, dates and authors of articles, languages of documentation."""

from __future__ import annotations

import html
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.extraction.others import extract
from benchmarks.extraction.truth import DOCUMENTATION, Truth
from sitecrawl.policy.documents.document_options import DocumentOptions
from sitecrawl.policy.documents.fields import page_fields
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

Pages = Sequence[tuple[str, Path]]
_BESIDE_WORDS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Told:
    """The metadata that one program finds in a page."""

    title: str = ""
    date: str = ""
    authors: tuple[str, ...] = ()


def folded(text: str) -> str:
    """The words of a text in small letters."""
    return _BESIDE_WORDS.sub(" ", html.unescape(text)).casefold().strip()


DEFAULT = ReadOptions()


def fields_of(url: str, path: Path, options: ReadOptions = DEFAULT) -> dict[str, Any]:
    """The fields of a page's document."""
    page = read_page(
        path.read_bytes(), url=url, content_type="text/html", headers={}, options=options
    )
    return page_fields(page, DocumentOptions())


def ours(pages: Pages, options: ReadOptions = DEFAULT) -> tuple[list[Told], float]:
    """Our own fields, and CPU milliseconds a page, those of the whole document."""
    begun = time.process_time()
    documents = [fields_of(url, path, options) for url, path in pages]
    seconds = time.process_time() - begun
    told = [
        Told(
            fields.get("title", ""),
            fields.get("published_at", "")[:10],
            tuple(fields.get("authors") or filter(None, [fields.get("author")])),
        )
        for fields in documents
    ]
    return told, 1000 * seconds / len(pages)


def of_another(text: str) -> Told:
    """The metadata in another program's output."""
    found = json.loads(text or "{}")
    authors = tuple(filter(None, found.get("authors") or ()))
    return Told(found.get("title") or "", found.get("date") or "", authors)


def share(counts: Counter[str], *names: str) -> str:
    """Counts as cells of a table."""
    return " | ".join(str(counts[name]) for name in names)


def judged(found: Iterable[str], wanted: Iterable[str]) -> str:
    """The judgement of a set of names: right, wrong or none."""
    names, truth = set(map(folded, found)), set(map(folded, wanted))
    if not names:
        return "none"
    return "right" if names == truth else "wrong"


class Metadata:
    """Measures every program on every set of pages."""

    def __init__(self, truth: Truth, *, others: bool) -> None:
        self._truth = truth
        self._others = others

    def _each(self, pages: Pages, names: Sequence[str]) -> dict[str, tuple[list[Told], float]]:
        found = {"sitecrawl": ours(pages)}
        for name in names if self._others else ():
            texts, milliseconds = extract(self._truth.folder, name, pages)
            found[name] = list(map(of_another, texts)), milliseconds
        return found

    def articles(self) -> None:
        """Titles, dates and authors of trafilatura's pages."""
        known = self._truth.passages()
        pages = [(page.url, page.path) for page in known]
        print(f"\n## Metadata: {len(known)} pages of trafilatura\n")
        print("| | titles: to the letter | same words | dates: right | wrong | none", end="")
        print(
            " | authors: right | wrong | none | ms/page |\n|---|---|---|---|---|---|---|---|---|---|"
        )
        for name, (told, milliseconds) in self._each(pages, ["trafilatura metadata"]).items():
            titles: Counter[str] = Counter()
            dates: Counter[str] = Counter()
            authors: Counter[str] = Counter()
            for page, one in zip(known, told, strict=True):
                truth = page.metadata
                for title in truth.get("Title", ())[:1]:
                    exact = " ".join(html.unescape(title).split())
                    titles["exact"] += exact == " ".join(one.title.split())
                    titles["same"] += folded(title) == folded(one.title)
                for date in truth.get("Date", ())[:1]:
                    dates[judged(filter(None, [one.date]), [date])] += 1
                if truth.get("Authors"):
                    authors[judged(one.authors, truth["Authors"])] += 1
            cells = [share(titles, "exact", "same")]
            cells += [share(each, "right", "wrong", "none") for each in (dates, authors)]
            print(f"| {name} | {' | '.join(cells)} | {milliseconds:.1f} |")

    def dates(self) -> None:
        """Dates of htmldate's pages."""
        known = self._truth.dates()
        print(f"\n## Dates: {len(known)} pages of htmldate\n")
        print("| | right | wrong | none | ms/page |\n|---|---|---|---|---|")
        pages = [(page.url, page.path) for page in known]
        found = self._each(pages, ["htmldate", "htmldate fast"])
        for name, (told, milliseconds) in found.items():
            counts = Counter(
                judged(filter(None, [one.date]), [page.date])
                for page, one in zip(known, told, strict=True)
            )
            print(f"| {name} | {share(counts, 'right', 'wrong', 'none')} | {milliseconds:.1f} |")

    def documentation(self) -> None:
        """Languages and titles of documentation, all of it English."""
        print("\n## Documentation: language and titles\n")
        print("| set | pages | en | other | none | detected | titles that are a heading |")
        print("|---|---|---|---|---|---|---|")
        for known in DOCUMENTATION:
            counts: Counter[str] = Counter()
            pages = self._truth.documentation(known)
            for page in pages:
                fields = fields_of(page.url, page.path)
                language = fields.get("language", "")[:2]
                counts[language if language in {"en", ""} else "other"] += 1
                counts["detected"] += fields.get("language_source") == "detected"
                headings = {folded(each["text"]) for each in fields.get("headings", ())}
                counts["heading"] += folded(fields["title"]) in headings
            cells = share(counts, "en", "other", "", "detected", "heading")
            print(f"| {known.package} | {len(pages)} | {cells} |")
