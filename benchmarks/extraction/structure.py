"""Structure in Markdown: listings, rows, terms, links and headings of documentation.

From each documentation set the page of the sample with most of them, reduced to its content element, so
that the choice of the content is not measured. What is wanted is read from the tree; what is found, from
the Markdown by its own marks.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchmarks.extraction.others import extract
from benchmarks.extraction.truth import DOCUMENTATION, DocumentationSet, Truth
from sitecrawl.policy.documents.sections import markdown_of
from sitecrawl.web.page_reader import read_page
from sitecrawl.web.read_options import ReadOptions

NAMES = ("html-to-markdown", "markdownify")
KINDS = ("listings verbatim", "rows on one line", "terms", "links", "headings")
NO_ROW = "table, pre, h1, h2, h3, h4, h5, h6"
SIGNS = frozenset("¶#§🔗∞⚓\uf0c1")
_WORD = re.compile(r"\w+")
_FENCE = re.compile(r"^([ >]*)(`{3,}|~{3,})[^`\n]*\n(.*?)^[ >]*\2[ \t]*$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^[ >]*#{1,6}[ \t]+(.*)$", re.MULTILINE)
_ADDRESS = re.compile(r"(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?: \"[^\"]*\")?\)")
_LINK = re.compile(r"\]\(<?([^\s<>]+?)>?(?: \"[^\"]*\")?\)(?!\))")

Facts = dict[str, list[str]]


def words(text: str) -> str:
    """The words of a text with single spaces."""
    return " ".join(_WORD.findall(text.replace("\\", "").replace("_", " ").lower()))


def code(text: str) -> str:
    """A listing without the margin that a list gives it, and without space at the ends of lines."""
    lines = [line.rstrip() for line in text.expandtabs().split("\n")]
    margins = [len(line) - len(line.lstrip()) for line in lines if line]
    margin = min(margins, default=0)
    return "\n".join(line[margin:] for line in lines).strip("\n")


def wanted(root: LexborNode) -> Facts:
    """The structure of a content element, by kinds."""
    facts: Facts = {kind: [] for kind in KINDS}
    facts["listings verbatim"] = [code(node.text()) for node in root.css("pre")]
    for row in root.css("tr"):
        cells = [cell for cell in row.iter() if cell.tag in ("td", "th")]
        if len(cells) > 1 and row.css_first(NO_ROW) is None:
            facts["rows on one line"].append(words(" ".join(cell.text() for cell in cells)))
    facts["terms"] = [words(node.text()) for node in root.css("dt")]
    facts["headings"] = [words(node.text()) for node in root.css("h1, h2, h3, h4, h5, h6")]
    for link in root.css("a[href]"):
        href = (link.attributes.get("href") or "").strip()
        shown = link.text().strip()
        if href and shown and shown not in SIGNS and not href.startswith(("javascript:", "data:")):
            inside = link.parent
            while inside is not None and inside.tag != "pre":
                inside = inside.parent
            if inside is None:  # Markdown has no links within listings
                facts["links"].append(href)
    return {kind: [each for each in found if each] for kind, found in facts.items()}


def found(markdown: str, facts: Facts, url: str) -> dict[str, int]:
    """The share of each kind that the Markdown has."""
    listings = {code(re.sub(r"(?m)^>+ ?", "", each[2])) for each in _FENCE.findall(markdown)}
    plain = _ADDRESS.sub("", markdown)
    lines = [words(line) for line in plain.split("\n")]
    headings = [words(each) for each in _HEADING.findall(plain)]
    addresses = set(_LINK.findall(markdown.replace("%28", "(").replace("%29", ")")))
    return {
        "listings verbatim": sum(each in listings for each in facts["listings verbatim"]),
        "rows on one line": sum(_in_any(each, lines) for each in facts["rows on one line"]),
        "terms": sum(_in_any(each, lines) for each in facts["terms"]),
        "links": sum(
            href in addresses or urljoin(url, href) in addresses for href in facts["links"]
        ),
        "headings": sum(each in headings for each in facts["headings"]),
    }


def _in_any(wanted_words: str, lines: Sequence[str]) -> bool:
    return any(f" {wanted_words} " in f" {line} " for line in lines)


def our_markdown(body: bytes, url: str) -> str:
    """Markdown as documents have it."""
    options = ReadOptions(outline=True, content="all", remove_elements=())
    page = read_page(body, url=url, content_type="text/html", headers={}, options=options)
    return markdown_of(page.content)


def structured_page(truth: Truth, of: DocumentationSet) -> tuple[str, Path, Facts] | None:
    """The page of a set with most structure, reduced to its content."""
    best: tuple[int, str, str, Facts] | None = None
    for page in truth.documentation(of):
        root = LexborHTMLParser(page.path.read_bytes().decode("utf-8", "replace")).root
        element = root.css_first(of.content) if root is not None else None
        if element is None:
            continue
        facts = wanted(element)
        size = sum(min(len(each), 40) for each in facts.values())
        if best is None or size > best[0]:
            best = size, page.url, element.html or "", facts
    if best is None:
        return None
    _, url, html, facts = best
    path = truth.folder / "structure" / f"{of.package}.html"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{html}</body>", encoding="utf-8")
    return url, path, facts


def structure(truth: Truth, *, others: bool) -> None:
    """Print the share of each kind that is kept, and the time a page takes."""
    pages = [page for of in DOCUMENTATION if (page := structured_page(truth, of))]
    begun = time.process_time()
    texts = {"sitecrawl": [our_markdown(path.read_bytes(), url) for url, path, _ in pages]}
    milliseconds = {"sitecrawl": 1000 * (time.process_time() - begun) / len(pages)}
    for name in NAMES if others else ():
        named = [(url, path) for url, path, _ in pages]
        texts[name], milliseconds[name] = extract(truth.folder, name, named)
    print(f"\n## Structure in Markdown: {len(pages)} pages of documentation\n")
    print(f"| | {' | '.join(KINDS)} | ms/page |\n|---|{'---|' * (len(KINDS) + 1)}")
    for name, own in texts.items():
        rows = [
            (found(text, facts, url), facts)
            for text, (url, _, facts) in zip(own, pages, strict=True)
        ]
        cells = []
        for kind in KINDS:
            have, want = sum(r[kind] for r, _ in rows), sum(len(f[kind]) for _, f in rows)
            cells.append(f"{have}/{want} {have / max(want, 1):.0%}")
        print(f"| {name} | {' | '.join(cells)} | {milliseconds[name]:.1f} |")
