"""OpenDocument (ISO/IEC 26300): texts, presentations and spreadsheets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sitecrawl.web.files.markup import FileMarkup, MarkupWriter, Run, UnreadableFileError, clean
from sitecrawl.web.files.office import CODE_NAME, MAX_CELLS, MAX_NESTING, fill_metadata, write_row
from sitecrawl.web.files.packages import Package, all_text, attribute, every, first, local, texts

MAX_SPACES = 100
MAX_REPEATED_ROWS = 100
_LEFT_OUT = frozenset({"annotation", "tracked-changes", "forms", "notes", "ruby-text"})


def read_opendocument(body: bytes) -> FileMarkup:
    """Convert a file to HTML: headings, lists, tables; slides and sheets as sections."""
    package, writer = Package(body), MarkupWriter()
    manifest = package.optional_tree("META-INF/manifest.xml")
    if first(manifest, "encryption-data") is not None:
        raise UnreadableFileError("file_encrypted", "the package needs a password")
    fill_metadata(package.optional_tree("meta.xml"), writer)
    writer.language = writer.language or _default_language(package)
    content = first(package.tree("content.xml"), "body")
    if content is not None:
        _Body(writer, _code_styles(package)).blocks(content, 0)
    return writer.document()


def _default_language(package: Package) -> str:
    styles = package.optional_tree("styles.xml")
    for style in every(styles, "text-properties"):
        language, country = attribute(style, "language"), attribute(style, "country")
        if language.isalpha():
            return f"{language}-{country}" if country.isalpha() and country != "none" else language
    return ""


def _code_styles(package: Package) -> frozenset[str]:
    """Return the names of the paragraph styles of listings: by name, or derived from one."""
    trees = [package.optional_tree(part) for part in ("styles.xml", "content.xml")]
    parents = {
        attribute(style, "name"): attribute(style, "parent-style-name")
        for tree in trees
        for style in every(tree, "style")
    }
    named = {each for each in {*parents, *parents.values()} if CODE_NAME.search(_plain(each))}
    return frozenset(named | {name for name, parent in parents.items() if parent in named})


def _plain(name: str) -> str:
    """Return a style's name with its escaped spaces (OpenDocument 1.2-1, 19.502)."""
    return name.replace("_20_", " ")


class _Body:
    """Writer of the blocks of an OpenDocument file, in order."""

    def __init__(self, writer: MarkupWriter, code_styles: frozenset[str]) -> None:
        self._writer = writer
        self._code_styles = code_styles
        self._pages = 0
        self._writers: dict[str, Callable[[Any, int], None]] = {
            "h": self._heading,
            "p": self._paragraph,
            "list": self._list,
            "table": self._table,
            "page": self._slide,
        }

    def blocks(self, parent: Any, depth: int) -> None:
        """Write headings, paragraphs, lists and tables; descend into other elements."""
        for element in parent:
            if self._writer.is_full:
                self._writer.cuts.add("too_long")
                return
            name = local(element)
            if name not in _LEFT_OUT and depth <= MAX_NESTING:
                self._writers.get(name, self._wrapper)(element, depth)

    def _wrapper(self, element: Any, depth: int) -> None:
        self.blocks(element, depth + 1)

    def _heading(self, element: Any, _: int) -> None:
        level = attribute(element, "outline-level")
        self._writer.heading(int(level) if level.isdecimal() else 1, self._runs(element, 0))

    def _paragraph(self, element: Any, depth: int) -> None:
        if attribute(element, "style-name") in self._code_styles:
            self._writer.listing(self._text(element))
        else:
            self._writer.block("p", self._runs(element, 0))
        for box in every(element, "text-box"):
            self.blocks(box, depth + 1)

    def _list(self, element: Any, depth: int) -> None:
        self._writer.raw("<ul>\n")
        for item in element:
            self._writer.raw("<li>")
            self.blocks(item, depth + 1)
            self._writer.raw("</li>\n")
        self._writer.raw("</ul>\n")

    def _slide(self, element: Any, depth: int) -> None:
        self._pages += 1
        self._writer.raw(f'<section data-page="{self._pages}">\n')
        titles = [e for e in element.iter("{*}frame") if attribute(e, "class") == "title"][:1]
        for title in titles:
            self._writer.heading(2, " ".join(texts(title, "p")))
        for frame in element:
            if frame not in titles:
                self.blocks([frame], depth + 1)
        self._writer.raw("</section>\n")

    def _table(self, element: Any, _: int) -> None:
        is_sheet = local(element.getparent()) == "spreadsheet"
        if is_sheet:
            self._pages += 1
            self._writer.raw(f'<section data-page="{self._pages}">\n')
            self._writer.heading(2, attribute(element, "name"))
        self._writer.raw("<table>\n")
        for row in element.iter("{*}table-row"):
            if self._writer.is_full:
                self._writer.cuts.add("too_long")
                break
            cells = list(self._cells(row))
            if any(map(str.strip, cells)):
                for _ in range(_repeats(row, "number-rows-repeated", MAX_REPEATED_ROWS)):
                    write_row(list(cells), self._writer)
        self._writer.raw("</table>\n")
        if is_sheet:
            self._writer.raw("</section>\n")

    def _cells(self, row: Any) -> Iterator[str]:
        room = MAX_CELLS
        for cell in row.iter("{*}table-cell", "{*}covered-table-cell"):
            text = "\n".join(self._text(each) for each in cell.iter("{*}p", "{*}h"))
            for _ in range(_repeats(cell, "number-columns-repeated", room)):
                room -= 1
                yield text
            if room <= 0:
                return

    def _text(self, element: Any) -> str:
        runs = list(self._runs(element, 0))
        for run in runs:
            self._writer.link(run.link)
        return "".join(run.text for run in runs)

    def _runs(self, element: Any, depth: int, link: str = "") -> Iterator[Run]:
        yield Run(element.text or "", link)
        for each in element:
            name = local(each)
            if name == "s":
                yield Run(" " * _repeats(each, "c", MAX_SPACES), link)
            elif name in {"tab", "line-break"}:
                yield Run("\t" if name == "tab" else "\n", link)
            elif name == "note":
                yield Run(f" ({clean(all_text(first(each, 'note-body')))})", link)
            elif name not in _LEFT_OUT | {"text-box"} and depth < MAX_NESTING:
                own = attribute(each, "href") if name == "a" else ""
                yield from self._runs(each, depth + 1, own or link)
            yield Run(each.tail or "", link)


def _repeats(element: Any, name: str, limit: int) -> int:
    text = attribute(element, name)
    return min(int(text), limit) if text.isdecimal() and len(text) < 10 else 1
